/* SPDX-License-Identifier: Apache-2.0
 *
 * read.mjs -- reads a collection through the Node driver and writes each document's bytes to a file; prints their number.
 *
 *     node read.mjs URI DATABASE COLLECTION OUTPUT BATCH_SIZE      (BATCH_SIZE 0: the driver's choice)
 */
import { closeSync, openSync, writeSync } from "node:fs";
import { MongoClient } from "mongodb";

const [uri, database, collection, output, batchSize] = process.argv.slice(2);
const options = { raw: true };
if (Number(batchSize) > 0) {
    options.batchSize = Number(batchSize);
}

const client = new MongoClient(uri, { serverSelectionTimeoutMS: 10000 });
const file = openSync(output, "w");
let count = 0;
try {
    for await (const bytes of client.db(database).collection(collection).find({}, options)) {
        writeSync(file, bytes);
        count += 1;
    }
} finally {
    await client.close();
    closeSync(file);
}
console.log(count);
