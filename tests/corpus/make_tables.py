#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the tables that corpus.h declares.

usage: make_tables.py SPEC_DIR OUTPUT.c

Reads SPEC_DIR/bson-corpus/*.json. Without that folder the tables are empty and corpus_present is false. A file or a field
that is not understood is an error: cases must not vanish silently.
"""
import json
import pathlib
import sys

FILE_FIELDS = {
    "description",
    "bson_type",
    "test_key",
    "deprecated",
    "valid",
    "decodeErrors",
    "parseErrors",
}
BYTES_FIELDS = ("canonical_bson", "degenerate_bson", "converted_bson")
TEXT_FIELDS = ("canonical_extjson", "relaxed_extjson", "degenerate_extjson", "converted_extjson")
VALID_FIELDS = {"description", "lossy", *BYTES_FIELDS, *TEXT_FIELDS}
PLAIN = frozenset(range(0x20, 0x7F)) - frozenset(b'"\\?')


def literal(data: bytes) -> str:
    """A C string literal. Octal escapes have three digits always, so none swallows what follows; `?` is escaped because
    of trigraphs."""
    return '"' + "".join(chr(b) if b in PLAIN else f"\\{b:03o}" for b in data) + '"'


def text_bytes(text: str) -> bytes:
    """UTF-8, with lone surrogates let through as the three bytes that they would have."""
    return text.encode("utf-8", "surrogatepass")


def c_string(text) -> str:
    return "NULL" if text is None else literal(text_bytes(text))


def str_span(text) -> str:
    if text is None:
        return "{NULL, 0}"
    data = text_bytes(text)
    return f"{{{literal(data)}, {len(data)}}}"


def bytes_span(hex_digits) -> str:
    if hex_digits is None:
        return "{NULL, 0}"
    data = bytes.fromhex(hex_digits)
    return f"{{(const uint8_t *){literal(data)}, {len(data)}}}"


def flag(value) -> str:
    return "true" if value else "false"


def expect_fields(where: str, found, known) -> None:
    unknown = set(found) - set(known)
    if unknown:
        sys.exit(f"{where}: fields not understood: {', '.join(sorted(unknown))}")


def read_corpus(folder: pathlib.Path):
    """Rows of the three tables, as C text."""
    valids, decode_errors, parse_errors = [], [], []
    for path in sorted(folder.glob("*.json")):
        content = json.loads(path.read_text(encoding="utf-8"))
        expect_fields(path.name, content, FILE_FIELDS)
        bson_type = int(content["bson_type"], 16)

        def head(case):
            return f"{c_string(path.name)}, {c_string(case['description'])}"

        for case in content.get("valid", []):
            expect_fields(f"{path.name}: {case['description']}", case, VALID_FIELDS)
            fields = [
                head(case),
                c_string(content.get("test_key")),
                f"0x{bson_type:02X}",
                flag(content.get("deprecated")),
                flag(case.get("lossy")),
                *(bytes_span(case.get(field)) for field in BYTES_FIELDS),
                *(str_span(case.get(field)) for field in TEXT_FIELDS),
            ]
            valids.append(", ".join(fields))
        for case in content.get("decodeErrors", []):
            expect_fields(path.name, case, ("description", "bson"))
            decode_errors.append(f"{head(case)}, 0x{bson_type:02X}, {bytes_span(case['bson'])}")
        for case in content.get("parseErrors", []):
            expect_fields(path.name, case, ("description", "string"))
            parse_errors.append(f"{head(case)}, 0x{bson_type:02X}, {str_span(case['string'])}")
    return valids, decode_errors, parse_errors


def table(row_type: str, array: str, count: str, rows) -> str:
    """An empty table keeps one row that does not count, since C has no empty arrays."""
    lines = [f"const {row_type} {array}[] = {{"]
    lines += [f"    {{{row}}}," for row in rows] or ["    {0},"]
    lines += ["};", f"const size_t {count} = {len(rows)};", ""]
    return "\n".join(lines)


def main() -> None:
    if len(sys.argv) != 3 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1]) / "bson-corpus"
    present = folder.is_dir()
    valids, decode_errors, parse_errors = read_corpus(folder) if present else ([], [], [])
    if present and not valids:
        sys.exit(f"{folder}: no cases")
    output = "\n".join(
        [
            "/* Made by tests/corpus/make_tables.py: do not edit. */",
            '#include "corpus/corpus.h"',
            "",
            f"const bool corpus_present = {flag(present)};",
            "",
            table("corpus_valid", "corpus_valids", "corpus_valid_count", valids),
            table(
                "corpus_decode_error",
                "corpus_decode_errors",
                "corpus_decode_error_count",
                decode_errors,
            ),
            table(
                "corpus_parse_error",
                "corpus_parse_errors",
                "corpus_parse_error_count",
                parse_errors,
            ),
        ]
    )
    pathlib.Path(sys.argv[2]).write_text(output, encoding="ascii")


if __name__ == "__main__":
    main()
