# SPDX-License-Identifier: Apache-2.0
"""BSON by hand: the tests' own encoder, so that what a server or bsonic says is never judged by either of them.

    document = int32 length, elements, 00         element = type byte, name, 00, value

Three sources of documents come out of here: every type written byte by byte, canonical Extended JSON turned into
BSON (the public `full` document), and generated small and large ones.
"""
import base64
import json
import struct

MAX_DOCUMENT = 16 * 1024 * 1024  # what a server lets a user store
OBJECT_ID = bytes.fromhex("65a1b2c3d4e5f60718293a4b")


def int32(value):
    return struct.pack("<i", value)


def int64(value):
    return struct.pack("<q", value)


def double(value):
    return struct.pack("<d", value)


def cstring(text):
    coded = text.encode()
    assert b"\0" not in coded, "a key or regex part cannot hold U+0000"
    return coded + b"\0"


def string(text):
    coded = text.encode()
    return int32(len(coded) + 1) + coded + b"\0"


def document(*elements):
    body = b"".join(elements)
    return int32(len(body) + 5) + body + b"\0"


def array(*typed_values):
    """Each value is (type byte, bytes); names are the positions."""
    return document(*(element(kind, str(at), value) for at, (kind, value) in enumerate(typed_values)))


def element(kind, name, value=b""):
    return bytes([kind]) + cstring(name) + value


def binary(subtype, data):
    return int32(len(data)) + bytes([subtype]) + data


def code_with_scope(code, scope):
    body = string(code) + scope
    return int32(len(body) + 4) + body


def timestamp(seconds, increment):
    return struct.pack("<II", increment, seconds)


# Every type of the BSON specification and the values that readers get wrong: label, type byte, value.
# A few rows stand for each value that changes hands differently: signed zero, infinities, NaN with a payload, text
# with U+0000, dates outside of the years that calendars know, each subtype.
TYPES = [
    ("double", 0x01, double(1.5)),
    ("double_integral", 0x01, double(3.0)),
    ("double_tiny", 0x01, double(5e-324)),
    ("double_minus_zero", 0x01, double(-0.0)),
    ("double_infinity", 0x01, double(float("inf"))),
    ("double_minus_infinity", 0x01, double(float("-inf"))),
    ("double_nan", 0x01, double(float("nan"))),
    ("double_nan_payload", 0x01, bytes.fromhex("120000000000f87f")),
    ("string", 0x02, string("plain")),
    ("string_empty", 0x02, string("")),
    ("string_utf8", 0x02, string("\u00e9\u20ac\U0001f600")),
    ("string_nul", 0x02, string("a\0b")),
    ("string_escapes", 0x02, string("\"\\/\b\f\n\r\t\u0001\u007f\u2028")),
    ("document", 0x03, document(element(0x10, "a", int32(1)))),
    ("document_empty", 0x03, document()),
    ("document_deep", 0x03, document(element(0x03, "a", document(element(0x03, "b", document()))))),
    ("array", 0x04, array((0x10, int32(1)), (0x02, string("two")), (0x01, double(3.5)))),
    ("array_empty", 0x04, array()),
    ("array_nested", 0x04, array((0x04, array((0x10, int32(1)))), (0x03, document()))),
    ("binary_00", 0x05, binary(0x00, bytes(range(256)))),
    ("binary_empty", 0x05, binary(0x00, b"")),
    ("binary_01", 0x05, binary(0x01, b"function")),
    ("binary_02", 0x05, binary(0x02, int32(3) + b"old")),
    ("binary_03", 0x05, binary(0x03, bytes(range(16)))),
    ("binary_04", 0x05, binary(0x04, bytes(range(16)))),
    ("binary_05", 0x05, binary(0x05, bytes(16))),
    ("binary_06", 0x05, binary(0x06, b"encrypted")),
    ("binary_07", 0x05, binary(0x07, b"column")),
    ("binary_08", 0x05, binary(0x08, b"sensitive")),
    ("binary_09", 0x05, binary(0x09, b"\x03\x00\x01\x02\x03")),
    ("binary_80", 0x05, binary(0x80, b"user")),
    ("undefined", 0x06, b""),
    ("object_id", 0x07, OBJECT_ID),
    ("bool_true", 0x08, b"\x01"),
    ("bool_false", 0x08, b"\x00"),
    ("date", 0x09, int64(1356351330501)),
    ("date_whole_second", 0x09, int64(1356351330000)),
    ("date_epoch", 0x09, int64(0)),
    ("date_before_epoch", 0x09, int64(-1)),
    ("date_year_9999", 0x09, int64(253402300799999)),
    ("date_after_9999", 0x09, int64(253402300800000)),
    ("date_least", 0x09, int64(-(2**63))),
    ("null", 0x0A, b""),
    ("regex", 0x0B, cstring("^a.*\"b\\d$") + cstring("ix")),
    ("regex_empty", 0x0B, cstring("") + cstring("")),
    ("db_pointer", 0x0C, string("db.coll") + OBJECT_ID),
    ("code", 0x0D, string("function() { return 1; }")),
    ("symbol", 0x0E, string("sym")),
    ("code_with_scope", 0x0F, code_with_scope("f(x)", document(element(0x10, "x", int32(1))))),
    ("code_with_empty_scope", 0x0F, code_with_scope("", document())),
    ("int32", 0x10, int32(-5)),
    ("int32_least", 0x10, int32(-(2**31))),
    ("timestamp", 0x11, timestamp(4294967295, 1)),
    ("timestamp_zero_seconds", 0x11, timestamp(0, 4294967295)),
    ("int64", 0x12, int64(5)),
    ("int64_least", 0x12, int64(-(2**63))),
    ("int64_beyond_double", 0x12, int64(2**53 + 1)),
    ("decimal128", 0x13, bytes.fromhex("78000000000000000000000000003c30")),  # 1.20
    ("decimal128_nan", 0x13, bytes.fromhex("0000000000000000000000000000007c")),
    ("decimal128_minus_infinity", 0x13, bytes.fromhex("000000000000000000000000000000f8")),
    ("min_key", 0xFF, b""),
    ("max_key", 0x7F, b""),
]
TYPE_BYTES = [*range(0x01, 0x14), 0x7F, 0xFF]  # all 21


def typed_documents(keep=lambda label: True):
    """One document a row of TYPES that `keep` lets through, `_id` first, then one that holds them all."""
    rows = [row for row in TYPES if keep(row[0])]
    single = [document(element(0x10, "_id", int32(at)), element(kind, label, value))
              for at, (label, kind, value) in enumerate(rows)]
    together = document(element(0x10, "_id", int32(len(rows))),
                        *(element(kind, label, value) for label, kind, value in rows))
    return [*single, together]


def odd_documents():
    """Legal BSON that no server would store: no _id, no element at all, empty, dotted and repeated names."""
    return [
        document(),
        document(element(0x10, "", int32(1))),
        document(element(0x10, "a", int32(1)), element(0x10, "a", int32(2))),
        document(element(0x10, "$a.b", int32(1)), element(0x02, "_id", string("last"))),
        document(element(0x04, "a", document(element(0x10, "7", int32(1)), element(0x10, "7", int32(2))))),
    ]


def small_document(at):
    return document(
        element(0x10, "_id", int32(at)),
        element(0x02, "name", string(f"document {at}")),
        element(0x12, "far", int64(2**40 + at)),  # a driver that narrows small ones keeps it
        element(0x01, "half", double(at / 2)),
        element(0x04, "digits", array(*((0x10, int32(int(digit))) for digit in str(at)))),
    )


def small_documents(count):
    return [small_document(at) for at in range(count)]


def sized_document(key, size):
    """A document of exactly `size` bytes: an int32 _id and one long string of changing text."""
    rest = size - len(document(element(0x10, "_id", int32(key)), element(0x02, "text", string(""))))
    pattern = f"{key}: the quick brown fox jumps over the lazy dog. "
    made = document(element(0x10, "_id", int32(key)),
                    element(0x02, "text", string((pattern * (rest // len(pattern) + 1))[:rest])))
    assert len(made) == size
    return made


def split(stream):
    """The documents of a concatenation."""
    found = []
    at = 0
    while at < len(stream):
        (length,) = struct.unpack_from("<i", stream, at)
        assert 5 <= length <= len(stream) - at, f"length {length} at byte {at} of {len(stream)}"
        found.append(stream[at:at + length])
        at += length
    return found


class Pairs(list):
    """A JSON object as its pairs, in order, repeated names kept."""


def parse_json(text):
    return json.loads(text, object_pairs_hook=Pairs)


def from_canonical(text):
    """Canonical Extended JSON to BSON. The outermost object is always a document, wrappers count below it."""
    return pairs_to_document(parse_json(text))


def pairs_to_document(pairs):
    return document(*(element(kind, name, value) for name, (kind, value) in
                      ((name, typed_value(item)) for name, item in pairs)))


def typed_value(item):
    """One JSON value as (type byte, bytes)."""
    if isinstance(item, Pairs):
        reader = WRAPPERS.get(tuple(name for name, _ in item))
        if reader:
            return reader(*(value for _, value in item))
        return 0x03, pairs_to_document(item)
    if isinstance(item, list):
        return 0x04, array(*map(typed_value, item))
    if isinstance(item, str):
        return 0x02, string(item)
    if isinstance(item, bool):
        return 0x08, bytes([item])
    if item is None:
        return 0x0A, b""
    raise ValueError(f"a bare number is not canonical: {item}")


def read_double(text):
    return 0x01, double(float(text))  # Python reads NaN, Infinity and -Infinity as they are spelt here


def read_binary(fields):
    given = dict(fields)
    data, subtype = base64.b64decode(given["base64"], validate=True), int(given["subType"], 16)
    return 0x05, binary(subtype, int32(len(data)) + data if subtype == 2 else data)


def read_regex(fields):
    given = dict(fields)
    return 0x0B, cstring(given["pattern"]) + cstring(given["options"])


def read_pointer(fields):
    given = dict(fields)
    return 0x0C, string(given["$ref"]) + bytes.fromhex(dict(given["$id"])["$oid"])


def read_timestamp(fields):
    given = dict(fields)
    return 0x11, timestamp(given["t"], given["i"])


def read_decimal(text):
    from bson.decimal128 import Decimal128  # in the driver's environment only

    return 0x13, Decimal128(text).bid


WRAPPERS = {
    ("$numberDouble",): read_double,
    ("$binary",): read_binary,
    ("$undefined",): lambda _: (0x06, b""),
    ("$oid",): lambda text: (0x07, bytes.fromhex(text)),
    ("$date",): lambda fields: (0x09, int64(int(dict(fields)["$numberLong"]))),
    ("$regularExpression",): read_regex,
    ("$dbPointer",): read_pointer,
    ("$code",): lambda text: (0x0D, string(text)),
    ("$symbol",): lambda text: (0x0E, string(text)),
    ("$code", "$scope"): lambda text, scope: (0x0F, code_with_scope(text, pairs_to_document(scope))),
    ("$numberInt",): lambda text: (0x10, int32(int(text))),
    ("$timestamp",): read_timestamp,
    ("$numberLong",): lambda text: (0x12, int64(int(text))),
    ("$numberDecimal",): read_decimal,
    ("$minKey",): lambda _: (0xFF, b""),
    ("$maxKey",): lambda _: (0x7F, b""),
}
