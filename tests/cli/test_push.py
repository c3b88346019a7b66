# SPDX-License-Identifier: Apache-2.0
"""bsonic push to scripted servers and to `bsonic serve`: what is sent, what is said, and how it ends."""
import re
import struct
import subprocess
import unittest

import support
from support import run

import fake_server
import raw
from fake_server import OK, FakeServer, error, int32, silence, text

MALFORMED, USAGE, SYSTEM, NETWORK, LIMIT = 1, 2, 3, 4, 5


def doc(at):
    return raw.document(int32("_id", at))


def docs(first, count):
    return [doc(at) for at in range(first, first + count)]


def answer(count, *errors, concern=None):
    """An answer to an insert: `errors` are (index, code, errmsg)."""
    fields = [int32("n", count)]
    if errors:
        listed = raw.array(*((0x03, raw.document(int32("index", at), int32("code", code), text("errmsg", words)))
                             for at, code, words in errors))
        fields.append(raw.element(0x04, "writeErrors", listed))
    if concern:
        fields.append(raw.element(0x03, "writeConcernError",
                                  raw.document(int32("code", concern[0]), text("errmsg", concern[1]))))
    body = raw.document(*fields, OK)
    return lambda request: fake_server.message(body, request)


def body_of(request):
    """The body of a request, as FakeServer has kept it: what stands in front of the documents."""
    return request[:struct.unpack_from("<i", request)[0]]


def documents_of(request):
    """The documents of an insert."""
    section = request[len(body_of(request)):]
    (size,) = struct.unpack_from("<i", section, 1)
    assert section[:1] == b"\1" and size == len(section) - 1, "one sequence, and nothing behind it"
    name, documents = section[5:].split(b"\0", 1)
    assert name == b"documents"
    return raw.split(documents)


class Everything(FakeServer):
    """Says of each insert that all its documents are there."""

    def __init__(self):
        super().__init__([])

    def converse(self, connection):
        request, _ = self.receive(connection)
        self.send(connection, fake_server.hello(request))
        while True:
            request, body = self.receive(connection)
            self.requests.append(body)
            self.send(connection, answer(len(documents_of(body)))(request))


class Case(support.Case):
    def push(self, answers, data, *options, ns="db.c", uri="", **fields):
        """Pushes one file of these bytes."""
        path = self.file("in.bson", data)
        with FakeServer(answers, **fields) as server:
            result = run("push", server.uri + uri, ns, path, *options)
        self.server = server
        return result

    def sent(self):
        return [documents_of(request) for request in self.server.requests]


class Push(Case):
    def test_documents_as_they_are_in_one_message(self):
        documents = [raw.small_document(at) for at in range(100)]
        result = self.push([answer(100)], b"".join(documents))
        self.check(result, 0, "db.c: 100 documents inserted", lines=[])
        self.assertEqual(self.sent(), [documents])
        self.assertIn(text("insert", "c"), body_of(self.server.requests[0]))
        self.assertIn(text("$db", "db"), body_of(self.server.requests[0]))
        self.assertIn(raw.element(0x08, "ordered", b"\1"), body_of(self.server.requests[0]))

    def test_quiet_says_nothing(self):
        self.check(self.push([answer(3)], b"".join(docs(0, 3)), "--quiet"), lines=[])

    def test_standard_input_and_several_files(self):
        first, second = self.file("a.bson", b"".join(docs(0, 3))), self.file("b.bson", b"".join(docs(3, 2)))
        with FakeServer([answer(3), answer(4), answer(2)]) as server:
            result = run("push", server.uri, "db.c", first, "-", second, stdin=b"".join(docs(10, 4)))
        self.check(result, 0, "9 documents inserted")
        self.server = server
        self.assertEqual(self.sent(), [docs(0, 3), docs(10, 4), docs(3, 2)])
        with FakeServer([answer(4)]) as server:
            self.check(run("push", server.uri, "db.c", stdin=b"".join(docs(0, 4))), 0, "4 documents inserted")

    def test_no_documents(self):
        self.check(self.push([], b""), 0, "0 documents inserted")
        self.assertEqual(self.server.requests, [])

    def test_batches_of_the_size_asked_for(self):
        self.check(self.push([answer(4), answer(4), answer(1)], b"".join(docs(0, 9)), "--batch-size", 4), 0, "9 documents")
        self.assertEqual(self.sent(), [docs(0, 4), docs(4, 4), docs(8, 1)])

    def test_documents_longer_than_the_window(self):
        sizes = [40, 3_000_000, 40, 1_100_000, 40, 900_000, 900_000]
        documents = [raw.sized_document(at, size) for at, size in enumerate(sizes)]
        data = b"".join(documents)
        path = self.file("in.bson", data)
        # How many go into a message is the window's business: the answer counts them.
        counted = []

        class Counting(FakeServer):
            def converse(self, connection):
                request, _ = self.receive(connection)
                self.send(connection, fake_server.hello(request))
                while True:
                    request, body = self.receive(connection)
                    counted.append(documents_of(body))
                    self.send(connection, answer(len(counted[-1]))(request))

        with Counting([]) as server:
            self.check(run("push", server.uri, "db.c", path), 0, "7 documents inserted")
        self.assertEqual([document for batch in counted for document in batch], documents)

    def test_a_document_without_an_id_gets_one(self):
        bare = raw.document(text("name", "x"))
        self.check(self.push([answer(2)], bare + bare), 0, "2 documents inserted")
        first, second = self.sent()[0]
        for document in (first, second):
            self.assertEqual(document[4:9], b"\x07_id\0")
            self.assertEqual(document[21:], bare[4:])
            self.assertEqual(len(document), len(bare) + 17)
        self.assertNotEqual(first[9:21], second[9:21])

    def test_write_concerns(self):
        def element(*fields):
            return raw.element(0x03, "writeConcern", raw.document(*fields))

        rows = [(["--write-concern", "2"], "", element(int32("w", 2))),
                (["--write-concern", "majority"], "", element(text("w", "majority"))),
                ([], "?w=majority&journal=true&wtimeoutMS=9",
                 element(text("w", "majority"), raw.element(0x08, "j", b"\1"), fake_server.int64("wtimeout", 9))),
                (["--write-concern", "1"], "?w=majority", element(int32("w", 1)))]
        for options, uri, expected in rows:
            with self.subTest(options=options, uri=uri):
                self.check(self.push([answer(1)], doc(1), *options, uri=uri), 0, "1 document inserted")
                self.assertIn(expected, body_of(self.server.requests[0]))

    def test_a_write_concern_that_asks_for_no_answer_is_a_usage_error(self):
        for uri in ("?w=0", "?w=00"):
            self.check(self.push([], doc(1), uri=uri), USAGE, "w: 0 would not be answered")
        self.check(self.push([answer(1)], doc(1), "--write-concern", 1, uri="?w=0"), 0, "1 document inserted")

    def test_a_file_in_place_of_the_collection_is_told(self):
        path = self.file("in.bson", doc(1))
        with FakeServer([answer(1)]) as server:
            self.check(run("push", server.uri, "in.bson", cwd=self.folder), USAGE, "in.bson is a file; the collection goes")
            self.assertEqual(server.requests, [])
            self.check(run("push", server.uri, "in.bson", "-", cwd=self.folder, stdin=doc(1)), 0, "in.bson: 1 document inserted")

    def test_drop(self):
        def drop_request(request):
            self.assertEqual(request, raw.document(text("drop", "c"), text("$db", "db")))

        gone = lambda request: fake_server.message(raw.document(fake_server.NOT_OK, text("errmsg", "ns not found")), request)
        dropped = lambda request: fake_server.message(raw.document(OK), request)
        for first in (dropped, gone, error("ns not found", 26, "NamespaceNotFound")):
            self.check(self.push([first, answer(1)], doc(1), "--drop"), 0, "1 document inserted")
            drop_request(self.server.requests[0])
        self.check(self.push([error("not allowed", 13)], doc(1), "--drop"), NETWORK, "not allowed", "13")
        self.assertEqual(len(self.server.requests), 1)

    def test_statistics(self):
        data = b"".join(docs(0, 1000))
        result = self.push([answer(100)] * 10, data, "--stats", "--batch-size", 100)
        self.check(result, 0, "documents            1000", f"bytes of BSON        {len(data)}", "replies              11")
        self.assertRegex(result.err, r"allocations +\d+ up to the first answer, 0 after it")

    @unittest.skipIf(support.SANITIZED, "a sanitizer takes memory for itself")
    def test_nothing_is_allocated_for_more_documents(self):
        def mallocs(count):
            path = self.file("in.bson", b"".join(docs(0, count)))
            with FakeServer([answer(100)] * (count // 100)) as server:
                return self.mallocs_of("push", server.uri, "db.c", path, "--batch-size", 100, "--quiet")

        self.assertEqual(mallocs(200), mallocs(5000))


class Failures(Case):
    def test_usage(self):
        path = self.file("in.bson", doc(1))
        rows = [((), "needs the URI"), (("mongodb://localhost",), "needs the URI"), (("mongodb://localhost", "c", path), "NS is"),
                (("http://x", "db.c", path), "connection string"),
                (("mongodb://localhost", "db.c", path, "--legacy"), "go with --json"),
                (("mongodb://localhost", "db.c", path, "--big-int", "error"), "go with --json"),
                (("mongodb://localhost", "db.c", path, "--json", "--sub-ms", "round"), "--sub-ms is error or floor"),
                (("mongodb://localhost", "db.c", path, "--write-concern", "0"), "--write-concern 0"),
                (("mongodb://localhost", "db.c", path, "--write-concern", "-1"), "--write-concern"),
                (("mongodb://localhost", "db.c", path, "--write-concern", "w" * 600), "too long"),
                (("mongodb://localhost", "db.c", path, "--batch-size", "0"), "--batch-size"),
                (("mongodb://localhost", "db.c", self.folder), "directories are not part"),
                (("mongodb://localhost", "db.c", path, "--nonsense"), "--nonsense")]
        for arguments, words in rows:
            with self.subTest(arguments):
                self.check(run("push", *arguments), USAGE, words)

    def test_a_missing_file_is_found_before_anything_is_touched(self):
        path = self.file("in.bson", doc(1))
        with FakeServer([]) as server:
            self.check(run("push", server.uri, "db.c", path, self.folder / "none.bson", "--drop"), SYSTEM, "none.bson",
                       "No such file")
        self.assertEqual(server.requests, [])

    def test_json_text_is_recognized(self):
        self.check(self.push([], b'{"a": 1}\n'), MALFORMED, "document 1", "looks like JSON")
        self.assertEqual(self.server.requests, [])

    def test_damaged_documents_stop_behind_what_was_sound(self):
        bad = raw.document(raw.element(0x10, "_id", raw.int32(1)), raw.element(0x08, "b", b"\2"))
        rows = [(bad, r"document 4 at byte 58: .*\(path b\)"), (b"\4\0\0\0", "document 4 at byte 42"),
                (bad[:10], "document 4 at byte 42: .*ends inside")]
        for damage, words in rows:
            with self.subTest(words):
                result = self.check(self.push([answer(3)], b"".join(docs(0, 3)) + damage), MALFORMED,
                                    "db.c: 3 documents inserted")
                self.assertRegex(result.err, "in.bson: " + words)
                self.assertEqual(self.sent(), [docs(0, 3)])

    def test_damage_in_the_first_document_sends_nothing(self):
        self.check(self.push([], b"\5\0\0\0\1"), MALFORMED, "document 1 at byte 4", "0 documents inserted")
        self.assertEqual(self.server.requests, [])

    # ---------------------------------------------------------------- text

    def test_text_becomes_documents(self):
        documents = [raw.small_document(at) for at in range(100)]
        lines = self.check(run("decode", "--canonical", stdin=b"".join(documents))).out
        for text in (lines, b"[" + lines.strip().replace(b"\n", b",") + b"]", b"\xef\xbb\xbf" + lines.replace(b"\n", b"\r\n")):
            self.check(self.push([answer(100)], text, "--json"), 0, "db.c: 100 documents inserted", lines=[])
            self.assertEqual(self.sent(), [documents])

    def test_text_from_a_pipe_and_its_options(self):
        with FakeServer([answer(1)]) as server:
            self.check(run("push", server.uri, "db.c", "--json", "--legacy", stdin=b'{"_id":1,"d":{"$date":5}}'), 0, "1 document inserted")
        self.assertEqual([documents_of(request) for request in server.requests],
                         [[raw.document(int32("_id", 1), raw.element(0x09, "d", raw.int64(5)))]])

    def test_large_documents_of_text_keep_their_place(self):
        # One that is gathered, one that fills the room for that, one that is larger.
        documents = [doc(0), raw.sized_document(1, 1_500_000), raw.sized_document(2, 1_500_000), doc(3),
                     raw.sized_document(4, 3_000_000), doc(5)]
        text = run("decode", "--canonical", stdin=b"".join(documents)).out
        with Everything() as server:
            self.check(run("push", server.uri, "db.c", self.file("in.json", text), "--json"), 0, "6 documents inserted")
        self.assertEqual([document for request in server.requests for document in documents_of(request)], documents)

    def test_a_fault_of_text_stops_behind_what_was_sound(self):
        text = run("decode", stdin=b"".join(docs(0, 3))).out + b'{"_id":x}\n{"_id":4}\n'
        result = self.check(self.push([answer(3)], text, "--json"), MALFORMED, "db.c: 3 documents inserted",
                            "in.bson: document 4 at line 4, column 8 (byte 37): ")
        self.assertIn("a value was expected", result.err)
        self.assertEqual(self.sent(), [docs(0, 3)])

    def test_documents_of_text_that_are_refused_have_their_number(self):
        text = run("decode", stdin=b"".join(docs(0, 3))).out
        self.check(self.push([answer(2, (1, 11000, "twice"))], text, "--json", "--unordered"), NETWORK,
                   "in.bson: document 2: write error 11000 (twice)")

    def test_bson_is_recognized_where_text_is_meant(self):
        self.check(self.push([], doc(1), "--json"), MALFORMED, "looks like BSON")
        self.assertEqual(self.server.requests, [])

    # ---------------------------------------------------------------- documents that fail

    def test_in_order_the_first_failure_stops(self):
        answers = [answer(3), answer(1, (1, 11000, "E11000 duplicate key"))]
        result = self.push(answers, b"".join(docs(0, 9)), "--batch-size", 3)
        self.check(result, NETWORK, "in.bson: document 5: write error 11000 (E11000 duplicate key)", "--unordered goes on",
                   "db.c: 4 documents inserted, 1 failed")
        self.assertEqual(len(self.server.requests), 2)

    def test_unordered_goes_on_and_tells_each(self):
        answers = [answer(2, (0, 11000, "dup\n")), answer(1, (1, 121, "bad"), (2, 11000, "dup")), answer(3)]
        result = self.push(answers, b"".join(docs(0, 9)), "--batch-size", 3, "--unordered")
        self.check(result, NETWORK, r"in.bson: document 1: write error 11000 (dup\n)", "document 5: write error 121 (bad)",
                   "document 6: write error 11000 (dup)", "db.c: 6 documents inserted, 3 failed")
        self.assertIn(raw.element(0x08, "ordered", b"\0"), body_of(self.server.requests[0]))

    def test_documents_count_from_one_in_each_file(self):
        first, second = self.file("a.bson", b"".join(docs(0, 3))), self.file("b.bson", b"".join(docs(3, 2)))
        with FakeServer([answer(2, (2, 5, "x")), answer(1, (0, 6, "y"))]) as server:
            result = run("push", server.uri, "db.c", first, second, "--unordered")
        self.check(result, NETWORK, "a.bson: document 3: write error 5 (x)", "b.bson: document 1: write error 6 (y)")

    def test_duplicates_are_passed_by(self):
        answers = [answer(1, (0, 11000, "dup"), (1, 11000, "dup")), answer(3)]
        result = self.push(answers, b"".join(docs(0, 6)), "--batch-size", 3, "--skip-duplicates")
        self.check(result, 0, "db.c: 4 documents inserted, 2 duplicates passed by")
        self.assertNotIn("document 1", result.err)
        result = self.push([answer(1, (0, 11000, "dup"), (1, 121, "bad"))], b"".join(docs(0, 3)), "--skip-duplicates")
        self.check(result, NETWORK, "document 2: write error 121 (bad)", "1 document inserted, 1 duplicate passed by, 1 failed")

    def test_a_thousand_failures_are_told_and_the_rest_counted(self):
        answers = [answer(0, *((at, 11000, "dup") for at in range(600))) for _ in range(2)]
        result = self.push(answers, b"".join(docs(0, 1200)), "--batch-size", 600, "--unordered")
        self.check(result, NETWORK, "document 1000: write error", "200 more documents failed", "1200 failed")
        self.assertNotIn("document 1001:", result.err)

    def test_a_document_larger_than_the_server_takes(self):
        large = raw.sized_document(7, 16 * 1024 * 1024 + 1)
        exact = raw.sized_document(8, 16 * 1024 * 1024)
        self.check(self.push([answer(2)], b"".join(docs(0, 2)) + large + doc(9)), LIMIT,
                   "document 3: not sent: larger than the server takes", "2 documents inserted, 1 failed")
        result = self.push([answer(2), answer(1), answer(1)], b"".join(docs(0, 2)) + large + exact + doc(9), "--unordered")
        self.check(result, LIMIT, "document 3: not sent", "4 documents inserted, 1 failed")
        self.assertEqual([document for batch in self.sent() for document in batch], [*docs(0, 2), exact, doc(9)])

    def test_a_write_concern_that_fails(self):
        answers = [answer(2, concern=(64, "waiting timed out")), answer(2)]
        self.check(self.push(answers, b"".join(docs(0, 4)), "--batch-size", 2), NETWORK, "4 documents inserted",
                   "not as safely as asked for: waiting timed out (code 64)")

    # ---------------------------------------------------------------- servers that fail

    def test_a_refused_command(self):
        answers = [answer(2), error("not primary", 10107, "NotWritablePrimary")]
        self.check(self.push(answers, b"".join(docs(0, 6)), "--batch-size", 2), NETWORK, "not primary", "10107",
                   "2 documents inserted", "of the last 2 documents sent any part")

    def test_a_connection_cut_anywhere(self):
        whole = answer(3)(2)
        for length in range(0, len(whole), 5):
            result = self.push([fake_server.just(whole[:length])], b"".join(docs(0, 3)))
            self.check(result, NETWORK, "closed by the peer", "0 documents inserted", "of the last 3 documents")

    def test_answers_in_pieces(self):
        self.check(self.push([answer(2, (1, 5, "x"))], b"".join(docs(0, 3)), "--unordered", step=1), NETWORK,
                   "document 2: write error 5 (x)", "2 documents inserted, 1 failed")

    def test_answers_that_cannot_be(self):
        for lie in (answer(4), answer(2), answer(-1), answer(3, (3, 1, "x")), answer(1, (0, 1, "x"), (1, 1, "x"))):
            self.check(self.push([lie], b"".join(docs(0, 3))), NETWORK, "protocol")

    def test_a_server_that_falls_silent(self):
        self.check(self.push([silence], doc(1), uri="?socketTimeoutMS=100"), NETWORK, "timed out", "of the last 1 document sent")

    def test_nobody_there(self):
        self.check(run("push", "mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=2000", "db.c", self.file("a", doc(1))),
                   NETWORK, "127.0.0.1:1")


class Serve(Case):
    def test_a_read_only_server_refuses(self):
        path = self.file("things.bson", b"".join(docs(0, 3)))
        process = subprocess.Popen([support.BSONIC, "serve", path, "--port", "0"], stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL)
        try:
            port = re.search(r":(\d+)$", process.stdout.readline().decode().strip())[1]
            result = run("push", f"mongodb://127.0.0.1:{port}/", "dump.things", path)
            self.check(result, NETWORK, "code 115", "0 documents inserted")
        finally:
            process.terminate()
            process.wait(support.RUN_SECONDS)
            process.stdout.close()


if __name__ == "__main__":
    support.main()
