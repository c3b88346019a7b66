# SPDX-License-Identifier: Apache-2.0
"""Starts a server for a test and makes sure that it ends.

Each server takes a free port of 127.0.0.1 by itself (port 0) and says which; it is ready when a connection
succeeds. It has a temporary folder of its own, is stopped by its own pid, and dies with the test program.
"""
import ctypes
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

START_SECONDS = 60  # a busy machine under sanitizers; a healthy start takes one or two
STOP_SECONDS = 20
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None, use_errno=True)


class ServerError(Exception):
    """The server did not start, or did not stop; what it printed is in the text."""


def die_with_parent():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


class Server:
    """A running server: `port`, `uri`, and `output()`, all that it has printed so far."""

    def __init__(self, argv, folder=None, port_pattern=r"127\.0\.0\.1:(\d+)", database=""):
        self.folder = folder
        self.port = None
        self.pattern = re.compile(port_pattern)
        self.lines = []
        self.ended = False
        self.changed = threading.Condition()
        self.process = subprocess.Popen(
            list(map(str, argv)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            preexec_fn=die_with_parent)
        self.reader = threading.Thread(target=self.read_output, daemon=True)
        self.reader.start()
        try:
            self.wait_until_ready()
        except BaseException:
            self.stop()
            raise
        self.uri = f"mongodb://127.0.0.1:{self.port}/{database}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def read_output(self):
        for line in self.process.stdout:
            text = line.decode(errors="replace")
            with self.changed:
                self.lines.append(text)
                found = self.pattern.search(text) if self.port is None else None
                if found and int(found[1]) > 0:
                    self.port = int(found[1])
                self.changed.notify_all()
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def output(self):
        with self.changed:
            return "".join(self.lines)

    def wait_until_ready(self):
        deadline = time.monotonic() + START_SECONDS
        with self.changed:
            self.changed.wait_for(lambda: self.ended or self.port, timeout=START_SECONDS)
        while self.port and not self.accepts(deadline):
            with self.changed:  # woken early if the server ends or prints; no bare sleep
                self.changed.wait(0.05)
            if self.ended or time.monotonic() > deadline:
                break
        if not self.port or self.ended:
            raise ServerError(f"{self.process.args[0]} did not start:\n{self.output()}")

    def accepts(self, deadline):
        try:
            left = max(0.1, deadline - time.monotonic())
            socket.create_connection(("127.0.0.1", self.port), timeout=left).close()
        except OSError:
            return False
        return True

    def stop(self):
        """Ends the server if it runs; returns its exit status (negative: the signal)."""
        try:
            if self.process.poll() is None:
                self.process.terminate()
            return self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise ServerError(f"{self.process.args[0]} did not stop within {STOP_SECONDS} s") from None
        finally:
            self.process.stdin.close()
            self.reader.join(STOP_SECONDS)
            self.process.stdout.close()
            if self.folder:
                shutil.rmtree(self.folder, ignore_errors=True)


class Proxy:
    """Stands between a client and a server: a network that is slow and one that fails. Hands on what the client
    sends in pieces of `request_piece` bytes and what the server sends in pieces of `piece` bytes, up to `cut_after`
    bytes of the latter a connection, when it closes that connection."""

    def __init__(self, port, piece=65536, cut_after=None, request_piece=65536):
        self.server_port = port
        self.piece = piece
        self.request_piece = request_piece
        self.cut_after = cut_after
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.uri = f"mongodb://127.0.0.1:{self.port}/"
        self.sockets = [self.listener]
        self.threads = []
        self.start(self.accept)

    def start(self, target, *arguments):
        self.threads.append(threading.Thread(target=target, args=arguments, daemon=True))
        self.threads[-1].start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return  # closed: the test is over
            server = socket.create_connection(("127.0.0.1", self.server_port))
            for one in (client, server):
                one.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.sockets += [client, server]
            self.start(self.forward, client, server, self.request_piece, None)
            self.start(self.forward, server, client, self.piece, self.cut_after)

    @staticmethod
    def forward(source, target, piece, left):
        try:
            while left is None or left > 0:
                data = source.recv(piece if left is None else min(piece, left))
                if not data:
                    break
                target.sendall(data)
                left = None if left is None else left - len(data)
            # Both ways: a client that waits learns of it.
            source.shutdown(socket.SHUT_RDWR)
            target.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass  # the other direction was quicker

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for one in list(self.sockets):
            try:
                one.shutdown(socket.SHUT_RDWR)  # wakes the thread that reads from it; closing alone would not
            except OSError:
                pass  # that side has gone already
        for thread in list(self.threads):
            thread.join(STOP_SECONDS)
        for one in self.sockets:
            one.close()


FERRETDB_USER = ("alice", "wonder land/42")


def ferretdb(part, auth=False):
    """FerretDB over SQLite; with `auth` a second user's word is needed: FERRETDB_USER."""
    folder = tempfile.mkdtemp(prefix="bsonic-ferretdb-")
    argv = [
        f"{part}/ferretdb", "--handler=sqlite", f"--sqlite-url=file:{folder}/", f"--state-dir={folder}",
        "--listen-addr=127.0.0.1:0", "--debug-addr=-", "--telemetry=disable", "--log-level=INFO",
    ]
    if auth:
        user, password = FERRETDB_USER
        argv += ["--test-enable-new-auth", "--setup-database=admin", f"--setup-username={user}",
                 f"--setup-password={password}"]
    return Server(argv, folder, r"Listening on TCP 127\.0\.0\.1:(\d+)")


def mongo_java_server(part):
    return Server(["java", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-cp", f"{part}/lib/*:{part}/classes",
                   "Main"], port_pattern=r"listening on 127\.0\.0\.1:(\d+)")


def bsonic_serve(bsonic, *arguments):
    return Server([bsonic, "serve", *arguments, "--port", "0"])
