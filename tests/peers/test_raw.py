# SPDX-License-Identifier: Apache-2.0
"""The tests' own encoder against the public corpus and a driver: it judges everything else here."""
import json
import unittest

import bson
from bson.codec_options import CodecOptions, DatetimeConversion

import raw
import support


class RawEncoder(unittest.TestCase):
    def test_table_holds_every_type(self):
        self.assertEqual(sorted({kind for _, kind, _ in raw.TYPES}), sorted(raw.TYPE_BYTES))
        self.assertEqual(len(raw.TYPE_BYTES), 21)

    def test_typed_documents_are_taken_by_the_driver(self):
        documents = raw.typed_documents()
        self.assertEqual(len(documents), len(raw.TYPES) + 1)
        options = CodecOptions(datetime_conversion=DatetimeConversion.DATETIME_MS)
        for data in documents:
            bson.decode(data, options)

    def test_plain_document_is_the_driver_s(self):
        for at in (0, 7, 4711):
            digits = [int(digit) for digit in str(at)]
            wanted = bson.encode({"_id": at, "name": f"document {at}", "far": bson.Int64(2**40 + at),
                                  "half": at / 2, "digits": digits})
            self.assertEqual(raw.small_document(at), wanted)

    def test_sized_document_has_its_size(self):
        for size in (100, 4096, raw.MAX_DOCUMENT):
            made = raw.sized_document(1, size)
            self.assertEqual((len(made), list(bson.decode(made))), (size, ["_id", "text"]))

    def test_split_undoes_concatenation(self):
        documents = raw.typed_documents() + raw.odd_documents()
        self.assertEqual(raw.split(b"".join(documents)), documents)
        with self.assertRaises(AssertionError):
            raw.split(documents[0][:-1])

    def test_canonical_text_of_the_corpus_becomes_its_bytes(self):
        checked = 0
        for path in sorted(support.spec_file("bson-corpus").glob("*.json")):
            for case in json.loads(path.read_text(encoding="utf-8")).get("valid", []):
                if case.get("lossy"):
                    continue
                with self.subTest(path.name, case=case["description"]):
                    self.assertEqual(raw.from_canonical(case["canonical_extjson"]).hex(),
                                     case["canonical_bson"].lower())
                checked += 1
        self.assertGreater(checked, 600)


if __name__ == "__main__":
    unittest.main()
