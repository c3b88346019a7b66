/* SPDX-License-Identifier: Apache-2.0
 *
 * test_find.c -- documents by batches: sizes, skips and limits, cursors and their ends, searches by _id, counts; damage and change.
 */
#include "suites.h"

#include "serve/fixture.h"

#include <bsonic/detail/le.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* dump.numbers: {_id: i, n: i} */
static void open_numbers(fixture *f, int32_t count)
{
    fixture_open(f);
    fixture_write_numbers(f, "numbers.bson", count);
    ck_assert_int_eq(fixture_add(f, "numbers.bson"), BSN_OK);
    f->state.now_ms = 1000;
}

/* Checks that a batch holds the numbers from `first` on; returns how many. */
static uint64_t check_batch(bsn_doc batch, uint64_t first)
{
    bsn_iter it;
    uint64_t count = 0;
    char index[24];
    bsn_iter_init(&it, batch);
    while (bsn_iter_next(&it)) {
        snprintf(index, sizeof index, "%u", (unsigned)count);
        ck_assert(bsn_iter_key_is(&it, bsn_str_from(index)));
        ck_assert_int_eq(bsn_iter_type(&it), BSN_TYPE_DOCUMENT);
        const bsn_value n = fixture_field(bsn_iter_value(&it).as.doc, "n");
        ck_assert_uint_eq((uint64_t)n.as.i64, first + count);
        count++;
    }
    ck_assert_int_eq(bsn_iter_error(&it, NULL), BSN_OK);
    return count;
}

typedef struct found {
    uint64_t count;
    int64_t id;
} found;

static found ask_batch(fixture *f, const char *command, uint64_t first, bool more)
{
    found result;
    const bsn_doc reply = fixture_ask(f, "dump", command);
    ck_assert_msg(fixture_field(reply, "ok").as.f64 == 1.0, "%s", command);
    const bsn_doc batch =
        fixture_field(reply, more ? "cursor.nextBatch" : "cursor.firstBatch").as.doc;
    ck_assert(bsn_str_equal(fixture_field(reply, "cursor.ns").as.str, BSN_STR("dump.numbers")));
    result.count = check_batch(batch, first);
    result.id = fixture_field(reply, "cursor.id").as.i64;
    return result;
}

static found get_more(fixture *f, int64_t id, int batch_size, uint64_t first)
{
    char command[160], size[40] = "";
    if (batch_size >= 0) snprintf(size, sizeof size, ", 'batchSize': %d", batch_size);
    snprintf(command, sizeof command,
             "{'getMore': {'$numberLong': '%lld'}, 'collection': 'numbers'%s}", (long long)id,
             size);
    return ask_batch(f, command, first, true);
}

/* ------------------------------------------------------------------ batches */

START_TEST(first_batch_is_101_unless_asked_otherwise)
{
    fixture f;
    open_numbers(&f, 300);
    ck_assert_uint_eq(ask_batch(&f, "{'find': 'numbers'}", 0, false).count, 101);
    ck_assert_uint_eq(ask_batch(&f, "{'find': 'numbers', 'batchSize': 7}", 0, false).count, 7);
    const found all = ask_batch(&f, "{'find': 'numbers', 'batchSize': 1000}", 0, false);
    ck_assert_uint_eq(all.count, 300);
    ck_assert_int_eq(all.id, 0);
    ck_assert_int_eq(ask_batch(&f, "{'find': 'numbers', 'batchSize': 300}", 0, false).id, 0);
    ck_assert_int_gt(ask_batch(&f, "{'find': 'numbers', 'batchSize': 299}", 0, false).id, 0);
    fixture_close(&f);
}
END_TEST

START_TEST(batches_of_every_size_give_all_documents)
{
    static const int sizes[] = {1, 2, 9, 10, 11, 63, 64, 65, 99, 100, 101, 299, 300, 301};
    fixture f;
    open_numbers(&f, 300);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        char command[80];
        snprintf(command, sizeof command, "{'find': 'numbers', 'batchSize': %d}", sizes[i]);
        found batch = ask_batch(&f, command, 0, false);
        uint64_t seen = batch.count;
        while (batch.id != 0) {
            ck_assert_uint_eq(batch.count, (uint64_t)sizes[i]);
            batch = get_more(&f, batch.id, sizes[i], seen);
            seen += batch.count;
        }
        ck_assert_uint_eq(seen, 300);
        ck_assert_uint_eq(f.state.cursors.count, 0);
    }
    fixture_close(&f);
}
END_TEST

START_TEST(batch_size_zero_opens_a_cursor)
{
    fixture f;
    open_numbers(&f, 300);
    found batch = ask_batch(&f, "{'find': 'numbers', 'batchSize': 0}", 0, false);
    ck_assert_uint_eq(batch.count, 0);
    ck_assert_int_gt(batch.id, 0);
    batch = get_more(&f, batch.id, 0, 0); /* and asks for all that fits */
    ck_assert_uint_eq(batch.count, 300);
    ck_assert_int_eq(batch.id, 0);
    fixture_close(&f);
}
END_TEST

typedef struct window_row {
    unsigned skip, limit, batch_size; /* 0: not given */
    bool single;
} window_row;

static const window_row window_rows[] = {
    {0, 5, 0, false},    {0, 101, 0, false},  {0, 102, 0, false},  {7, 0, 0, false},
    {290, 20, 0, false}, {300, 5, 0, false},  {400, 0, 0, false},  {0, 0, 7, true},
    {5, 250, 50, false}, {64, 64, 64, false}, {63, 2, 1, false},   {1, 300, 299, false},
    {0, 5, 100, false},  {299, 0, 0, false},  {0, 300, 100, true},
};

START_TEST(skip_and_limit_count_over_all_batches)
{
    const window_row *row = &window_rows[_i];
    const unsigned rest = row->skip < 300 ? 300 - row->skip : 0;
    unsigned wanted = row->limit != 0 && row->limit < rest ? row->limit : rest;
    char command[160];
    fixture f;
    open_numbers(&f, 300);
    int len = snprintf(command, sizeof command, "{'find': 'numbers', 'skip': %u, 'limit': %u",
                       row->skip, row->limit);
    if (row->batch_size != 0) {
        len += snprintf(command + len, sizeof command - (size_t)len, ", 'batchSize': %u",
                        row->batch_size);
    }
    snprintf(command + len, sizeof command - (size_t)len, ", 'singleBatch': %s}",
             row->single ? "true" : "false");
    found batch = ask_batch(&f, command, row->skip, false);
    uint64_t seen = batch.count;
    if (row->single) {
        ck_assert_int_eq(batch.id, 0);
        if (row->batch_size < wanted) wanted = row->batch_size;
    }
    while (batch.id != 0) {
        batch = get_more(&f, batch.id, row->batch_size == 0 ? -1 : (int)row->batch_size,
                         row->skip + seen);
        seen += batch.count;
    }
    ck_assert_uint_eq(seen, wanted);
    ck_assert_uint_eq(f.state.cursors.count, 0);
    fixture_close(&f);
}
END_TEST

START_TEST(batch_without_a_size_holds_16_mib)
{
    fixture f;
    open_numbers(&f, 700000); /* 17.5 MB */
    found batch = ask_batch(&f, "{'find': 'numbers'}", 0, false);
    batch = get_more(&f, batch.id, -1, 101);
    ck_assert_uint_eq(batch.count, SERVE_BATCH_BYTES / 25);
    ck_assert_int_gt(batch.id, 0);
    const uint64_t seen = 101 + batch.count;
    batch = get_more(&f, batch.id, -1, seen);
    ck_assert_uint_eq(seen + batch.count, 700000);
    ck_assert_int_eq(batch.id, 0);
    fixture_close(&f);
}
END_TEST

START_TEST(large_document_goes_through_small_buffers)
{
    static uint8_t large[5000000];
    fixture f;
    fixture_open(&f);
    memset(large, 0x55, sizeof large);
    bsn_store_i32(large, sizeof large);
    memcpy(large + 4, "\x05\x62", 3);
    bsn_store_i32(large + 7, (int32_t)sizeof large - 13);
    large[11] = 0;
    large[sizeof large - 1] = 0;
    fixture_write(&f, "large.bson", large, sizeof large);
    ck_assert_int_eq(fixture_add(&f, "large.bson"), BSN_OK);
    const bsn_doc reply = fixture_ask(&f, "dump", "{'find': 'large'}");
    const bsn_doc doc = fixture_field(reply, "cursor.firstBatch.0").as.doc;
    ck_assert_uint_eq(doc.len, sizeof large);
    ck_assert_mem_eq(doc.ptr, large, sizeof large);
    fixture_close(&f);
}
END_TEST

/* ------------------------------------------------------------------ cursors */

static int64_t open_cursor(fixture *f)
{
    return ask_batch(f, "{'find': 'numbers', 'batchSize': 2}", 0, false).id;
}

START_TEST(cursor_ends_after_ten_idle_minutes)
{
    fixture f;
    char command[120];
    open_numbers(&f, 300);
    const int64_t id = open_cursor(&f);
    f.state.now_ms += 599999;
    serve_cursors_expire(&f.state.cursors, f.state.now_ms);
    get_more(&f, id, 2, 2); /* used: it starts again */
    f.state.now_ms += 599999;
    serve_cursors_expire(&f.state.cursors, f.state.now_ms);
    get_more(&f, id, 2, 4);
    f.state.now_ms += 600000;
    serve_cursors_expire(&f.state.cursors, f.state.now_ms);
    snprintf(command, sizeof command,
             "{'getMore': {'$numberLong': '%lld'}, 'collection': 'numbers'}", (long long)id);
    fixture_refused(&f, "dump", command, 43);
    fixture_close(&f);
}
END_TEST

START_TEST(cursor_without_timeout_lasts_thirty_minutes)
{
    fixture f;
    open_numbers(&f, 300);
    ask_batch(&f, "{'find': 'numbers', 'batchSize': 2, 'noCursorTimeout': true}", 0, false);
    serve_cursors_expire(&f.state.cursors, f.state.now_ms + 1799999);
    ck_assert_uint_eq(f.state.cursors.count, 1);
    serve_cursors_expire(&f.state.cursors, f.state.now_ms + 1800000);
    ck_assert_uint_eq(f.state.cursors.count, 0);
    fixture_close(&f);
}
END_TEST

START_TEST(cursor_belongs_to_its_collection)
{
    fixture f;
    char command[160];
    open_numbers(&f, 300);
    const int64_t id = open_cursor(&f);
    snprintf(command, sizeof command, "{'getMore': {'$numberLong': '%lld'}, 'collection': 'other'}",
             (long long)id);
    fixture_refused(&f, "dump", command, 13);
    snprintf(command, sizeof command,
             "{'getMore': {'$numberLong': '%lld'}, 'collection': 'numbers'}", (long long)id);
    fixture_refused(&f, "elsewhere", command, 13);
    snprintf(command, sizeof command,
             "{'getMore': {'$numberLong': '%lld'}, 'collection': 'numbers', 'maxTimeMS': 5}",
             (long long)id);
    fixture_refused(&f, "dump", command, 2);
    get_more(&f, id, 2, 2); /* none of that has moved it */
    fixture_close(&f);
}
END_TEST

START_TEST(killed_cursors_are_told_apart)
{
    fixture f;
    char command[200], reply[300];
    open_numbers(&f, 300);
    const long long one = open_cursor(&f), two = open_cursor(&f);
    snprintf(command, sizeof command,
             "{'killCursors': 'other', 'cursors': [{'$numberLong': '%lld'}]}", one);
    snprintf(reply, sizeof reply,
             "{'cursorsKilled': [], 'cursorsNotFound': [{'$numberLong': '%lld'}], "
             "'cursorsAlive': [], 'cursorsUnknown': [], 'ok': 1.0}",
             one);
    fixture_expect(&f, "dump", command, reply);
    snprintf(command, sizeof command,
             "{'killCursors': 'numbers', 'cursors': [{'$numberLong': '%lld'}, "
             "{'$numberLong': '77'}, {'$numberLong': '%lld'}]}",
             two, one);
    snprintf(reply, sizeof reply,
             "{'cursorsKilled': [{'$numberLong': '%lld'}, {'$numberLong': '%lld'}], "
             "'cursorsNotFound': [{'$numberLong': '77'}], 'cursorsAlive': [], "
             "'cursorsUnknown': [], 'ok': 1.0}",
             two, one);
    fixture_expect(&f, "dump", command, reply);
    ck_assert_uint_eq(f.state.cursors.count, 0);
    fixture_close(&f);
}
END_TEST

/* ------------------------------------------------------------------ _id and counts */

static const char *const ids[] = {"{'_id': {'$oid': '000102030405060708090a0b'}, 'n': 0}",
                                  "{'_id': 'text', 'n': 1}",
                                  "{'n': 2, '_id': 7}",
                                  "{'_id': {'$numberLong': '8'}, 'n': 3}",
                                  "{'_id': 9.5, 'n': 4}",
                                  "{'_id': {'$numberDecimal': '10.25'}, 'n': 5}",
                                  "{'_id': {'a': 1, 'b': [1]}, 'n': 6}",
                                  "{'_id': null, 'n': 7}",
                                  "{'n': 8}",
                                  "{'_id': true, 'n': 9}",
                                  "{'_id': 'twice', 'n': 10}",
                                  "{'_id': 'twice', 'n': 11}",
                                  "{'_id': {'$minKey': 1}, 'n': 12}",
                                  "{'_id': 'twice', 'n': 13}",
                                  NULL};

typedef struct id_row {
    const char *id;
    int numbers[4]; /* of the documents, -1 ends them */
} id_row;

static const id_row id_rows[] = {
    {"{'$oid': '000102030405060708090a0b'}", {0, -1}},
    {"{'$oid': '000102030405060708090a0c'}", {-1}},
    {"'text'", {1, -1}},
    {"'tex'", {-1}},
    {"7", {2, -1}},
    {"7.0", {2, -1}},
    {"{'$numberLong': '7'}", {2, -1}},
    {"{'$numberDecimal': '7.00'}", {2, -1}},
    {"8", {3, -1}},
    {"9.5", {4, -1}},
    {"{'$numberDecimal': '9.5'}", {4, -1}},
    {"9", {-1}},
    {"10.25", {5, -1}},
    {"{'a': 1, 'b': [1]}", {6, -1}},
    {"{'b': [1], 'a': 1}", {-1}},
    {"null", {7, 8, -1}}, /* no _id counts as null */
    {"true", {9, -1}},
    {"false", {-1}},
    {"'twice'", {10, 11, 13, -1}},
    {"{'$minKey': 1}", {12, -1}},
    {"{'$maxKey': 1}", {-1}},
    {"{'$eq': 7}", {2, -1}},
    {"{'$eq': {'a': 1, 'b': [1]}}", {6, -1}},
};

START_TEST(document_is_found_by_its_id)
{
    const id_row *row = &id_rows[_i];
    fixture f;
    char command[200];
    int expected = 0;
    bsn_iter it;
    fixture_open(&f);
    fixture_write_json(&f, "ids.bson", ids);
    ck_assert_int_eq(fixture_add(&f, "ids.bson"), BSN_OK);
    snprintf(command, sizeof command, "{'find': 'ids', 'filter': {'_id': %s}}", row->id);
    const bsn_doc reply = fixture_ask(&f, "dump", command);
    bsn_iter_init(&it, fixture_field(reply, "cursor.firstBatch").as.doc);
    while (bsn_iter_next(&it)) {
        const bsn_value n = fixture_field(bsn_iter_value(&it).as.doc, "n");
        ck_assert_msg(n.as.i32 == row->numbers[expected], "%s: found %d", row->id, (int)n.as.i32);
        expected++;
    }
    ck_assert_msg(row->numbers[expected] == -1, "%s: %d is missing", row->id,
                  row->numbers[expected]);
    snprintf(command, sizeof command, "{'count': 'ids', 'query': {'_id': %s}}", row->id);
    ck_assert_int_eq(fixture_field(fixture_ask(&f, "dump", command), "n").as.i32, expected);
    fixture_close(&f);
}
END_TEST

START_TEST(search_by_id_obeys_skip_limit_and_batches)
{
    fixture f;
    char command[160];
    fixture_open(&f);
    fixture_write_json(&f, "ids.bson", ids);
    ck_assert_int_eq(fixture_add(&f, "ids.bson"), BSN_OK);
    bsn_doc reply =
        fixture_ask(&f, "dump", "{'find': 'ids', 'filter': {'_id': 'twice'}, 'batchSize': 1}");
    const long long id = fixture_field(reply, "cursor.id").as.i64;
    ck_assert_int_eq(fixture_field(reply, "cursor.firstBatch.0.n").as.i32, 10);
    snprintf(command, sizeof command, "{'getMore': {'$numberLong': '%lld'}, 'collection': 'ids'}",
             id);
    reply = fixture_ask(&f, "dump", command);
    ck_assert_uint_eq(fixture_size(fixture_field(reply, "cursor.nextBatch").as.doc), 2);
    ck_assert_int_eq(fixture_field(reply, "cursor.nextBatch.1.n").as.i32, 13);
    ck_assert_int_eq(fixture_field(reply, "cursor.id").as.i64, 0);
    reply = fixture_ask(&f, "dump",
                        "{'find': 'ids', 'filter': {'_id': 'twice'}, 'skip': 1, 'limit': 1}");
    ck_assert_int_eq(fixture_field(reply, "cursor.firstBatch.0.n").as.i32, 11);
    ck_assert_uint_eq(fixture_size(fixture_field(reply, "cursor.firstBatch").as.doc), 1);
    ck_assert_int_eq(fixture_field(reply, "cursor.id").as.i64, 0);
    reply = fixture_ask(&f, "dump", "{'find': 'ids', 'filter': {'_id': 'twice'}, 'skip': 3}");
    ck_assert_uint_eq(fixture_size(fixture_field(reply, "cursor.firstBatch").as.doc), 0);
    /* a cursor of a search that nobody goes on with gives its memory back: fixture_close sees to it */
    fixture_ask(&f, "dump", "{'find': 'ids', 'filter': {'_id': 'twice'}, 'batchSize': 1}");
    ck_assert_uint_eq(f.state.cursors.count, 1);
    fixture_close(&f);
}
END_TEST

START_TEST(every_document_of_many_is_found_by_id)
{
    fixture f;
    char command[80];
    open_numbers(&f, 20000);
    for (unsigned i = 0; i < 20000; i += 37) {
        snprintf(command, sizeof command, "{'find': 'numbers', 'filter': {'_id': %u}}", i);
        ck_assert_uint_eq(ask_batch(&f, command, i, false).count, 1);
    }
    /* 16 to 20 bytes a document, and a window */
    ck_assert_uint_le(f.counter.bytes_out, 20000 * 20 + 400000);
    fixture_close(&f);
}
END_TEST

/* With a table that looks at all equal keys to put one more in, this takes minutes. */
START_TEST(documents_without_an_id_cost_no_more_than_others)
{
    enum { EMPTY_COUNT = 400000 };
    fixture f;
    fixture_open(&f);
    uint8_t *const empty = calloc(EMPTY_COUNT, 5);
    ck_assert_ptr_nonnull(empty);
    for (size_t i = 0; i < EMPTY_COUNT; i++) empty[i * 5] = 5;
    fixture_write(&f, "empty.bson", empty, (size_t)EMPTY_COUNT * 5);
    free(empty);
    ck_assert_int_eq(fixture_add(&f, "empty.bson"), BSN_OK);
    fixture_expect(&f, "dump", "{'count': 'empty', 'query': {'_id': null}}",
                   "{'n': 400000, 'ok': {'$numberDouble': '1.0'}}");
    fixture_expect(&f, "dump", "{'count': 'empty', 'query': {'_id': 1}}",
                   "{'n': 0, 'ok': {'$numberDouble': '1.0'}}");
    fixture_close(&f);
}
END_TEST

typedef struct count_row {
    const char *fields;
    int count;
} count_row;

static const count_row count_rows[] = {
    {"", 300},
    {", 'query': {}", 300},
    {", 'query': {'_id': 5}", 1},
    {", 'query': {'_id': 500}", 0},
    {", 'skip': 10", 290},
    {", 'skip': 400", 0},
    {", 'limit': 10", 10},
    {", 'limit': -10", 10},
    {", 'limit': 0", 300},
    {", 'skip': 295, 'limit': 10", 5},
    {", 'query': {'_id': 5}, 'skip': 1", 0},
    {", 'hint': '_id_', 'fields': {}, 'collation': {}", 300},
};

START_TEST(documents_are_counted)
{
    fixture f;
    char command[160], reply[60];
    open_numbers(&f, 300);
    snprintf(command, sizeof command, "{'count': 'numbers'%s}", count_rows[_i].fields);
    snprintf(reply, sizeof reply, "{'n': %d, 'ok': 1.0}", count_rows[_i].count);
    fixture_expect(&f, "dump", command, reply);
    fixture_close(&f);
}
END_TEST

static const count_row pipeline_rows[] = {
    {"", 300},
    {"{'$match': {}}", 300},
    {"{'$match': {'_id': 5}}", 1},
    {"{'$match': {'_id': 5}}, {'$match': {}}", 1},
    {"{'$skip': 10}", 290},
    {"{'$limit': 10}", 10},
    {"{'$limit': 10}, {'$limit': 20}", 10},
    {"{'$skip': 10}, {'$limit': 20}", 20},
    {"{'$limit': 20}, {'$skip': 15}", 5},
    {"{'$limit': 20}, {'$skip': 25}", 0},
    {"{'$skip': 290}, {'$limit': 20}", 10},
};

/* A pipeline gives as many documents as it counts, either way of counting. */
START_TEST(pipeline_counts_what_it_gives)
{
    const count_row *row = &pipeline_rows[_i];
    const char *const comma = row->fields[0] == '\0' ? "" : ", ";
    fixture f;
    char command[300];
    open_numbers(&f, 300);
    snprintf(command, sizeof command,
             "{'aggregate': 'numbers', 'pipeline': [%s], 'cursor': {'batchSize': 1000}}",
             row->fields);
    bsn_doc batch = fixture_field(fixture_ask(&f, "dump", command), "cursor.firstBatch").as.doc;
    ck_assert_uint_eq(fixture_size(batch), (size_t)row->count);
    snprintf(command, sizeof command,
             "{'aggregate': 'numbers', 'pipeline': [%s%s{'$group': {'_id': null, 'total': "
             "{'$sum': 1}}}], 'cursor': {}}",
             row->fields, comma);
    batch = fixture_field(fixture_ask(&f, "dump", command), "cursor.firstBatch").as.doc;
    ck_assert_uint_eq(fixture_size(batch), row->count == 0 ? 0 : 1); /* no document for 0 */
    if (row->count > 0) {
        ck_assert_int_eq(fixture_field(batch, "0._id").type, BSN_TYPE_NULL);
        ck_assert_int_eq(fixture_field(batch, "0.total").as.i32, row->count);
    }
    snprintf(command, sizeof command,
             "{'aggregate': 'numbers', 'pipeline': [%s%s{'$count': 'n'}], 'cursor': {}}",
             row->fields, comma);
    batch = fixture_field(fixture_ask(&f, "dump", command), "cursor.firstBatch").as.doc;
    ck_assert_uint_eq(fixture_size(batch), row->count == 0 ? 0 : 1);
    if (row->count > 0) ck_assert_int_eq(fixture_field(batch, "0.n").as.i32, row->count);
    fixture_close(&f);
}
END_TEST

/* Whatever is asked of it: shells look into collections that servers of other kinds have. */
START_TEST(what_is_not_there_is_empty_and_no_error)
{
    static const char *const commands[] = {
        "{'find': 'collections', 'filter': {'a': 1}, 'sort': {'a': 1}}",
        "{'aggregate': 'collections', 'pipeline': [{'$match': {'a': 1}}, {'$sort': "
        "{'a': "
        "1}}], 'cursor': {}}",
        "{'aggregate': 'collections', 'pipeline': [], 'cursor': {}}",
        "{'aggregate': 'collections', 'pipeline': [{'$count': 'n'}], 'cursor': {}}",
    };
    fixture f;
    open_numbers(&f, 3);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        fixture_expect(&f, "config", commands[i],
                       "{'cursor': {'firstBatch': [], 'id': {'$numberLong': '0'}, 'ns': "
                       "'config.collections'}, 'ok': 1.0}");
    }
    fixture_expect(&f, "config", "{'count': 'collections', 'query': {'a': 1}}",
                   "{'n': 0, 'ok': 1.0}");
    fixture_refused(&f, "config",
                    "{'aggregate': 'x', 'pipeline': [{'$nonsense': 1}], 'cursor': {}}", 40324);
    fixture_refused(&f, "config", "{'aggregate': 'x', 'pipeline': [{'$out': 'y'}], 'cursor': {}}",
                    115);
    fixture_refused(&f, "config", "{'find': 'x', 'zzz': 1}", 40415);
    fixture_close(&f);
}
END_TEST

/* 20 MB are not gone through in a millisecond; the next question has all the time again. */
START_TEST(count_that_takes_too_long_is_ended)
{
    fixture f;
    open_numbers(&f, 800000);
    const bsn_str text = fixture_refused(&f, "dump", "{'count': 'numbers', 'maxTimeMS': 1}", 50);
    ck_assert(bsn_str_equal(text, BSN_STR("operation exceeded time limit")));
    fixture_expect(&f, "dump", "{'count': 'numbers', 'maxTimeMS': 600000}",
                   "{'n': 800000, 'ok': 1.0}");
    fixture_expect(&f, "dump", "{'count': 'numbers', 'maxTimeMS': 0}", "{'n': 800000, 'ok': 1.0}");
    fixture_close(&f);
}
END_TEST

/* ------------------------------------------------------------------ damage and change */

static void damage_byte(const fixture *f, long offset, int value)
{
    FILE *file = fopen(fixture_path(f, "numbers.bson"), "r+b");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, offset, SEEK_SET), 0);
    ck_assert_int_eq(fputc(value, file), value);
    ck_assert_int_eq(fclose(file), 0);
}

START_TEST(documents_before_the_damage_are_served)
{
    fixture f;
    char command[120];
    open_numbers(&f, 300);
    damage_byte(&f, 250 * 25, 3);
    found batch = ask_batch(&f, "{'find': 'numbers'}", 0, false);
    batch = get_more(&f, batch.id, -1, 101);
    ck_assert_uint_eq(batch.count, 149);
    ck_assert_int_gt(batch.id, 0); /* something is left, and it cannot be had: */
    snprintf(command, sizeof command,
             "{'getMore': {'$numberLong': '%lld'}, 'collection': 'numbers'}", (long long)batch.id);
    const bsn_str text = fixture_refused(&f, "dump", command, 1);
    ck_assert(
        bsn_str_equal(text, BSN_STR("dump.numbers: document 251 at byte 6250 is damaged: length "
                                    "out of bounds")));
    fixture_refused(&f, "dump", command, 43); /* and the cursor is gone */
    fixture_close(&f);
}
END_TEST

START_TEST(damage_stops_counts_and_searches)
{
    fixture f;
    open_numbers(&f, 300);
    damage_byte(&f, 250 * 25, 3);
    fixture_refused(&f, "dump", "{'count': 'numbers'}", 1);
    fixture_refused(&f, "dump", "{'find': 'numbers', 'filter': {'_id': 5}}", 1);
    fixture_refused(&f, "dump", "{'find': 'numbers', 'skip': 260}", 1);
    fixture_refused(&f, "dump", "{'collStats': 'numbers'}", 1);
    fixture_refused(&f, "dump", "{'dbStats': 1}", 1);
    fixture_refused(&f, "dump",
                    "{'aggregate': 'numbers', 'pipeline': [{'$count': 'n'}], 'cursor': {}}", 1);
    ck_assert_uint_eq(
        ask_batch(&f, "{'find': 'numbers', 'limit': 250, 'batchSize': 250}", 0, false).count, 250);
    fixture_close(&f);
}
END_TEST

START_TEST(damage_inside_a_document_stops_searches_only)
{
    fixture f;
    open_numbers(&f, 300);
    damage_byte(&f, 250 * 25 + 4, 0x20); /* the type of its first field: which _id has it? */
    ck_assert_int_eq(fixture_field(fixture_ask(&f, "dump", "{'count': 'numbers'}"), "n").as.i32,
                     300);
    const bsn_str text =
        fixture_refused(&f, "dump", "{'find': 'numbers', 'filter': {'_id': 5}}", 1);
    ck_assert(
        bsn_str_equal(text, BSN_STR("dump.numbers: document 251 at byte 6254 is damaged: unknown "
                                    "element type")));
    fixture_close(&f);
}
END_TEST

/* The bytes of a batch are promised before they are read. */
START_TEST(file_that_changes_under_a_reply_ends_the_connection)
{
    fixture f;
    bsn_error err;
    open_numbers(&f, 30000);
    fixture_ask(&f, "dump", "{'count': 'numbers'}");
    fixture_ask(&f, "dump", "{'find': 'numbers', 'batchSize': 30000}"); /* makes the request */
    const serve_peer peer = {.id = 1, .address = BSN_STR("x")};
    for (int change = 0; change < 3; change++) {
        const bsn_bytes bytes = bsn_buf_view(&f.request);
        bsn_out_clear(&f.out);
        serve_window_free(&f.state.window);
        serve_window_init(&f.state.window, &f.counter.alloc);
        ck_assert_int_eq(serve_answer(&f.state, &peer, bytes, &f.out, &f.feed, &err), SERVE_REPLY);
        ck_assert(f.feed.active);
        ck_assert_int_eq(serve_feed_fill(&f.feed, &f.state.window, &f.out, 1000, &err), BSN_OK);
        serve_window_free(&f.state.window); /* as if another client had been served in between */
        serve_window_init(&f.state.window, &f.counter.alloc);
        if (change == 0) damage_byte(&f, 20000 * 25, 26);     /* a length */
        if (change == 1) damage_byte(&f, 20000 * 25 + 24, 1); /* an end */
        if (change == 2) ck_assert_int_eq(truncate(fixture_path(&f, "numbers.bson"), 500000), 0);
        ck_assert_int_eq(serve_feed_fill(&f.feed, &f.state.window, &f.out, SIZE_MAX, &err),
                         BSN_E_IO);
        ck_assert_str_eq(err.detail, "the file was changed while it was served");
        serve_feed_free(&f.feed);
        if (change == 0) damage_byte(&f, 20000 * 25, 25);
        if (change == 1) damage_byte(&f, 20000 * 25 + 24, 0);
    }
    fixture_close(&f);
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))

Suite *find_suite(void)
{
    Suite *suite = suite_create("find");
    TCase *batches = tcase_create("batches");
    tcase_set_timeout(batches, 120);
    tcase_add_test(batches, first_batch_is_101_unless_asked_otherwise);
    tcase_add_test(batches, batches_of_every_size_give_all_documents);
    tcase_add_test(batches, batch_size_zero_opens_a_cursor);
    tcase_add_loop_test(batches, skip_and_limit_count_over_all_batches, 0, COUNT(window_rows));
    tcase_add_test(batches, batch_without_a_size_holds_16_mib);
    tcase_add_test(batches, large_document_goes_through_small_buffers);
    suite_add_tcase(suite, batches);
    TCase *cursors = tcase_create("cursors");
    tcase_set_timeout(cursors, 60);
    tcase_add_test(cursors, cursor_ends_after_ten_idle_minutes);
    tcase_add_test(cursors, cursor_without_timeout_lasts_thirty_minutes);
    tcase_add_test(cursors, cursor_belongs_to_its_collection);
    tcase_add_test(cursors, killed_cursors_are_told_apart);
    suite_add_tcase(suite, cursors);
    TCase *searches = tcase_create("searches");
    tcase_set_timeout(searches, 60);
    tcase_add_loop_test(searches, document_is_found_by_its_id, 0, COUNT(id_rows));
    tcase_add_test(searches, search_by_id_obeys_skip_limit_and_batches);
    tcase_add_test(searches, every_document_of_many_is_found_by_id);
    tcase_add_test(searches, documents_without_an_id_cost_no_more_than_others);
    tcase_add_loop_test(searches, documents_are_counted, 0, COUNT(count_rows));
    tcase_add_loop_test(searches, pipeline_counts_what_it_gives, 0, COUNT(pipeline_rows));
    tcase_add_test(searches, count_that_takes_too_long_is_ended);
    tcase_add_test(searches, what_is_not_there_is_empty_and_no_error);
    suite_add_tcase(suite, searches);
    TCase *damage = tcase_create("damage");
    tcase_set_timeout(damage, 60);
    tcase_add_test(damage, documents_before_the_damage_are_served);
    tcase_add_test(damage, damage_stops_counts_and_searches);
    tcase_add_test(damage, damage_inside_a_document_stops_searches_only);
    tcase_add_test(damage, file_that_changes_under_a_reply_ends_the_connection);
    suite_add_tcase(suite, damage);
    return suite;
}
