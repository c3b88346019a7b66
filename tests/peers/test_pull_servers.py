# SPDX-License-Identifier: Apache-2.0
"""`bsonic pull` from real servers, filled and read again by PyMongo: the same bytes, and text of the same value.

FerretDB is filled by the newest PyMongo, mongo-java-server by the oldest that still talks to it; each runs under
its own driver only.
"""
import math
import os
import socket
import unittest
from urllib.parse import quote

import bson
import pymongo
from bson import json_util
from bson.codec_options import CodecOptions, DatetimeConversion
from bson.raw_bson import RawBSONDocument
from bson.son import SON
from pymongo.errors import OperationFailure

import raw
import servers
import support

RAW = CodecOptions(document_class=RawBSONDocument)
LOSSLESS = CodecOptions(document_class=SON, datetime_conversion=DatetimeConversion.DATETIME_MS)
NETWORK_OR_SERVER = 4

# Labels of raw.TYPES that a server cannot hold, or does not keep byte for byte.
FERRETDB_CANNOT = {
    "double_minus_zero",  # comes back as 0.0
    "double_infinity", "double_minus_infinity", "array_nested",  # write errors
    "double_nan", "double_nan_payload", "undefined", "db_pointer", "code", "symbol", "code_with_scope",
    "code_with_empty_scope", "decimal128", "decimal128_nan", "decimal128_minus_infinity", "min_key",
    "max_key",  # it closes the connection
}
JAVA_SERVER_CANNOT = {
    "binary_80", "undefined",  # come back as binary 00 and null
    "binary_01", "binary_02", "binary_05", "binary_06", "binary_07", "binary_08", "binary_09", "db_pointer", "symbol",
    "code_with_scope", "code_with_empty_scope",  # it closes the connection
}


def plain(value):
    """JSON as Python values that compare by type too: 1 and 1.0 differ, NaN equals itself, objects keep order."""
    if isinstance(value, raw.Pairs):
        return ("object", [(name, plain(item)) for name, item in value])
    if isinstance(value, list):
        return ("array", [plain(item) for item in value])
    if isinstance(value, float):
        return ("double", "nan" if math.isnan(value) else value.hex())
    return (type(value).__name__, value)


def by_value(text):
    return plain(spell_doubles(raw.parse_json(text)))


def spell_doubles(value):
    """{"$numberDouble": "1.0E+2"} and {"$numberDouble": "100.0"} are one value: the spelling is free."""
    if isinstance(value, raw.Pairs):
        if [name for name, _ in value] == ["$numberDouble"]:
            return raw.Pairs([("$numberDouble", float(value[0][1]))])
        return raw.Pairs((name, spell_doubles(item)) for name, item in value)
    if isinstance(value, list):
        return [spell_doubles(item) for item in value]
    return value


def driver_text(data, options):
    """What the driver prints for a document. Of its known deviations (symbols become strings, a pointer becomes an
    ordinary document, undefined becomes null) these documents touch none: no server here holds those types."""
    return json_util.dumps(bson.decode(data, LOSSLESS), json_options=options)


def plain_nans(documents):
    """A NaN's payload has no text: through Extended JSON it comes back as the plain one."""
    payload = next(value for label, _, value in raw.TYPES if label == "double_nan_payload")
    return [data.replace(payload, raw.double(math.nan)) for data in documents]


class PullCase(support.PeerCase):
    """A server that is filled once, and the driver's own reading of each collection."""

    collections = {}

    @classmethod
    def start(cls):
        """The server; each subclass brings its own."""
        raise NotImplementedError

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        support.bsonic()
        cls.server = cls.enter(cls.start())
        cls.client = cls.connect(cls.server.uri)
        for name, documents in cls.collections.items():
            cls.fill(name, documents)

    @classmethod
    def connect(cls, uri, **options):
        client = pymongo.MongoClient(uri, serverSelectionTimeoutMS=10000, socketTimeoutMS=120000, retryReads=False,
                                     retryWrites=False, **options)
        cls.addClassCleanup(client.close)
        return client

    @classmethod
    def fill(cls, name, documents):
        coll = cls.client["db"].get_collection(name, codec_options=RAW)
        for start in range(0, len(documents), 500):
            coll.insert_many([RawBSONDocument(data) for data in documents[start:start + 500]])

    def driver_reads(self, name):
        """Several batches of bounded size: one of these servers answers with as much as it has."""
        coll = self.client["db"].get_collection(name, codec_options=RAW)
        return [bytes(document.raw) for document in coll.find(batch_size=500)]

    def pull(self, name, *options):
        return support.run_bsonic("pull", self.server.uri, f"db.{name}", *options)

    def lines(self, name, *options):
        result = self.pull(name, *options)
        self.assert_runs(result)
        text = result.out.decode()
        self.assertTrue(text == "" or text.endswith("\n"), "the last line ends")
        return text.split("\n")[:-1]


class PullChecks:
    """The tests; mixed into one class for each server."""

    def test_server_holds_what_was_written(self):
        for name, documents in self.collections.items():
            with self.subTest(name):
                self.assert_same_documents(self.driver_reads(name), documents)

    def test_bson_is_what_the_driver_reads(self):
        for name in self.collections:
            with self.subTest(name):
                result = self.pull(name, "--bson")
                self.assert_runs(result)
                self.assert_same_documents(raw.split(result.out), self.driver_reads(name))

    def test_canonical_lines_turn_back_into_the_bytes(self):
        for name in self.collections:
            with self.subTest(name):
                made = [raw.from_canonical(line) for line in self.lines(name, "--canonical")]
                self.assert_same_documents(made, plain_nans(self.driver_reads(name)))

    def test_canonical_lines_agree_with_the_driver(self):
        self.check_against_driver(json_util.CANONICAL_JSON_OPTIONS, "--canonical")

    def test_relaxed_lines_agree_with_the_driver(self):
        self.check_against_driver(json_util.RELAXED_JSON_OPTIONS)

    def check_against_driver(self, options, *arguments):
        for name in self.collections:
            documents = self.driver_reads(name)
            lines = self.lines(name, *arguments)
            with self.subTest(name):
                self.assertEqual(len(lines), len(documents))
                for at, (line, data) in enumerate(zip(lines, documents), start=1):
                    got, wanted = by_value(line), by_value(driver_text(data, options))
                    if got != wanted:
                        self.assertEqual(line[:1000], driver_text(data, options)[:1000], f"document {at}")
                        self.fail(f"document {at} differs beyond its first 1000 characters")

    def test_no_namespace_of_that_name_is_no_document(self):
        for namespace in ("db.nowhere", "nowhere.nowhere"):
            for options in ([], ["--bson"], ["--canonical"]):
                with self.subTest(namespace=namespace, options=options):
                    result = support.run_bsonic("pull", self.server.uri, namespace, *options)
                    self.assert_runs(result)
                    self.assertEqual(result.out, b"")

    def test_small_batches_give_the_same(self):
        for size in ("1", "7", "1000"):
            with self.subTest(batch_size=size):
                result = self.pull("small", "--bson", "--batch-size", size)
                self.assert_runs(result)
                self.assert_same_documents(raw.split(result.out), self.driver_reads("small"))

    def test_skip_and_limit_cut_the_stream(self):
        whole = self.driver_reads("small")
        for skip, limit in ((0, 1), (0, 101), (5, 200), (2990, 50), (3000, 1)):
            with self.subTest(skip=skip, limit=limit):
                result = self.pull("small", "--bson", "--skip", str(skip), "--limit", str(limit))
                self.assert_runs(result)
                self.assert_same_documents(raw.split(result.out), whole[skip:skip + limit])

    def test_connection_string_may_name_the_database(self):
        result = support.run_bsonic("pull", f"{self.server.uri}db", "one", "--bson")
        self.assert_runs(result)
        self.assert_same_documents(raw.split(result.out), self.collections["one"])

    def test_network_that_trickles_gives_the_same(self):
        for name, piece in (("types", 1), ("small", 97), ("large", 1460)):
            with self.subTest(name, piece=piece), servers.Proxy(self.server.port, piece=piece) as proxy:
                result = support.run_bsonic("pull", proxy.uri, f"db.{name}", "--bson")
                self.assert_runs(result)
                self.assert_same_documents(raw.split(result.out), self.driver_reads(name))

    def test_connection_that_breaks_loses_nothing_before(self):
        """Whole documents come out, the first ones in order, and the exit status tells that it is not all."""
        whole = self.driver_reads("small")
        for cut_after in (1, 200, 2_000, 20_000, 100_000, 150_000):
            for options in (["--bson"], ["--canonical"]):
                with self.subTest(cut_after=cut_after, options=options), \
                        servers.Proxy(self.server.port, cut_after=cut_after) as proxy:
                    result = support.run_bsonic("pull", proxy.uri, "db.small", *options)
                    self.assert_runs(result, NETWORK_OR_SERVER)
                    self.assertIn(str(proxy.port), result.err)
                    got = (raw.split(result.out) if options == ["--bson"] else
                           [raw.from_canonical(line) for line in result.out.decode().split("\n")[:-1]])
                    self.assert_same_documents(got, whole[:len(got)])
                    # All that could be whole: what was let through, less the handshake and the last, broken document.
                    self.assertGreaterEqual(sum(map(len, got)), cut_after * 3 // 4 - 1500)
                    self.assertLess(len(got), len(whole))

    def test_output_file_is_the_same(self):
        path = self.folder / "out.bson"
        result = self.pull("types", "--bson", "--output", str(path))
        self.assert_runs(result)
        self.assertEqual(result.out, b"")
        self.assert_same_documents(raw.split(path.read_bytes()), self.driver_reads("types"))
        self.assertEqual(os.listdir(self.folder), ["out.bson"], "nothing half-written stays")


def documents_for(cannot):
    return {
        "types": raw.typed_documents(lambda label: label not in cannot),
        "small": raw.small_documents(3000),
        "large": [raw.sized_document(1, 5_000_000), raw.small_document(2), raw.sized_document(3, 300_000)],
        "one": raw.small_documents(1),
    }


class PullFerretdb(PullChecks, PullCase):
    collections = documents_for(FERRETDB_CANNOT)

    @classmethod
    def start(cls):
        return servers.ferretdb(support.part("ferretdb"))


class PullJavaServer(PullChecks, PullCase):
    collections = documents_for(JAVA_SERVER_CANNOT)

    @classmethod
    def start(cls):
        return servers.mongo_java_server(support.part("mongo-java-server"))


class PullFerretdbAuth(PullCase):
    """A server that wants to know who asks."""

    @classmethod
    def start(cls):
        return servers.ferretdb(support.part("ferretdb"), auth=True)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.user, cls.password = servers.FERRETDB_USER
        cls.known = cls.connect(cls.server.uri, username=cls.user, password=cls.password)
        cls.known["db"].get_collection("coll", codec_options=RAW).insert_one(RawBSONDocument(raw.small_document(1)))

    def test_without_credentials_the_server_s_refusal_is_told(self):
        with self.assertRaises(OperationFailure) as caught:
            self.client["db"]["coll"].find_one()
        told = caught.exception.details
        result = self.pull("coll")
        self.assert_runs(result, status=NETWORK_OR_SERVER)
        self.assertEqual(result.out, b"")
        self.assertIn(told["errmsg"], result.err)
        self.assertTrue(str(told["code"]) in result.err or told["codeName"] in result.err, result.err)

    def test_credentials_are_used_or_refused_and_never_shown(self):
        user, password = quote(self.user, safe=""), quote(self.password, safe="")
        uri = self.server.uri.replace("//", f"//{user}:{password}@")
        result = support.run_bsonic("pull", f"{uri}?authSource=admin", "db.coll", "--bson")
        for secret in (self.password, password):
            self.assertNotIn(secret, result.err)
        if result.status == 0:
            self.assert_same_documents(raw.split(result.out), [raw.small_document(1)])
        else:
            self.assertIn(result.status, (2, NETWORK_OR_SERVER))
            self.assertTrue(result.err)


class PullNobody(support.PeerCase):
    """No server at the other end, or none that speaks."""

    def check(self, uri, status, *words):
        result = support.run_bsonic("pull", uri, "db.coll")
        self.assert_runs(result, status)
        self.assertEqual(result.out, b"")
        for word in words:
            self.assertIn(word, result.err)

    def test_nobody_listens(self):
        with socket.socket() as bound:  # bound but not listening: nobody else takes the port meanwhile
            bound.bind(("127.0.0.1", 0))
            port = bound.getsockname()[1]
            self.check(f"mongodb://127.0.0.1:{port}/?serverSelectionTimeoutMS=2000", NETWORK_OR_SERVER, str(port))

    def test_silent_server_times_out(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            port = silent.getsockname()[1]
            uri = (f"mongodb://127.0.0.1:{port}/?connectTimeoutMS=300&socketTimeoutMS=300"
                   "&serverSelectionTimeoutMS=300")
            self.check(uri, NETWORK_OR_SERVER)

    def test_usage_errors(self):
        for arguments in ([], ["http://127.0.0.1/"], ["mongodb://127.0.0.1:99999/", "db.coll"],
                          ["mongodb://127.0.0.1/", "db.coll", "--nonsense"]):
            with self.subTest(arguments):
                result = support.run_bsonic("pull", *arguments)
                self.assert_runs(result, status=2)
                self.assertTrue(result.err)


class PullFromServe(support.PeerCase):
    """Both ends ours: the only way to the types that neither server holds."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.documents = raw.typed_documents()
        path = cls.folder / "types.bson"
        path.write_bytes(b"".join(cls.documents))
        cls.server = cls.enter(servers.bsonic_serve(support.bsonic(), path))

    def pull(self, *options):
        result = support.run_bsonic("pull", self.server.uri, "dump.types", *options)
        self.assert_runs(result)
        return result.out

    def test_every_type_comes_back_byte_for_byte(self):
        self.assert_same_documents(raw.split(self.pull("--bson")), self.documents)

    def test_every_type_comes_back_through_canonical_text(self):
        lines = self.pull("--canonical").decode().split("\n")
        self.assertEqual(lines.pop(), "", "the last line ends")
        self.assert_same_documents([raw.from_canonical(line) for line in lines], plain_nans(self.documents))


if __name__ == "__main__":
    unittest.main()
