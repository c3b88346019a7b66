/* SPDX-License-Identifier: Apache-2.0
 *
 * read.js -- what a person types into mongosh, as a script: names, counts, documents. Prints one line of JSON each.
 *
 *     COLLECTION=name BATCH_SIZE=n mongosh --quiet --norc URI/DATABASE read.js
 *
 * The shell turns int32 and double into one kind of number, so documents come as relaxed Extended JSON and are compared
 * by value.
 */
const coll = db.getCollection(process.env.COLLECTION);
const cursor = coll.find();
if (Number(process.env.BATCH_SIZE) > 0) {
    cursor.batchSize(Number(process.env.BATCH_SIZE));
}
const documents = cursor.toArray();
const told = {
    databases: db.getMongo().getDBNames(),
    collections: db.getCollectionNames().sort(),
    count: coll.estimatedDocumentCount(),
    read: documents.length,
};
print(JSON.stringify(told));
print(EJSON.stringify(documents, { relaxed: true }));
