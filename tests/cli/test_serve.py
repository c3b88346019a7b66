# SPDX-License-Identifier: Apache-2.0
"""bsonic serve and clients that mean it no good: the server stays there for the others."""
import contextlib
import signal
import socket
import struct
import subprocess
import threading

import support

import raw

OP_MSG = 2013
MORE_TO_COME = 2


def message(*elements, flags=0):
    body = raw.document(*elements, raw.element(0x02, "$db", raw.string("admin")))
    return struct.pack("<iiiiI", 21 + len(body), 1, 0, OP_MSG, flags) + b"\0" + body


PING = raw.element(0x10, "ping", raw.int32(1))


class Hostile(support.Case):
    def setUp(self):
        super().setUp()
        path = self.file("f.bson", raw.document(raw.element(0x10, "n", raw.int32(1))))
        # pylint: disable-next=consider-using-with
        self.server = subprocess.Popen([support.BSONIC, "serve", "--quiet", "--port", "0", path],
                                       stdout=subprocess.PIPE)
        self.addCleanup(self.end)
        self.port = int(self.server.stdout.readline().rsplit(b":", 1)[1])

    def end(self):
        self.server.send_signal(signal.SIGTERM)
        self.assertEqual(self.server.wait(support.RUN_SECONDS), 128 + signal.SIGTERM)
        self.server.stdout.close()

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), support.RUN_SECONDS)

    def ping(self):
        with self.connect() as client:
            client.sendall(message(PING))
            self.assertGreater(len(client.recv(4096)), 16)

    def test_small_requests_behind_a_large_one_cost_what_they_are(self):
        # The large one makes room for the others: when each that is answered moves all that wait, this takes minutes.
        large = message(raw.element(0x02, "ping", raw.string("x" * 30_000_000)))
        small = message(PING, flags=MORE_TO_COME)
        with self.connect() as client:
            reader = threading.Thread(target=self.read_to_the_end, args=(client,))
            reader.start()
            client.sendall(large + small * 200_000 + message(PING))
            client.shutdown(socket.SHUT_WR)
            reader.join(support.RUN_SECONDS)
            self.assertFalse(reader.is_alive())
        self.ping()

    def test_more_cursors_to_kill_than_can_be_open_are_refused(self):
        # Each is looked for among all that are open: millions of them would keep the server busy for minutes.
        ids = raw.array(*[(0x12, raw.int64(number)) for number in range(4097)])
        with self.connect() as client:
            client.sendall(message(raw.element(0x02, "killCursors", raw.string("f")),
                                   raw.element(0x04, "cursors", ids)))
            self.assertIn(b"more than 4096 cursors at once", client.recv(4096))

    @staticmethod
    def read_to_the_end(client):
        while client.recv(65536):
            pass

    def test_pieces_of_messages_and_lengths_that_lie_are_survived(self):
        whole = message(PING)
        pieces = [whole[:cut] for cut in range(len(whole))]
        pieces += [struct.pack("<i", length) + whole[4:] for length in (-2**31, -1, 0, 15, 17, 48_000_001, 2**31 - 1)]
        for piece in pieces:
            with self.connect() as client, contextlib.suppress(ConnectionError):
                client.sendall(piece)
                client.shutdown(socket.SHUT_WR)
                self.assertEqual(client.recv(4096), b"")
        self.ping()


class Starting(support.Case):
    def test_what_is_no_bson_is_not_served(self):
        good = self.file("good.bson", raw.document(raw.element(0x10, "n", raw.int32(1))))
        for data, words in ((b'{"a": 1}\n', ("document 1 at byte 0", "looks like JSON")),
                            (b"\x89PNG\r\n\x1a\n" * 10, ("document 1 at byte 0",)), (b"\x05\0\0", ("document 1 at byte 0",))):
            bad = self.file("bad.bson", data)
            result = self.check(support.run("serve", "--port", "0", good, bad), 1, "bad.bson", *words)
            self.assertEqual(result.out, b"")

    def test_what_is_served_is_named(self):
        def told(*arguments):
            with subprocess.Popen([support.BSONIC, "serve", "--port", "0", *map(str, arguments)], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE) as server:
                self.assertIn(b"listening", server.stdout.readline())
                server.terminate()
                return server.communicate()[1].decode().splitlines()

        paths = [self.file(f"f{i}.bson", b"") for i in range(6)]
        self.assertEqual(told(paths[1], paths[0]), ["bsonic: serving dump.f0", "bsonic: serving dump.f1"])
        self.assertEqual(told(*paths[:4]), [f"bsonic: serving dump.f{i}" for i in range(4)])
        self.assertEqual(told(*paths)[3:], ["bsonic: serving dump.f3", "bsonic: serving 2 more collections"])
        self.assertEqual(told("-q", *paths), [])
        (self.folder / "empty").mkdir()
        self.assertEqual(told(self.folder / "empty"), ["bsonic: serving no collection"])
        self.check(support.run("serve", "--port", "0", "--bind=", paths[0]), 2, "--bind needs an address")

    def test_a_port_in_use_is_named(self):
        path = self.file("f.bson", b"")
        with socket.create_server(("127.0.0.1", 0)) as taken:
            port = taken.getsockname()[1]
            self.check(support.run("serve", "--port", port, path), 3, f"127.0.0.1:{port}: Address already in use")

    def test_nobody_reading_the_notices_is_no_reason_to_end(self):
        path = self.file("f.bson", raw.document(raw.element(0x10, "n", raw.int32(1))))
        with subprocess.Popen([support.BSONIC, "serve", "--port", "0", path], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as server:
            port = int(server.stdout.readline().rsplit(b":", 1)[1])
            server.stderr.close()
            for _ in range(3):  # each would be told of
                with socket.create_connection(("127.0.0.1", port), support.RUN_SECONDS) as client:
                    client.sendall(struct.pack("<iiii", 15, 1, 0, OP_MSG))
                    self.assertEqual(client.recv(1), b"")
            with socket.create_connection(("127.0.0.1", port), support.RUN_SECONDS) as client:
                client.sendall(message(PING))
                self.assertGreater(len(client.recv(4096)), 16)
            server.send_signal(signal.SIGTERM)
            self.assertEqual(server.wait(support.RUN_SECONDS), 128 + signal.SIGTERM)


if __name__ == "__main__":
    support.main()
