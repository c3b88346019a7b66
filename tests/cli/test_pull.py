# SPDX-License-Identifier: Apache-2.0
"""bsonic pull from scripted servers: what arrives, what is said when it does not, and what it costs."""
import re
import socket

import support
from support import run

import fake_server
import raw
from fake_server import FakeServer, batch, error, just, silence

MALFORMED, USAGE, SYSTEM, NETWORK = 1, 2, 3, 4


def number(at):
    return raw.document(raw.element(0x10, "n", raw.int32(at)))


def numbers(first, count):
    return [number(at) for at in range(first, first + count)]


BAD = raw.document(raw.element(0x03, "a", raw.document(raw.element(0x08, "b", b"\2"))))
BAD_AT = 14  # the boolean


class Pull(support.Case):
    def pull(self, answers, *options, ns="db.c", **fields):
        with FakeServer(answers, **fields) as server:
            result = run("pull", server.uri, ns, *options)
        self.server = server
        return result

    def test_relaxed_lines_canonical_lines_and_bytes(self):
        documents = numbers(0, 3)
        self.check(self.pull([batch(documents)]), lines=[f'{{"n":{at}}}' for at in range(3)])
        self.check(self.pull([batch(documents)], "--canonical"),
                   lines=[f'{{"n":{{"$numberInt":"{at}"}}}}' for at in range(3)])
        result = self.check(self.pull([batch(documents)], "--bson"))
        self.assertEqual(result.out, b"".join(documents))

    def test_batches_are_followed_to_the_end(self):
        answers = [batch(numbers(0, 2), 7), batch([], 7, "nextBatch"), batch(numbers(2, 5), 0, "nextBatch")]
        result = self.check(self.pull(answers, "--bson"))
        self.assertEqual(result.out, b"".join(numbers(0, 7)))
        self.assertEqual(len(self.server.requests), 3)
        self.assertIn(b"getMore", self.server.requests[1])

    def test_no_documents(self):
        told = "0 documents: db.c does not exist or is empty"
        self.check(self.pull([batch([])]), 0, told, lines=[])
        self.check(self.pull([batch([])], "--quiet"), lines=[])
        self.assertNotIn(told, self.pull([batch([])], "--skip", 5).err)

    def test_nobody_there_is_said_with_the_host(self):
        with socket.socket() as bound:  # and not listening
            bound.bind(("127.0.0.1", 0))
            port = bound.getsockname()[1]
            self.check(run("pull", f"mongodb://127.0.0.1:{port}/", "db.c"), NETWORK,
                       f"cannot connect to 127.0.0.1:{port}: Connection refused", lines=[])

    def test_a_byte_at_a_time(self):
        answers = [batch(numbers(0, 2), 7), batch(numbers(2, 2), 0, "nextBatch")]
        result = self.check(self.pull(answers, "--bson", step=1))
        self.assertEqual(result.out, b"".join(numbers(0, 4)))

    def test_documents_longer_than_the_window(self):
        documents = [raw.document(raw.element(0x02, "s", raw.string("x" * size))) for size in (10, 200_000, 10, 3_000_000)]
        result = self.check(self.pull([batch(documents)], "--bson"))
        self.assertEqual(result.out, b"".join(documents))

    def test_options_reach_the_server(self):
        self.check(self.pull([batch([])], "--quiet", "--skip", 3, "--limit", 4, "--batch-size", 2))
        for name, value in (("skip", 3), ("limit", 4), ("batchSize", 2)):
            self.assertIn(raw.element(0x12, name, raw.int64(value)), self.server.requests[0])

    def test_the_collection_alone_when_the_string_names_the_database(self):
        with FakeServer([batch([])]) as server:
            self.check(run("pull", server.uri + "shop", "orders", "-q"))
        self.assertIn(fake_server.text("$db", "shop"), server.requests[0])
        self.assertIn(fake_server.text("find", "orders"), server.requests[0])

    def test_an_output_file(self):
        out = self.folder / "out.bson"
        self.check(self.pull([batch(numbers(0, 3))], "--bson", "-o", out), lines=[])
        self.assertEqual(out.read_bytes(), b"".join(numbers(0, 3)))
        self.check(self.pull([batch(numbers(0, 3), 5), error("gone", 43)], "--bson", "--force", "-o", out), NETWORK,
                   "not written")
        self.assertEqual(out.read_bytes(), b"".join(numbers(0, 3)), "the old one is still there")
        self.assertEqual(self.files(), ["out.bson"])

    def test_a_full_device(self):
        with open("/dev/full", "wb") as full, FakeServer([batch(numbers(0, 3), 5)]) as server:
            self.check(run("pull", server.uri, "db.c", stdout=full), SYSTEM, "No space left")

    # ---------------------------------------------------------------- servers that fail

    def test_errors_of_the_server_in_full(self):
        result = self.pull([error("not allowed on db", 13, "Unauthorized")])
        self.check(result, NETWORK, f"127.0.0.1:{self.server.port}", "not allowed on db", "13", "Unauthorized", lines=[])

    def test_a_cursor_lost_on_the_way_names_the_count(self):
        answers = [batch(numbers(0, 2), 7), batch(numbers(2, 2), 7, "nextBatch"), error("cursor id 7 not found", 43)]
        self.check(self.pull(answers), NETWORK, "cursor id 7 not found", "43", "4 documents came before",
                   lines=[f'{{"n":{at}}}' for at in range(4)])

    def test_a_refusal_without_a_reason(self):
        refusal = raw.document(fake_server.NOT_OK)
        self.check(self.pull([lambda request: fake_server.message(refusal, request)]), NETWORK, "does not say why")

    def test_messages_of_the_server_are_escaped(self):
        result = self.check(self.pull([error("a\n\x1b[31m%s", 1)]), NETWORK, r"a\n\x1B[31m%s")
        self.assertEqual(len(result.err.splitlines()), 2)

    def test_a_connection_cut_anywhere(self):
        whole = batch(numbers(0, 5))(2)
        for length in range(0, len(whole), 9):
            with FakeServer([just(whole[:length])]) as server:
                result = run("pull", server.uri, "db.c", "--bson")
            self.check(result, NETWORK, "closed by the peer")
            self.assertTrue(b"".join(numbers(0, 5)).startswith(result.out))
            self.assertEqual(len(result.out) % len(number(0)), 0, "whole documents only")

    def test_a_server_that_falls_silent(self):
        for answers, fields in (([silence], {}), ([], {"hello_answer": silence})):
            with FakeServer(answers, **fields) as server:
                uri = server.uri + "?socketTimeoutMS=100&connectTimeoutMS=1000"
                self.check(run("pull", uri, "db.c"), NETWORK, "timed out", lines=[])

    def test_lying_lengths(self):
        for length in (0, 15, -1, -2147483648, 48000001, 2147483647):
            with self.subTest(length):
                answer = just(fake_server.header(length, 1, 2, fake_server.OP_MSG) + b"\0" * 100)
                self.check(self.pull([answer]), NETWORK, "protocol", lines=[])

    def test_answers_to_nothing_that_was_asked(self):
        for data in (fake_server.message(raw.document(fake_server.OK), 77), fake_server.hello(2),
                     fake_server.message(raw.document(fake_server.OK), 2, flags=2),
                     fake_server.header(26, 1, 2, 1000) + b"\0" * 10):
            self.check(self.pull([just(data)]), NETWORK, "protocol", lines=[])

    def test_servers_too_old_and_too_new(self):
        for low, high in ((0, 5), (26, 30)):
            body = raw.document(fake_server.int32("minWireVersion", low), fake_server.int32("maxWireVersion", high),
                                fake_server.OK)
            result = self.pull([], hello_answer=lambda request, body=body: fake_server.reply(body, request))
            self.check(result, NETWORK, f"{low} to {high}", "6 to 25")

    def test_a_damaged_document_in_a_sound_message(self):
        good = numbers(0, 2)
        place = f"db.c: document 3 at byte {len(b''.join(good)) + BAD_AT}: "
        self.check(self.pull([batch([*good, BAD, *numbers(2, 2)])]), MALFORMED, place, "boolean", "(path a.b)",
                   lines=['{"n":0}', '{"n":1}'])

    def test_a_document_with_a_damaged_frame(self):
        broken = bytearray(number(2))
        broken[-1] = 1
        self.check(self.pull([batch([*numbers(0, 2), bytes(broken)])]), MALFORMED, "terminator",
                   "2 documents came before", lines=['{"n":0}', '{"n":1}'])

    def test_names_are_escaped(self):
        self.check(self.pull([batch([BAD])], ns="db.a\n%s\x1b"), MALFORMED, r"db.a\n%s\x1B: document 1")

    def test_what_this_version_cannot_do(self):
        for uri, word in (("mongodb://u:s3cret@localhost/", "authentication"), ("mongodb://localhost/?tls=true", "TLS"),
                          ("mongodb+srv://localhost/", "srv")):
            result = self.check(run("pull", uri, "db.c"), USAGE, word)
            self.assertNotIn("s3cret", result.err)

    def test_a_password_never_reaches_a_message(self):
        secret = "s3cret"
        for uri in (f"mongodb://u:{secret}@localhost/", f"mongodb://u:{secret}@localhost:99999/", f"mongodb://u:{secret}@/",
                    f"mongodb://u:{secret}%zz@localhost/", f"mongodb://u:{secret}:x@localhost/", f"mongodb://u:{secret}@a@b/",
                    f"mongodb://u:{secret}", f"mongodb+srv://u:{secret}@localhost/", f"mongo://u:{secret}@localhost/",
                    f"mongodb://u:{secret}@localhost/?authMechanism=NONE", f"mongodb://u:{secret}@localhost/?{secret}",
                    f"mongodb://localhost/?authMechanismProperties=X:{secret}&authMechanism=PLAIN",
                    f"mongodb://localhost/?proxyPassword={secret}&proxyHost=h", f"u:{secret}@localhost"):
            with self.subTest(uri):
                for arguments in (["pull", uri, "db.c"], ["push", uri, "db.c", "/dev/null"], ["pull", uri]):
                    result = run(*arguments)
                    self.assertIn(result.status, (2, NETWORK), result.err)
                    self.assertNotIn(secret, result.err)
                    self.assertEqual(result.out, b"")

    def test_warnings_and_quiet(self):
        for options, told in (([], True), (["--quiet"], False), (["-q"], False)):
            with FakeServer([batch([])]) as server:
                result = run("pull", server.uri + "?nonsense=1", "db.c", *options)
            self.assertEqual(result.status, 0)
            self.assertEqual("nonsense" in result.err, told)

    # ---------------------------------------------------------------- what it costs

    def test_nothing_is_allocated_after_the_first_batch(self):
        answers = [batch(numbers(0, 5000), 7)]
        answers += [batch(numbers(5000 * at, 5000), 7 if at < 9 else 0, "nextBatch") for at in range(1, 10)]
        for options in ([], ["--canonical"], ["--bson"]):
            result = self.check(self.pull(answers, "--stats", *options), 0, "documents            50000")
            allocations = re.search(r"allocations +(\d+) in the first batch, (\d+) after it", result.err)
            self.assertIsNotNone(allocations, result.err)
            self.assertEqual(int(allocations[2]), 0, result.err)

    def test_a_longer_stream_asks_libc_for_no_more_memory(self):
        def mallocs(batches, options):
            last = batches - 1
            answers = [batch(numbers(1000 * at, 1000), 7 if at < last else 0, "nextBatch" if at else "firstBatch")
                       for at in range(batches)]
            with FakeServer(answers) as server:
                return self.mallocs_of("pull", server.uri, "db.c", *options)

        for options in ([], ["--canonical"], ["--bson"]):
            self.assertEqual(mallocs(50, options), mallocs(2, options))


if __name__ == "__main__":
    support.main()
