# SPDX-License-Identifier: Apache-2.0
"""`bsonic push` into real servers, read again by PyMongo and by `bsonic pull`: the same bytes, and every failure at its document.

FerretDB is read by the newest PyMongo, mongo-java-server by the oldest that still talks to it; each runs under its own
driver only.
"""
import re
import unittest

import raw
import servers
import support
from test_pull_servers import FERRETDB_CANNOT, JAVA_SERVER_CANNOT, PullCase

MALFORMED, NETWORK_OR_SERVER, LIMIT = 1, 4, 5


def numbered(*keys):
    return [raw.document(raw.element(0x10, "_id", raw.int32(key)), raw.element(0x02, "text", raw.string(f"no. {at}")))
            for at, key in enumerate(keys)]


class PushChecks:
    """The tests; mixed into one class for each server."""

    cannot = set()
    pushed = 0  # collections so far: each test has its own

    def fresh_name(self):
        type(self).pushed += 1
        return f"pushed{self.pushed}"

    def push(self, documents, *options, name=None, tail=b""):
        """Pushes a file of these documents; returns how it ended."""
        self.name = name or self.fresh_name()
        self.data = b"".join(documents) + tail
        path = self.folder / "in.bson"
        path.write_bytes(self.data)
        return support.run_bsonic("push", self.server.uri, f"db.{self.name}", str(path), *options)

    def held(self):
        return self.driver_reads(self.name)

    def assert_round_trip(self, documents, *options):
        """The driver and `bsonic pull` read what was in the file, byte for byte."""
        result = self.push(documents, *options)
        self.assert_runs(result)
        self.assertIn(f"{len(documents)} documents inserted", result.err)
        self.assert_same_documents(self.held(), documents)
        pulled = self.pull(self.name, "--bson")
        self.assert_runs(pulled)
        self.assertEqual(pulled.out, self.data)

    # ---------------------------------------------------------------- what arrives

    def test_every_type_the_server_holds(self):
        self.assert_round_trip(raw.typed_documents(lambda label: label not in self.cannot))

    def test_several_thousand_small_documents(self):
        self.assert_round_trip(raw.small_documents(5000))

    def test_batches_of_every_size(self):
        for size in ("1", "7", "1000"):
            with self.subTest(size):
                self.assert_round_trip(raw.small_documents(300), "--batch-size", size)

    def test_large_documents_among_small_ones(self):
        self.assert_round_trip([raw.small_document(1), raw.sized_document(2, 3_000_000), raw.small_document(3),
                                raw.sized_document(4, 400_000), raw.sized_document(5, 5_000_000), raw.small_document(6)])

    def test_more_than_a_message_holds(self):
        """Nine documents of 5.3 MB: 47.7 MB, a little less than a message may have."""
        self.assert_round_trip([raw.sized_document(at, 5_300_000) for at in range(9)])

    def test_standard_input_in_pieces(self):
        documents = raw.small_documents(2000)
        name = self.fresh_name()
        result = support.run_bsonic("push", self.server.uri, f"db.{name}", "-", stdin=b"".join(documents))
        self.assert_runs(result)
        self.assert_same_documents(self.driver_reads(name), documents)

    def test_canonical_text(self):
        # The digits of a NaN have no text.
        documents = raw.typed_documents(lambda label: label not in self.cannot | {"double_nan_payload"})
        text = support.run_bsonic("decode", "--canonical", stdin=b"".join(documents))
        self.assert_runs(text)
        name = self.fresh_name()
        result = support.run_bsonic("push", self.server.uri, f"db.{name}", "-", "--json", stdin=text.out)
        self.assert_runs(result)
        self.assert_same_documents(self.driver_reads(name), documents)

    def test_documents_without_an_id_get_one(self):
        bare = [raw.document(raw.element(0x10, "n", raw.int32(at))) for at in range(2000)]
        self.assert_runs(self.push(bare))
        held = self.held()
        self.assertEqual(len(held), len(bare))
        for got, wanted in zip(held, bare):
            self.assertEqual(got[4:9], b"\x07_id\0")
            self.assertEqual(got[21:], wanted[4:])
        self.assertEqual(len({got[9:21] for got in held}), len(bare), "no id comes twice")

    def test_dropping_first(self):
        self.assert_runs(self.push(numbered(1, 2, 3), "--drop"))
        self.assert_runs(self.push(numbered(3, 4), "--drop", name=self.name))
        self.assert_same_documents(self.held(), numbered(3, 4))

    def test_write_concern(self):
        for concern in ("1", "majority"):
            self.assert_round_trip(numbered(1, 2), "--write-concern", concern)

    def test_a_network_that_trickles(self):
        with servers.Proxy(self.server.port, piece=1460) as proxy:
            name = self.fresh_name()
            path = self.folder / "trickle.bson"
            documents = raw.small_documents(1500)
            path.write_bytes(b"".join(documents))
            self.assert_runs(support.run_bsonic("push", proxy.uri, f"db.{name}", str(path)))
            self.assert_same_documents(self.driver_reads(name), documents)

    # ---------------------------------------------------------------- what does not

    def test_duplicates_in_order(self):
        """The fifth document is the first that cannot be: in one message, and in the third of three."""
        for options in ([], ["--batch-size", "2"]):
            with self.subTest(options):
                documents = numbered(1, 2, 3, 4, 2, 5)
                result = self.push(documents, *options)
                self.assert_runs(result, NETWORK_OR_SERVER)
                self.assertIn("document 5: write error 11000", result.err)
                self.assertIn("4 documents inserted, 1 failed", result.err)
                self.assert_same_documents(self.held(), documents[:4])

    def test_duplicates_unordered(self):
        documents = numbered(1, 2, 1, 3, 3, 4)
        result = self.push(documents, "--unordered", "--batch-size", "4")
        self.assert_runs(result, NETWORK_OR_SERVER)
        self.assertEqual(re.findall(r"document (\d+): write error 11000", result.err), ["3", "5"])
        self.assertIn("4 documents inserted, 2 failed", result.err)
        self.assert_same_documents(self.held(), [documents[at] for at in (0, 1, 3, 5)])

    def test_duplicates_passed_by(self):
        documents = raw.small_documents(2000)
        self.assert_runs(self.push(documents[:1500]))
        result = self.push(documents, "--skip-duplicates", name=self.name)
        self.assert_runs(result)
        self.assertIn("500 documents inserted, 1500 duplicates passed by", result.err)
        self.assert_same_documents(self.held(), documents)

    def test_a_document_larger_than_the_server_takes(self):
        documents = [*numbered(1, 2), raw.sized_document(7, raw.MAX_DOCUMENT + 1), *numbered(3)]
        result = self.push(documents)
        self.assert_runs(result, LIMIT)
        self.assertIn("document 3: not sent: larger than the server takes", result.err)
        self.assert_same_documents(self.held(), documents[:2])
        result = self.push(documents, "--unordered")
        self.assert_runs(result, LIMIT)
        self.assert_same_documents(self.held(), [*documents[:2], documents[3]])

    def test_a_damaged_document_stops_behind_what_is_sound(self):
        documents = raw.small_documents(1200)
        for tail, words in ((raw.document(raw.element(0x10, "_id", raw.int32(9)), raw.element(0x08, "b", b"\2")), "path b"),
                            (documents[0][:-3], "ends inside")):
            result = self.push(documents, tail=tail)
            self.assert_runs(result, MALFORMED)
            self.assertIn("document 1201 at byte", result.err)
            self.assertIn(words, result.err)
            self.assertIn("1200 documents inserted", result.err)
            self.assert_same_documents(self.held(), documents)

    def test_a_connection_that_breaks_tells_what_is_sure(self):
        """A server holds at least what push says, and of the rest a part in order."""
        documents = raw.small_documents(1000)
        path = self.folder / "broken.bson"
        path.write_bytes(b"".join(documents))
        for cut_after in (1, 150, 250, 400, 600):
            name = self.fresh_name()
            with self.subTest(cut_after=cut_after), servers.Proxy(self.server.port, cut_after=cut_after) as proxy:
                result = support.run_bsonic("push", proxy.uri, f"db.{name}", str(path), "--batch-size", "100")
                self.assert_runs(result, NETWORK_OR_SERVER)
                sure = re.search(r"(\d+) documents inserted", result.err)
                held = self.driver_reads(name)
                self.assert_same_documents(held, documents[:len(held)])
                if sure:
                    self.assertGreaterEqual(len(held), int(sure[1]))


class PushFerretdb(PushChecks, PullCase):
    cannot = FERRETDB_CANNOT

    @classmethod
    def start(cls):
        return servers.ferretdb(support.part("ferretdb"))

    def test_documents_the_server_refuses_are_told(self):
        """It takes no nested arrays: a write error in its own words."""
        nested = raw.document(raw.element(0x10, "_id", raw.int32(9)),
                              raw.element(0x04, "a", raw.array((0x04, raw.array((0x10, raw.int32(1)))))))
        result = self.push([*numbered(1, 2), nested, *numbered(3)], "--unordered")
        self.assert_runs(result, NETWORK_OR_SERVER)
        self.assertRegex(result.err, r"document 3: write error \d+ \(.+\)")
        self.assert_same_documents(self.held(), [*numbered(1, 2), *numbered(3)])


class PushJavaServer(PushChecks, PullCase):
    cannot = JAVA_SERVER_CANNOT

    @classmethod
    def start(cls):
        return servers.mongo_java_server(support.part("mongo-java-server"))


class PushServe(support.PeerCase):
    def test_a_read_only_server_refuses(self):
        path = self.folder / "things.bson"
        path.write_bytes(b"".join(numbered(1, 2)))
        server = self.enter(servers.bsonic_serve(support.bsonic(), path))
        result = support.run_bsonic("push", server.uri, "dump.things", str(path))
        self.assert_runs(result, NETWORK_OR_SERVER)
        self.assertIn("code 115", result.err)
        self.assertIn("0 documents inserted", result.err)


if __name__ == "__main__":
    unittest.main()
