# SPDX-License-Identifier: Apache-2.0
"""bsonic decode, validate, version and the command line itself: exit codes, places, what is written and what is not."""
import contextlib
import fcntl
import json
import os
import pathlib
import re
import resource
import signal
import struct
import subprocess
import termios
import time

import support
from support import run

import raw

MALFORMED, USAGE, SYSTEM, LIMIT, SKIPPED = 1, 2, 3, 5, 6

ONE = raw.document(raw.element(0x10, "n", raw.int32(1)))
TWO = raw.document(raw.element(0x02, "s", raw.string("x")))
THREE = raw.document(raw.element(0x12, "big", raw.int64(3)))
LINES = ['{"n":1}', '{"s":"x"}', '{"big":3}']
CANONICAL = ['{"n":{"$numberInt":"1"}}', '{"s":"x"}', '{"big":{"$numberLong":"3"}}']

# {a: {b: [true, <boolean 2>]}}: the fault is at a.b.1, byte 25 of the document.
BAD = raw.document(raw.element(0x03, "a", raw.document(
    raw.element(0x04, "b", raw.array((0x08, b"\1"), (0x08, b"\2"))))))
BAD_AT = 25
NOT_UTF8 = raw.document(raw.element(0x02, "s", raw.int32(2) + b"\xff\0"))


def no_core():
    """For a program that a signal is to end: what it leaves behind is counted."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def nested(depth):
    inner = raw.document()
    for _ in range(depth - 1):
        inner = raw.document(raw.element(0x03, "d", inner))
    return inner


class CommandLine(support.Case):
    def test_without_arguments_usage_is_told(self):
        result = self.check(run(), USAGE, "usage: bsonic", "decode", "validate", "pull")
        self.assertEqual(result.out, b"")

    def test_help_goes_to_stdout(self):
        for arguments in (["--help"], ["-h"]):
            result = self.check(run(*arguments))
            self.assertIn(b"usage: bsonic", result.out)
        for command in ("decode", "validate", "pull", "version"):
            result = self.check(run(command, "--help"))
            self.assertIn(f"usage: bsonic {command}".encode(), result.out)
            self.assertIn(b"--help", result.out)

    def test_help_by_its_command(self):
        self.assertEqual(run("help").out, run("--help").out)
        self.assertEqual(run("help", "--help").out, run("--help").out)
        for command in ("decode", "validate", "pull", "push", "serve", "version"):
            self.assertEqual(self.check(run("help", command)).out, run(command, "--help").out)
        self.check(run("help", "nonsense"), USAGE, "no such command: nonsense")
        self.check(run("help", "decode", "more"), USAGE, "more")

    def test_what_is_missing_is_said_in_words(self):
        self.check(run("serve"), USAGE, "serve needs the files to serve, or the folder of a dump")
        for arguments in (["pull"], ["push"], ["push", "mongodb://localhost"]):
            self.check(run(*arguments), USAGE, "needs the URI of a server, and NS: database.collection")

    def test_help_names_the_options_and_exit_codes(self):
        text = run("decode", "--help").out.decode()
        for word in ("--relaxed", "--canonical", "--skip", "--limit", "--keep-going", "-o, --output", "--force", "6 "):
            self.assertIn(word, text)
        self.assertNotIn("--batch-size", text)
        for command in ("decode", "pull"):  # what text cannot keep is said
            self.assertIn("integers lose their width", run(command, "--help").out.decode())
        self.assertIn("5 may come back as another width", " ".join(text.split()))

    def test_version(self):
        for arguments in (["version"], ["--version"], ["-V"]):
            lines = run(*arguments).lines
            self.assertRegex(lines[0], r"^bsonic \d+\.\d+\.\d+$")
            self.assertRegex(lines[-1], r"^tier: (scalar|v128|v256|v256vl)$")

    def test_usage_errors(self):
        for arguments, word in (
                (["nonsense"], "nonsense"), (["--nonsense"], "--nonsense"), (["decode", "--nonsense"], "--nonsense"),
                (["decode", "--batch-size", "1"], "--batch-size"), (["decode", "-x"], "-x"),
                (["decode", "--limit"], "--limit"), (["decode", "--limit="], "--limit"),
                (["decode", "--limit", "x"], "--limit"), (["decode", "--limit", "-1"], "--limit"),
                (["decode", "--limit", "1e3"], "--limit"), (["decode", "--limit", "9223372036854775808"], "--limit"),
                (["decode", "--max-depth", "0"], "--max-depth"), (["decode", "--max-depth=65536"], "--max-depth"),
                (["decode", "--relaxed", "--canonical"], "exclude"), (["decode", "--force=yes"], "--force"),
                (["decode", "-o"], "-o"), (["validate", "--level", "frame", "-"], "--level"),
                (["version", "more"], "more"), (["pull"], "URI"), (["pull", "http://localhost", "a.b"], "scheme is http"),
                (["pull", "localhost", "a.b"], "byte 0: does not begin with"),
                (["pull", "mongodb://localhost"], "NS"), (["pull", "mongodb://localhost", "c"], "NS"),
                (["pull", "mongodb://localhost", ".c"], "NS"), (["pull", "mongodb://localhost", "db."], "NS"),
                (["pull", "mongodb://localhost", "a.b", "c"], "c")):
            with self.subTest(arguments):
                result = self.check(run(*arguments), USAGE, word)
                self.assertEqual(result.out, b"")

    def test_mistyped_names_get_the_nearest_one(self):
        self.file("there.bson", ONE)
        for words, told in (
                (["decod"], "no such command: decod (did you mean decode?)"),
                (["evalidate", "x"], "(did you mean validate?)"), (["plul"], "(did you mean pull?)"),
                (["--versio"], "(did you mean --version?)"), (["help", "serv"], "(did you mean serve?)"),
                (["there.bson"], "(to print that file: bsonic decode there.bson)"),
                (["decode", "--prety"], "unknown option --prety (did you mean --pretty?)"),
                (["decode", "--canonicla"], "(did you mean --canonical?)"),
                (["decode", "--lim=3"], "unknown option --lim (did you mean --limit?)"),
                (["decode", "--outptu", "x"], "(did you mean --output?)"),
                (["push", "--unorderd", "x"], "(did you mean --unordered?)"),
                (["encode", "--canonical"], "unknown option --canonical (decode/pull has it)"),
                (["decode", "--json"], "unknown option --json (push has it)")):
            with self.subTest(words):
                self.check(run(*words, cwd=self.folder), USAGE, told)
        for words in (["dcdcdc"], ["-x"], ["decode", "--whatever"], ["decode", "--" + 100 * "p"], ["decode", "--p\n"]):
            with self.subTest(words):
                result = run(*words, cwd=self.folder)
                self.assertNotIn("did you mean", result.err)
                self.assertEqual(len(result.err.splitlines()), 2)

    def test_packed_files_are_told_as_such(self):
        lengths = struct.pack("<i", 0x00088B1F)  # what begins as gzip may be a document of this length
        for front, word in ((b"\x1f\x8b\x08\0\0\0\0\0", "gzip -dc"), (b"\x1f\x8b\x08\x08\xfe\xff", "gzip -dc"),
                            (b"\x28\xb5\x2f\xfd\x04", "zstd -dc"), (b"\x6d\xe2\x99\x81\x66", "without --archive")):
            for command in ("decode", "validate", "encode"):
                with self.subTest([front, command]):
                    path = self.file("packed", front)
                    result = self.check(run(command, path), MALFORMED, "packed: document 1 at byte 0: this is", word)
                    self.assertEqual(len(result.err.splitlines()), 1)
        self.check(run("validate", self.file("bson", lengths + b"\x02")), MALFORMED, "cut short")
        self.check(run("validate", self.file("json", b'{"a": 1}')), MALFORMED,
                   "json: document 1 at byte 0: this looks like JSON text, not BSON (for encode, or push --json)")

    def test_a_damaged_length_is_told_with_the_end_of_the_elements(self):
        for position in (0, 2):
            documents = [ONE, TWO, THREE, TWO]
            start, length = len(b"".join(documents[:position])), len(documents[position])
            for wrong in (6, length + 3, length + 4, length + len(TWO) - 1, length + len(TWO), 5, 4, 0, -1, 1 << 20):
                damaged = [*documents]
                damaged[position] = struct.pack("<i", wrong) + documents[position][4:]
                with self.subTest([position, wrong]):
                    result = self.check(run("validate", self.file("f.bson", b"".join(damaged))), MALFORMED,
                                        f"document {position + 1} at byte ")
                    self.assertTrue(result.err.endswith(
                        f" (its length at byte {start} is {wrong}, its elements end after {length})\n"), result.err)
        for other in [ONE + BAD, TWO[:4] + b"\0" + TWO[5:]] + [ONE + TWO[:n] for n in range(1, len(TWO))]:
            with self.subTest(other):
                result = self.check(run("validate", self.file("f.bson", other)), MALFORMED)
                self.assertNotIn("its length", result.err)

    def test_an_empty_name_is_told_as_such(self):
        path = self.file("f.bson", ONE)
        for words in (["--output="], ["-o", ""], ["--output", ""]):
            with self.subTest(words):
                self.check(run("decode", *words, path), USAGE, "--output needs the name of a file")
        self.check(run("decode", ""), SYSTEM, "bsonic: '': No such file or directory")

    def test_options_in_all_their_spellings(self):
        path = self.file("f.bson", ONE + TWO + THREE)
        for arguments in (["--limit", "1"], ["--limit=1"], ["--limit=01"]):
            self.check(run("decode", *arguments, path), lines=LINES[:1])
            self.check(run("decode", path, *arguments), lines=LINES[:1])
        for number, arguments in enumerate((["-o", "{}"], ["-o{}"], ["--output", "{}"], ["--output={}"])):
            out = self.folder / f"out{number}"
            self.check(run("decode", path, *(word.format(out) for word in arguments)), lines=[])
            self.assertEqual(out.read_text().splitlines(), LINES)

    def test_two_dashes_end_the_options(self):
        self.file("--limit", ONE)
        self.check(run("decode", "--", "--limit", cwd=self.folder), lines=LINES[:1])

    def test_a_full_device_under_help_is_told(self):
        with open("/dev/full", "wb") as full:
            self.check(run("--help", stdout=full), SYSTEM, "standard output")


class Decode(support.Case):
    def test_a_line_for_each_document_and_nothing_else(self):
        path = self.file("f.bson", ONE + TWO + THREE)
        self.check(run("decode", path), lines=LINES)
        self.check(run("decode", "--relaxed", path), lines=LINES)
        self.check(run("decode", "--canonical", path), lines=CANONICAL)

    def test_standard_input(self):
        for arguments in ([], ["-"]):
            self.check(run("decode", *arguments, stdin=ONE + TWO), lines=LINES[:2])

    def test_no_documents_are_no_lines(self):
        self.check(run("decode", self.file("empty.bson", b"")), lines=[])
        self.check(run("decode", stdin=b""), lines=[])

    def test_several_files(self):
        paths = [self.file(f"{n}.bson", data) for n, data in enumerate((ONE, b"", TWO + THREE))]
        self.check(run("decode", *paths), lines=LINES)
        self.check(run("decode", paths[0], "-", paths[0], stdin=TWO), lines=[LINES[0], LINES[1], LINES[0]])

    def test_skip_and_limit_count_over_all_files(self):
        paths = [self.file("1.bson", ONE + TWO), self.file("2.bson", THREE + ONE)]
        lines = [*LINES, LINES[0]]
        for skip in range(6):
            for limit in range(6):
                wanted = lines[skip:] if limit == 0 else lines[skip:skip + limit]
                self.check(run("decode", "--skip", skip, "--limit", limit, *paths), lines=wanted)

    def test_what_lies_behind_the_limit_is_not_looked_at(self):
        self.check(run("decode", "--limit", "1", self.file("f.bson", ONE + b"\0\0\0\0")), lines=LINES[:1])

    def test_a_file_cut_anywhere_gives_what_is_whole(self):
        data = ONE + TWO + THREE
        ends = [0, len(ONE), len(ONE + TWO), len(data)]
        for length in range(len(data) + 1):
            whole = sum(end <= length for end in ends) - 1
            result = run("decode", self.file("f.bson", data[:length]))
            if length in ends:
                self.check(result, lines=LINES[:whole])
            else:
                self.check(result, MALFORMED, f"f.bson: document {whole + 1} at byte {ends[whole]}: ", "cut short",
                           lines=LINES[:whole])

    def test_a_damaged_document_is_told_by_place_and_path(self):
        path = self.file("f.bson", ONE + TWO + BAD + THREE)
        place = f"f.bson: document 3 at byte {len(ONE + TWO) + BAD_AT}: "
        self.check(run("decode", path), MALFORMED, place, "boolean", "(path a.b.1)", lines=LINES[:2])
        self.check(run("decode", "--keep-going", path), SKIPPED, place, lines=LINES)
        self.check(run("decode", "-", stdin=BAD), MALFORMED, f"standard input: document 1 at byte {BAD_AT}: ", lines=[])

    def test_what_is_no_type_is_told_with_the_element_in_front(self):
        def text(key, length, data):
            return raw.element(0x02, key, raw.int32(length) + data)

        def inner(*elements):
            return raw.document(raw.element(0x03, "in", raw.document(*elements)), raw.element(0x10, "z", raw.int32(1)))

        short, long = text("s", 2, b"a\0bcdefg\0"), text("s", 5, b"abc\0\0")
        for data, end in ((raw.document(short, raw.element(0x0A, "sx", b"")), "unknown element type (path cdefg) (behind s)\n"),
                          (raw.document(long, b"\0"), "unknown element type (behind s) (its length at byte 0 is 18, its elements end after 17)\n"),
                          (raw.document(text("n", 2, b"a\0"), b"\x77name\0"), "type (path name) (behind n)\n"),
                          (inner(long, b"\0"), "unknown element type (path in) (behind in.s)\n"),
                          (inner(b"\x77k\0"), "unknown element type (path in.k)\n"),
                          (raw.document(b"\x77k\0"), "unknown element type (path k)\n")):
            with self.subTest(end):
                result = self.check(run("validate", stdin=data), MALFORMED)
                self.assertTrue(result.err.endswith(end), result.err)

    def test_keep_going_ends_where_a_frame_is_lost(self):
        path = self.file("f.bson", ONE + BAD + TWO + b"\3\0\0\0")
        self.check(run("decode", "--keep-going", path), MALFORMED, "document 2", "document 4", lines=LINES[:2])

    def test_text_that_is_not_utf8(self):
        self.check(run("decode", self.file("f.bson", NOT_UTF8)), MALFORMED, "document 1 at byte 11: ", "UTF-8",
                   "(path s)", lines=[])

    def test_lengths_of_zero_end_at_once(self):
        self.check(run("decode", stdin=bytes.fromhex("000000000500000000")), MALFORMED,
                   "document 1 at byte 0: ", "length", lines=[])

    def test_json_is_recognised(self):
        for text in (b'{"options":{}}', b'{"options":{"a":1}}\n', b'[\n {"a": 1},\n', b"\xef\xbb\xbf{ }", b"  {}",
                     b'{"a":"' + b"x" * 3_000_000 + b'"}'):
            for command in ("decode", "validate"):
                result = self.check(run(command, self.file("f.json", text)), MALFORMED,
                                    "f.json: document 1 at byte 0: ", "JSON text")
                self.assertEqual(result.out, b"")

    def test_documents_larger_than_any_server_stores(self):
        size = 16 * 1024 * 1024 + 16 * 1024
        data = raw.document(raw.element(0x02, "s", raw.string("x" * (size - 13))))
        self.assertEqual(len(data), size)
        result = self.check(run("decode", stdin=ONE + data + TWO))
        self.assertEqual(len(result.lines), 3)
        self.assertEqual(len(result.lines[1]), len('{"s":""}') + size - 13)

    def test_nothing_is_written_of_a_long_document_with_a_fault_at_its_end(self):
        bad = raw.document(raw.element(0x02, "s", raw.string("\1" * 3_000_000)), raw.element(0x08, "b", b"\2"))
        path = self.file("f.bson", ONE + bad + TWO)
        place = f"document 2 at byte {len(ONE) + len(bad) - 2}: "
        self.check(run("decode", path), MALFORMED, place, "(path b)", lines=LINES[:1])
        self.check(run("decode", "--keep-going", path), SKIPPED, place, lines=LINES[:2])

    def test_depth(self):
        self.check(run("decode", stdin=nested(200)))
        self.check(run("decode", stdin=ONE + nested(201)), LIMIT, "document 2", "deep", lines=LINES[:1])
        self.check(run("decode", "--max-depth", "1000", stdin=nested(1000)))
        self.check(run("decode", "--max-depth", "2", stdin=nested(3)), LIMIT, "(path d.d)")

    def test_files_that_cannot_be_read(self):
        self.check(run("decode", self.folder / "nowhere"), SYSTEM, "nowhere: No such file")
        self.check(run("decode", self.folder), SYSTEM, "directory")
        path = self.file("f.bson", ONE)
        self.check(run("decode", path, self.folder / "nowhere", path), SYSTEM, "nowhere", lines=LINES[:1])

    def test_names_are_escaped_in_messages(self):
        result = self.check(run("decode", self.folder / "a\nb\x1b[31m%s\\"), SYSTEM, r"a\nb\x1B[31m%s\\:")
        self.assertEqual(result.err.count("\n"), 1)
        bad_key = raw.document(raw.element(0x08, "k\n\x1b%n", b"\2"))
        self.check(run("decode", stdin=bad_key), MALFORMED, r"(path k\n\x1B%n)")

    def test_lines_come_as_soon_as_their_documents_do(self):
        with subprocess.Popen([support.BSONIC, "decode"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as process:
            for document, line in ((ONE, LINES[0]), (TWO, LINES[1])):
                process.stdin.write(document)
                process.stdin.flush()
                self.assertEqual(process.stdout.readline().decode(), line + "\n")
            process.stdin.close()
            self.assertEqual(process.wait(support.RUN_SECONDS), 0)

    def test_a_longer_file_asks_libc_for_no_more_memory(self):
        documents = ONE + TWO + THREE + raw.document(raw.element(0x02, "s", raw.string("x" * 5000)))
        for command in ("decode", "validate"):
            # Files, not pipes: how much of a pipe comes at once decides how many blocks wait to be written.
            short, long = (self.mallocs_of(command, self.file(f"{count}.bson", documents * count)) for count in (200, 5000))
            self.assertGreater(short, 0)
            self.assertEqual(long, short)

    def test_a_large_file_takes_little_memory(self):
        if support.SANITIZED:
            self.skipTest("sanitizers need memory of their own")
        if not os.path.exists("/proc/self/status"):
            self.skipTest("no /proc to read the peak from")
        data = raw.document(raw.element(0x02, "s", raw.string("x" * 1000))) * 50_000
        with subprocess.Popen([support.BSONIC, "decode"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
            process.stdin.write(data)
            process.stdin.flush()
            status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
            process.stdin.close()
            self.assertEqual(process.wait(support.RUN_SECONDS), 0)
        peak_kib = int(re.search(r"VmHWM:\s+(\d+) kB", status)[1])
        self.assertLess(peak_kib, 8 << 10)


class Progress(support.Case):
    def run_watched(self, *options):
        """Feeds documents until something is said on a terminal at stderr, or for some seconds nothing is."""
        ours, theirs = os.openpty()
        os.set_blocking(ours, False)
        said, deadline = b"", time.monotonic() + (5 if not options else 1.5)
        with subprocess.Popen([support.BSONIC, "decode", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              stderr=theirs) as process:
            while b"documents/s" not in said and time.monotonic() < deadline:
                process.stdin.write(ONE)
                process.stdin.flush()
                process.stdout.readline()
                with contextlib.suppress(BlockingIOError):
                    said += os.read(ours, 4096)
            process.stdin.close()
            self.assertEqual(process.wait(support.RUN_SECONDS), 0)
        with contextlib.suppress(BlockingIOError):
            said += os.read(ours, 4096)
        os.close(ours)
        os.close(theirs)
        return said.decode()

    def test_a_terminal_is_told_and_left_clean(self):
        said = self.run_watched()
        self.assertRegex(said, r"\d+ documents, \d+\.\d MB, ")
        self.assertTrue(said.endswith("\r\x1b[K"), said)

    def test_nobody_is_told_who_wants_quiet(self):
        self.assertEqual(self.run_watched("--quiet"), "")


class Output(support.Case):
    def test_a_full_device(self):
        path = self.file("f.bson", ONE)
        with open("/dev/full", "wb") as full:
            self.check(run("decode", path, stdout=full), SYSTEM, "standard output: No space left")
        self.check(run("decode", path, "-o", "/dev/full"), SYSTEM, "/dev/full: No space left")
        with open("/dev/full", "wb") as full:  # in the middle of a document
            result = run("decode", stdin=raw.document(raw.element(0x02, "s", raw.string("\1" * 3_000_000))), stdout=full)
        self.check(result, SYSTEM, "standard output: No space left")
        self.assertEqual(result.err.count("\n"), 1)

    def test_a_closed_standard_output(self):
        path = self.file("f.bson", ONE)
        result = run("decode", path, stdout=None, preexec_fn=lambda: os.close(1))
        self.check(result, SYSTEM, "standard output")

    def test_a_reader_that_leaves_ends_it_by_the_signal(self):
        path = self.file("f.bson", raw.document(raw.element(0x02, "s", raw.string("x" * 1000))) * 5000)
        with subprocess.Popen([support.BSONIC, "decode", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
            process.stdout.readline()
            process.stdout.close()
            self.assertEqual(process.wait(support.RUN_SECONDS), -signal.SIGPIPE)
            self.assertEqual(process.stderr.read(), b"")

    def test_a_file_appears_only_when_it_is_whole(self):
        path = self.file("f.bson", ONE + BAD)
        out = self.folder / "out.json"
        self.check(run("decode", path, "-o", out), MALFORMED, "document 2", "out.json: not written", lines=[])
        self.assertEqual(self.files(), ["f.bson"])
        self.check(run("decode", "--keep-going", path, "-o", out), SKIPPED, "document 2", lines=[])
        self.assertEqual(out.read_text().splitlines(), LINES[:1])
        self.assertEqual(self.files(), ["f.bson", "out.json"])

    def test_a_file_that_exists_is_replaced_only_by_force(self):
        path, out = self.file("f.bson", ONE), self.file("out.json", b"precious")
        self.check(run("decode", path, "-o", out), SYSTEM, "out.json: File exists (use --force to replace it)")
        self.assertEqual(out.read_bytes(), b"precious")
        self.check(run("decode", path, "-o", out, "--force"), lines=[])
        self.assertEqual(out.read_text().splitlines(), LINES[:1])
        self.check(run("decode", path, "-o", "-"), lines=LINES[:1])

    def test_a_signal_leaves_no_half_written_file(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE, signal.SIGALRM,
                       signal.SIGUSR1, signal.SIGUSR2, signal.SIGVTALRM, signal.SIGPROF, signal.SIGXCPU, signal.SIGXFSZ):
            with self.subTest(number):
                pipe = self.folder / "pipe"
                os.mkfifo(pipe)
                with subprocess.Popen([support.BSONIC, "decode", pipe, "-o", self.folder / "out.json"],
                                      cwd=self.folder, preexec_fn=no_core) as process:
                    with open(pipe, "wb"):  # opens when the program has opened its end: the output was before that
                        self.assertEqual(len([name for name in self.files() if name.endswith(".part")]), 1)
                        process.send_signal(number)
                        self.assertEqual(process.wait(support.RUN_SECONDS), -number)
                pipe.unlink()
                self.assertEqual(self.files(), [])

    def test_a_signal_at_the_moment_the_file_is_made_leaves_nothing(self):
        module = os.environ.get("SIGNAL_AT_CREATION_MODULE")
        if not module:
            self.skipTest("nothing can be preloaded into a sanitized program")
        path = self.file("f.bson", ONE)
        result = run("decode", path, "-o", self.folder / "out.json", env={**os.environ, "LD_PRELOAD": module})
        self.assertEqual(result.status, -signal.SIGTERM)
        self.assertEqual(self.files(), ["f.bson"])

    def test_a_link_stays_and_its_file_is_replaced(self):
        path, target, link = self.file("f.bson", ONE), self.file("target.json", b"old"), self.folder / "link.json"
        link.symlink_to("target.json")
        self.check(run("decode", path, "-o", link), SYSTEM, "link.json: File exists")
        self.check(run("decode", path, "-o", link, "--force"), lines=[])
        self.assertTrue(link.is_symlink())
        self.assertEqual(target.read_text().splitlines(), LINES[:1])
        self.assertEqual(self.files(), ["f.bson", "link.json", "target.json"])

    def test_an_output_over_the_limit_of_file_size_leaves_nothing(self):
        path = self.file("f.bson", ONE * 20000)

        def limit():
            no_core()
            resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))

        with subprocess.Popen([support.BSONIC, "decode", path, "-o", self.folder / "out.json"],
                              preexec_fn=limit) as process:
            self.assertEqual(process.wait(support.RUN_SECONDS), -signal.SIGXFSZ)
        self.assertEqual(self.files(), ["f.bson"])

    def test_a_file_that_is_replaced_keeps_its_permissions(self):
        path, out = self.file("f.bson", ONE), self.file("out.json", b"precious")
        out.chmod(0o600)
        self.check(run("decode", path, "-o", out, "--force"), lines=[])
        self.assertEqual(out.stat().st_mode & 0o7777, 0o600)

    def test_without_standard_streams_nothing_comes_into_the_output(self):
        path, out = self.file("f.bson", NOT_UTF8 + ONE), self.folder / "out.json"
        for closed in ((2,), (1, 2), (0, 1, 2)):
            with self.subTest(closed):
                with subprocess.Popen([support.BSONIC, "decode", "--keep-going", path, "-o", out],
                                      preexec_fn=lambda: [os.close(fd) for fd in closed]) as process:
                    self.assertEqual(process.wait(support.RUN_SECONDS), SKIPPED)
                self.assertEqual(out.read_text().splitlines(), LINES[:1])
                out.unlink()

    def test_standard_streams_that_are_closed_are_told(self):
        path = self.file("f.bson", ONE)
        for closed, arguments, word in ((0, ["decode"], "standard input"), (0, ["validate"], "standard input"),
                                        (1, ["decode", path], "standard output"),
                                        (1, ["serve", "--port", "0", path], "standard output")):
            with self.subTest(arguments):
                self.check(run(*arguments, preexec_fn=lambda: os.close(closed)), SYSTEM, word)

    def test_a_place_that_is_none(self):
        path = self.file("f.bson", ONE)
        self.check(run("decode", path, "-o", self.folder / "no" / "where"), SYSTEM, "No such file")
        self.check(run("decode", path, "-o", self.folder), SYSTEM, "directory")


class Trickle(support.Case):
    def test_a_length_that_looks_like_a_bracket_is_none_for_coming_slowly(self):
        for first in b"{[":
            document = raw.document(raw.element(0x02, "s", raw.string("x" * (first - 13))))
            self.assertEqual(document[0], first)
            for command in ("decode", "validate"):
                for cut in range(1, 6):
                    with self.subTest(command=command, cut=cut), subprocess.Popen(
                            [support.BSONIC, command], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as process:
                        process.stdin.write(document[:cut])
                        process.stdin.flush()
                        while unread(process.stdin.fileno()) > 0:
                            self.assertIsNone(process.poll())
                        process.stdin.write(document[cut:])
                        process.stdin.close()
                        self.assertEqual(process.wait(support.RUN_SECONDS), 0)


def unread(pipe):
    """Bytes in a pipe that its reader has not taken yet."""
    return struct.unpack("i", fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4))[0]


class Validate(support.Case):
    def test_sound_files_say_nothing(self):
        path = self.file("f.bson", ONE + TWO + THREE)
        for arguments in ([path], [path, path], ["--level", "structure", path], ["--level=utf8", path]):
            self.check(run("validate", *arguments), lines=[])
        self.check(run("validate", stdin=ONE), lines=[])
        self.check(run("validate", stdin=b""), lines=[])

    def test_the_first_fault_is_named(self):
        path = self.file("f.bson", ONE + BAD + b"\0")
        self.check(run("validate", path), MALFORMED, f"f.bson: document 2 at byte {len(ONE) + BAD_AT}: ", "boolean",
                   "(path a.b.1)", lines=[])
        self.check(run("validate", stdin=ONE + b"\4\0\0\0"), MALFORMED,
                   f"standard input: document 2 at byte {len(ONE)}: ", "length", lines=[])

    def test_levels_differ_in_text(self):
        path = self.file("f.bson", NOT_UTF8)
        self.check(run("validate", "--level", "structure", path), lines=[])
        self.check(run("validate", path), MALFORMED, "UTF-8", "(path s)")

    def test_depth(self):
        self.check(run("validate", stdin=nested(200)))
        self.check(run("validate", stdin=nested(201)), LIMIT, "document 1")
        self.check(run("validate", "--max-depth", "5000", stdin=nested(5000)))

    def test_files_that_cannot_be_read(self):
        self.check(run("validate", self.folder / "nowhere"), SYSTEM, "nowhere")

    def test_the_public_corpus(self):
        folder = pathlib.Path(os.environ.get("BSONIC_SPEC_DIR", "")) / "bson-corpus"
        if not folder.is_dir():
            self.skipTest("no public corpus")
        sound, damaged = b"", []
        for path in sorted(folder.glob("*.json")):
            content = json.loads(path.read_text())
            sound += b"".join(bytes.fromhex(case["canonical_bson"]) for case in content.get("valid", []))
            damaged += [bytes.fromhex(case["bson"]) for case in content.get("decodeErrors", [])]
        self.assertGreater(len(damaged), 20)
        self.check(run("validate", stdin=sound))
        for data in damaged:
            with self.subTest(data.hex()):
                self.check(run("validate", stdin=data), MALFORMED, "document ")


if __name__ == "__main__":
    support.main()
