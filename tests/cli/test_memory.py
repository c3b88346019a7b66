# SPDX-License-Identifier: Apache-2.0
"""The memory of the program: at most 8 MB and twice the largest document, whatever the file, the stream or the text made of it."""
import os
import signal
import socket
import struct
import subprocess

import support
from support import run

import fake_server
import raw
from fake_server import FakeServer, batch

MB = 1000 * 1000
LARGE = 16 * 1024 * 1024
SMALL = raw.document(raw.element(0x10, "n", raw.int32(1)), raw.element(0x02, "s", raw.string("x" * 1000)))


def large(element_of, size):
    """A document of nearly LARGE bytes with one value of that many."""
    return raw.document(element_of(size))


def text(letter):
    return large(lambda size: raw.element(0x02, "s", raw.string(letter * size)), LARGE - 64)


def binary():
    return large(lambda size: raw.element(0x05, "b", raw.int32(size) + b"\0" + b"\xff" * size), LARGE - 64)


def fields():
    field = raw.element(0x01, "f", raw.double(0.1234567890123456))
    return raw.document(field * (LARGE // len(field) - 1))


# Text that is as long as it is; six times as long; four thirds; and of many small values, twice.
LARGE_DOCUMENTS = (("letters", lambda: text("x")), ("controls", lambda: text("\1")), ("binary", binary), ("fields", fields))


class Memory(support.Case):
    def setUp(self):
        super().setUp()
        self.module = os.environ.get("PEAK_MEMORY_MODULE")
        if not self.module:
            self.skipTest("sanitizers need memory of their own")
        if not os.path.exists("/proc/self/status"):
            self.skipTest("no /proc to read the peak from")
        self.peak_path = self.folder / "peak"
        self.environment = {**os.environ, "LD_PRELOAD": self.module, "PEAK_MEMORY": str(self.peak_path)}

    def expect_little(self, largest, what):
        peak = int(self.peak_path.read_text()) * 1024
        self.assertGreater(peak, 0)
        self.assertLessEqual(peak, 8 * MB + 2 * largest, f"{what}: {peak / MB:.1f} MB, largest document {largest}")
        self.peak_path.unlink()

    def run_little(self, largest, *arguments, **options):
        options.setdefault("stdout", subprocess.DEVNULL)
        result = run(*arguments, env=self.environment, **options)
        self.assertEqual(result.status, 0, result.err)
        self.expect_little(largest, arguments)

    def test_long_files_of_small_documents(self):
        path = self.file("f.bson", SMALL * 60_000)
        for arguments in (["validate"], ["validate", "--level", "structure"], ["decode"], ["decode", "--canonical"],
                          ["decode", "-o", self.folder / "out.json"]):
            self.run_little(len(SMALL), *arguments, path)

    def test_large_documents(self):
        for name, make in LARGE_DOCUMENTS:
            document = make()
            path = self.file("f.bson", SMALL + document + SMALL + document)
            for arguments in (["validate"], ["decode"], ["decode", "--canonical"]):
                with self.subTest(name, arguments=arguments):
                    self.run_little(len(document), *arguments, path)

    def test_large_documents_as_text(self):
        for name, make in LARGE_DOCUMENTS:
            document = make()
            text_path, out = self.folder / "f.json", self.folder / "f.bson"
            run("decode", "--canonical", "-o", text_path, "--force", self.file("in.bson", SMALL + document + SMALL))
            with self.subTest(name):
                self.run_little(len(document), "encode", text_path, "-o", out, "--force")
                self.assertEqual(out.read_bytes(), SMALL + document + SMALL)

    def test_large_documents_through_pipes(self):
        document = text("\1")
        path = self.file("f.bson", SMALL + document)
        for command in ("validate", "decode"):
            # cat's pipe gives the document in pieces, from which it is put together.
            with subprocess.Popen(["cat", path], stdout=subprocess.PIPE) as cat:
                with subprocess.Popen([support.BSONIC, command], stdin=cat.stdout, stdout=subprocess.DEVNULL,
                                      env=self.environment) as process:
                    self.assertEqual(process.wait(support.RUN_SECONDS), 0)
            self.expect_little(len(document), command)

    def test_text_into_documents(self):
        small = run("decode", stdin=SMALL).out
        path = self.file("f.json", small * 60_000)
        self.run_little(len(small), "encode", path)
        self.run_little(len(small), "encode", "-o", self.folder / "out.bson", path)
        path = self.file("f.json", b"[" + small.strip() + (b"," + small) * 60_000 + b"]")
        self.run_little(len(small), "encode", path)
        document = text("\1")
        line = run("decode", stdin=document).out
        self.run_little(len(document), "encode", self.file("f.json", small + line + small + line))

    def test_streams_out_of_a_server(self):
        for name, make in LARGE_DOCUMENTS:
            document = make()
            for options in ([], ["--canonical"], ["--bson"]):
                with self.subTest(name, options=options):
                    answers = [batch([SMALL] * 1000, 7), batch([SMALL, document], 0, "nextBatch")]
                    with FakeServer(answers) as server:
                        self.run_little(len(document), "pull", server.uri, "db.c", *options)

    def test_streams_into_a_server(self):
        document = text("x")
        for largest, data in ((len(SMALL), SMALL * 40_000), (len(document), SMALL + document + SMALL)):
            path = self.file("f.bson", data)
            with Counting([]) as server:
                self.run_little(largest, "push", server.uri, "db.c", path)
            path = self.file("f.json", run("decode", stdin=data).out)
            with Counting([]) as server:
                self.run_little(largest, "push", server.uri, "db.c", path, "--json")

    def test_serving(self):
        document = text("x")
        for largest, data in ((len(SMALL), SMALL * 60_000), (len(document), SMALL + document + SMALL)):
            path = self.file("f.bson", data)
            with subprocess.Popen([support.BSONIC, "serve", "--port", "0", path], stdout=subprocess.PIPE,
                                  env=self.environment) as server:
                port = int(server.stdout.readline().rsplit(b":", 1)[1])
                self.assertGreater(read_all(port), len(data))
                server.send_signal(signal.SIGTERM)
                self.assertEqual(server.wait(support.RUN_SECONDS), 128 + signal.SIGTERM)
            self.expect_little(largest, "serve")


class Counting(FakeServer):
    """Says of each insert that all its documents are there."""

    def converse(self, connection):
        request, _ = self.receive(connection)
        self.send(connection, fake_server.hello(request))
        while True:
            length, request, _, _ = struct.unpack("<iiii", self.exactly(connection, 16))
            count = self.count(self.exactly(connection, length - 16))
            body = raw.document(fake_server.int32("n", count), fake_server.OK)
            self.send(connection, fake_server.message(body, request))

    @staticmethod
    def exactly(connection, count):
        data = bytearray()
        while len(data) < count:
            piece = connection.recv(min(count - len(data), 1 << 20))
            if not piece:
                raise EOFError
            data += piece
        return bytes(data)

    @staticmethod
    def count(rest):
        at = 5 + struct.unpack_from("<i", rest, 5)[0] + 1 + 4 + len(b"documents\0")
        count = 0
        while at < len(rest):
            at += struct.unpack_from("<i", rest, at)[0]
            count += 1
        return count


def read_all(port):
    """Reads a whole collection; the bytes of its replies."""

    def ask(client, body):
        client.sendall(fake_server.header(21 + len(body), 1, 0, fake_server.OP_MSG) + b"\0" * 5 + body)
        length, = struct.unpack("<i", Counting.exactly(client, 4))
        return Counting.exactly(client, length - 4)

    database = raw.element(0x02, "$db", raw.string("dump"))
    body = raw.document(raw.element(0x02, "find", raw.string("f")), database)
    total = 0
    with socket.create_connection(("127.0.0.1", port), support.RUN_SECONDS) as client:
        while True:
            reply = ask(client, body)
            total += len(reply)
            at = reply.rindex(b"\x12id\0") + 4
            cursor_id, = struct.unpack_from("<q", reply, at)
            if cursor_id == 0:
                return total
            body = raw.document(raw.element(0x12, "getMore", raw.int64(cursor_id)),
                                raw.element(0x02, "collection", raw.string("f")), database)


if __name__ == "__main__":
    support.main()
