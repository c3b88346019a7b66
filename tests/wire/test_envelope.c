/* SPDX-License-Identifier: Apache-2.0
 *
 * test_envelope.c -- replies walked whole, cut in two everywhere, and in pieces of every size: always the same documents, the same
 * end, the same fault at the same offset.
 *
 * What a walk gave is written down in a `walk` and compared field by field. Each delivery of bytes is a block of exactly its
 * size, so that a sanitizer sees a read past what was delivered.
 */
#include "suites.h"

#include "support/build.h"

#include <bsonic/detail/le.h>
#include <bsonic/wire.h>

#include <stdlib.h>
#include <string.h>

#define STORAGE 4096

/* What came of walking one reply. */
typedef struct walk {
    bsn_envelope_event event; /* MORE: the bytes ended first */
    bsn_status status;
    uint64_t offset;
    bool ok, partial, has_cursor, has_batch, has_id, has_reply;
    int32_t code;
    int64_t cursor_id;
    uint64_t count;
    size_t behind; /* bytes left behind the message */
    size_t errors; /* documents that were write errors */
    bool has_write_errors;
    char ns[BSN_NS_MAX + 1];
    size_t docs_len, reply_len;
    uint8_t docs[BUILD_MAX];
    uint8_t reply[STORAGE];
} walk;

/* What a test asks for beside the defaults. */
typedef struct walk_how {
    size_t first;   /* bytes of the first delivery; 0: as the others */
    size_t chunk;   /* bytes of each other */
    size_t storage; /* for the reply's own fields, at most STORAGE */
    size_t size_max, doc_size_max;
    bool any_response_to;
    bool write_errors; /* to be handed out */
} walk_how;

static const walk_how whole = {.chunk = SIZE_MAX, .storage = STORAGE, .write_errors = true};

/* Puts what is held and the next bytes of the message into a block of their own. */
static uint8_t *deliver(uint8_t *old, bsn_bytes *src, bsn_bytes message, size_t *taken, size_t len)
{
    const size_t left = message.len - *taken;
    if (len > left) len = left;
    uint8_t *const block = malloc(src->len + len + 1);
    ck_assert_ptr_nonnull(block);
    uint8_t *const start = block + 1; /* no alignment is relied on */
    if (src->len > 0) memcpy(start, src->ptr, src->len);
    if (len > 0) memcpy(start + src->len, message.ptr + *taken, len);
    *taken += len;
    src->ptr = start;
    src->len += len;
    free(old);
    return block;
}

static void note_end(walk *w, bsn_envelope *env, bsn_bytes src)
{
    bsn_doc reply;
    bsn_error err = {.offset = 0};
    bsn_doc none;
    w->status = bsn_envelope_error(env, &err);
    w->offset = err.offset;
    w->ok = env->ok;
    w->partial = env->partial;
    w->has_cursor = env->has_cursor;
    w->has_batch = env->has_batch;
    w->has_id = env->has_id;
    w->has_write_errors = env->has_write_errors;
    w->code = env->code;
    w->cursor_id = env->cursor_id;
    w->count = env->document_count;
    w->behind = src.len;
    memcpy(w->ns, env->ns, env->ns_len);
    w->has_reply = bsn_envelope_reply(env, &reply);
    if (w->has_reply) {
        memcpy(w->reply, reply.ptr, reply.len);
        w->reply_len = reply.len;
    }
    if (w->event == BSN_ENVELOPE_MORE) return;
    ck_assert_int_eq(bsn_envelope_next(env, &src, &none), w->event); /* it stays what it is */
    ck_assert_uint_eq(src.len, w->behind);
}

static void walk_message(bsn_bytes message, const walk_how *how, walk *w)
{
    static uint8_t storage[STORAGE];
    const bsn_envelope_options options = {.size_max = how->size_max,
                                          .doc_size_max = how->doc_size_max,
                                          .response_to = 7,
                                          .any_response_to = how->any_response_to,
                                          .write_errors = how->write_errors,
                                          .storage = how->storage == 0 ? NULL : storage,
                                          .storage_size = how->storage};
    bsn_envelope env;
    bsn_bytes src = {NULL, 0};
    bsn_doc doc;
    size_t taken = 0;
    uint8_t *block = NULL;
    memset(w, 0, sizeof *w);
    bsn_envelope_init(&env, &options);
    if (how->first > 0) block = deliver(block, &src, message, &taken, how->first);
    for (;;) {
        w->event = bsn_envelope_next(&env, &src, &doc);
        if (w->event == BSN_ENVELOPE_DOC) {
            ck_assert(doc.ptr >= block && doc.ptr + doc.len <= src.ptr);
            ck_assert_uint_le(doc.len, sizeof w->docs - w->docs_len);
            memcpy(w->docs + w->docs_len, doc.ptr, doc.len);
            w->docs_len += doc.len;
            w->errors += env.in_write_errors;
            continue;
        }
        if (w->event != BSN_ENVELOPE_MORE) break;
        ck_assert_uint_gt(bsn_envelope_need(&env), src.len);
        if (env.offset > 0) {
            ck_assert_uint_eq(bsn_envelope_left(&env, src.len),
                              env.header.len - env.offset - src.len);
        }
        if (taken == message.len) break;
        block = deliver(block, &src, message, &taken, how->chunk);
    }
    w->behind = message.len - taken + src.len;
    note_end(w, &env, src);
    if (w->event != BSN_ENVELOPE_MORE) w->behind = message.len - taken + src.len;
    free(block);
}

static void check_same(const walk *a, const walk *b, const char *name, size_t cut)
{
    ck_assert_msg(a->event == b->event && a->status == b->status && a->offset == b->offset,
                  "%s, cut at %zu: event %d status %d offset %u, not %d %d %u", name, cut,
                  (int)b->event, (int)b->status, (unsigned)b->offset, (int)a->event, (int)a->status,
                  (unsigned)a->offset);
    ck_assert_msg(a->count == b->count && a->docs_len == b->docs_len &&
                      memcmp(a->docs, b->docs, a->docs_len) == 0,
                  "%s, cut at %zu: other documents", name, cut);
    ck_assert_msg(a->reply_len == b->reply_len && a->partial == b->partial &&
                      memcmp(a->reply, b->reply, a->reply_len) == 0,
                  "%s, cut at %zu: another reply", name, cut);
    ck_assert_msg(a->ok == b->ok && a->code == b->code && a->cursor_id == b->cursor_id &&
                      a->has_cursor == b->has_cursor && a->has_batch == b->has_batch &&
                      a->has_id == b->has_id && a->errors == b->errors &&
                      a->has_write_errors == b->has_write_errors && a->has_reply == b->has_reply &&
                      strcmp(a->ns, b->ns) == 0,
                  "%s, cut at %zu: other fields", name, cut);
    if (a->event != BSN_ENVELOPE_FAULT) ck_assert_uint_eq(a->behind, b->behind);
}

/* ------------------------------------------------------------------ messages */

/* {n: number} */
static void build_number_document(build *b, int32_t number)
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

static void build_ns(build *b, const char *ns)
{
    build_element(b, 0x02, "ns");
    build_string(b, ns);
}

static void build_ok(build *b, double ok)
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

static size_t begin_message(build *b, uint32_t flags, size_t *body)
{
    const size_t message = build_header(b, 100, 7, BSN_OP_MSG);
    build_u32(b, flags);
    build_u8(b, 0);
    *body = build_open(b);
    return message;
}

static void end_message(build *b, size_t message, size_t body)
{
    build_close(b, body);
    build_patch(b, message);
}

static void usual(build *b)
{
    size_t body;
    const size_t message = begin_message(b, 0, &body);
    build_element(b, 0x03, "cursor");
    const size_t cursor = build_open(b);
    build_batch(b, "firstBatch", 12);
    build_id(b, 0x1122334455667788);
    build_ns(b, "db.coll");
    build_close(b, cursor);
    build_ok(b, 1.0);
    end_message(b, message, body);
}

static void batch_last(build *b)
{
    size_t body;
    const size_t message = begin_message(b, BSN_MSG_MORE_TO_COME | 0x40000000, &body);
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
    end_message(b, message, body);
}

static void every_type_around(build *b)
{
    char key[301];
    size_t body;
    const size_t message = begin_message(b, 0, &body);
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
    end_message(b, message, body);
}

static void checksummed(build *b)
{
    const size_t start = b->len;
    usual(b);
    build_u32(b, 0);
    build_patch(b, start);
    build_set(b, start + 16, BSN_MSG_CHECKSUM);
    const bsn_bytes covered = {b->bytes + start, b->len - start - 4};
    bsn_store_u32(b->bytes + b->len - 4, bsn_crc32c(0, covered));
}

static void server_error(build *b)
{
    size_t body;
    const size_t message = begin_message(b, 0, &body);
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
    end_message(b, message, body);
}

static void empty_batch(build *b)
{
    size_t body;
    const size_t message = begin_message(b, 0, &body);
    build_element(b, 0x03, "cursor");
    const size_t cursor = build_open(b);
    build_batch(b, "firstBatch", 0);
    build_id(b, 0);
    build_ns(b, "db.coll");
    build_close(b, cursor);
    build_ok(b, 1.0);
    end_message(b, message, body);
}

static void hello_reply(build *b)
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
    end_message(b, message, body);
}

static void build_text(build *b, const char *key, const char *text)
{
    build_element(b, 0x02, key);
    build_string(b, text);
}

/* {n: 2, writeErrors: [{index: 1, code: 11000, errmsg}, {index: 3}], opTime: {n: 5}, ok: 1} */
static void write_errors(build *b)
{
    size_t body;
    const size_t message = begin_message(b, 0, &body);
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
    end_message(b, message, body);
}

/* A cursor's batch holds what is named like the list: only the body's is one. */
static void write_errors_and_a_batch(build *b)
{
    size_t body;
    const size_t message = begin_message(b, 0, &body);
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
    end_message(b, message, body);
}

static void empty_body(build *b)
{
    size_t body;
    const size_t message = begin_message(b, 0, &body);
    end_message(b, message, body);
}

typedef struct sample {
    const char *name;
    void (*make)(build *b);
    bool ok;
    uint64_t count;
    int64_t cursor_id;
    const char *ns;
    int32_t code;
} sample;

static const sample samples[] = {
    {"usual", usual, true, 12, 0x1122334455667788, "db.coll", 0},
    {"batch last", batch_last, true, 3, 99, "d.a.b", 0},
    {"every type around", every_type_around, true, 2, 0, "", 0},
    {"checksummed", checksummed, true, 12, 0x1122334455667788, "db.coll", 0},
    {"server error", server_error, false, 0, 0, "", 43},
    {"empty batch", empty_batch, true, 0, 0, "db.coll", 0},
    {"hello", hello_reply, true, 0, 0, "", 0},
    {"write errors", write_errors, true, 2, 0, "", 0},
    {"write errors and a batch", write_errors_and_a_batch, true, 2, 0, "", 0},
    {"empty body", empty_body, false, 0, 0, "", 0},
};
#define SAMPLE_COUNT (sizeof samples / sizeof samples[0])

/* ------------------------------------------------------------------ sound replies */

START_TEST(sound_reply_gives_its_documents_and_fields)
{
    const sample *row = &samples[_i];
    build b = {.len = 0};
    static walk w;
    row->make(&b);
    const size_t len = b.len;
    build_hex(&b, "10000000"); /* the next message begins behind it */
    walk_message(build_view(&b), &whole, &w);
    ck_assert_msg(w.event == BSN_ENVELOPE_END, "%s: %d at %u", row->name, (int)w.status,
                  (unsigned)w.offset);
    ck_assert_uint_eq(w.behind, b.len - len);
    ck_assert_uint_eq(w.count, row->count);
    if (w.errors == 0) ck_assert_uint_eq(w.docs_len, 12 * row->count);
    for (size_t i = 0; w.errors == 0 && i < w.count; i++) {
        ck_assert_int_eq(bsn_load_i32(w.docs + 12 * i), 12);
        ck_assert_uint_eq(w.docs[12 * i + 7], i);
    }
    ck_assert(w.ok == row->ok);
    ck_assert_int_eq(w.code, row->code);
    ck_assert_int_eq(w.cursor_id, row->cursor_id);
    ck_assert_str_eq(w.ns, row->ns);
    ck_assert(w.has_reply && !w.partial);
}
END_TEST

START_TEST(every_cut_in_two_gives_the_same)
{
    build b = {.len = 0};
    static walk expected, w;
    samples[_i].make(&b);
    walk_message(build_view(&b), &whole, &expected);
    for (size_t cut = 1; cut < b.len; cut++) {
        walk_how how = whole;
        how.first = cut;
        walk_message(build_view(&b), &how, &w);
        check_same(&expected, &w, samples[_i].name, cut);
    }
}
END_TEST

START_TEST(pieces_of_every_size_give_the_same)
{
    build b = {.len = 0};
    static walk expected, w;
    samples[_i].make(&b);
    walk_message(build_view(&b), &whole, &expected);
    for (size_t chunk = 1; chunk < 70; chunk++) {
        walk_how how = whole;
        how.chunk = chunk;
        walk_message(build_view(&b), &how, &w);
        check_same(&expected, &w, samples[_i].name, chunk);
    }
}
END_TEST

START_TEST(every_prefix_waits_for_more)
{
    build b = {.len = 0};
    static walk expected, w;
    samples[_i].make(&b);
    walk_message(build_view(&b), &whole, &expected);
    for (size_t len = 0; len < b.len; len++) {
        const bsn_bytes prefix = {b.bytes, len};
        walk_message(prefix, &whole, &w);
        ck_assert_msg(w.event == BSN_ENVELOPE_MORE, "%s, %zu bytes", samples[_i].name, len);
        ck_assert_uint_le(w.docs_len, expected.docs_len);
        ck_assert_mem_eq(w.docs, expected.docs, w.docs_len);
        ck_assert(!w.has_reply);
    }
}
END_TEST

/* Whatever a mutant does, it does at every cut; and what ends well is a message that bsn_msg_open takes too. */
START_TEST(mutants_fail_or_pass_alike_at_every_cut)
{
    static const uint8_t values[] = {0x00, 0x01, 0x03, 0x04, 0x10, 0x7F, 0x80, 0xFF};
    static walk expected, w;
    build b = {.len = 0};
    samples[_i].make(&b);
    for (size_t i = 0; i < b.len; i++) {
        const uint8_t original = b.bytes[i];
        for (size_t v = 0; v < sizeof values; v++) {
            b.bytes[i] = values[v];
            walk_message(build_view(&b), &whole, &expected);
            walk_how how = whole;
            how.chunk = 11 + (i * 7 + v * 5) % 149;
            walk_message(build_view(&b), &how, &w);
            check_same(&expected, &w, samples[_i].name, i);
            if (expected.event == BSN_ENVELOPE_END && expected.behind == 0 &&
                bsn_load_i32(b.bytes + 12) == BSN_OP_MSG) {
                bsn_msg msg;
                ck_assert_int_eq(bsn_msg_open(build_view(&b), &msg, NULL), BSN_OK);
            }
        }
        b.bytes[i] = original;
    }
}
END_TEST

/* ------------------------------------------------------------------ faults */

typedef struct fault_row {
    const char *name;
    const char *hex; /* header and all; responseTo is 7 */
    bsn_status status;
    uint64_t offset;
} fault_row;

#define HEAD(len) len "000000 64000000 07000000 DD070000"
#define WRITE_ERRORS "77726974654572726F727300 " /* the key */
#define CURSOR_START(body, cursor) "00000000 00 " body "000000 03 637572736F7200 " cursor "000000 "

/* Offsets: flags 16, section kind 20, body 21, first element 25, of a cursor document: its length 33, first element 37. */
static const fault_row fault_rows[] = {
    {"length 15", "0F000000 64000000 07000000 DD070000", BSN_E_PROTOCOL, 0},
    {"length -1", "FFFFFFFF 64000000 07000000 DD070000", BSN_E_PROTOCOL, 0},
    {"length 48000001", "016CDC02 64000000 07000000 DD070000", BSN_E_PROTOCOL, 0},
    {"another responseTo", "1A000000 64000000 08000000 DD070000", BSN_E_PROTOCOL, 8},
    {"unknown opcode", "1A000000 64000000 07000000 DE070000", BSN_E_PROTOCOL, 12},
    {"a request's opcode", "1A000000 64000000 07000000 D4070000", BSN_E_PROTOCOL, 12},
    {"compressed", "1A000000 64000000 07000000 DC070000", BSN_E_UNSUPPORTED, 12},
    {"no room for flags", HEAD("13"), BSN_E_PROTOCOL, 16},
    {"unknown flag", HEAD("1A") "04000000", BSN_E_PROTOCOL, 16},
    {"no room for the checksum", HEAD("17") "01000000", BSN_E_PROTOCOL, 20},
    {"no section", HEAD("14") "00000000", BSN_E_PROTOCOL, 20},
    {"sequence", HEAD("1A") "00000000 01", BSN_E_PROTOCOL, 20},
    {"section kind 2", HEAD("1A") "00000000 02", BSN_E_PROTOCOL, 20},
    {"no room for the body", HEAD("18") "00000000 00", BSN_E_PROTOCOL, 21},
    {"body of length 4", HEAD("1A") "00000000 00 04000000", BSN_E_PROTOCOL, 21},
    {"body of length -5", HEAD("1A") "00000000 00 FBFFFFFF", BSN_E_PROTOCOL, 21},
    {"body past the message", HEAD("1A") "00000000 00 06000000", BSN_E_PROTOCOL, 21},
    {"body before the message's end", HEAD("1B") "00000000 00 05000000 00 05", BSN_E_PROTOCOL, 26},
    {"two bodies", HEAD("20") "00000000 00 05000000 00 00", BSN_E_PROTOCOL, 26},
    {"body without its end", HEAD("1A") "00000000 00 05000000 01", BSN_E_TERMINATOR, 25},
    {"wrong checksum", HEAD("1E") "01000000 00 05000000 00 00000000", BSN_E_CHECKSUM, 26},
    {"type 20", HEAD("1E") "00000000 00 09000000 20", BSN_E_TYPE, 25},
    {"type 00", HEAD("1E") "00000000 00 09000000 00", BSN_E_TYPE, 25},
    {"key into the end", HEAD("1E") "00000000 00 09000000 0A 616263", BSN_E_CSTRING, 29},
    {"key at the end", HEAD("1B") "00000000 00 06000000 0A", BSN_E_CSTRING, 26},
    {"regex into the end", HEAD("21") "00000000 00 0C000000 0B 6100 610061", BSN_E_CSTRING, 32},
    {"int32 cut short", HEAD("1F") "00000000 00 0A000000 10 6100", BSN_E_SHORT, 28},
    {"string without a length", HEAD("1F") "00000000 00 0A000000 02 6100", BSN_E_SHORT, 28},
    {"string of length 0", HEAD("22") "00000000 00 0D000000 02 6100 00000000", BSN_E_LENGTH, 28},
    {"string past the end", HEAD("22") "00000000 00 0D000000 02 6100 02000000", BSN_E_LENGTH, 28},
    {"string without its end", HEAD("22") "00000000 00 0D000000 02 6100 01000000 01",
     BSN_E_TERMINATOR, 32},
    {"document of length 4", HEAD("22") "00000000 00 0D000000 03 6100 04000000", BSN_E_LENGTH, 28},
    {"document past the end", HEAD("22") "00000000 00 0D000000 03 6100 06000000", BSN_E_LENGTH, 28},
    {"document without its end", HEAD("22") "00000000 00 0D000000 03 6100 05000000 01",
     BSN_E_TERMINATOR, 32},
    {"binary cut short", HEAD("21") "00000000 00 0C000000 05 6100 00000000", BSN_E_SHORT, 28},
    {"binary past the end", HEAD("22") "00000000 00 0D000000 05 6100 01000000", BSN_E_LENGTH, 28},
    {"binary of length -1", HEAD("22") "00000000 00 0D000000 05 6100 FFFFFFFF", BSN_E_LENGTH, 28},
    {"boolean 2", HEAD("1E") "00000000 00 09000000 08 6100 02", BSN_E_BOOLEAN, 28},
    {"pointer cut short", HEAD("22") "00000000 00 0D000000 0C 6100 01000000", BSN_E_SHORT, 28},
    {"scope of 13", HEAD("2B") "00000000 00 16000000 0F 6100 0D000000", BSN_E_LENGTH, 28},
    {"cursor is a number", HEAD("26") "00000000 00 11000000 10 637572736F7200", BSN_E_PROTOCOL, 33},
    {"cursor past the body", HEAD("27") CURSOR_START("12", "06"), BSN_E_LENGTH, 33},
    {"batch is a document", HEAD("3A") CURSOR_START("25", "18") "03 66697273744261746368 00",
     BSN_E_PROTOCOL, 49},
    {"batch of a number",
     HEAD("3D") CURSOR_START("28", "1B") "04 66697273744261746368 00 08000000 10", BSN_E_PROTOCOL,
     53},
    {"id is a string", HEAD("3A") CURSOR_START("25", "18") "02 696400", BSN_E_PROTOCOL, 41},
    {"id is half a number", HEAD("3A") CURSOR_START("25", "18") "01 696400 000000000000E03F",
     BSN_E_PROTOCOL, 41},
    {"id is not a number", HEAD("3A") CURSOR_START("25", "18") "01 696400 000000000000F87F",
     BSN_E_PROTOCOL, 41},
    {"id is 2^63", HEAD("3A") CURSOR_START("25", "18") "01 696400 000000000000E043", BSN_E_PROTOCOL,
     41},
    {"two ids", HEAD("3A") CURSOR_START("25", "18") "10 696400 00000000 10 696400 00000000",
     BSN_E_PROTOCOL, 49},
    {"ns is a number", HEAD("3A") CURSOR_START("25", "18") "10 6E7300", BSN_E_PROTOCOL, 41},
    {"ns without its end", HEAD("3A") CURSOR_START("25", "18") "02 6E7300 02000000 6161",
     BSN_E_TERMINATOR, 46},
    {"write errors in a document", HEAD("2C") "00000000 00 17000000 03 " WRITE_ERRORS "05000000 00",
     BSN_E_PROTOCOL, 38},
    {"write errors of a number",
     HEAD("33") "00000000 00 1E000000 04 " WRITE_ERRORS "0C000000 10 3000 00000000 00",
     BSN_E_PROTOCOL, 42},
    {"write error past its list",
     HEAD("34") "00000000 00 1F000000 04 " WRITE_ERRORS "0D000000 03 3000 06000000", BSN_E_LENGTH,
     45},
    {"two lists of write errors",
     HEAD("3E") "00000000 00 29000000 04 " WRITE_ERRORS "05000000 00 04 " WRITE_ERRORS
                "05000000 00",
     BSN_E_PROTOCOL, 56},
    {"two cursors",
     HEAD("4A") "00000000 00 35000000 03 637572736F7200 05000000 00 03 637572736F7200 05000000 00",
     BSN_E_PROTOCOL, 46},
};

START_TEST(fault_is_found_at_its_byte_at_every_cut)
{
    const fault_row *row = &fault_rows[_i];
    build b = {.len = 0};
    static walk expected, w;
    build_hex(&b, row->hex);
    /* What the row leaves out never mattered: it may be anything. */
    while (b.len < 128) build_u8(&b, 0xEE);
    walk_message(build_view(&b), &whole, &expected);
    ck_assert_msg(expected.event == BSN_ENVELOPE_FAULT && expected.status == row->status &&
                      expected.offset == row->offset,
                  "%s: event %d, status %d at %u", row->name, (int)expected.event,
                  (int)expected.status, (unsigned)expected.offset);
    for (size_t cut = 1; cut < b.len; cut++) {
        walk_how how = whole;
        how.first = cut;
        walk_message(build_view(&b), &how, &w);
        check_same(&expected, &w, row->name, cut);
        how.first = 0;
        how.chunk = cut;
        walk_message(build_view(&b), &how, &w);
        check_same(&expected, &w, row->name, cut);
    }
}
END_TEST

/* The batch, with its third document changed: the two before it are handed out all the same. */
static void check_third_document(size_t place, uint8_t value, bsn_status status, size_t offset)
{
    build b = {.len = 0};
    static walk w;
    walk_how how = whole;
    usual(&b);
    const size_t documents = 53; /* offset of the first element of the batch: 16+4+1+4+8+4+12+4 */
    const size_t third = documents + 2 * 15 + 3;
    b.bytes[third + place] = value;
    for (how.chunk = 1; how.chunk < 90; how.chunk++) {
        walk_message(build_view(&b), &how, &w);
        ck_assert_int_eq(w.event, BSN_ENVELOPE_FAULT);
        ck_assert_int_eq(w.status, status);
        ck_assert_uint_eq(w.offset, third + offset);
        ck_assert_uint_eq(w.count, 2);
    }
}

START_TEST(fault_in_a_document_comes_after_those_before_it)
{
    check_third_document(0, 4, BSN_E_LENGTH, 0);    /* length below 5 */
    check_third_document(1, 0x7F, BSN_E_LENGTH, 0); /* past the batch */
    check_third_document(3, 0x80, BSN_E_LENGTH, 0); /* negative */
    check_third_document(11, 1, BSN_E_TERMINATOR, 11);
    check_third_document(0, 8, BSN_E_TERMINATOR, 7);
}
END_TEST

START_TEST(wrong_checksum_comes_after_the_documents)
{
    build b = {.len = 0};
    static walk w;
    walk_how how = whole;
    checksummed(&b);
    b.bytes[b.len - 1] ^= 1;
    for (how.chunk = 1; how.chunk < 90; how.chunk++) {
        walk_message(build_view(&b), &how, &w);
        ck_assert_int_eq(w.event, BSN_ENVELOPE_FAULT);
        ck_assert_int_eq(w.status, BSN_E_CHECKSUM);
        ck_assert_uint_eq(w.offset, b.len - 4);
        ck_assert_uint_eq(w.count, 12);
    }
}
END_TEST

/* ------------------------------------------------------------------ limits */

START_TEST(sizes_are_measured_against_the_callers_limits)
{
    build b = {.len = 0};
    static walk w;
    walk_how how = whole;
    usual(&b);
    how.size_max = b.len;
    how.doc_size_max = 12;
    walk_message(build_view(&b), &how, &w);
    ck_assert_int_eq(w.event, BSN_ENVELOPE_END);
    how.size_max = b.len - 1;
    walk_message(build_view(&b), &how, &w);
    ck_assert_int_eq(w.status, BSN_E_PROTOCOL);
    ck_assert_uint_eq(w.offset, 0);
    how.size_max = b.len;
    how.doc_size_max = 11;
    walk_message(build_view(&b), &how, &w);
    ck_assert_int_eq(w.status, BSN_E_LIMIT);
    ck_assert_uint_eq(w.offset, 56);
}
END_TEST

START_TEST(any_response_is_taken_when_asked_for)
{
    build b = {.len = 0};
    static walk w;
    walk_how how = whole;
    usual(&b);
    build_set(&b, 8, -1);
    how.any_response_to = true;
    walk_message(build_view(&b), &how, &w);
    ck_assert_int_eq(w.event, BSN_ENVELOPE_END);
}
END_TEST

/* A document larger than what is there: the walker says how much it needs, and no more than the document. */
START_TEST(need_is_the_documents_size)
{
    build b = {.len = 0};
    bsn_envelope env;
    const bsn_envelope_options options = {.response_to = 7};
    bsn_doc doc;
    usual(&b);
    bsn_envelope_init(&env, &options);
    bsn_bytes src = {b.bytes, 60}; /* as far as the first document's length field */
    ck_assert_int_eq(bsn_envelope_next(&env, &src, &doc), BSN_ENVELOPE_MORE);
    ck_assert_ptr_eq(src.ptr, b.bytes + 56);
    ck_assert_uint_eq(bsn_envelope_need(&env), 12);
    src.len = 12;
    ck_assert_int_eq(bsn_envelope_next(&env, &src, &doc), BSN_ENVELOPE_DOC);
    ck_assert_ptr_eq(doc.ptr, b.bytes + 56);
    ck_assert_uint_eq(src.len, 0);
}
END_TEST

START_TEST(longest_namespace_fits_and_a_longer_one_is_refused)
{
    for (size_t len = BSN_NS_MAX; len <= BSN_NS_MAX + 1; len++) {
        build b = {.len = 0};
        static walk w;
        char ns[BSN_NS_MAX + 2];
        size_t body;
        walk_how how = whole;
        const size_t message = begin_message(&b, 0, &body);
        memset(ns, 'n', len);
        ns[len] = 0;
        build_element(&b, 0x03, "cursor");
        const size_t cursor = build_open(&b);
        build_ns(&b, ns);
        build_close(&b, cursor);
        end_message(&b, message, body);
        for (how.chunk = 1; how.chunk < 400; how.chunk += 57) {
            walk_message(build_view(&b), &how, &w);
            if (len == BSN_NS_MAX) {
                ck_assert_int_eq(w.event, BSN_ENVELOPE_END);
                ck_assert_str_eq(w.ns, ns);
            } else {
                ck_assert_int_eq(w.status, BSN_E_PROTOCOL);
            }
        }
    }
}
END_TEST

/* ------------------------------------------------------------------ the reply's own fields */

START_TEST(own_fields_are_collected_without_the_cursor)
{
    build b = {.len = 0}, expected = {.len = 0};
    static walk w;
    batch_last(&b);
    const size_t doc = build_open(&expected);
    build_element(&expected, 0x10, "ok");
    build_i32(&expected, 1);
    build_element(&expected, 0x03, "$clusterTime");
    build_number_document(&expected, 5);
    build_close(&expected, doc);
    walk_message(build_view(&b), &whole, &w);
    ck_assert_uint_eq(w.reply_len, expected.len);
    ck_assert_mem_eq(w.reply, expected.bytes, expected.len);
}
END_TEST

START_TEST(write_errors_are_handed_out_or_collected)
{
    build b = {.len = 0}, expected = {.len = 0};
    static walk w;
    bsn_iter it;
    write_errors(&b);
    const size_t doc = build_open(&expected);
    build_element(&expected, 0x10, "n");
    build_i32(&expected, 2);
    build_element(&expected, 0x03, "opTime");
    build_number_document(&expected, 5);
    build_ok(&expected, 1.0);
    build_close(&expected, doc);
    walk_message(build_view(&b), &whole, &w);
    ck_assert(w.has_write_errors && !w.partial);
    ck_assert_uint_eq(w.errors, 2);
    ck_assert_uint_eq(w.reply_len, expected.len);
    ck_assert_mem_eq(w.reply, expected.bytes, expected.len);

    walk_how how = whole;
    how.write_errors = false;
    walk_message(build_view(&b), &how, &w);
    ck_assert(!w.has_write_errors);
    ck_assert_uint_eq(w.count, 0);
    const bsn_doc reply = {w.reply, w.reply_len};
    ck_assert_int_eq(bsn_find(reply, BSN_STR("writeErrors"), &it, NULL), BSN_OK);
}
END_TEST

/* However long the list, what tells how many were written is not pushed out. */
START_TEST(write_concern_error_finds_room_behind_noise)
{
    build b = {.len = 0};
    static walk w;
    walk_how how = whole;
    bsn_iter it;
    size_t body;
    const size_t message = begin_message(&b, 0, &body);
    build_element(&b, 0x05, "noise");
    build_i32(&b, 100);
    for (size_t i = 0; i < 101; i++) build_u8(&b, 0);
    build_element(&b, 0x10, "n");
    build_i32(&b, 2);
    build_element(&b, 0x03, "writeConcernError");
    build_number_document(&b, 64);
    build_element(&b, 0x03, "writeConcernErrors"); /* another key: no room for it */
    build_number_document(&b, 64);
    build_ok(&b, 1.0);
    end_message(&b, message, body);
    how.storage = 240;
    walk_message(build_view(&b), &how, &w);
    const bsn_doc reply = {w.reply, w.reply_len};
    ck_assert(w.partial);
    ck_assert_int_eq(bsn_find(reply, BSN_STR("noise"), &it, NULL), BSN_OK);
    ck_assert_int_eq(bsn_find(reply, BSN_STR("n"), &it, NULL), BSN_OK);
    ck_assert_int_eq(bsn_find(reply, BSN_STR("writeConcernError"), &it, NULL), BSN_OK);
    ck_assert_int_eq(bsn_find(reply, BSN_STR("writeConcernErrors"), &it, NULL), BSN_E_NOT_FOUND);
}
END_TEST

START_TEST(without_storage_nothing_is_collected)
{
    build b = {.len = 0};
    static walk w;
    walk_how how = whole;
    server_error(&b);
    for (how.storage = 0; how.storage < 64; how.storage += 63) {
        walk_message(build_view(&b), &how, &w);
        ck_assert_int_eq(w.event, BSN_ENVELOPE_END);
        ck_assert(!w.has_reply);
        ck_assert_int_eq(w.code, 43);
    }
}
END_TEST

/* {noise, errmsg, code, ok}: text of errmsg is `len` bytes of "é", cut in the middle of none. */
static void error_behind_noise(build *b, size_t noise, size_t len)
{
    static char text[BUILD_MAX];
    size_t body;
    const size_t message = begin_message(b, 0, &body);
    build_element(b, 0x05, "noise");
    build_i32(b, (int32_t)noise);
    build_u8(b, 0);
    for (size_t i = 0; i < noise; i++) build_u8(b, 0xEE);
    for (size_t i = 0; i < len; i++) text[i] = i % 2 == 0 ? '\xC3' : '\xA9';
    text[len] = 0;
    build_element(b, 0x10, "code");
    build_i32(b, 13);
    build_element(b, 0x02, "errmsg");
    build_string(b, text);
    build_ok(b, 0.0);
    end_message(b, message, body);
}

START_TEST(error_text_finds_room_whatever_stands_before_it)
{
    static walk expected, w;
    for (size_t storage = 64; storage < 400; storage += 7) {
        for (size_t noise = 0; noise < 300; noise += 59) {
            build b = {.len = 0};
            walk_how how = whole;
            bsn_iter it;
            how.storage = storage;
            error_behind_noise(&b, noise, 600);
            walk_message(build_view(&b), &how, &expected);
            ck_assert_int_eq(expected.event, BSN_ENVELOPE_END);
            ck_assert(expected.has_reply && expected.partial);
            ck_assert_uint_le(expected.reply_len, storage);
            const bsn_bytes span = {expected.reply, expected.reply_len};
            bsn_doc reply;
            ck_assert_int_eq(bsn_doc_open(span, &reply, NULL), BSN_OK);
            bsn_iter_init(&it, reply);
            size_t seen = 0;
            while (bsn_iter_next(&it)) {
                if (!bsn_iter_key_is(&it, BSN_STR("errmsg"))) continue;
                const bsn_value value = bsn_iter_value(&it);
                seen = value.as.str.len;
                ck_assert_uint_eq(seen % 2, 0); /* no half of a letter */
            }
            ck_assert_int_eq(bsn_iter_error(&it, NULL), BSN_OK);
            /* A quarter of the storage at least: half is reserved, code and the key take some. */
            ck_assert_uint_ge(seen + 40, storage / 2);
            how.chunk = 5 + noise % 7;
            walk_message(build_view(&b), &how, &w);
            check_same(&expected, &w, "error behind noise", storage);
        }
    }
}
END_TEST

START_TEST(field_that_does_not_fit_is_left_out_whole)
{
    build b = {.len = 0};
    static walk w;
    walk_how how = whole;
    bsn_iter it;
    error_behind_noise(&b, 1000, 10);
    how.storage = 512;
    for (how.chunk = 1; how.chunk < 100; how.chunk += 9) {
        walk_message(build_view(&b), &how, &w);
        const bsn_doc reply = {w.reply, w.reply_len};
        ck_assert(w.partial);
        ck_assert_int_eq(bsn_find(reply, BSN_STR("noise"), &it, NULL), BSN_E_NOT_FOUND);
        ck_assert_int_eq(bsn_find(reply, BSN_STR("errmsg"), &it, NULL), BSN_OK);
        ck_assert_int_eq(bsn_find(reply, BSN_STR("ok"), &it, NULL), BSN_OK);
    }
}
END_TEST

typedef struct truth_row {
    const char *element; /* of `ok` */
    bool ok;
} truth_row;

static const truth_row truth_rows[] = {
    {"01 6F6B00 000000000000F03F", true},
    {"01 6F6B00 0000000000000000", false},
    {"10 6F6B00 01000000", true},
    {"10 6F6B00 00000000", false},
    {"12 6F6B00 0100000000000000", true},
    {"12 6F6B00 0000000000000000", false},
    {"08 6F6B00 01", true},
    {"08 6F6B00 00", false},
    {"0A 6F6B00", false},
    {"02 6F6B00 02000000 3100", false},
    {"10 6F6C00 01000000", false},
    {"10 6F6B00 00000000 10 6F6B00 01000000", false},
};

START_TEST(ok_is_true_in_every_type_that_servers_write)
{
    build b = {.len = 0};
    static walk w;
    size_t body;
    const size_t message = begin_message(&b, 0, &body);
    build_hex(&b, truth_rows[_i].element);
    end_message(&b, message, body);
    walk_message(build_view(&b), &whole, &w);
    ck_assert_int_eq(w.event, BSN_ENVELOPE_END);
    ck_assert_msg(w.ok == truth_rows[_i].ok, "%s", truth_rows[_i].element);
}
END_TEST

START_TEST(failure_flags_of_an_old_reply_overrule_ok)
{
    for (uint32_t flag = 1; flag <= 8; flag <<= 1) {
        build b = {.len = 0};
        static walk w;
        hello_reply(&b);
        build_set(&b, 16, (int32_t)flag);
        walk_message(build_view(&b), &whole, &w);
        ck_assert_int_eq(w.event, BSN_ENVELOPE_END);
        ck_assert(w.ok == (flag > 2));
    }
}
END_TEST

START_TEST(old_reply_of_no_or_two_documents_is_refused)
{
    for (int32_t count = -1; count <= 2; count++) {
        build b = {.len = 0};
        static walk w;
        hello_reply(&b);
        build_set(&b, 32, count);
        if (count == 1) { /* one said, bytes behind it */
            build_hex(&b, "0500000000");
            build_set(&b, 0, (int32_t)b.len);
        }
        walk_message(build_view(&b), &whole, &w);
        ck_assert_int_eq(w.event, BSN_ENVELOPE_FAULT);
        ck_assert_int_eq(w.status, BSN_E_PROTOCOL);
        ck_assert_uint_eq(w.offset, count == 1 ? b.len - 5 : 32);
    }
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))

Suite *envelope_suite(void)
{
    Suite *suite = suite_create("envelope");
    TCase *sound = tcase_create("sound");
    tcase_add_loop_test(sound, sound_reply_gives_its_documents_and_fields, 0, COUNT(samples));
    tcase_add_loop_test(sound, every_cut_in_two_gives_the_same, 0, COUNT(samples));
    tcase_add_loop_test(sound, pieces_of_every_size_give_the_same, 0, COUNT(samples));
    tcase_add_loop_test(sound, every_prefix_waits_for_more, 0, COUNT(samples));
    tcase_add_loop_test(sound, mutants_fail_or_pass_alike_at_every_cut, 0, COUNT(samples));
    tcase_set_timeout(sound, 60);
    suite_add_tcase(suite, sound);
    TCase *faults = tcase_create("faults");
    tcase_add_loop_test(faults, fault_is_found_at_its_byte_at_every_cut, 0, COUNT(fault_rows));
    tcase_add_test(faults, fault_in_a_document_comes_after_those_before_it);
    tcase_add_test(faults, wrong_checksum_comes_after_the_documents);
    suite_add_tcase(suite, faults);
    TCase *limits = tcase_create("limits");
    tcase_add_test(limits, sizes_are_measured_against_the_callers_limits);
    tcase_add_test(limits, any_response_is_taken_when_asked_for);
    tcase_add_test(limits, need_is_the_documents_size);
    tcase_add_test(limits, longest_namespace_fits_and_a_longer_one_is_refused);
    suite_add_tcase(suite, limits);
    TCase *fields = tcase_create("fields");
    tcase_add_test(fields, own_fields_are_collected_without_the_cursor);
    tcase_add_test(fields, write_errors_are_handed_out_or_collected);
    tcase_add_test(fields, write_concern_error_finds_room_behind_noise);
    tcase_add_test(fields, without_storage_nothing_is_collected);
    tcase_add_test(fields, error_text_finds_room_whatever_stands_before_it);
    tcase_add_test(fields, field_that_does_not_fit_is_left_out_whole);
    tcase_add_loop_test(fields, ok_is_true_in_every_type_that_servers_write, 0, COUNT(truth_rows));
    tcase_add_test(fields, failure_flags_of_an_old_reply_overrule_ok);
    tcase_add_test(fields, old_reply_of_no_or_two_documents_is_refused);
    suite_add_tcase(suite, fields);
    return suite;
}
