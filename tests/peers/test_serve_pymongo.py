# SPDX-License-Identifier: Apache-2.0
"""`bsonic serve` as PyMongo sees it: every document comes back with the bytes it has in the file.

Run once under each PyMongo: the newest, and the oldest that still talks to servers of wire version 8.
"""
import concurrent.futures
import json
import unittest

import pymongo
from bson import Binary, Int64, ObjectId
from bson.codec_options import CodecOptions
from bson.raw_bson import RawBSONDocument
from bson.son import SON
from pymongo.errors import OperationFailure
from pymongo.write_concern import WriteConcern

import raw
import servers
import support

RAW = CodecOptions(document_class=RawBSONDocument)
BATCH_BYTES_MAX = 16 * 1024 * 1024
NO_SUCH_COMMAND, READ_ONLY, CURSOR_NOT_FOUND, WRONG_TYPE, UNAUTHORIZED = 59, 115, 43, 14, 13
BENCHMARK_SIZES = [6046, 2286, 4026]  # flat, deep, full: what they are known to have as BSON
STOPPED_BY_US = (0, 128 + 15, -15)  # on SIGTERM: by itself, by its status, by the signal

IDS = [
    ("object_id", 0x07, raw.OBJECT_ID, ObjectId(raw.OBJECT_ID)),
    ("string", 0x02, raw.string("key"), "key"),
    ("empty string", 0x02, raw.string(""), ""),
    ("int32", 0x10, raw.int32(42), 42),
    ("int64", 0x12, raw.int64(2**40), Int64(2**40)),
    ("binary", 0x05, raw.binary(4, bytes(range(16))), Binary(bytes(range(16)), 4)),
    ("bool", 0x08, b"\x01", True),
    ("document", 0x03, raw.document(raw.element(0x10, "a", raw.int32(1)), raw.element(0x02, "b", raw.string("x"))),
     SON([("a", 1), ("b", "x")])),
]


def id_documents():
    return [raw.document(raw.element(kind, "_id", value), raw.element(0x02, "label", raw.string(label)))
            for label, kind, value, _ in IDS]


def large_documents():
    """The largest that a user may store, the largest that a server keeps for itself, and enough of several MB
    that no two batches' worth fit into one."""
    return [raw.sized_document(1, raw.MAX_DOCUMENT), raw.sized_document(2, raw.MAX_DOCUMENT + 16 * 1024),
            *(raw.sized_document(key, 6_000_000) for key in range(3, 8)), raw.small_document(8)]


class ServeCase(support.PeerCase):
    """A running `bsonic serve` over the class's `collections`: name → documents."""

    collections = {}

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = servers.bsonic_serve(support.bsonic(), *cls.served())
        cls.addClassCleanup(cls.stop_server)
        cls.client = cls.connect()
        cls.addClassCleanup(cls.client.close)
        cls.database = cls.client["dump"]

    @classmethod
    def served(cls):
        """Writes what is served and returns the arguments that name it."""
        files = []
        for name, documents in cls.collections.items():
            files.append(cls.folder / f"{name}.bson")
            files[-1].write_bytes(b"".join(documents))
        return files

    @classmethod
    def connect(cls, **options):
        return pymongo.MongoClient(cls.server.uri, serverSelectionTimeoutMS=10000, socketTimeoutMS=120000,
                                   retryReads=False, retryWrites=False, **options)

    @classmethod
    def stop_server(cls):
        status = cls.server.stop()
        output = cls.server.output()
        assert status in STOPPED_BY_US, f"exit status {status}: {output}"
        for mark in support.SANITIZER_MARKS:
            assert mark not in output, output

    def tearDown(self):
        self.assertIsNone(self.server.process.poll(), f"the server died: {self.server.output()}")

    def collection(self, name):
        return self.database.get_collection(name, codec_options=RAW)

    def read(self, name, **options):
        """Every document's bytes, one by one."""
        return [bytes(document.raw) for document in self.collection(name).find(**options)]

    def command(self, *arguments, **fields):
        return self.database.command(*arguments, codec_options=RAW, **fields)

    def assert_refused(self, code, call, *arguments, **fields):
        with self.assertRaises(OperationFailure) as caught:
            call(*arguments, **fields)
        self.assertEqual(caught.exception.code, code, caught.exception.details)
        self.assertEqual(self.client.admin.command("ping"), {"ok": 1.0}, "the session goes on")
        return caught.exception.details


class ServeBytes(ServeCase):
    """The same bytes as in the file, whatever they hold and however they are asked for."""

    collections = {
        "types": raw.typed_documents(),
        "odd": raw.odd_documents(),
        "empty": [],
        "small": raw.small_documents(5000),
        "dotted.name": raw.small_documents(3),
    }

    def test_every_type_comes_back_byte_for_byte(self):
        self.assert_same_documents(self.read("types"), self.collections["types"])

    def test_whole_batches_are_the_file(self):
        for name, documents in self.collections.items():
            with self.subTest(name):
                batches = b"".join(self.collection(name).find_raw_batches())
                self.assert_same_documents(raw.split(batches), documents)

    def test_documents_that_no_server_would_store(self):
        self.assert_same_documents(self.read("odd"), self.collections["odd"])

    def test_empty_collection_has_no_documents(self):
        self.assertEqual(self.read("empty"), [])
        self.assertIsNone(self.database["empty"].find_one())

    def test_collection_whose_name_holds_a_dot(self):
        self.assert_same_documents(self.read("dotted.name"), self.collections["dotted.name"])

    def test_missing_collection_and_database_are_empty(self):
        self.assertEqual(self.read("nowhere"), [])
        self.assertEqual(list(self.client["elsewhere"]["nowhere"].find()), [])

    def test_thousands_of_documents_in_batches_of_any_size(self):
        for size in (1, 2, 101, 1000, 5000, 6000):
            with self.subTest(batch_size=size):
                self.assert_same_documents(self.read("small", batch_size=size), self.collections["small"])

    def test_thousands_of_documents_in_default_batches(self):
        self.assert_same_documents(self.read("small"), self.collections["small"])

    def test_skip_and_limit_count_over_all_batches(self):
        documents = self.collections["small"]
        for skip, limit in ((0, 1), (0, 101), (0, 102), (1, 250), (4990, 100), (5000, 1), (6000, 0), (7, 0)):
            for batch_size in (0, 50):
                with self.subTest(skip=skip, limit=limit, batch_size=batch_size):
                    wanted = documents[skip:skip + limit] if limit else documents[skip:]
                    got = self.read("small", skip=skip, limit=limit, batch_size=batch_size)
                    self.assert_same_documents(got, wanted)

    def test_negative_limit_is_one_batch(self):
        self.assert_same_documents(self.read("small", limit=-5), self.collections["small"][:5])

    def test_two_cursors_on_one_connection(self):
        with self.connect(maxPoolSize=1) as client:
            coll = client["dump"].get_collection("small", codec_options=RAW)
            pairs = list(zip(coll.find(batch_size=10), coll.find(batch_size=7)))
        self.assert_same_documents([bytes(one.raw) for one, _ in pairs], self.collections["small"])
        self.assert_same_documents([bytes(other.raw) for _, other in pairs], self.collections["small"])

    def test_four_connections_at_once(self):
        with concurrent.futures.ThreadPoolExecutor(max_workers=4) as workers:
            reads = [workers.submit(self.read, "small", batch_size=50) for _ in range(4)]
        for read in reads:
            self.assert_same_documents(read.result(), self.collections["small"])


    def test_network_that_trickles_gives_the_same(self):
        with servers.Proxy(self.server.port, piece=1, request_piece=1) as proxy, pymongo.MongoClient(proxy.uri) as client:
            coll = client["dump"].get_collection("types", codec_options=RAW)
            got = [bytes(document.raw) for document in coll.find(batch_size=10)]
        self.assert_same_documents(got, self.collections["types"])

    def test_clients_that_vanish_do_no_harm(self):
        for cut_after in (1, 300, 3_000, 30_000, 200_000):
            with self.subTest(cut_after=cut_after), servers.Proxy(self.server.port, cut_after=cut_after) as proxy, \
                    pymongo.MongoClient(proxy.uri, serverSelectionTimeoutMS=300, retryReads=False) as client:
                with self.assertRaises(pymongo.errors.ConnectionFailure):
                    list(client["dump"]["small"].find())
            self.assert_same_documents(self.read("types"), self.collections["types"])


class ServeLarge(ServeCase):
    """Documents of up to 16 MiB and what servers add to it."""

    collections = {"large": large_documents()}

    def test_large_documents_come_back_byte_for_byte(self):
        self.assert_same_documents(self.read("large"), self.collections["large"])

    def test_batch_holds_at_most_16_mib_or_one_document(self):
        reply = self.command("find", "large")["cursor"]
        batches = [reply["firstBatch"]]
        while reply["id"]:
            reply = self.command("getMore", Int64(reply["id"]), collection="large")["cursor"]
            batches.append(reply["nextBatch"])
        documents = [bytes(document.raw) for batch in batches for document in batch]
        self.assert_same_documents(documents, self.collections["large"])
        for at, batch in enumerate(batches):
            size = sum(len(document.raw) for document in batch)
            self.assertTrue(len(batch) == 1 or size <= BATCH_BYTES_MAX, f"batch {at} has {size} bytes")


class ServePublicData(ServeCase):
    """The documents of the public corpus and of the driver benchmark."""

    @classmethod
    def setUpClass(cls):
        cls.collections = {
            "corpus": cls.corpus_documents(),
            "benchmark": [raw.from_canonical(support.spec_file("benchmarking", "extended_bson", f"{name}_bson.json")
                                             .read_text(encoding="utf-8")) for name in ("flat", "deep", "full")],
        }
        super().setUpClass()

    @staticmethod
    def corpus_documents():
        found = []
        for path in sorted(support.spec_file("bson-corpus").glob("*.json")):
            cases = json.loads(path.read_text(encoding="utf-8")).get("valid", [])
            found += [bytes.fromhex(case[key]) for case in cases
                      for key in ("canonical_bson", "degenerate_bson") if key in case]
        return found

    def test_every_sound_document_of_the_corpus(self):
        self.assertGreater(len(self.collections["corpus"]), 700)
        self.assert_same_documents(self.read("corpus"), self.collections["corpus"])

    def test_benchmark_documents(self):
        self.assertEqual([len(document) for document in self.collections["benchmark"]], BENCHMARK_SIZES)
        self.assert_same_documents(self.read("benchmark"), self.collections["benchmark"])


class ServeCommands(ServeCase):
    """What drivers ask beside the documents."""

    collections = {
        "small": raw.small_documents(300),
        "ids": id_documents(),
        "empty": [],
    }

    def test_handshake_says_what_drivers_rely_on(self):
        for name, role in (("hello", "isWritablePrimary"), ("isMaster", "ismaster"), ("ismaster", "ismaster")):
            with self.subTest(name):
                reply = self.client.admin.command(name)
                self.assertIs(reply[role], True)
                self.assertIs(reply["readOnly"], True)
                wanted = {"maxBsonObjectSize": 16777216, "maxMessageSizeBytes": 48000000,
                          "maxWriteBatchSize": 100000, "logicalSessionTimeoutMinutes": 30,
                          "minWireVersion": 0, "maxWireVersion": 21, "ok": 1.0}
                self.assertEqual({key: reply.get(key) for key in wanted}, wanted)
                for absent in ("topologyVersion", "setName", "msg", "saslSupportedMechs", "compression"):
                    self.assertNotIn(absent, reply)

    def test_handshake_echoes_hello_ok_only_if_offered(self):
        self.assertNotIn("helloOk", self.client.admin.command("hello"))
        self.assertIs(self.client.admin.command("hello", helloOk=True)["helloOk"], True)

    def test_ping_and_build_info(self):
        self.assertEqual(self.client.admin.command("ping"), {"ok": 1.0})
        self.assertEqual(self.database.command("ping"), {"ok": 1.0})
        for name in ("buildInfo", "buildinfo"):
            reply = self.client.admin.command(name)
            self.assertEqual((reply["version"], reply["versionArray"]), ("7.0.0", [7, 0, 0, 0]))
        self.assertEqual(self.client.server_info()["maxBsonObjectSize"], 16777216)

    def test_names_of_databases_and_collections(self):
        self.assertEqual(self.client.list_database_names(), ["dump"])
        self.assertEqual(sorted(self.database.list_collection_names()), ["empty", "ids", "small"])
        self.assertEqual(self.client["elsewhere"].list_collection_names(), [])

    def test_descriptions_of_databases_and_collections(self):
        (database,) = self.client.list_databases()
        size = sum(map(len, raw.small_documents(300) + id_documents()))
        self.assertEqual((database["name"], database["sizeOnDisk"], database["empty"]), ("dump", size, False))
        for told in self.database.list_collections():
            self.assertEqual((told["type"], told["info"]["readOnly"]), ("collection", True))

    def test_estimated_count(self):
        for name, count in (("small", 300), ("ids", len(IDS)), ("empty", 0), ("nowhere", 0)):
            self.assertEqual(self.database[name].estimated_document_count(), count, name)

    def test_exact_count_is_right_or_refused(self):
        self.right_or_refused(lambda: self.database["small"].count_documents({}), 300)

    def right_or_refused(self, call, wanted):
        """What is not served yet is refused with the server's error, never answered wrongly."""
        try:
            got = call()
        except OperationFailure as fault:
            self.assertNotIn(fault.code, (None, 1, 8), f"an error that says what: {fault.details}")
            self.assertTrue(fault.details["errmsg"])
            self.assertTrue(fault.details["codeName"])
            return
        self.assertEqual(got, wanted)

    def test_find_by_id_of_any_type(self):
        for data, (label, _, _, key) in zip(id_documents(), IDS):
            with self.subTest(label):
                self.assertEqual(self.read("ids", filter={"_id": key}), [data])
                self.assertEqual(self.collection("ids").find_one({"_id": key}).raw, data)

    def test_find_by_id_that_is_not_there(self):
        for key in (ObjectId(), "other", 43, None, Binary(bytes(16), 4), False, SON([("b", "x"), ("a", 1)])):
            with self.subTest(key=key):
                self.assertEqual(self.read("ids", filter={"_id": key}), [])

    def test_find_by_id_compares_numbers_by_value(self):
        wanted = [raw.small_document(7)]
        for key in (7, Int64(7), 7.0):
            with self.subTest(type=type(key)):
                self.assertEqual(self.read("small", filter={"_id": key}), wanted)
        self.assertEqual(self.read("small", filter={"_id": 7.5}), [])

    def test_other_filters_are_right_or_refused(self):
        documents = self.collections["small"]
        asked = [
            ({"name": "document 5"}, [documents[5]]),
            ({"_id": {"$gte": 298}}, documents[298:]),
            ({"_id": {"$in": [3, 4]}}, documents[3:5]),
            ({"_id": 7, "name": "document 8"}, []),
            ({"$or": [{"_id": 1}, {"_id": 2}]}, documents[1:3]),
        ]
        for query, wanted in asked:
            with self.subTest(filter=query):
                self.right_or_refused(lambda query=query: self.read("small", filter=query), wanted)

    def test_sort_and_projection_are_right_or_refused(self):
        documents = self.collections["small"]
        self.right_or_refused(lambda: self.read("small", sort=[("_id", -1)]), documents[::-1])
        self.right_or_refused(lambda: self.read("small", projection={"_id": True}, limit=1),
                              [raw.document(raw.element(0x10, "_id", raw.int32(0)))])

    def test_first_batch_is_101_unless_asked_otherwise(self):
        for fields, count in (({}, 101), ({"batchSize": 7}, 7), ({"batchSize": 1000}, 300), ({"limit": 5}, 5)):
            with self.subTest(**fields):
                cursor = self.command("find", "small", **fields)["cursor"]
                self.assertEqual(list(cursor), ["firstBatch", "id", "ns"])
                self.assertEqual((len(cursor["firstBatch"]), cursor["ns"]), (count, "dump.small"))
                self.assertEqual(cursor["id"] > 0, count in (101, 7), "id 0 as soon as nothing is left")

    def test_first_batch_of_zero_opens_a_cursor(self):
        cursor = self.command("find", "small", batchSize=0)["cursor"]
        self.assertEqual(len(cursor["firstBatch"]), 0)
        rest = self.command("getMore", Int64(cursor["id"]), collection="small")["cursor"]
        self.assertEqual(list(rest), ["nextBatch", "id", "ns"])
        self.assert_same_documents([bytes(document.raw) for document in rest["nextBatch"]], self.collections["small"])
        self.assertEqual(rest["id"], 0)

    def test_single_batch_leaves_no_cursor(self):
        cursor = self.command("find", "small", batchSize=7, singleBatch=True)["cursor"]
        self.assertEqual((len(cursor["firstBatch"]), cursor["id"]), (7, 0))

    def open_cursor(self):
        return Int64(self.command("find", "small", batchSize=2)["cursor"]["id"])

    def test_any_connection_may_continue_a_cursor(self):
        key = self.open_cursor()
        with self.connect() as other:
            reply = other["dump"].command("getMore", key, collection="small", batchSize=3, codec_options=RAW)
        self.assert_same_documents([bytes(document.raw) for document in reply["cursor"]["nextBatch"]],
                                   self.collections["small"][2:5])

    def test_get_more_of_what_is_not_there(self):
        key = self.open_cursor()
        self.assert_refused(UNAUTHORIZED, self.command, "getMore", key, collection="ids")
        self.assert_refused(WRONG_TYPE, self.command, "getMore", "text", collection="small")
        self.assert_refused(CURSOR_NOT_FOUND, self.command, "getMore", Int64(key ^ 1), collection="small")

    def test_kill_cursors_says_which(self):
        key = self.open_cursor()
        reply = self.database.command("killCursors", "small", cursors=[key, Int64(key ^ 1)])
        self.assertEqual(reply, {"cursorsKilled": [key], "cursorsNotFound": [key ^ 1], "cursorsAlive": [],
                                 "cursorsUnknown": [], "ok": 1.0})
        self.assert_refused(CURSOR_NOT_FOUND, self.command, "getMore", key, collection="small")

    def test_cursor_closed_early_is_gone(self):
        cursor = self.collection("small").find(batch_size=2)
        next(cursor)
        key = Int64(cursor.cursor_id)
        cursor.close()
        self.assert_refused(CURSOR_NOT_FOUND, self.command, "getMore", key, collection="small")

    def test_unknown_command(self):
        told = self.assert_refused(NO_SUCH_COMMAND, self.database.command, "frobnicate", 1)
        self.assertEqual(told, {"ok": 0.0, "errmsg": "no such command: 'frobnicate'", "code": 59,
                                "codeName": "CommandNotFound"})
        self.assert_refused(NO_SUCH_COMMAND, self.client.admin.command, "atlasVersion")

    def test_writes_are_refused(self):
        coll = self.database["small"]
        for name, call in (
                ("insert", lambda: coll.insert_one({"_id": 1})),
                ("update", lambda: coll.update_one({}, {"$set": {"a": 1}})),
                ("delete", lambda: coll.delete_many({})),
                ("findAndModify", lambda: coll.find_one_and_delete({})),
                ("create", lambda: self.database.create_collection("new")),
                ("createIndexes", lambda: coll.create_index("name")),
                ("drop", coll.drop),
                ("dropDatabase", lambda: self.client.drop_database("dump"))):
            with self.subTest(name):
                told = self.assert_refused(READ_ONLY, call)
                self.assertEqual(told["codeName"], "CommandNotSupported")
        self.assertEqual(coll.estimated_document_count(), 300)

    def test_write_that_wants_no_answer_gets_none(self):
        with self.connect(maxPoolSize=1) as client:
            client["dump"].get_collection("small", write_concern=WriteConcern(w=0)).insert_one({"_id": 1})
            # An answer to the insert would be taken for the answer to this one.
            self.assertEqual(client["dump"]["small"].estimated_document_count(), 300)

    def test_sessions_are_accepted_and_end(self):
        with self.connect() as client:
            with client.start_session() as session:
                found = list(client["dump"]["small"].find(session=session))
            self.assertEqual(len(found), 300)
        reply = self.client.admin.command("endSessions", [{"id": Binary(bytes(16), 4)}])
        self.assertEqual(reply, {"ok": 1.0})

    def test_fields_that_change_nothing_are_accepted(self):
        reply = self.database.command("find", "small", limit=1, comment={"any": "type"}, hint={"$natural": 1},
                                      allowDiskUse=True, noCursorTimeout=True, maxTimeMS=60000,
                                      readConcern={"level": "local"})
        self.assertEqual(len(reply["cursor"]["firstBatch"]), 1)


class ServeDumpDirectory(ServeCase):
    """A dump directory: DIR/db/coll.bson is db.coll, DIR/coll.bson is dump.coll."""

    layout = {("db", "one"): 3, ("db", "two.dotted"): 150, ("other", "one"): 1, ("other", "empty"): 0}

    @classmethod
    def served(cls):
        for (database, name), count in cls.layout.items():
            folder = cls.folder / database
            folder.mkdir(exist_ok=True)
            (folder / f"{name}.bson").write_bytes(b"".join(raw.small_documents(count)))
        (cls.folder / "alone.bson").write_bytes(b"".join(raw.small_documents(2)))
        return [cls.folder]

    def test_names_are_those_of_the_files(self):
        self.assertEqual(sorted(self.client.list_database_names()), ["db", "dump", "other"])
        self.assertEqual(sorted(self.client["db"].list_collection_names()), ["one", "two.dotted"])
        self.assertEqual(sorted(self.client["other"].list_collection_names()), ["empty", "one"])
        self.assertEqual(self.client["dump"].list_collection_names(), ["alone"])

    def test_each_collection_is_its_file(self):
        for (database, name), count in [*self.layout.items(), (("dump", "alone"), 2)]:
            with self.subTest(f"{database}.{name}"):
                coll = self.client[database].get_collection(name, codec_options=RAW)
                self.assertEqual(coll.estimated_document_count(), count)
                got = [bytes(document.raw) for document in coll.find()]
                self.assert_same_documents(got, raw.small_documents(count))


class ServeRefuses(support.PeerCase):
    """What it does not start with, and a damaged file in a driver's eyes."""

    def write(self, name, data):
        path = self.folder / name
        path.write_bytes(data)
        return str(path)

    def test_usage_errors(self):
        path = self.write("a.bson", raw.small_document(1))
        (self.folder / "b").mkdir()
        again = self.write("b/a.bson", raw.small_document(1))
        for arguments in ([], [path, again], [path, "--port", "no"], [path, "--port", "70000"], [path, "--nonsense"]):
            with self.subTest(arguments):
                result = support.run_bsonic("serve", *arguments)
                self.assert_runs(result, status=2)
                self.assertTrue(result.err)
                self.assertEqual(result.out, b"")

    def test_missing_file(self):
        result = support.run_bsonic("serve", str(self.folder / "nowhere.bson"), "--port", "0")
        self.assert_runs(result, status=3)
        self.assertIn("nowhere.bson", result.err)

    def test_damaged_file_is_refused_or_gives_what_is_sound(self):
        """At the latest the reader of the cursor learns of the damage, after the sound documents before it."""
        sound = raw.small_documents(3)
        path = self.write("damaged.bson", b"".join(sound) + b"\xff\xff\xff\x7f" + b"rest")
        try:
            server = servers.bsonic_serve(support.bsonic(), path)
        except servers.ServerError:
            result = support.run_bsonic("serve", path, "--port", "0")
            self.assert_runs(result, status=1)
            self.assertIn("document 4", result.err)
            return
        got = []
        with server, pymongo.MongoClient(server.uri, serverSelectionTimeoutMS=10000) as client:
            with self.assertRaises(OperationFailure):
                for document in client["dump"].get_collection("damaged", codec_options=RAW).find():
                    got.append(bytes(document.raw))
        self.assert_same_documents(got, sound)
        self.assert_no_sanitizer_report(server.output())


if __name__ == "__main__":
    unittest.main()
