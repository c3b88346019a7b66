/* SPDX-License-Identifier: Apache-2.0
 *
 * rows_append.c -- documents built element by element, out of a list of them that is made once, so that both sides only append.
 *
 * With one buffer that is used again for every document, by key and, for us, by keys that were made once; and as a stream of
 * documents, ours into blocks of a pool, libbson's each into a bson_t of its own. libbson gets the keys of array items ready-made, which a caller would have to print first.
 */
#include "codec/rows.h"

#include <bson/bson.h>

#include <stdlib.h>

/* What an operation does besides appending an element of its type. No types have these numbers. */
enum { OP_END = 0x00, OP_DONE = 0xFE };

/* One call of a writer. 24 bytes, so that the list is not what the memory is busy with. */
typedef struct append_op {
    const char *key;
    union {
        double f64;
        int64_t i64;
        const uint8_t *ptr; /* text, binary, ObjectId */
    } as;
    uint32_t len; /* text, binary */
    uint16_t key_len;
    uint8_t type;
    uint8_t subtype;
} append_op;

enum { KEY_COUNT_MAX = 64 };

typedef struct append_work {
    bsn_key keys[KEY_COUNT_MAX]; /* what the operations' keys point into, if they are made once */
    size_t key_count;
    append_op *ops;           /* of all documents; OP_DONE ends each */
    const append_op **starts; /* of each document */
    bsn_buf buf;
    bsn_out out; /* to buf */
    bsn_pool pool;
    bsn_out pooled;
    bson_t reused;
} append_work;

/* ------------------------------------------------------------------ the list */

static void set_value(const bench_set *set, append_op *op, const bsn_iter *it)
{
    const bsn_value value = bsn_iter_value(it);
    switch (value.type) {
    case BSN_TYPE_DOUBLE: op->as.f64 = value.as.f64; break;
    case BSN_TYPE_STRING:
        op->as.ptr = (const uint8_t *)value.as.str.ptr;
        op->len = (uint32_t)value.as.str.len;
        break;
    case BSN_TYPE_BINARY:
        op->as.ptr = value.as.binary.ptr;
        op->len = (uint32_t)value.as.binary.len;
        op->subtype = value.subtype;
        break;
    case BSN_TYPE_OID: op->as.ptr = bsn_iter_raw(it).ptr; break;
    case BSN_TYPE_BOOLEAN: op->as.i64 = value.as.boolean; break;
    case BSN_TYPE_DATE: op->as.i64 = value.as.date; break;
    case BSN_TYPE_INT32: op->as.i64 = value.as.i32; break;
    case BSN_TYPE_INT64: op->as.i64 = value.as.i64; break;
    case BSN_TYPE_TIMESTAMP:
        op->as.i64 = (int64_t)value.as.timestamp.seconds << 32 | value.as.timestamp.increment;
        break;
    case BSN_TYPE_NULL:
    case BSN_TYPE_DOCUMENT:
    case BSN_TYPE_ARRAY: break;
    default: bench_fail(set, "append has no such type");
    }
}

static append_op element_op(const bench_set *set, const bsn_iter *it)
{
    const bsn_str key = bsn_iter_key(it);
    append_op op = {
        .key = key.ptr, .key_len = (uint16_t)key.len, .type = (uint8_t)bsn_iter_type(it)};
    if (key.len > UINT16_MAX) bench_fail(set, "append has no such long keys");
    set_value(set, &op, it);
    return op;
}

static append_op *list_document(const bench_set *set, bsn_doc doc, append_op *op)
{
    bench_walk walk;
    bench_event event;
    bench_walk_begin(&walk, doc);
    while ((event = bench_walk_next(&walk)) != BENCH_DONE)
        *op++ = event == BENCH_ELEMENT ? element_op(set, walk.it) : (append_op){.type = OP_END};
    *op++ = (append_op){.type = OP_DONE};
    return op;
}

/* ------------------------------------------------------------------ ours */

static bsn_str op_key(const append_op *op)
{
    return (bsn_str){op->key, op->key_len};
}

static void append_ours(bsn_writer *w, const append_op *op)
{
    bsn_oid oid;
    switch (op->type) {
    case OP_END: bsn_writer_end(w); break;
    case BSN_TYPE_DOUBLE: bsn_writer_double(w, op_key(op), op->as.f64); break;
    case BSN_TYPE_STRING:
        bsn_writer_string(w, op_key(op), (bsn_str){(const char *)op->as.ptr, op->len});
        break;
    case BSN_TYPE_DOCUMENT: bsn_writer_begin_document(w, op_key(op)); break;
    case BSN_TYPE_ARRAY: bsn_writer_begin_array(w, op_key(op)); break;
    case BSN_TYPE_BINARY:
        bsn_writer_binary(w, op_key(op), op->subtype, (bsn_bytes){op->as.ptr, op->len});
        break;
    case BSN_TYPE_OID:
        memcpy(&oid, op->as.ptr, sizeof oid);
        bsn_writer_oid(w, op_key(op), &oid);
        break;
    case BSN_TYPE_BOOLEAN: bsn_writer_boolean(w, op_key(op), op->as.i64 != 0); break;
    case BSN_TYPE_DATE: bsn_writer_date(w, op_key(op), op->as.i64); break;
    case BSN_TYPE_NULL: bsn_writer_null(w, op_key(op)); break;
    case BSN_TYPE_INT32: bsn_writer_int32(w, op_key(op), (int32_t)op->as.i64); break;
    case BSN_TYPE_TIMESTAMP: {
        const uint64_t bits = (uint64_t)op->as.i64;
        bsn_writer_timestamp(w, op_key(op),
                             (bsn_timestamp){(uint32_t)(bits >> 32), (uint32_t)bits});
        break;
    }
    default: bsn_writer_int64(w, op_key(op), op->as.i64); break;
    }
}

static const append_op *document_ours(bsn_writer *w, const append_op *op)
{
    bsn_writer_begin(w);
    for (; op->type != OP_DONE; op++) append_ours(w, op);
    bsn_writer_end(w);
    return op + 1;
}

/* The same by keys made once. */
static void put_ours(bsn_writer *w, const append_op *op)
{
    const bsn_key *key = (const bsn_key *)(const void *)op->key; /* whose text comes first */
    switch (op->type) {
    case BSN_TYPE_DOUBLE: bsn_put_double(w, key, op->as.f64); break;
    case BSN_TYPE_STRING:
        bsn_put_string(w, key, (bsn_str){(const char *)op->as.ptr, op->len});
        break;
    case BSN_TYPE_BOOLEAN: bsn_put_boolean(w, key, op->as.i64 != 0); break;
    case BSN_TYPE_DATE: bsn_put_date(w, key, op->as.i64); break;
    case BSN_TYPE_NULL: bsn_put_null(w, key); break;
    case BSN_TYPE_INT32: bsn_put_int32(w, key, (int32_t)op->as.i64); break;
    case BSN_TYPE_INT64: bsn_put_int64(w, key, op->as.i64); break;
    default: append_ours(w, op); break;
    }
}

static const append_op *document_by_keys(bsn_writer *w, const append_op *op)
{
    bsn_writer_begin(w);
    for (; op->type != OP_DONE; op++) put_ours(w, op);
    bsn_writer_end(w);
    return op + 1;
}

/* Builds each document, and compares it with the set's if asked. */
static inline uint64_t build_by(const append_op *(*document)(bsn_writer *, const append_op *),
                                const bench_set *set, bool compare)
{
    append_work *work = set->prepared;
    const append_op *op = work->starts[set->first];
    bsn_writer w;
    uint64_t sum = 0;
    bsn_writer_init(&w, &work->out);
    for (size_t i = 0; i < set->count; i++) {
        bsn_doc doc;
        bsn_out_clear(&work->out);
        op = document(&w, op);
        if (bsn_writer_doc(&w, &doc) != BSN_OK) return 0;
        sum += doc.len + doc.ptr[doc.len / 2];
        if (compare &&
            (doc.len != set->docs[i].len || memcmp(doc.ptr, set->docs[i].ptr, doc.len) != 0)) {
            bench_fail(set, "our writer made another document");
        }
    }
    return sum;
}

static uint64_t run_append_ours(void *ctx)
{
    return build_by(document_ours, ctx, false);
}

static uint64_t run_put_ours(void *ctx)
{
    return build_by(document_by_keys, ctx, false);
}

/* Blocks are handed on once half of one is full, as a stream does. */
static uint64_t run_pooled_ours(void *ctx)
{
    const bench_set *set = ctx;
    append_work *work = set->prepared;
    const append_op *op = work->starts[set->first];
    bsn_writer w;
    bsn_out_clear(&work->pooled);
    bsn_writer_init(&w, &work->pooled);
    for (size_t i = 0; i < set->count; i++) {
        op = document_ours(&w, op);
        if (bsn_out_unsent(&work->pooled) >= (size_t)32 * 1024)
            bsn_out_sent(&work->pooled, bsn_out_unsent(&work->pooled));
    }
    return bsn_writer_status(&w) == BSN_OK ? bsn_out_len(&work->pooled) : 0;
}

/* The whole stream, unsent, is the set's bytes. */
static void check_pooled(bench_set *set)
{
    append_work *work = set->prepared;
    const append_op *op = work->starts[set->first];
    const uint8_t *expected = set->bytes.ptr;
    bsn_writer w;
    bsn_iovec iov;
    bsn_writer_init(&w, &work->pooled);
    for (size_t i = 0; i < set->count; i++) op = document_ours(&w, op);
    if (bsn_out_unsent(&work->pooled) != set->bytes.len)
        bench_fail(set, "our stream has another length");
    while (bsn_out_iovecs(&work->pooled, &iov, 1) == 1) {
        if (memcmp(iov.ptr, expected, iov.len) != 0) bench_fail(set, "our stream differs");
        expected += iov.len;
        bsn_out_sent(&work->pooled, iov.len);
    }
}

/* ------------------------------------------------------------------ libbson */

static bool append_libbson(bson_t *to, const append_op *op)
{
    const char *key = op->key;
    const int len = op->key_len;
    bson_oid_t oid;
    switch (op->type) {
    case BSN_TYPE_DOUBLE: return bson_append_double(to, key, len, op->as.f64);
    case BSN_TYPE_STRING:
        return bson_append_utf8(to, key, len, (const char *)op->as.ptr, (int)op->len);
    case BSN_TYPE_BINARY:
        return bson_append_binary(to, key, len, (bson_subtype_t)op->subtype, op->as.ptr, op->len);
    case BSN_TYPE_OID:
        memcpy(&oid, op->as.ptr, sizeof oid);
        return bson_append_oid(to, key, len, &oid);
    case BSN_TYPE_BOOLEAN: return bson_append_bool(to, key, len, op->as.i64 != 0);
    case BSN_TYPE_DATE: return bson_append_date_time(to, key, len, op->as.i64);
    case BSN_TYPE_NULL: return bson_append_null(to, key, len);
    case BSN_TYPE_INT32: return bson_append_int32(to, key, len, (int32_t)op->as.i64);
    case BSN_TYPE_TIMESTAMP: {
        const uint64_t bits = (uint64_t)op->as.i64;
        return bson_append_timestamp(to, key, len, (uint32_t)(bits >> 32), (uint32_t)bits);
    }
    default: return bson_append_int64(to, key, len, op->as.i64);
    }
}

/* Returns the operation behind the document; NULL: something was refused. */
static const append_op *document_libbson(bson_t *document, const append_op *op)
{
    bson_t children[BENCH_NEST_MAX];
    bson_t *open[BENCH_NEST_MAX + 1] = {document};
    size_t depth = 0;
    for (; op->type != OP_DONE; op++) {
        bson_t *to = open[depth];
        bool sound;
        if (op->type == OP_END) {
            depth--;
            sound = bson_append_document_end(open[depth], to); /* arrays end alike */
        } else if (op->type == BSN_TYPE_DOCUMENT || op->type == BSN_TYPE_ARRAY) {
            bson_t *child = &children[depth++];
            open[depth] = child;
            sound = op->type == BSN_TYPE_ARRAY
                        ? bson_append_array_begin(to, op->key, op->key_len, child)
                        : bson_append_document_begin(to, op->key, op->key_len, child);
        } else {
            sound = append_libbson(to, op);
        }
        if (!sound) return NULL;
    }
    return op + 1;
}

static uint64_t build_libbson(const bench_set *set, bool compare)
{
    append_work *work = set->prepared;
    const append_op *op = work->starts[set->first];
    uint64_t sum = 0;
    for (size_t i = 0; i < set->count; i++) {
        bson_reinit(&work->reused);
        op = document_libbson(&work->reused, op);
        if (op == NULL) return 0;
        const uint8_t *made = bson_get_data(&work->reused);
        const size_t len = work->reused.len;
        sum += len + made[len / 2];
        if (compare && (len != set->docs[i].len || memcmp(made, set->docs[i].ptr, len) != 0))
            bench_fail(set, "libbson made another document");
    }
    return sum;
}

static uint64_t run_append_libbson(void *ctx)
{
    return build_libbson(ctx, false);
}

static uint64_t run_fresh_libbson(void *ctx)
{
    const bench_set *set = ctx;
    const append_work *work = set->prepared;
    const append_op *op = work->starts[set->first];
    uint64_t sum = 0;
    for (size_t i = 0; i < set->count; i++) {
        bson_t document;
        bson_init(&document);
        op = document_libbson(&document, op);
        if (op == NULL) return 0;
        sum += document.len;
        bson_destroy(&document);
    }
    return sum;
}

/* ------------------------------------------------------------------ jobs */

static size_t prepare_append(bench_set *set, size_t *bytes)
{
    /* bson_t asks for more alignment than calloc gives. */
    append_work *work = aligned_alloc(128, (sizeof *work + 127) / 128 * 128);
    if (work == NULL) bench_fail(set, "no memory");
    work->key_count = 0;
    work->ops = bench_alloc(set->elements * 2 + set->count, sizeof *work->ops);
    work->starts = bench_alloc(set->count, sizeof *work->starts);
    append_op *end = work->ops;
    for (size_t i = 0; i < set->count; i++) {
        work->starts[i] = end;
        end = list_document(set, set->docs[i], end);
    }
    bsn_buf_init(&work->buf, NULL);
    bsn_out_init_buf(&work->out, &work->buf);
    bsn_pool_init(&work->pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&work->pooled, &work->pool, 64 * 1024);
    bson_init(&work->reused);
    set->prepared = work;
    if (build_by(document_ours, set, true) == 0 || build_libbson(set, true) == 0)
        bench_fail(set, "an append was refused");
    check_pooled(set);
    *bytes = set->bytes.len;
    return set->elements;
}

/* The key made of `text`, by now or before. */
static const bsn_key *made_key(const bench_set *set, append_work *work, bsn_str text)
{
    for (size_t i = 0; i < work->key_count; i++) {
        if (bsn_str_equal(bsn_key_str(&work->keys[i]), text)) return &work->keys[i];
    }
    bsn_key *key = &work->keys[work->key_count++];
    if (work->key_count > KEY_COUNT_MAX || bsn_key_make(text, key) != BSN_OK)
        bench_fail(set, "a key cannot be made");
    return key;
}

static size_t prepare_put(bench_set *set, size_t *bytes)
{
    const size_t units = prepare_append(set, bytes);
    append_work *work = set->prepared;
    append_op *op = work->ops;
    for (size_t left = set->count; left > 0; op++) {
        if (op->type == OP_DONE) left--;
        if (op->key != NULL) op->key = bsn_key_str(made_key(set, work, op_key(op))).ptr;
    }
    if (build_by(document_by_keys, set, true) == 0) bench_fail(set, "an append by key was refused");
    return units;
}

static void free_append(bench_set *set)
{
    append_work *work = set->prepared;
    bson_destroy(&work->reused);
    bsn_out_free(&work->pooled);
    bsn_pool_free(&work->pool);
    bsn_out_free(&work->out);
    bsn_buf_free(&work->buf);
    free(work->starts);
    free(work->ops);
    free(work);
}

const bench_job bench_append = {.name = "append",
                                .prepare = prepare_append,
                                .release = free_append,
                                .ours = run_append_ours,
                                .theirs = run_append_libbson};
const bench_job bench_append_keys = {.name = "append keys",
                                     .prepare = prepare_put,
                                     .release = free_append,
                                     .ours = run_put_ours,
                                     .theirs = run_append_libbson};
const bench_job bench_append_pooled = {.name = "append pooled",
                                       .prepare = prepare_append,
                                       .release = free_append,
                                       .ours = run_pooled_ours,
                                       .theirs = run_fresh_libbson};
