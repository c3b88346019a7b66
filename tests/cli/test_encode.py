# SPDX-License-Identifier: Apache-2.0
"""bsonic encode: text of every arrangement to the bytes that it means, faults by line and column, and what is written then."""
import os
import subprocess

import support
from support import run

import raw

MALFORMED, USAGE, SYSTEM, LIMIT, SKIPPED = 1, 2, 3, 5, 6

ONE = raw.document(raw.element(0x10, "n", raw.int32(1)))
TWO = raw.document(raw.element(0x02, "s", raw.string("x")))
THREE = raw.document(raw.element(0x12, "big", raw.int64(1 << 40)))
TEXTS = ['{"n":1}', '{"s":"x"}', '{"big":%d}' % (1 << 40)]
ALL = ONE + TWO + THREE
MAKE_DATA = os.environ.get("MAKE_DATA")
MADE_SETS = ("seedc", "seedu", "mixc", "keys100", "arr1000", "bigstr", "bigascii", "bits1000")


def nested(depth):
    return b'{"d":' * (depth - 1) + b"{}" + b"}" * (depth - 1)


class Encode(support.Case):
    def encode(self, text, *options):
        return run("encode", *options, stdin=text if isinstance(text, bytes) else text.encode())

    def check_bytes(self, result, wanted, status=0, *words):
        self.check(result, status, *words)
        self.assertEqual(result.out, wanted)

    def test_text_in_every_arrangement(self):
        for text in ("\n".join(TEXTS), "\n".join(TEXTS) + "\n", "\r\n".join(TEXTS) + "\r\n", "".join(TEXTS), " \n\n".join(TEXTS),
                     "[" + ",".join(TEXTS) + "]", "[\n " + ",\n ".join(TEXTS) + "\n]\n", "\ufeff" + "\n".join(TEXTS),
                     "\ufeff[" + ",".join(TEXTS) + "]"):
            with self.subTest(text):
                self.check_bytes(self.encode(text), ALL)

    def test_no_documents_are_no_bytes(self):
        for text in ("", "\n", "[]", "\ufeff", " \r\n\t"):
            self.check_bytes(self.encode(text), b"")

    def test_files_and_standard_input(self):
        paths = [self.file(f"{n}.json", text.encode()) for n, text in enumerate((TEXTS[0], "", f"[{TEXTS[1]}]", TEXTS[2]))]
        self.check_bytes(run("encode", *paths), ALL)
        self.check_bytes(run("encode", paths[0], "-", paths[3], stdin=TEXTS[1].encode()), ALL)
        self.check_bytes(run("encode", "-", stdin=TEXTS[1].encode()), TWO)

    def test_every_type_comes_back(self):
        # The digits of a NaN have no text, the keys of an array neither: those of the last odd document are none.
        data = b"".join(raw.typed_documents(lambda label: label != "double_nan_payload") + raw.odd_documents()[:-1])
        text = self.check(run("decode", "--canonical", stdin=data)).out
        self.check_bytes(self.encode(text), data)

    def test_made_sets_come_back_through_a_pipe(self):
        if not MAKE_DATA:
            self.skipTest("the data sets are not built")
        for name in MADE_SETS:
            with self.subTest(name):
                data = subprocess.run([MAKE_DATA, name], stdout=subprocess.PIPE, check=True, timeout=support.RUN_SECONDS).stdout
                path = self.file("f.bson", data)
                with subprocess.Popen([support.BSONIC, "decode", "--canonical", path], stdout=subprocess.PIPE) as decode:
                    encode = subprocess.run([support.BSONIC, "encode"], stdin=decode.stdout, stdout=subprocess.PIPE, check=True,
                                            timeout=support.RUN_SECONDS)
                    self.assertEqual(decode.wait(support.RUN_SECONDS), 0)
                self.assertTrue(encode.stdout == data, "the bytes differ")

    # ---------------------------------------------------------------- faults

    def test_faults_are_told_by_line_and_column(self):
        for text, place, word in (
                ('{"a":1}\n{"a":x}\n', "document 2 at line 2, column 6 (byte 13)", "a value was expected"),
                ("{'a':1}", "document 1 at line 1, column 2 (byte 1)", "a key in double quotes"),
                ('{"a":\'x\'}', "document 1 at line 1, column 6 (byte 5)", "double quotes"),
                ('{"a":ISODate()}', "document 1 at line 1, column 6 (byte 5)", "not of JavaScript"),
                ('{"a":{"$date":5}}', "document 1 at line 1, column 15 (byte 14)", "legacy"),
                ('{"a":1,}', "document 1 at line 1, column 8 (byte 7)", "a key in double quotes was expected"),
                ('{"a":1}\r\n\r\n{"a" 1}', "document 2 at line 3, column 6 (byte 16)", "':' was expected"),
                ('[{},\n{}\n{}]', "document 3 at line 3, column 1 (byte 8)", "expected"),
                ('{"a":{"$oid":"12"}}', "document 1 at line 1, column ", "hex digits"),
                ('\ufeff\n{"a":1', "document 1 at line 2, column 7 (byte 10)", "cut short"),
                ('{"a":"\\ud800"}', "document 1 at line 1, column ", "UTF-8"),
                ('{"a\\u0000":1}', "document 1 at line 1, column ", "U+0000")):
            with self.subTest(text):
                result = self.check(self.encode(text), MALFORMED, f"standard input: {place}", word)
                self.assertEqual(result.err.count("\n"), 1)

    def test_no_value_is_shown(self):
        for text in ('{"a":"secret}', '{"a":{"$oid":"secret"}}', '{"a":secret}', '{"a":{"$date":"secret"}}', '{"a":1}secret'):
            self.assertNotIn("secret", self.check(self.encode(text), MALFORMED, "document ").err)

    def test_what_came_before_a_fault_is_written(self):
        self.check_bytes(self.encode(TEXTS[0] + TEXTS[1] + "{"), ONE + TWO, MALFORMED, "document 3")
        path = self.file("f.json", ("\n".join(TEXTS) + "\n").encode())
        bad = self.file("bad.json", b'{"n":1}\nx')
        self.check_bytes(run("encode", path, bad, path), ALL + ONE, MALFORMED, "bad.json: document 2 at line 2, column 1")

    def test_a_text_cut_anywhere_gives_what_is_whole(self):
        text = "\n".join(TEXTS)
        ends = [0, len(TEXTS[0]), len(TEXTS[0]) + 1 + len(TEXTS[1]), len(text)]
        sizes = [0, len(ONE), len(ONE + TWO), len(ALL)]
        for length in range(len(text) + 1):
            whole = sum(end <= length for end in ends) - 1
            cut = length not in ends and text[:length].strip() != "\n".join(TEXTS[:whole])
            self.check_bytes(self.encode(text[:length]), ALL[:sizes[whole]], *([MALFORMED, f"document {whole + 1}"] if cut else []))

    def test_keep_going_passes_by_faulty_lines(self):
        lines = [TEXTS[0], '{"a":x}', TEXTS[1], "nonsense", '{"a":{"$oid":"12"}} {"lost":1}', TEXTS[2], '{"a":']
        result = self.encode("\n".join(lines), "--keep-going")
        self.check_bytes(result, ALL, SKIPPED, "document 2 at line 2, column 6 (byte 13)", "document 4 at line 4, column 1 ",
                         "document 5 at line 5", "document 7 at line 7")
        self.assertEqual(result.err.count("\n"), 4)
        self.check_bytes(self.encode("\n".join(TEXTS), "--keep-going"), ALL)
        bad, good = self.file("bad.json", b"x"), self.file("good.json", TEXTS[0].encode())
        self.check_bytes(run("encode", "--keep-going", bad, good), ONE, SKIPPED, "bad.json: document 1 at line 1, column 1 (byte 0)")

    def test_keep_going_cannot_go_on_inside_an_array(self):
        self.check_bytes(self.encode('[{"n":1},\n{"a":x},\n{"n":1}]', "--keep-going"), ONE, MALFORMED,
                         "document 2 at line 2, column 6 ", "one array")

    def test_keep_going_passes_by_what_is_too_deep(self):
        self.check_bytes(self.encode(nested(201) + b"\n" + TEXTS[0].encode(), "--keep-going"), ONE, SKIPPED, "deep")

    def test_a_terminal_gets_no_bson(self):
        path = self.file("f.json", TEXTS[0].encode())
        for words in (["encode", path], ["encode", "-o", "-", path], ["pull", "mongodb://127.0.0.1:1", "a.b", "--bson"]):
            ours, theirs = os.openpty()
            try:
                result = subprocess.run([support.BSONIC, *words], stdout=theirs, stderr=subprocess.PIPE,
                                        timeout=support.RUN_SECONDS, check=False)
                self.assertEqual(result.returncode, USAGE)
                self.assertIn(b"BSON is nothing for a terminal", result.stderr)
                subprocess.run([support.BSONIC, "encode", path, "-o", self.folder / "out"], stdout=theirs,
                               timeout=support.RUN_SECONDS, check=True)
                (self.folder / "out").unlink()
            finally:
                os.close(theirs)
                os.close(ours)

    def test_bson_is_recognised(self):
        for data in (ONE, ALL, raw.document(), raw.document(raw.element(0xFF, "m"))):
            self.check_bytes(run("encode", self.file("f.bson", data)), b"", MALFORMED,
                             "f.bson: document 1 at byte 0: this looks like BSON, not JSON text")

    def test_files_that_cannot_be_read(self):
        self.check(run("encode", self.folder / "nowhere"), SYSTEM, "nowhere: No such file")
        self.check(run("encode", self.folder), SYSTEM, "directory")
        path = self.file("f.json", TEXTS[0].encode())
        self.check_bytes(run("encode", path, self.folder / "nowhere", path), ONE, SYSTEM, "nowhere")

    # ---------------------------------------------------------------- options

    def test_depth(self):
        self.check(self.encode(nested(200)))
        self.check(self.encode(nested(201)), LIMIT, "deep")
        self.check(self.encode(nested(1000), "--max-depth", "1000"))
        self.check(self.encode(nested(3), "--max-depth=2"), LIMIT, "deep")

    def test_integers_beyond_64_bits(self):
        text = '{"n":9223372036854775808}'
        double = raw.document(raw.element(0x01, "n", raw.double(2.0 ** 63)))
        for options in ([], ["--big-int", "double"], ["--big-int=double"]):
            self.check_bytes(self.encode(text, *options), double)
        self.check_bytes(self.encode(text, "--big-int", "error"), b"", MALFORMED, "document 1 at line 1, column 6 (byte 5)")
        self.check_bytes(self.encode('{"n":1}', "--big-int", "error"), ONE)

    def test_dates_below_the_millisecond(self):
        text = '{"d":{"$date":"1970-01-01T00:00:00.0019Z"}}'
        for options in ([], ["--sub-ms", "error"]):
            self.check_bytes(self.encode(text, *options), b"", MALFORMED, "digits would be lost")
        self.check_bytes(self.encode(text, "--sub-ms", "floor"), raw.document(raw.element(0x09, "d", raw.int64(1))))

    def test_forms_of_version_1(self):
        text = '{"d":{"$date":1}}'
        self.check_bytes(self.encode(text), b"", MALFORMED, "document 1")
        self.check_bytes(self.encode(text, "--legacy"), raw.document(raw.element(0x09, "d", raw.int64(1))))

    def test_usage_errors(self):
        for arguments, word in ((["--big-int", "int64"], "--big-int is double or error"), (["--sub-ms="], "--sub-ms is"),
                                (["--sub-ms"], "--sub-ms needs HOW"), (["--canonical"], "--canonical"),
                                (["--max-depth", "0"], "--max-depth"), (["--legacy=1"], "--legacy")):
            with self.subTest(arguments):
                self.assertEqual(self.check(run("encode", *arguments), USAGE, word).out, b"")

    def test_help(self):
        text = self.check(run("encode", "--help")).out.decode()
        for word in ("usage: bsonic encode", "--legacy", "--big-int HOW", "--sub-ms HOW", "-o, --output FILE", "--force",
                     "--keep-going", "nearest double", "one array"):
            self.assertIn(word, text)
        self.assertIn(b"encode", run("--help").out)

    # ---------------------------------------------------------------- output

    def test_a_file_appears_only_when_it_is_whole(self):
        out = self.folder / "out.bson"
        self.check(self.encode(TEXTS[0] + "\nx", "-o", out), MALFORMED, "document 2", "out.bson: not written")
        self.assertEqual(self.files(), [])
        self.check(self.encode(TEXTS[0] + "\nx", "--keep-going", "-o", out), SKIPPED, "document 2")
        self.assertEqual(out.read_bytes(), ONE)
        self.check(self.encode(TEXTS[1], "-o", out), SYSTEM, "out.bson: File exists (use --force to replace it)")
        self.assertEqual(out.read_bytes(), ONE)
        self.check(self.encode(TEXTS[1], "-o", out, "--force"))
        self.assertEqual(out.read_bytes(), TWO)
        self.assertEqual(self.files(), ["out.bson"])

    def test_a_full_device_is_told(self):
        with open("/dev/full", "wb") as full:
            self.check(run("encode", stdin=TEXTS[0].encode(), stdout=full), SYSTEM, "standard output: No space left")

    def test_large_documents_are_written_in_their_order(self):
        large = [raw.document(raw.element(0x02, "s", raw.string("y" * size))) for size in (4000, 65_000, 70_000, 3_000_000)]
        data = b"".join(ONE + document + TWO for document in large)
        self.check_bytes(self.encode(run("decode", "--canonical", stdin=data).out), data)
        with open("/dev/full", "wb") as full:
            result = run("encode", stdin=run("decode", stdin=large[3] * 2).out, stdout=full)
            self.check(result, SYSTEM, "standard output: No space left")
            self.assertEqual(result.err.count("\n"), 1)

    def test_documents_come_as_soon_as_their_text_does(self):
        with subprocess.Popen([support.BSONIC, "encode"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            for text, document in ((TEXTS[0], ONE), (TEXTS[1], TWO)):
                process.stdin.write(text.encode())  # no line feed: the bracket ends a document
                process.stdin.flush()
                self.assertEqual(process.stdout.read(len(document)), document)
            process.stdin.close()
            self.assertEqual(process.wait(support.RUN_SECONDS), 0)

    def test_text_that_comes_byte_by_byte(self):
        with subprocess.Popen([support.BSONIC, "encode"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
            for byte in ("\ufeff" + "\r\n".join(TEXTS)).encode():
                process.stdin.write(bytes([byte]))
            process.stdin.close()
            self.assertEqual(process.stdout.read(), ALL)
            self.assertEqual(process.wait(support.RUN_SECONDS), 0)

    def test_a_longer_file_asks_libc_for_no_more_memory(self):
        documents = ALL + raw.document(raw.element(0x02, "s", raw.string("x\1" * 5000)), raw.element(0x05, "b", raw.binary(0, b"y" * 999)))
        text = run("decode", "--canonical", stdin=documents).out
        short, long = (self.mallocs_of("encode", self.file(f"{count}.json", text * count), stdout=subprocess.DEVNULL)
                       for count in (1000, 5000))  # the shorter one is cut in enough places, too
        self.assertGreater(short, 0)
        self.assertEqual(long, short)


if __name__ == "__main__":
    support.main()
