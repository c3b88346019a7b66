/* SPDX-License-Identifier: Apache-2.0
 *
 * test_answer.c -- every command's reply and refusal, to the byte where nothing in it depends on the machine or the time.
 */
#include "suites.h"

#include "serve/fixture.h"
#include "support/build.h"

#include <bsonic/detail/le.h>
#include <bsonic/validate.h>
#include <bsonic/wire.h>

#include <stdio.h>
#include <string.h>

static const char *const small[] = {"{'_id': 1, 'a': 'x'}", "{'_id': 2}", NULL};
static const char *const other[] = {"{'_id': 'k'}", NULL};
static const char *const none[] = {NULL};

/* dump: small (2 documents, 37 bytes), empty; shop: a.b (1 document, 16 bytes) */
static void open_shop(fixture *f)
{
    fixture_open(f);
    fixture_write_json(f, "small.bson", small);
    fixture_write_json(f, "empty.bson", none);
    fixture_write_json(f, "shop/a.b.bson", other);
    ck_assert_int_eq(fixture_add(f, ""), BSN_OK);
    f->state.utc_ms = 1700000000000;
    f->state.now_ms = 5500;
    f->state.started_ms = 1000;
    f->state.port = 12345;
    f->state.host = "127.0.0.1";
}

typedef struct reply_row {
    const char *db;
    const char *command; /* without $db */
    const char *reply;
} reply_row;

#define HELLO_REST                                                                            \
    "'maxBsonObjectSize': 16777216, 'maxMessageSizeBytes': 48000000, "                        \
    "'maxWriteBatchSize': 100000, 'localTime': {'$date': {'$numberLong': '1700000000000'}}, " \
    "'logicalSessionTimeoutMinutes': 30, 'connectionId': 17, 'minWireVersion': 0, "           \
    "'maxWireVersion': 21, 'readOnly': true, 'ok': 1.0}"
#define LONG(n) "{'$numberLong': '" n "'}"
#define OK "{'ok': 1.0}"
#define ID_INDEX "{'v': 2, 'key': {'_id': 1}, 'name': '_id_'}"
#define COLLECTION(name)                                                              \
    "{'name': '" name "', 'type': 'collection', 'options': {}, 'info': {'readOnly': " \
    "true}, 'idIndex': " ID_INDEX "}"

/* clang-format off */
static const reply_row reply_rows[] = {
    /* handshake */
    {"admin", "{'hello': 1}", "{'isWritablePrimary': true, " HELLO_REST},
    {"admin", "{'ismaster': 1, 'helloOk': true}", "{'helloOk': true, 'ismaster': true, " HELLO_REST},
    {"admin", "{'isMaster': 1, 'helloOk': false}", "{'ismaster': true, " HELLO_REST},
    {"admin", "{'hello': 1, 'client': {'driver': {}}, 'compression': ['zstd'], 'backpressure': true}",
     "{'isWritablePrimary': true, " HELLO_REST},

    /* ok alone */
    {"admin", "{'ping': 1}", OK},
    {"dump", "{'ping': 1, 'comment': [1]}", OK},
    {"admin", "{'endSessions': [{'id': {'$uuid': 'c4b4b8a8-0c9e-4d3a-9ad6-1f1c6e5f3c55'}}]}", OK},
    {"admin", "{'refreshSessions': []}", OK},
    {"admin", "{'killSessions': []}", OK},
    {"admin", "{'logout': 1}", OK},

    /* the server itself */
    {"admin", "{'buildInfo': 1}",
     "{'version': '7.0.0', 'gitVersion': 'bsonic', 'modules': [], 'sysInfo': 'bsonic serve', "
     "'versionArray': [7, 0, 0, 0], 'bits': 64, 'debug': false, 'maxBsonObjectSize': 16777216, 'ok': 1.0}"},
    {"admin", "{'getParameter': 1, 'featureCompatibilityVersion': 1}",
     "{'featureCompatibilityVersion': {'version': '7.0'}, 'ok': 1.0}"},
    {"admin", "{'getParameter': '*'}", "{'featureCompatibilityVersion': {'version': '7.0'}, 'ok': 1.0}"},
    {"admin", "{'connectionStatus': 1, 'showPrivileges': true}",
     "{'authInfo': {'authenticatedUsers': [], 'authenticatedUserRoles': []}, 'ok': 1.0}"},
    {"admin", "{'whatsmyuri': 1}", "{'you': '127.0.0.1:40000', 'ok': 1.0}"},
    {"admin", "{'getLog': '*'}", "{'names': ['global', 'startupWarnings'], 'ok': 1.0}"},
    {"admin", "{'getLog': 'startupWarnings'}", "{'totalLinesWritten': 0, 'log': [], 'ok': 1.0}"},
    {"admin", "{'getLog': 'global'}", "{'totalLinesWritten': 0, 'log': [], 'ok': 1.0}"},
    {"admin", "{'getCmdLineOpts': 1}", "{'argv': [], 'parsed': {}, 'ok': 1.0}"},

    /* databases */
    {"admin", "{'listDatabases': 1}",
     "{'databases': [{'name': 'dump', 'sizeOnDisk': " LONG("37") ", 'empty': false}, {'name': 'shop', "
     "'sizeOnDisk': " LONG("16") ", 'empty': false}], 'totalSize': " LONG("53") ", 'totalSizeMb': " LONG("0")
     ", 'ok': 1.0}"},
    {"admin", "{'listDatabases': 1, 'nameOnly': true, 'authorizedDatabases': true}",
     "{'databases': [{'name': 'dump'}, {'name': 'shop'}], 'ok': 1.0}"},
    {"admin", "{'listDatabases': 1, 'nameOnly': true, 'filter': {'name': 'shop'}}",
     "{'databases': [{'name': 'shop'}], 'ok': 1.0}"},

    /* collections */
    {"dump", "{'listCollections': 1, 'cursor': {}}",
     "{'cursor': {'firstBatch': [" COLLECTION("empty") ", " COLLECTION("small") "], 'id': " LONG("0")
     ", 'ns': 'dump.$cmd.listCollections'}, 'ok': 1.0}"},
    {"shop", "{'listCollections': 1, 'nameOnly': true}",
     "{'cursor': {'firstBatch': [{'name': 'a.b', 'type': 'collection'}], 'id': " LONG("0")
     ", 'ns': 'shop.$cmd.listCollections'}, 'ok': 1.0}"},
    {"dump", "{'listCollections': 1, 'filter': {'name': 'small', 'type': 'collection'}}",
     "{'cursor': {'firstBatch': [" COLLECTION("small") "], 'id': " LONG("0")
     ", 'ns': 'dump.$cmd.listCollections'}, 'ok': 1.0}"},
    {"dump", "{'listCollections': 1, 'filter': {'type': 'view'}}",
     "{'cursor': {'firstBatch': [], 'id': " LONG("0") ", 'ns': 'dump.$cmd.listCollections'}, 'ok': 1.0}"},
    {"nowhere", "{'listCollections': 1}",
     "{'cursor': {'firstBatch': [], 'id': " LONG("0") ", 'ns': 'nowhere.$cmd.listCollections'}, 'ok': 1.0}"},
    {"shop", "{'listIndexes': 'a.b', 'cursor': {}}",
     "{'cursor': {'firstBatch': [" ID_INDEX "], 'id': " LONG("0") ", 'ns': 'shop.a.b'}, 'ok': 1.0}"},

    /* sizes */
    {"dump", "{'collStats': 'small'}",
     "{'ns': 'dump.small', 'size': " LONG("37") ", 'count': " LONG("2") ", 'avgObjSize': " LONG("18")
     ", 'storageSize': " LONG("37") ", 'freeStorageSize': " LONG("0") ", 'capped': false, 'nindexes': 1, "
     "'totalIndexSize': " LONG("0") ", 'totalSize': " LONG("37") ", 'indexSizes': {'_id_': " LONG("0") "}, "
     "'scaleFactor': " LONG("1") ", 'ok': 1.0}"},
    {"dump", "{'collstats': 'nothing', 'scale': 1024}",
     "{'ns': 'dump.nothing', 'size': " LONG("0") ", 'count': " LONG("0") ", 'avgObjSize': " LONG("0")
     ", 'storageSize': " LONG("0") ", 'freeStorageSize': " LONG("0") ", 'capped': false, 'nindexes': 0, "
     "'totalIndexSize': " LONG("0") ", 'totalSize': " LONG("0") ", 'indexSizes': {}, 'scaleFactor': "
     LONG("1024") ", 'ok': 1.0}"},
    {"dump", "{'dbStats': 1, 'scale': 2}",
     "{'db': 'dump', 'collections': " LONG("2") ", 'views': " LONG("0") ", 'objects': " LONG("2")
     ", 'avgObjSize': 18.5, 'dataSize': " LONG("18") ", 'storageSize': " LONG("18") ", 'indexes': " LONG("2")
     ", 'indexSize': " LONG("0") ", 'totalSize': " LONG("18") ", 'scaleFactor': " LONG("2") ", 'ok': 1.0}"},
    {"nowhere", "{'dbstats': 1}",
     "{'db': 'nowhere', 'collections': " LONG("0") ", 'views': " LONG("0") ", 'objects': " LONG("0")
     ", 'avgObjSize': 0.0, 'dataSize': " LONG("0") ", 'storageSize': " LONG("0") ", 'indexes': " LONG("0")
     ", 'indexSize': " LONG("0") ", 'totalSize': " LONG("0") ", 'scaleFactor': " LONG("1") ", 'ok': 1.0}"},

    /* documents: more in test_find.c */
    {"dump", "{'find': 'small'}",
     "{'cursor': {'firstBatch': [{'_id': 1, 'a': 'x'}, {'_id': 2}], 'id': " LONG("0")
     ", 'ns': 'dump.small'}, 'ok': 1.0}"},
    {"dump", "{'find': 'nothing', 'filter': {'a': {'$gt': 1}}}",
     "{'cursor': {'firstBatch': [], 'id': " LONG("0") ", 'ns': 'dump.nothing'}, 'ok': 1.0}"},
    {"dump", "{'count': 'small'}", "{'n': 2, 'ok': 1.0}"},
    {"dump", "{'count': 'nothing'}", "{'n': 0, 'ok': 1.0}"},
    {"dump", "{'explain': {'find': 'small'}, 'verbosity': 'queryPlanner'}",
     "{'explainVersion': '1', 'queryPlanner': {'namespace': 'dump.small', 'parsedQuery': {}, 'winningPlan': "
     "{'stage': 'COLLSCAN'}, 'rejectedPlans': []}, 'command': {'find': 'small'}, 'serverInfo': {'host': "
     "'127.0.0.1', 'port': 12345, 'version': '7.0.0'}, 'ok': 1.0}"},
};
/* clang-format on */

START_TEST(command_is_answered_to_the_byte)
{
    fixture f;
    open_shop(&f);
    fixture_expect(&f, reply_rows[_i].db, reply_rows[_i].command, reply_rows[_i].reply);
    fixture_close(&f);
}
END_TEST

/* ------------------------------------------------------------------ refusals */

typedef struct refusal_row {
    const char *db;
    const char *command;
    int32_t code;
    const char *code_name;
    const char *text; /* in errmsg */
} refusal_row;

/* clang-format off */
static const refusal_row refusal_rows[] = {
    {"admin", "{'frobnicate': 1}", 59, "CommandNotFound", "no such command: 'frobnicate'"},
    {"admin", "{'PING': 1}", 59, "CommandNotFound", "no such command: 'PING'"},
    {"admin", "{'Hello': 1}", 59, "CommandNotFound", ""},
    {"admin", "{}", 59, "CommandNotFound", "no such command: '$db'"},
    {"admin", "{'atlasVersion': 1}", 59, "CommandNotFound", ""},
    {"admin", "{'profile': 0}", 59, "CommandNotFound", ""},
    {"admin", "{'usersInfo': 1}", 59, "CommandNotFound", ""},
    {"dump", "{'validate': 'small'}", 59, "CommandNotFound", ""},
    {NULL, "{'ping': 1}", 40414, "IDLFailedToParse", "'ping.$db' is missing"},
    {"", "{'ping': 1}", 40414, "IDLFailedToParse", ""},
    {"a.b", "{'ping': 1}", 73, "InvalidNamespace", "'a.b'"},

    /* writes */
    {"dump", "{'insert': 'small', 'documents': []}", 115, "CommandNotSupported", "read-only"},
    {"dump", "{'update': 'small', 'updates': []}", 115, "CommandNotSupported", "read-only"},
    {"dump", "{'delete': 'small', 'deletes': []}", 115, "CommandNotSupported", "read-only"},
    {"dump", "{'findAndModify': 'small'}", 115, "CommandNotSupported", "read-only"},
    {"dump", "{'findandmodify': 'small'}", 115, "CommandNotSupported", "read-only"},
    {"dump", "{'create': 'x'}", 115, "CommandNotSupported", "read-only"},
    {"dump", "{'drop': 'small'}", 115, "CommandNotSupported", "read-only"},
    {"dump", "{'dropDatabase': 1}", 115, "CommandNotSupported", "read-only"},
    {"dump", "{'createIndexes': 'small'}", 115, "CommandNotSupported", "read-only"},
    {"dump", "{'dropIndexes': 'small'}", 115, "CommandNotSupported", "read-only"},
    {"dump", "{'renameCollection': 'dump.small'}", 115, "CommandNotSupported", "read-only"},
    {"dump", "{'collMod': 'small'}", 115, "CommandNotSupported", "read-only"},
    {"admin", "{'bulkWrite': 1}", 115, "CommandNotSupported", "read-only"},
    {"dump", "{'mapReduce': 'small'}", 115, "CommandNotSupported", "read-only"},

    /* arguments */
    {"admin", "{'getParameter': 1, 'foo': 1}", 72, "InvalidOptions", "no option found to get"},
    {"admin", "{'getLog': 'x'}", 96, "OperationFailed", "'x'"},
    {"admin", "{'getLog': 1}", 14, "TypeMismatch", "int"},
    {"dump", "{'listDatabases': 1}", 13, "Unauthorized", "admin"},
    {"admin", "{'listDatabases': 1, 'filter': {'name': {'$regularExpression': {'pattern': 'a', 'options': ''}}}}",
     238, "NotImplemented", "'name'"},
    {"dump", "{'listCollections': 1, 'filter': {'options.capped': true}}", 238, "NotImplemented", "'options.capped'"},
    {"dump", "{'listIndexes': 'nothing'}", 26, "NamespaceNotFound", "dump.nothing"},
    {"dump", "{'listIndexes': 1}", 73, "InvalidNamespace", "int"},
    {"dump", "{'collStats': 'small', 'scale': 0}", 2, "BadValue", "scale"},
    {"dump", "{'distinct': 'small', 'key': 'a'}", 238, "NotImplemented", "'distinct'"},
    {"dump", "{'explain': 1}", 14, "TypeMismatch", "int"},
    {"dump", "{'explain': {'ping': 1}}", 238, "NotImplemented", ""},
    {"admin", "{'saslStart': 1, 'mechanism': 'SCRAM-SHA-256'}", 18, "AuthenticationFailed", ""},
    {"admin", "{'saslStart': 1, 'mechanism': 'X'}", 334, "MechanismUnavailable", ""},

    /* find: its fields */
    {"dump", "{'find': 5}", 73, "InvalidNamespace", "int"},
    {"dump", "{'find': ''}", 73, "InvalidNamespace", ""},
    {"dump", "{'find': '.x'}", 73, "InvalidNamespace", ""},
    {"dump", "{'find': 'small', 'zzz': 1}", 40415, "IDLUnknownField", "BSON field 'find.zzz' is an unknown field."},
    {"dump", "{'find': 'small', 'filter': 1}", 14, "TypeMismatch",
     "BSON field 'find.filter' is the wrong type 'int', expected type 'object'"},
    {"dump", "{'find': 'small', 'limit': -1}", 51024, "Location51024",
     "BSON field 'limit' value must be >= 0, actual value '-1'"},
    {"dump", "{'find': 'small', 'skip': -1}", 51024, "Location51024", "'skip'"},
    {"dump", "{'find': 'small', 'batchSize': -1}", 51024, "Location51024", "'batchSize'"},
    {"dump", "{'find': 'small', 'batchSize': '1'}", 14, "TypeMismatch", "'string'"},
    {"dump", "{'find': 'small', 'batchSize': 1.5}", 14, "TypeMismatch", "'double'"},
    {"dump", "{'find': 'small', 'singleBatch': 'yes'}", 14, "TypeMismatch", "'string'"},
    {"dump", "{'find': 'small', 'sort': {'a': 1}}", 238, "NotImplemented", "'sort'"},
    {"dump", "{'find': 'small', 'sort': {'$natural': -1}}", 238, "NotImplemented", "'sort'"},
    {"dump", "{'find': 'small', 'sort': {'a': 2}}", 15975, "Location15975", ""},
    {"dump", "{'find': 'small', 'sort': {'a': 'x'}}", 15975, "Location15975", ""},
    {"dump", "{'find': 'small', 'projection': {'a': 1}}", 238, "NotImplemented", "'projection'"},
    {"dump", "{'find': 'small', 'collation': {'locale': 'de'}}", 238, "NotImplemented", "'collation'"},
    {"dump", "{'find': 'small', 'min': {'a': 1}}", 238, "NotImplemented", "'min'"},
    {"dump", "{'find': 'small', 'max': {'a': 1}}", 238, "NotImplemented", "'max'"},
    {"dump", "{'find': 'small', 'tailable': true}", 238, "NotImplemented", "'tailable'"},
    {"dump", "{'find': 'small', 'awaitData': true}", 238, "NotImplemented", "'awaitData'"},
    {"dump", "{'find': 'small', 'returnKey': true}", 238, "NotImplemented", "'returnKey'"},
    {"dump", "{'find': 'small', 'showRecordId': true}", 238, "NotImplemented", "'showRecordId'"},
    {"dump", "{'find': 'small', 'let': {'a': 1}}", 238, "NotImplemented", "'let'"},
    {"dump", "{'find': 'small', 'startTransaction': true}", 263, "OperationNotSupportedInTransaction", ""},
    {"dump", "{'find': 'small', 'autocommit': false}", 263, "OperationNotSupportedInTransaction", ""},
    {"dump", "{'find': 'small', 'apiVersion': '2'}", 322, "APIVersionError", ""},
    {"dump", "{'find': 'small', 'maxTimeMS': -1}", 51024, "Location51024", "'maxTimeMS'"},

    /* filters: the operator or field is named */
    {"dump", "{'find': 'small', 'filter': {'a': 1}}", 238, "NotImplemented", "'a'"},
    {"dump", "{'find': 'small', 'filter': {'$or': []}}", 238, "NotImplemented", "'$or'"},
    {"dump", "{'find': 'small', 'filter': {'_id': {'$gt': 1}}}", 238, "NotImplemented", "'$gt'"},
    {"dump", "{'find': 'small', 'filter': {'_id': {'$eq': 1, '$gt': 1}}}", 238, "NotImplemented", "'$gt'"},
    {"dump", "{'find': 'small', 'filter': {'_id': 1, 'a': 1}}", 238, "NotImplemented", "'a'"},
    {"dump", "{'find': 'small', 'filter': {'_id': {'$regularExpression': {'pattern': 'a', 'options': ''}}}}", 238,
     "NotImplemented", "'$regex'"},
    {"dump", "{'count': 'small', 'query': {'a': 1}}", 238, "NotImplemented", "'a'"},

    /* cursors */
    {"dump", "{'getMore': {'$numberLong': '5'}, 'collection': 'small'}", 43, "CursorNotFound", "cursor id 5 not found"},
    {"dump", "{'getMore': 5, 'collection': 'small'}", 14, "TypeMismatch",
     "BSON field 'getMore.getMore' is the wrong type 'int', expected type 'long'"},
    {"dump", "{'getMore': {'$numberLong': '5'}}", 40414, "IDLFailedToParse", "'getMore.collection'"},
    {"dump", "{'getMore': {'$numberLong': '5'}, 'collection': 1}", 14, "TypeMismatch", "'getMore.collection'"},
    {"dump", "{'killCursors': 'small'}", 40414, "IDLFailedToParse", "'killCursors.cursors'"},
    {"dump", "{'killCursors': 'small', 'cursors': 5}", 14, "TypeMismatch", "'int'"},
    {"dump", "{'killCursors': 'small', 'cursors': [5]}", 14, "TypeMismatch", "'killCursors.cursors.0'"},

    /* aggregate */
    {"dump", "{'aggregate': 'small', 'pipeline': []}", 9, "FailedToParse", "The 'cursor' option is required"},
    {"dump", "{'aggregate': 'small', 'cursor': {}}", 40414, "IDLFailedToParse", "'aggregate.pipeline'"},
    {"dump", "{'aggregate': 'small', 'pipeline': [{'$x': 1}], 'cursor': {}}", 40324, "Location40324",
     "Unrecognized pipeline stage name: '$x'"},
    {"admin", "{'aggregate': 1, 'pipeline': [{'$currentOp': {}}], 'cursor': {}}", 40324, "Location40324", "'$currentOp'"},
    {"admin", "{'aggregate': 1, 'pipeline': [], 'cursor': {}}", 73, "InvalidNamespace", ""},
    {"dump", "{'aggregate': 'small', 'pipeline': [{'$match': {}, '$skip': 1}], 'cursor': {}}", 40323, "Location40323", ""},
    {"dump", "{'aggregate': 'small', 'pipeline': [{}], 'cursor': {}}", 40323, "Location40323", ""},
    {"dump", "{'aggregate': 'small', 'pipeline': [5], 'cursor': {}}", 14, "TypeMismatch", ""},
    {"dump", "{'aggregate': 'small', 'pipeline': [{'$limit': 0}], 'cursor': {}}", 15958, "Location15958", ""},
    {"dump", "{'aggregate': 'small', 'pipeline': [{'$skip': -1}], 'cursor': {}}", 15956, "Location15956", ""},
    {"dump", "{'aggregate': 'small', 'pipeline': [{'$match': 5}], 'cursor': {}}", 15959, "Location15959", ""},
    {"dump", "{'aggregate': 'small', 'pipeline': [{'$count': ''}], 'cursor': {}}", 40157, "Location40157", ""},
    {"dump", "{'aggregate': 'small', 'pipeline': [{'$sort': {'a': 1}}], 'cursor': {}}", 238, "NotImplemented", "'$sort'"},
    {"dump", "{'aggregate': 'small', 'pipeline': [{'$group': {'_id': '$a'}}], 'cursor': {}}", 238, "NotImplemented", "$group"},
    {"dump", "{'aggregate': 'small', 'pipeline': [{'$limit': 1}, {'$match': {'_id': 1}}], 'cursor': {}}", 238,
     "NotImplemented", "$match"},
    {"dump", "{'aggregate': 'small', 'pipeline': [{'$count': 'n'}, {'$limit': 1}], 'cursor': {}}", 238, "NotImplemented", ""},
    {"dump", "{'aggregate': 'small', 'pipeline': [{'$out': 'x'}], 'cursor': {}}", 115, "CommandNotSupported", "'$out'"},
    {"dump", "{'aggregate': 'small', 'pipeline': [{'$merge': 'x'}], 'cursor': {}}", 115, "CommandNotSupported", "'$merge'"},
    {"dump", "{'aggregate': 'small', 'pipeline': [], 'cursor': {'batchSize': -1}}", 14, "TypeMismatch", ""},
};
/* clang-format on */

START_TEST(command_is_refused_with_its_code)
{
    const refusal_row *row = &refusal_rows[_i];
    fixture f;
    open_shop(&f);
    const bsn_str text = fixture_refused(&f, row->db, row->command, row->code);
    char copy[SERVE_NS_MAX * 4];
    snprintf(copy, sizeof copy, "%.*s", (int)text.len, text.ptr);
    ck_assert_msg(strstr(copy, row->text) != NULL, "%s: %s", row->command, copy);
    bsn_msg msg;
    ck_assert_int_eq(bsn_msg_open(bsn_buf_view(&f.reply), &msg, NULL), BSN_OK);
    const bsn_value name = fixture_field(msg.body, "codeName");
    ck_assert_msg(bsn_str_equal(name.as.str, bsn_str_from(row->code_name)), "%s: %.*s",
                  row->command, (int)name.as.str.len, name.as.str.ptr);
    fixture_expect(&f, "admin", "{'ping': 1}", OK); /* the session goes on */
    fixture_close(&f);
}
END_TEST

START_TEST(fields_that_change_nothing_are_passed_over)
{
    static const char *const fields[] = {
        "'lsid': {}",
        "'$readPreference': {}",
        "'$clusterTime': {}",
        "'txnNumber': {'$numberLong': '1'}",
        "'apiVersion': '1', 'apiStrict': true",
        "'apiDeprecationErrors': false",
        "'comment': {'a': 1}",
        "'readConcern': {}",
        "'writeConcern': {}",
        "'hint': '_id_'",
        "'hint': {'$natural': 1}",
        "'allowDiskUse': true",
        "'noCursorTimeout': true",
        "'allowPartialResults': true",
        "'oplogReplay': true",
        "'rawData': true",
        "'let': {}",
        "'returnKey': false",
        "'showRecordId': false",
        "'tailable': false",
        "'awaitData': false",
        "'collation': {}",
        "'collation': {'locale': 'simple'}",
        "'min': {}",
        "'max': {}",
        "'projection': {}",
        "'sort': {}",
        "'sort': {'$natural': 1}",
        "'maxTimeMS': 5000",
        "'filter': {}",
        "'skip': 0",
        "'limit': 0",
        "'limit': {'$numberLong': '0'}",
        "'skip': 0.0",
        "'skip': {'$numberDecimal': '0.0'}",
        "'singleBatch': false",
        "'sort': null",
        "'filter': {'$comment': 'x'}",
    };
    fixture f;
    char command[256];
    open_shop(&f);
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        snprintf(command, sizeof command, "{'find': 'small', %s}", fields[i]);
        const bsn_doc reply = fixture_ask(&f, "dump", command);
        ck_assert_msg(fixture_field(reply, "ok").as.f64 == 1.0, "%s", command);
        ck_assert_uint_eq(fixture_size(fixture_field(reply, "cursor.firstBatch").as.doc), 2);
    }
    fixture_close(&f);
}
END_TEST

/* ------------------------------------------------------------------ what depends on the machine */

START_TEST(session_is_started_with_an_id_of_its_own)
{
    fixture f;
    uint8_t first[16];
    open_shop(&f);
    bsn_value id = fixture_field(fixture_ask(&f, "admin", "{'startSession': 1}"), "id.id");
    ck_assert_int_eq(id.type, BSN_TYPE_BINARY);
    ck_assert_int_eq(id.subtype, BSN_SUBTYPE_UUID);
    ck_assert_uint_eq(id.as.binary.len, 16);
    ck_assert_uint_eq(id.as.binary.ptr[6] >> 4, 4);
    ck_assert_uint_eq(id.as.binary.ptr[8] >> 6, 2);
    memcpy(first, id.as.binary.ptr, 16);
    const bsn_doc again = fixture_ask(&f, "admin", "{'startSession': 1}");
    id = fixture_field(again, "id.id");
    ck_assert_mem_ne(id.as.binary.ptr, first, 16);
    ck_assert_int_eq(fixture_field(again, "timeoutMinutes").as.i32, 30);
    fixture_close(&f);
}
END_TEST

START_TEST(host_and_status_have_their_fields)
{
    fixture f;
    open_shop(&f);
    f.state.connections = 3;
    f.state.connections_total = 7;
    bsn_doc reply = fixture_ask(&f, "admin", "{'hostInfo': 1}");
    ck_assert_int_eq(fixture_field(reply, "system.currentTime").as.date, 1700000000000);
    ck_assert_int_eq(fixture_field(reply, "system.cpuAddrSize").as.i32, (int)sizeof(void *) * 8);
    ck_assert_int_gt(fixture_field(reply, "system.numCores").as.i32, 0);
    ck_assert_int_eq(fixture_field(reply, "system.hostname").type, BSN_TYPE_STRING);
    ck_assert_int_eq(fixture_field(reply, "os.type").type, BSN_TYPE_STRING);
    ck_assert_int_eq(fixture_field(reply, "extra").type, BSN_TYPE_DOCUMENT);
    reply = fixture_ask(&f, "admin", "{'serverStatus': 1}");
    ck_assert_int_eq(fixture_field(reply, "host").type, BSN_TYPE_STRING);
    ck_assert_int_gt(fixture_field(reply, "pid").as.i64, 0);
    ck_assert(fixture_field(reply, "uptime").as.f64 == 4.5);
    ck_assert_int_eq(fixture_field(reply, "uptimeMillis").as.i64, 4500);
    ck_assert_int_eq(fixture_field(reply, "connections.current").as.i32, 3);
    ck_assert_int_eq(fixture_field(reply, "connections.available").as.i32,
                     SERVE_CONNECTIONS_MAX - 3);
    ck_assert_int_eq(fixture_field(reply, "connections.totalCreated").as.i64, 7);
    fixture_close(&f);
}
END_TEST

/* ------------------------------------------------------------------ messages */

static void build_command(build *b, uint32_t flags, const char *name)
{
    const size_t message = build_header(b, 21, 0, BSN_OP_MSG);
    build_u32(b, flags);
    build_u8(b, 0);
    const size_t body = build_open(b);
    build_element(b, 0x10, name);
    build_i32(b, 1);
    build_element(b, 0x02, "$db");
    build_string(b, "admin");
    build_close(b, body);
    build_patch(b, message);
}

START_TEST(request_that_wants_no_reply_gets_none)
{
    static const char *const names[] = {"ping", "endSessions", "insert", "nonsense", "hello"};
    fixture f;
    open_shop(&f);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        build b = {.len = 0};
        build_command(&b, BSN_MSG_MORE_TO_COME, names[i]);
        ck_assert_int_eq(fixture_send(&f, build_view(&b)), SERVE_SILENT);
    }
    fixture_close(&f);
}
END_TEST

START_TEST(wish_for_a_stream_of_replies_is_passed_over)
{
    build b = {.len = 0};
    fixture f;
    bsn_msg msg;
    open_shop(&f);
    build_command(&b, BSN_MSG_EXHAUST_ALLOWED, "hello");
    ck_assert_int_eq(fixture_send(&f, build_view(&b)), SERVE_REPLY);
    ck_assert_int_eq(bsn_msg_open(bsn_buf_view(&f.reply), &msg, NULL), BSN_OK);
    ck_assert_uint_eq(msg.flags, 0);
    ck_assert_int_eq(msg.header.response_to, 21);
    fixture_close(&f);
}
END_TEST

START_TEST(checksum_of_a_request_is_verified)
{
    build b = {.len = 0};
    fixture f;
    open_shop(&f);
    build_command(&b, BSN_MSG_CHECKSUM, "ping");
    build_u32(&b, 0);
    build_patch(&b, 0);
    const bsn_bytes covered = {b.bytes, b.len - 4};
    bsn_store_u32(b.bytes + b.len - 4, bsn_crc32c(0, covered));
    ck_assert_int_eq(fixture_send(&f, build_view(&b)), SERVE_REPLY);
    b.bytes[b.len - 1] ^= 1;
    ck_assert_int_eq(fixture_send(&f, build_view(&b)), SERVE_CLOSE);
    ck_assert_int_eq(f.err.status, BSN_E_CHECKSUM);
    fixture_close(&f);
}
END_TEST

/* insert, with its documents in a section of their own, as drivers send it */
START_TEST(document_sequence_is_taken_along)
{
    build b = {.len = 0};
    fixture f;
    open_shop(&f);
    build_command(&b, 0, "insert");
    build_u8(&b, 1);
    const size_t sequence = build_open(&b);
    build_cstring(&b, "documents");
    build_hex(&b, "0500000000 0500000000");
    build_patch(&b, sequence);
    build_patch(&b, 0);
    ck_assert_int_eq(fixture_send(&f, build_view(&b)), SERVE_REPLY);
    bsn_msg msg;
    ck_assert_int_eq(bsn_msg_open(bsn_buf_view(&f.reply), &msg, NULL), BSN_OK);
    ck_assert_int_eq(fixture_field(msg.body, "code").as.i32, 115);
    fixture_close(&f);
}
END_TEST

static void build_old(build *b, const char *ns, const char *command)
{
    const size_t message = build_header(b, 21, 0, BSN_OP_QUERY);
    build_i32(b, 4);
    build_cstring(b, ns);
    build_i32(b, 0);
    build_i32(b, -1);
    build_hex(b, command);
    build_patch(b, message);
}

/* {isMaster: 1, helloOk: true} and {$query: {ping: 1}, $readPreference: {}} */
#define OLD_HELLO "1d000000 10 69734d617374657200 01000000 08 68656c6c6f4f6b00 01 00"
#define WRAPPED_PING                                                 \
    "32000000 03 24717565727900 0f000000 10 70696e6700 01000000 00 " \
    "03 2472656164507265666572656e636500 05000000 00 00"

static bsn_doc ask_old(fixture *f, const char *ns, const char *command, uint32_t flags)
{
    build b = {.len = 0};
    bsn_reply reply;
    bsn_bytes documents;
    bsn_doc doc;
    build_old(&b, ns, command);
    ck_assert_int_eq(fixture_send(f, build_view(&b)), SERVE_REPLY);
    ck_assert_int_eq(bsn_reply_open(bsn_buf_view(&f->reply), &reply, NULL), BSN_OK);
    ck_assert_int_eq(reply.header.response_to, 21);
    ck_assert_uint_eq(reply.flags, flags);
    ck_assert_int_eq(reply.cursor_id, 0);
    ck_assert_uint_eq(reply.document_count, 1);
    documents = reply.documents;
    ck_assert_int_eq(bsn_doc_take(&documents, &doc, NULL), BSN_OK);
    return doc;
}

START_TEST(old_hello_is_answered_in_kind)
{
    fixture f;
    open_shop(&f);
    const bsn_doc reply = ask_old(&f, "admin.$cmd", OLD_HELLO, BSN_REPLY_AWAIT_CAPABLE);
    ck_assert(fixture_field(reply, "helloOk").as.boolean);
    ck_assert(fixture_field(reply, "ismaster").as.boolean);
    ck_assert_int_eq(fixture_field(reply, "maxWireVersion").as.i32, 21);
    ck_assert(fixture_field(reply, "ok").as.f64 == 1.0);
    fixture_close(&f);
}
END_TEST

START_TEST(old_wrapped_command_is_unwrapped)
{
    fixture f;
    open_shop(&f);
    const bsn_doc reply = ask_old(&f, "admin.$cmd", WRAPPED_PING, BSN_REPLY_AWAIT_CAPABLE);
    ck_assert_uint_eq(fixture_size(reply), 1);
    ck_assert(fixture_field(reply, "ok").as.f64 == 1.0);
    fixture_close(&f);
}
END_TEST

/* {find: "small"} */
START_TEST(old_command_may_carry_a_batch)
{
    fixture f;
    open_shop(&f);
    const bsn_doc reply =
        ask_old(&f, "dump.$cmd", "15000000 02 66696e6400 06000000 736d616c6c00 00",
                BSN_REPLY_AWAIT_CAPABLE);
    ck_assert_uint_eq(fixture_size(fixture_field(reply, "cursor.firstBatch").as.doc), 2);
    ck_assert(fixture_field(reply, "ok").as.f64 == 1.0);
    fixture_close(&f);
}
END_TEST

START_TEST(old_query_to_a_collection_is_refused)
{
    fixture f;
    open_shop(&f);
    const bsn_doc reply = ask_old(&f, "dump.small", "0500000000", BSN_REPLY_QUERY_FAILURE);
    ck_assert_int_eq(fixture_field(reply, "$err").type, BSN_TYPE_STRING);
    ck_assert_int_eq(fixture_field(reply, "code").as.i32, 352);
    fixture_close(&f);
}
END_TEST

START_TEST(message_that_is_none_closes_the_connection)
{
    static const int32_t opcodes[] = {1, 2001, 2002, 2005, 2006, 2007, 2012};
    fixture f;
    open_shop(&f);
    for (size_t i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++) {
        build b = {.len = 0};
        build_command(&b, 0, "ping");
        build_set(&b, 12, opcodes[i]);
        ck_assert_int_eq(fixture_send(&f, build_view(&b)), SERVE_CLOSE);
        ck_assert_int_eq(f.err.status, BSN_E_UNSUPPORTED);
        ck_assert_uint_eq(f.err.offset, 12);
    }
    build b = {.len = 0};
    build_command(&b, 4, "ping"); /* a flag nobody knows */
    ck_assert_int_eq(fixture_send(&f, build_view(&b)), SERVE_CLOSE);
    ck_assert_int_eq(f.err.status, BSN_E_PROTOCOL);
    b.len = 0;
    build_command(&b, 0, "ping");
    b.bytes[25] = 0x20; /* the type of its first field */
    ck_assert_int_eq(fixture_send(&f, build_view(&b)), SERVE_CLOSE);
    ck_assert_int_eq(f.err.status, BSN_E_TYPE);
    fixture_close(&f);
}
END_TEST

/* Any byte of a request may be anything: there is a sound reply, silence or an end, and memory is given back. */
START_TEST(mutants_of_requests_do_no_harm)
{
    static const char *const commands[] = {
        "{'find': 'small', 'filter': {'_id': 1}, 'batchSize': 1, 'sort': {}}",
        "{'aggregate': 'small', 'pipeline': [{'$match': {}}, {'$group': {'_id': 1, 'n': {'$sum': "
        "1}}}], "
        "'cursor': {}}",
        "{'killCursors': 'small', 'cursors': [{'$numberLong': '1'}]}",
        "{'listCollections': 1, 'filter': {'name': 'small'}, 'nameOnly': true}",
    };
    static const uint8_t values[] = {0, 1, 2, 3, 0x7F, 0x80, 0xFF};
    fixture f;
    open_shop(&f);
    for (size_t c = 0; c < sizeof commands / sizeof commands[0]; c++) {
        static uint8_t bytes[1024];
        fixture_ask(&f, "dump", commands[c]);
        const size_t len = f.request.len;
        ck_assert_uint_le(len, sizeof bytes);
        memcpy(bytes, f.request.ptr, len);
        for (size_t i = 16; i < len; i++) {
            const uint8_t original = bytes[i];
            for (size_t v = 0; v < sizeof values; v++) {
                const bsn_bytes message = {bytes, len};
                bsn_msg msg;
                bytes[i] = values[v];
                if (fixture_send(&f, message) == SERVE_REPLY) {
                    ck_assert_int_eq(bsn_msg_open(bsn_buf_view(&f.reply), &msg, NULL), BSN_OK);
                    (void)fixture_field(msg.body, "ok");
                }
            }
            bytes[i] = original;
        }
    }
    fixture_close(&f);
}
END_TEST

START_TEST(names_that_are_no_text_make_a_text_all_the_same)
{
    build b = {.len = 0};
    fixture f;
    bsn_msg msg;
    open_shop(&f);
    build_command(&b, 0, "\xFF\xC3(x\xE2\x82");
    ck_assert_int_eq(fixture_send(&f, build_view(&b)), SERVE_REPLY);
    ck_assert_int_eq(bsn_msg_open(bsn_buf_view(&f.reply), &msg, NULL), BSN_OK);
    const bsn_value text = fixture_field(msg.body, "errmsg");
    ck_assert(bsn_utf8_valid(text.as.str, NULL));
    ck_assert(bsn_str_equal(text.as.str, BSN_STR("no such command: '\?\?(x\?\?'")));
    fixture_close(&f);
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))

Suite *answer_suite(void)
{
    Suite *suite = suite_create("answer");
    TCase *replies = tcase_create("replies");
    tcase_set_timeout(replies, 60);
    tcase_add_loop_test(replies, command_is_answered_to_the_byte, 0, COUNT(reply_rows));
    tcase_add_loop_test(replies, command_is_refused_with_its_code, 0, COUNT(refusal_rows));
    tcase_add_test(replies, fields_that_change_nothing_are_passed_over);
    tcase_add_test(replies, session_is_started_with_an_id_of_its_own);
    tcase_add_test(replies, host_and_status_have_their_fields);
    suite_add_tcase(suite, replies);
    TCase *messages = tcase_create("messages");
    tcase_set_timeout(messages, 60);
    tcase_add_test(messages, request_that_wants_no_reply_gets_none);
    tcase_add_test(messages, wish_for_a_stream_of_replies_is_passed_over);
    tcase_add_test(messages, checksum_of_a_request_is_verified);
    tcase_add_test(messages, document_sequence_is_taken_along);
    tcase_add_test(messages, old_hello_is_answered_in_kind);
    tcase_add_test(messages, old_wrapped_command_is_unwrapped);
    tcase_add_test(messages, old_command_may_carry_a_batch);
    tcase_add_test(messages, old_query_to_a_collection_is_refused);
    tcase_add_test(messages, message_that_is_none_closes_the_connection);
    tcase_add_test(messages, mutants_of_requests_do_no_harm);
    tcase_add_test(messages, names_that_are_no_text_make_a_text_all_the_same);
    suite_add_tcase(suite, messages);
    return suite;
}
