# SPDX-License-Identifier: Apache-2.0
"""bsonic decode's forms and shapes of text: what is written, what reads it back, what is said of it."""
import json
import os

import support
from support import run

import raw

MALFORMED, USAGE, MEMORY, SKIPPED = 1, 2, 5, 6

ONE = raw.document(raw.element(0x12, "n", raw.int64(2 ** 53)), raw.element(0x09, "d", raw.int64(5)))
TWO = raw.document(raw.element(0x04, "b", raw.array((0x10, raw.int32(1)), (0x03, raw.document()))))
NOT_UTF8 = raw.document(raw.element(0x02, "s", raw.int32(4) + b"a\xff\xe2\0"))
LOOKALIKE = raw.document(raw.element(0x03, "a", raw.document(raw.element(0x10, "$oid", raw.int32(5)))))


class Forms(support.Case):
    def decode(self, data, *arguments):
        return run("decode", *arguments, self.file("f.bson", data))

    def test_each_form_is_what_its_readers_read(self):
        self.check(self.decode(ONE), lines=['{"n":9007199254740992,"d":{"$date":"1970-01-01T00:00:00.005Z"}}'])
        self.check(self.decode(ONE, "--safe"),
                   lines=['{"n":{"$numberLong":"9007199254740992"},"d":{"$date":"1970-01-01T00:00:00.005Z"}}'])
        self.check(self.decode(ONE, "--legacy"), lines=['{"n":{"$numberLong":"9007199254740992"},"d":{"$date":5}}'])
        self.check(self.decode(ONE, "--shell"),
                   lines=['{"n":NumberLong("9007199254740992"),"d":ISODate("1970-01-01T00:00:00.005Z")}'])

    def test_forms_exclude_each_other(self):
        for one, other in (("--safe", "--shell"), ("--legacy", "--canonical"), ("--relaxed", "--safe")):
            self.check(self.decode(ONE, one, other), USAGE, "exclude each other")

    def test_canonical_and_legacy_text_read_back_as_the_bytes(self):
        for form, back in (("--canonical", []), ("--legacy", ["--legacy"])):
            for shape in ([], ["--pretty"], ["--array"], ["--array", "--pretty"]):
                text = self.decode(ONE + TWO + ONE, form, *shape)
                self.assertEqual(text.status, 0, text.err)
                self.assertEqual(run("encode", *back, stdin=text.out).out, ONE + TWO + ONE)

    def test_lines_are_indented_by_two(self):
        self.check(self.decode(TWO, "--pretty"), lines=["{", '  "b": [', "    1,", "    {}", "  ]", "}"])

    def test_an_array_holds_all_documents_of_all_files(self):
        self.assertEqual(json.loads(self.decode(TWO + TWO, "--array").out), [{"b": [1, {}]}] * 2)
        self.assertEqual(json.loads(self.decode(TWO * 3, "--array", "--pretty").out), [{"b": [1, {}]}] * 3)
        self.assertEqual(self.decode(b"", "--array").out, b"[]\n")
        path = self.file("g.bson", TWO)
        self.assertEqual(json.loads(run("decode", "--array", path, path).out), [{"b": [1, {}]}] * 2)

    def test_a_document_left_out_leaves_no_comma(self):
        bad = raw.document(raw.element(0x08, "b", b"\2"))
        for data in (bad + TWO, TWO + bad, TWO + bad + TWO):
            result = self.decode(data, "--array", "--keep-going")
            self.assertEqual(result.status, SKIPPED, result.err)
            self.assertEqual(json.loads(result.out), [{"b": [1, {}]}] * data.count(TWO))

    def test_an_array_of_one_large_document_is_whole(self):
        large = raw.document(raw.element(0x02, "s", raw.int32(3_000_001) + b"\1" * 3_000_000 + b"\0"))
        self.assertEqual(json.loads(self.decode(TWO + large, "--array").out)[1], {"s": "\1" * 3_000_000})

    def test_memory_that_is_refused_while_a_document_goes_out_ends_the_program_in_order(self):
        """Of a document that is drained while it is printed, what has gone out cannot be taken back: nesting asks for memory then."""
        deep = raw.document()
        for _ in range(900):
            deep = raw.document(raw.element(0x03, "o", deep))
        large = raw.document(raw.element(0x02, "s", raw.int32(1_000_001) + b"\1" * 1_000_000 + b"\0"), raw.element(0x03, "o", deep))
        arguments = ("decode", "--max-depth", 1000, self.file("f.bson", TWO + large + TWO))
        whole = run(*arguments).out
        count = self.mallocs_of(*arguments)
        ends = set()
        for refused in range(1, count + 1):
            environment = {**os.environ, "LD_PRELOAD": os.environ["COUNT_MALLOCS_MODULE"], "REFUSE_FROM": str(refused),
                           "COUNT_MALLOCS": str(self.folder / "count")}
            result = run(*arguments, env=environment)
            self.assertIn(result.status, (0, MEMORY), f"{refused} of {count}: {result.err}")
            self.assertTrue(whole.startswith(result.out), refused)
            ends.add((result.status, len(result.out) > len(whole) // 2))
        self.assertIn((MEMORY, True), ends)

    def test_text_that_is_not_utf8_is_refused_replaced_or_escaped(self):
        self.check(self.decode(NOT_UTF8), MALFORMED, "not UTF-8")
        self.check(self.decode(NOT_UTF8, "--utf8", "error"), MALFORMED, "not UTF-8")
        self.check(self.decode(NOT_UTF8, "--utf8", "replace"), lines=['{"s":"a\\ufffd\\ufffd"}'])
        self.check(self.decode(NOT_UTF8, "--utf8", "escape"), lines=['{"s":"a\\u00ff\\u00e2"}'])
        self.check(self.decode(NOT_UTF8, "--utf8", "other"), USAGE, "error, replace or escape")

    def test_lookalikes_are_counted_once_at_the_end_or_refused(self):
        said = self.decode(LOOKALIKE + TWO + LOOKALIKE)
        self.assertEqual((said.status, said.out.count(b"\n")), (0, 3))
        self.assertIn("2 embedded documents look like wrappers", said.err)
        self.assertEqual(self.decode(LOOKALIKE, "--quiet").err, "")
        self.assertEqual(self.decode(LOOKALIKE, "--shell").err, "")
        refused = self.decode(TWO + LOOKALIKE, "--reversible")
        self.assertEqual((refused.status, refused.out), (MALFORMED, b'{"b":[1,{}]}\n'))
        self.assertIn("document 2 at byte", refused.err)
        self.assertIn("(path a.$oid)", refused.err)


if __name__ == "__main__":
    support.main()
