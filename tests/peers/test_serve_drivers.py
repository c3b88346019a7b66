# SPDX-License-Identifier: Apache-2.0
"""`bsonic serve` as the drivers and shells of other languages see it: the same bytes where they show them, else the
same values. Each brings a small reader of its own (node/, mongosh/, java/, go/, ruby/)."""
import json
import os
import subprocess
import unittest
from pathlib import Path

import raw
import servers
import support

HERE = Path(__file__).resolve().parent

# The Ruby driver decodes each document and encodes it again. Of the rows of raw.TYPES it (bson 4.15) refuses two
# subtypes and narrows an int64 that fits an int32.
RUBY_CHANGES = {"binary_08", "binary_09", "int64"}


class ServeDrivers(support.PeerCase):
    collections = {
        "types": raw.typed_documents(),
        "plain": raw.typed_documents(lambda label: label not in RUBY_CHANGES),
        "odd": raw.odd_documents(),
        "empty": [],
        "small": raw.small_documents(2000),
        "large": [raw.sized_document(1, raw.MAX_DOCUMENT), raw.small_document(2), raw.sized_document(3, 6_000_000)],
    }

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        files = []
        for name, documents in cls.collections.items():
            files.append(cls.folder / f"{name}.bson")
            files[-1].write_bytes(b"".join(documents))
        cls.server = cls.enter(servers.bsonic_serve(support.bsonic(), *files))

    def tearDown(self):
        self.assertIsNone(self.server.process.poll(), f"the server died: {self.server.output()}")
        self.assert_no_sanitizer_report(self.server.output())

    def run_reader(self, command, **environment):
        done = subprocess.run(list(map(str, command)), capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env=dict(os.environ, **environment), timeout=support.RUN_SECONDS, check=False)
        self.assertEqual(done.returncode, 0, f"{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
        return done.stdout

    def read(self, command, name, batch_size):
        path = self.folder / "read"
        told = self.run_reader([*command, self.server.uri, "dump", name, path, batch_size])
        documents = raw.split(path.read_bytes())
        self.assertEqual(int(told), len(documents))
        return documents

    def check_bytes(self, command, names=("types", "odd", "empty", "small", "large")):
        for name, batch_size in [*((name, 0) for name in names), ("small", 7)]:
            with self.subTest(name, batch_size=batch_size):
                self.assert_same_documents(self.read(command, name, batch_size), self.collections[name])

    def test_node(self):
        self.check_bytes(["node", f"{support.part('node')}/read.mjs"])

    def test_java(self):
        part = support.part("java")
        self.check_bytes(["java", "-XX:TieredStopAtLevel=1", "-cp", f"{part}/lib/*:{part}/classes", "Read"])

    def test_go(self):
        self.check_bytes([f"{support.part('go')}/read"])

    def test_ruby(self):
        support.part("ruby")
        self.check_bytes(["ruby", HERE / "ruby" / "read.rb"], ["plain", "empty", "small", "large"])

    def test_mongosh(self):
        shell = f"{support.part('mongosh')}/node_modules/.bin/mongosh"
        home = self.folder / "home"  # it keeps settings and logs in the user's
        for name, batch_size in (("types", 0), ("empty", 0), ("small", 0), ("small", 7)):
            with self.subTest(name, batch_size=batch_size):
                home.mkdir(exist_ok=True)
                told = self.run_reader([shell, "--quiet", "--norc", f"{self.server.uri}dump", HERE / "mongosh/read.js"],
                                       HOME=str(home), COLLECTION=name, BATCH_SIZE=str(batch_size))
                self.check_shell(name, told.strip().split("\n"))

    def check_shell(self, name, lines):
        summary, documents = map(json.loads, lines)
        count = len(self.collections[name])
        wanted = {"databases": ["dump"], "collections": sorted(self.collections), "count": count, "read": count}
        self.assertEqual(summary, wanted)
        if name == "small":
            self.assertEqual(documents, [small_value(at) for at in range(count)])
        if name == "types":
            labels = [label for label, _, _ in raw.TYPES]
            self.assertEqual([list(document) for document in documents],
                             [*(["_id", label] for label in labels), ["_id", *labels]])


def small_value(at):
    """raw.small_document as plain JSON, where 1.0 and 1 are equal."""
    return {"_id": at, "name": f"document {at}", "far": 2**40 + at, "half": at / 2,
            "digits": [int(digit) for digit in str(at)]}


if __name__ == "__main__":
    unittest.main()
