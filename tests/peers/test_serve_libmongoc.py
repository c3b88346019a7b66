# SPDX-License-Identifier: Apache-2.0
"""`bsonic serve` as the packaged libmongoc sees it, through the reader of test_serve_libmongoc.c."""
import subprocess
import unittest

import raw
import servers
import support


class ServeLibmongoc(support.PeerCase):
    collections = {
        "types": raw.typed_documents(),
        "odd": raw.odd_documents(),
        "empty": [],
        "small": raw.small_documents(5000),
        "large": [raw.sized_document(1, raw.MAX_DOCUMENT), raw.small_document(2), raw.sized_document(3, 6_000_000)],
    }

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        support.part("libmongoc")
        cls.reader = support.program("BSONIC_LIBMONGOC")
        files = []
        for name, documents in cls.collections.items():
            files.append(cls.folder / f"{name}.bson")
            files[-1].write_bytes(b"".join(documents))
        cls.server = cls.enter(servers.bsonic_serve(support.bsonic(), *files))

    def read(self, name, batch_size=0):
        path = self.folder / "read"
        done = subprocess.run([self.reader, self.server.uri, "dump", name, path, str(batch_size)],
                              capture_output=True, text=True, timeout=support.RUN_SECONDS, check=False)
        # A warning of the driver is a fault of the server: it complains of a refused endSessions, for one.
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        documents = raw.split(path.read_bytes())
        self.assertEqual(int(done.stdout), len(documents))
        return documents

    def test_every_collection_comes_back_byte_for_byte(self):
        for name, documents in self.collections.items():
            with self.subTest(name):
                self.assert_same_documents(self.read(name), documents)

    def test_batches_of_any_size_give_the_same(self):
        for size in (1, 2, 101, 6000):
            with self.subTest(batch_size=size):
                self.assert_same_documents(self.read("small", size), self.collections["small"])

    def tearDown(self):
        self.assertIsNone(self.server.process.poll(), f"the server died: {self.server.output()}")
        self.assert_no_sanitizer_report(self.server.output())


if __name__ == "__main__":
    unittest.main()
