/* SPDX-License-Identifier: Apache-2.0
 *
 * reply_samples.c -- see reply_samples.h.
 */
#include "wire/reply_samples.h"

#include <bsonic/detail/le.h>
#include <bsonic/wire.h>

#include <string.h>

/* {n: number} */
void build_number_document(build *b, int32_t number)
{
    const size_t doc = build_open(b);
    build_element(b, 0x10, "n");
    build_i32(b, number);
    build_close(b, doc);
}

static void build_batch(build *b, const char *name, int32_t count)
{
    build_element(b, 0x04, name);
    const size_t batch = build_open(b);
    for (int32_t i = 0; i < count; i++) {
        const char key[3] = {(char)(i < 10 ? '0' + i : '0' + i / 10), (char)('0' + i % 10), 0};
        build_element(b, 0x03, i < 10 ? key + 1 : key);
        build_number_document(b, i);
    }
    build_close(b, batch);
}

static void build_id(build *b, int64_t id)
{
    build_element(b, 0x12, "id");
    build_i64(b, id);
}

void build_ns(build *b, const char *ns)
{
    build_element(b, 0x02, "ns");
    build_string(b, ns);
}

void build_ok(build *b, double ok)
{
    build_element(b, 0x01, "ok");
    build_f64(b, ok);
}

/* One element of each type but those that hold documents; keys t01, t02, .. */
static void build_every_type(build *b)
{
    static const char *const values[] = {
        "01 743031 00 0000000000000840",
        "02 743032 00 05000000 61620063 00",
        "03 743033 00 11000000 03 616200 08000000 0A 6B00 00 00",
        "04 743034 00 0C000000 10 3000 01000000 00",
        "05 743035 00 03000000 80 000102",
        "05 743035 00 00000000 00",
        "06 743036 00",
        "07 743037 00 000102030405060708090A0B",
        "08 743038 00 01",
        "09 743039 00 FFFFFFFFFFFFFFFF",
        "0A 743041 00",
        "0B 743042 00 5E612E2A00 696D00",
        "0B 743042 00 00 00",
        "0C 743043 00 04000000 612E62 00 000102030405060708090A0B",
        "0D 743044 00 02000000 78 00",
        "0E 743045 00 01000000 00",
        "0F 743046 00 13000000 06000000 7661722078 00 05000000 00",
        "10 743130 00 FFFFFFFF",
        "11 743131 00 0100000002000000",
        "12 743132 00 0000000000000080",
        "13 743133 00 00000000000000000000000000004030",
        "7F 743746 00",
        "FF 744646 00",
    };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) build_hex(b, values[i]);
}

size_t sample_begin(build *b, uint32_t flags, size_t *body)
{
    const size_t message = build_header(b, 100, 7, BSN_OP_MSG);
    build_u32(b, flags);
    build_u8(b, 0);
    *body = build_open(b);
    return message;
}

void sample_end(build *b, size_t message, size_t body)
{
    build_close(b, body);
    build_patch(b, message);
}

void sample_usual(build *b)
{
    size_t body;
    const size_t message = sample_begin(b, 0, &body);
    build_element(b, 0x03, "cursor");
    const size_t cursor = build_open(b);
    build_batch(b, "firstBatch", 12);
    build_id(b, 0x1122334455667788);
    build_ns(b, "db.coll");
    build_close(b, cursor);
    build_ok(b, 1.0);
    sample_end(b, message, body);
}

void sample_batch_last(build *b)
{
    size_t body;
    const size_t message = sample_begin(b, BSN_MSG_MORE_TO_COME | 0x40000000, &body);
    build_element(b, 0x10, "ok");
    build_i32(b, 1);
    build_element(b, 0x03, "$clusterTime");
    build_number_document(b, 5);
    build_element(b, 0x03, "cursor");
    const size_t cursor = build_open(b);
    build_ns(b, "d.a.b");
    build_element(b, 0x03, "postBatchResumeToken");
    build_number_document(b, 5);
    build_element(b, 0x10, "id");
    build_i32(b, 99);
    build_batch(b, "nextBatch", 3);
    build_close(b, cursor);
    sample_end(b, message, body);
}

static void every_type_around(build *b)
{
    char key[301];
    size_t body;
    const size_t message = sample_begin(b, 0, &body);
    memset(key, 'k', 300);
    key[300] = 0;
    build_every_type(b);
    build_element(b, 0x08, key);
    build_u8(b, 0);
    build_element(b, 0x03, "cursor");
    const size_t cursor = build_open(b);
    build_every_type(b);
    build_element(b, 0x02, key);
    build_string(b, key);
    build_batch(b, "firstBatch", 2);
    build_every_type(b);
    build_element(b, 0x01, "id");
    build_f64(b, 0.0);
    build_close(b, cursor);
    build_every_type(b);
    build_element(b, 0x08, "ok");
    build_u8(b, 1);
    sample_end(b, message, body);
}

void sample_checksummed(build *b)
{
    const size_t start = b->len;
    sample_usual(b);
    build_u32(b, 0);
    build_patch(b, start);
    build_set(b, start + 16, BSN_MSG_CHECKSUM);
    const bsn_bytes covered = {b->bytes + start, b->len - start - 4};
    bsn_store_u32(b->bytes + b->len - 4, bsn_crc32c(0, covered));
}

void sample_server_error(build *b)
{
    size_t body;
    const size_t message = sample_begin(b, 0, &body);
    build_ok(b, 0.0);
    build_element(b, 0x02, "errmsg");
    build_string(b, "cursor id 5 not found");
    build_element(b, 0x10, "code");
    build_i32(b, 43);
    build_element(b, 0x02, "codeName");
    build_string(b, "CursorNotFound");
    build_element(b, 0x04, "errorLabels");
    const size_t labels = build_open(b);
    build_element(b, 0x02, "0");
    build_string(b, "RetryableError");
    build_close(b, labels);
    sample_end(b, message, body);
}

static void empty_batch(build *b)
{
    size_t body;
    const size_t message = sample_begin(b, 0, &body);
    build_element(b, 0x03, "cursor");
    const size_t cursor = build_open(b);
    build_batch(b, "firstBatch", 0);
    build_id(b, 0);
    build_ns(b, "db.coll");
    build_close(b, cursor);
    build_ok(b, 1.0);
    sample_end(b, message, body);
}

void sample_hello(build *b)
{
    const size_t message = build_header(b, 100, 7, BSN_OP_REPLY);
    build_u32(b, BSN_REPLY_AWAIT_CAPABLE);
    build_i64(b, 0);
    build_i32(b, 0);
    build_i32(b, 1);
    const size_t body = build_open(b);
    build_element(b, 0x08, "ismaster");
    build_u8(b, 1);
    build_element(b, 0x10, "maxWireVersion");
    build_i32(b, 21);
    build_ok(b, 1.0);
    sample_end(b, message, body);
}

static void build_text(build *b, const char *key, const char *text)
{
    build_element(b, 0x02, key);
    build_string(b, text);
}

/* {n: 2, writeErrors: [{index: 1, code: 11000, errmsg}, {index: 3}], opTime: {n: 5}, ok: 1} */
void sample_write_errors(build *b)
{
    size_t body;
    const size_t message = sample_begin(b, 0, &body);
    build_element(b, 0x10, "n");
    build_i32(b, 2);
    build_element(b, 0x04, "writeErrors");
    const size_t list = build_open(b);
    build_element(b, 0x03, "0");
    const size_t first = build_open(b);
    build_element(b, 0x10, "index");
    build_i32(b, 1);
    build_element(b, 0x10, "code");
    build_i32(b, 11000);
    build_text(b, "errmsg", "E");
    build_close(b, first);
    build_element(b, 0x03, "1");
    const size_t second = build_open(b);
    build_element(b, 0x10, "index");
    build_i32(b, 3);
    build_close(b, second);
    build_close(b, list);
    build_element(b, 0x03, "opTime");
    build_number_document(b, 5);
    build_ok(b, 1.0);
    sample_end(b, message, body);
}

/* A cursor's batch holds what is named like the list: only the body's is one. */
static void write_errors_and_a_batch(build *b)
{
    size_t body;
    const size_t message = sample_begin(b, 0, &body);
    build_element(b, 0x04, "writeErrors");
    const size_t list = build_open(b);
    build_close(b, list);
    build_element(b, 0x03, "cursor");
    const size_t cursor = build_open(b);
    build_batch(b, "writeErrors", 2);
    build_batch(b, "firstBatch", 2);
    build_id(b, 0);
    build_close(b, cursor);
    build_ok(b, 1.0);
    sample_end(b, message, body);
}

static void empty_body(build *b)
{
    size_t body;
    const size_t message = sample_begin(b, 0, &body);
    sample_end(b, message, body);
}

const reply_sample reply_samples[REPLY_SAMPLES] = {
    {"usual", sample_usual, true, 12, 0x1122334455667788, "db.coll", 0},
    {"batch last", sample_batch_last, true, 3, 99, "d.a.b", 0},
    {"every type around", every_type_around, true, 2, 0, "", 0},
    {"checksummed", sample_checksummed, true, 12, 0x1122334455667788, "db.coll", 0},
    {"server error", sample_server_error, false, 0, 0, "", 43},
    {"empty batch", empty_batch, true, 0, 0, "db.coll", 0},
    {"hello", sample_hello, true, 0, 0, "", 0},
    {"write errors", sample_write_errors, true, 2, 0, "", 0},
    {"write errors and a batch", write_errors_and_a_batch, true, 2, 0, "", 0},
    {"empty body", empty_body, false, 0, 0, "", 0},
};
