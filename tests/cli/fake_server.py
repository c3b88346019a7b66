# SPDX-License-Identifier: Apache-2.0
"""A server of one connection that answers what a test has written down, lies and silences included.

    with FakeServer([batch([..], 5), error("gone", 43)]) as server:
        run("pull", server.uri, ..)
    server.requests                     the bodies that came after the hello, as raw BSON

The hello is answered by itself. An answer is a function of the request's id; `step` sends it in pieces of that size.
"""
import contextlib
import socket
import struct
import threading

import raw

OP_REPLY, OP_QUERY, OP_MSG = 1, 2004, 2013
WAIT_SECONDS = 30


def text(name, value):
    return raw.element(0x02, name, raw.string(value))


def int32(name, value):
    return raw.element(0x10, name, raw.int32(value))


def int64(name, value):
    return raw.element(0x12, name, raw.int64(value))


OK = raw.element(0x01, "ok", raw.double(1.0))
NOT_OK = raw.element(0x01, "ok", raw.double(0.0))


def header(length, request_id, response_to, opcode):
    return struct.pack("<iiii", length, request_id, response_to, opcode)


def message(body, response_to, flags=0):
    rest = struct.pack("<I", flags) + b"\0" + body
    return header(16 + len(rest), 9000, response_to, OP_MSG) + rest


def reply(body, response_to):
    rest = struct.pack("<iqii", 8, 0, 0, 1) + body
    return header(16 + len(rest), 9000, response_to, OP_REPLY) + rest


def hello(response_to):
    return reply(raw.document(int32("maxWireVersion", 21), OK), response_to)


def batch(documents, cursor_id=0, name="firstBatch", ns="db.c"):
    """An answer with these documents, as bytes."""
    listed = raw.array(*((0x03, document) for document in documents))
    cursor = raw.document(raw.element(0x04, name, listed), int64("id", cursor_id), text("ns", ns))
    return lambda request: message(raw.document(raw.element(0x03, "cursor", cursor), OK), request)


def error(errmsg, code, name="Name"):
    body = raw.document(NOT_OK, text("errmsg", errmsg), int32("code", code), text("codeName", name))
    return lambda request: message(body, request)


def just(data):
    return lambda request: data


def silence(_request):
    """No answer; the connection stays open until the peer has enough."""
    return None


class FakeServer:
    def __init__(self, answers, step=None, hello_answer=hello):
        self.answers = list(answers)
        self.step = step
        self.hello_answer = hello_answer
        self.requests = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.uri = f"mongodb://127.0.0.1:{self.port}/"
        self.thread = threading.Thread(target=self.serve, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)  # nobody may have come
        self.thread.join(WAIT_SECONDS)
        self.listener.close()

    def serve(self):
        self.listener.settimeout(WAIT_SECONDS)
        try:
            connection, _ = self.listener.accept()
            connection.settimeout(WAIT_SECONDS)
            with connection:
                self.converse(connection)
        except (OSError, EOFError):
            pass  # the client went away: what it got by then is the test's business

    def converse(self, connection):
        for at, answer in enumerate([self.hello_answer, *self.answers]):
            request, body = self.receive(connection)
            if at > 0:
                self.requests.append(body)
            data = answer(request)
            if data is None:
                connection.recv(1)  # ends when the client closes
            else:
                self.send(connection, data)

    @staticmethod
    def receive(connection):
        def exactly(count):
            data = b""
            while len(data) < count:
                piece = connection.recv(count - len(data))
                if not piece:
                    raise EOFError
                data += piece
            return data

        length, request, _, opcode = struct.unpack("<iiii", exactly(16))
        rest = exactly(length - 16)
        return request, rest[5:] if opcode == OP_MSG else rest

    def send(self, connection, data):
        step = self.step or len(data) or 1
        for at in range(0, len(data), step):
            connection.sendall(data[at:at + step])
