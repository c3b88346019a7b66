/* SPDX-License-Identifier: Apache-2.0
 *
 * test_refused_codec.c -- memory refused at each request, through every entry point of libbsonic that takes a bsn_alloc.
 */
#include "suites.h"
#include "support/heap_doc.h"
#include "support/refusals.h"

#include <bsonic/bsonic.h>

#include <stdlib.h>

static const uint8_t kept_bytes[] = {12, 0, 0, 0, 0x10, 'n', 0, 7, 0, 0, 0, 0}; /* {n: 7} */
static const bsn_doc kept = {kept_bytes, sizeof kept_bytes};
static uint8_t large[2 * BSN_OUT_REF_MIN];

/* ------------------------------------------------------------------ mem.h */

static bsn_status fill_a_buffer(const bsn_alloc *alloc)
{
    bsn_buf buf;
    bsn_status status = BSN_OK;
    bsn_buf_init(&buf, alloc);
    for (size_t i = 0; i < 40 && status == BSN_OK; i++) {
        const bsn_bytes piece = {large, 100 + i};
        const size_t len = buf.len, cap = buf.cap;
        status = i % 2 == 0 ? bsn_buf_append(&buf, piece) : bsn_buf_reserve(&buf, 200);
        if (status == BSN_OK) continue;
        ck_assert_uint_eq(buf.len, len); /* as it was */
        ck_assert_uint_eq(buf.cap, cap);
    }
    bsn_buf_free(&buf);
    return status;
}

static bsn_status take_from_an_arena(const bsn_alloc *alloc)
{
    bsn_arena arena;
    bsn_status status = BSN_OK;
    bsn_arena_init(&arena, alloc, 64);
    const bsn_arena_mark mark = bsn_arena_get_mark(&arena);
    for (size_t i = 0; i < 20 && status == BSN_OK; i++) {
        const bsn_bytes piece = {large, 30 * i};
        const bsn_bytes copy = bsn_arena_copy(&arena, piece);
        uint8_t *taken = bsn_arena_take(&arena, 10 * i + 1);
        if (copy.ptr == NULL || taken == NULL) status = BSN_E_NOMEM;
        if (taken != NULL) memset(taken, 1, 10 * i + 1);
        if (i == 10) bsn_arena_reset(&arena, mark);
    }
    bsn_arena_reset(&arena, mark);
    bsn_arena_free(&arena);
    return status;
}

static bsn_status take_from_a_pool(const bsn_alloc *alloc)
{
    bsn_pool pool;
    bsn_block blocks[6] = {{NULL, 0}};
    bsn_pool_init(&pool, alloc, SIZE_MAX);
    bsn_status status = bsn_pool_prealloc(&pool, 2000, 2);
    for (size_t i = 0; i < 6 && status == BSN_OK; i++) {
        status = bsn_pool_take(&pool, 1500 * i + 1, &blocks[i]);
        if (status == BSN_OK) memset(blocks[i].ptr, 1, blocks[i].size);
    }
    for (size_t i = 0; i < 6; i++) bsn_pool_give(&pool, &blocks[i]);
    ck_assert_uint_eq(bsn_pool_get_stats(&pool).bytes_taken, 0);
    bsn_pool_free(&pool);
    return status;
}

/* ------------------------------------------------------------------ what writes to a bsn_out */

/* Writes to *out; the status it ends with. */
typedef bsn_status (*out_work)(bsn_out *out, const bsn_alloc *alloc);

static bool all_of_it(const bsn_out *out, uint64_t len)
{
    return bsn_out_status(out) != BSN_OK || bsn_out_len(out) == len;
}

/* A document, then the work. After a failure a rollback leaves the document; after a clear the output works again. */
static bsn_status work_behind_a_document(bsn_out *out, const bsn_alloc *alloc, out_work work)
{
    bsn_out_append(out, kept.ptr, kept.len);
    if (bsn_out_status(out) != BSN_OK) return bsn_out_status(out);
    const bsn_out_mark mark = bsn_out_get_mark(out);
    const bsn_status status = work(out, alloc);
    if (status == BSN_OK) return status;
    bsn_iovec iov[4];
    bsn_out_rollback(out, mark);
    ck_assert_uint_eq(bsn_out_unsent(out), kept.len);
    ck_assert_uint_eq(bsn_out_iovecs(out, iov, 4), 1);
    ck_assert_uint_eq(iov[0].len, kept.len);
    ck_assert_mem_eq(iov[0].ptr, kept.ptr, kept.len);
    bsn_out_clear(out);
    ck_assert_int_eq(bsn_out_status(out), BSN_OK);
    ck_assert_uint_eq(bsn_out_len(out), 0);
    return status;
}

static bsn_status into_a_pool(const bsn_alloc *alloc, out_work work)
{
    bsn_pool pool;
    bsn_out out;
    bsn_pool_init(&pool, alloc, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, BSN_POOL_SIZE_MIN);
    const bsn_status status = work_behind_a_document(&out, alloc, work);
    bsn_out_free(&out);
    bsn_pool_free(&pool);
    return status;
}

static bsn_status into_a_buffer(const bsn_alloc *alloc, out_work work)
{
    bsn_buf buf;
    bsn_out out;
    bsn_buf_init(&buf, alloc);
    bsn_out_init_buf(&out, &buf);
    const bsn_status status = work_behind_a_document(&out, alloc, work);
    bsn_out_free(&out);
    bsn_buf_free(&buf);
    return status;
}

static bsn_status fill_output(bsn_out *out, const bsn_alloc *alloc)
{
    (void)alloc;
    const uint64_t before = bsn_out_len(out);
    const bsn_bytes reference = {large, sizeof large};
    for (int i = 0; i < 12; i++) {
        const bsn_out_mark slot = bsn_out_slot_i32(out);
        bsn_out_append(out, large, 700);
        bsn_out_append_ref(out, reference);
        memset(bsn_out_reserve(out, 300), 'x', 300);
        bsn_out_advance(out, 300);
        bsn_out_patch_i32(out, slot, i);
    }
    ck_assert(all_of_it(out, before + 12 * (4 + 700 + sizeof large + 300)));
    return bsn_out_status(out);
}

static bsn_status write_a_document(bsn_out *out, const bsn_alloc *alloc)
{
    static const bsn_str text = {(const char *)large, 900};
    bsn_writer w;
    (void)alloc;
    bsn_writer_init(&w, out);
    bsn_writer_begin(&w);
    for (int i = 0; i < 20; i++) {
        const bsn_bytes bytes = {large, 100};
        bsn_writer_begin_document(&w, BSN_STR("d"));
        bsn_writer_string(&w, BSN_STR("s"), text);
        bsn_writer_begin_array(&w, BSN_STR("a"));
        bsn_writer_binary(&w, BSN_STR(""), 0, bytes);
        bsn_writer_document(&w, BSN_STR(""), kept);
    }
    for (int i = 0; i < 41; i++) bsn_writer_end(&w);
    bsn_writer_splice(&w, kept);
    return bsn_writer_status(&w);
}

#define LEVELS 1000

static bsn_doc view(heap_doc owner)
{
    const bsn_doc doc = {owner.ptr, owner.len};
    return doc;
}

static bsn_status print_a_deep_document(bsn_out *out, const bsn_alloc *alloc)
{
    const bsn_json_options options = {.depth_max = 65535, .alloc = alloc};
    const uint64_t before = bsn_out_len(out);
    bsn_error err = {0};
    heap_doc nested = heap_doc_nested(BSN_TYPE_DOCUMENT, LEVELS);
    const bsn_status status = bsn_json_print(view(nested), &options, out, &err);
    ck_assert_int_eq(err.status, status);
    if (status != BSN_OK) ck_assert_uint_eq(bsn_out_len(out), before); /* taken back by itself */
    free(nested.ptr);
    return status;
}

static bsn_status send_all(void *ctx, bsn_out *out, bsn_error *err)
{
    (void)ctx;
    (void)err;
    bsn_out_sent(out, bsn_out_unsent(out));
    return BSN_OK;
}

/* What has been drained is gone; the rest is taken back. */
static bsn_status print_and_drain(const bsn_alloc *alloc)
{
    const bsn_json_options options = {
        .depth_max = 65535, .alloc = alloc, .drain = send_all, .drain_min = 2000};
    bsn_pool pool;
    bsn_out out;
    heap_doc nested = heap_doc_nested(BSN_TYPE_DOCUMENT, LEVELS);
    bsn_pool_init(&pool, alloc, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, BSN_POOL_SIZE_MIN);
    const bsn_status status = bsn_json_print(view(nested), &options, &out, NULL);
    if (status != BSN_OK) ck_assert_uint_eq(bsn_out_unsent(&out), 0);
    bsn_out_free(&out);
    bsn_pool_free(&pool);
    free(nested.ptr);
    return status;
}

/* {"a":{"a":.. {"s":"\u0001.."} ..}} in as many levels, more text than a block holds. */
static bsn_str deep_text(void)
{
    static char text[(LEVELS - 1) * 6 + 6 + 6 * 500 + 2];
    char *at = text;
    for (int i = 0; i < LEVELS - 1; i++, at += 5) memcpy(at, "{\"a\":", 5);
    memcpy(at, "{\"s\":\"", 6);
    at += 6;
    for (int i = 0; i < 500; i++, at += 6) memcpy(at, "\\u0001", 6);
    *at++ = '"';
    for (int i = 0; i < LEVELS; i++) *at++ = '}';
    const bsn_str all = {text, (size_t)(at - text)};
    return all;
}

static bsn_status parse_a_deep_text(bsn_out *out, const bsn_alloc *alloc)
{
    const bsn_json_parse_options options = {.depth_max = 65535, .alloc = alloc};
    const uint64_t before = bsn_out_len(out);
    bsn_error err = {0};
    const bsn_status status = bsn_json_parse(deep_text(), &options, out, &err);
    ck_assert_int_eq(err.status, status);
    if (status != BSN_OK) ck_assert_uint_eq(bsn_out_len(out), before);
    return status;
}

/* Wrappers that must ask for room: in the midst of the text, where the quick way finds them. */
static bsn_status parse_long_wrappers(bsn_out *out, const bsn_alloc *alloc)
{
    static char text[16000];
    const bsn_json_parse_options options = {.alloc = alloc};
    memset(text, 'x', sizeof text);
    memcpy(text, "{\"a\":{\"$code\":\"", 15);
    memcpy(text + 6000, "\"},\"b\":{\"$symbol\":\"", 19);
    memcpy(text + 14000, "\"},\"c\":\"", 8);
    memcpy(text + sizeof text - 2, "\"}", 2);
    return bsn_json_parse((bsn_str){text, sizeof text}, &options, out, NULL);
}

/* Three times the text in pieces. After an error nothing more comes. */
static bsn_status parse_a_stream(const bsn_alloc *alloc)
{
    const bsn_json_parse_options options = {.depth_max = 65535, .alloc = alloc};
    const bsn_str text = deep_text();
    bsn_json_parser parser;
    bsn_doc doc;
    size_t count = 0;
    bsn_json_parser_init(&parser, &options);
    for (size_t i = 0; i < 3; i++) {
        for (size_t at = 0; at < text.len; at += 700) {
            const bsn_str piece = {text.ptr + at, text.len - at < 700 ? text.len - at : 700};
            bsn_json_parser_feed(&parser, piece);
            while (bsn_json_parser_next(&parser, &doc)) count++;
        }
    }
    bsn_json_parser_finish(&parser);
    while (bsn_json_parser_next(&parser, &doc)) count++;
    const bsn_status status = bsn_json_parser_status(&parser, NULL);
    ck_assert_uint_eq(bsn_json_parser_count(&parser), count);
    if (status == BSN_OK)
        ck_assert_uint_eq(count, 3);
    else
        ck_assert(!bsn_json_parser_next(&parser, &doc));
    bsn_json_parser_free(&parser);
    return status;
}

static bsn_status write_messages(bsn_out *out, const bsn_alloc *alloc)
{
    bsn_msg_writer m;
    (void)alloc;
    bsn_status status = BSN_OK;
    for (int i = 0; i < 100 && status == BSN_OK; i++) {
        switch (i % 3) {
        case 0: bsn_msg_begin(&m, out, i, 0, 0); break;
        case 1: bsn_msg_begin_query(&m, out, i, 4, BSN_STR("admin.$cmd")); break;
        default: bsn_msg_begin_reply(&m, out, i, 1, 0); break;
        }
        if (i % 3 == 0) {
            bsn_msg_begin_body(&m);
            bsn_out_append(out, kept.ptr, kept.len);
            bsn_msg_begin_sequence(&m, BSN_STR("documents"));
        }
        for (int k = 0; k < (i % 3 == 0 ? 20 : 1); k++) bsn_msg_document(&m, kept);
        status = i % 6 == 0 ? bsn_msg_end_ahead(&m, 50, BSN_MESSAGE_SIZE_MAX)
                            : bsn_msg_end(&m, BSN_MESSAGE_SIZE_MAX);
    }
    return status;
}

#define OUT_WORK(name, work)                                \
    static bsn_status name##_pool(const bsn_alloc *alloc)   \
    {                                                       \
        return into_a_pool(alloc, work);                    \
    }                                                       \
    static bsn_status name##_buffer(const bsn_alloc *alloc) \
    {                                                       \
        return into_a_buffer(alloc, work);                  \
    }

OUT_WORK(output, fill_output)
OUT_WORK(writer, write_a_document)
OUT_WORK(printer, print_a_deep_document)
OUT_WORK(parser, parse_a_deep_text)
OUT_WORK(wrappers, parse_long_wrappers)
OUT_WORK(messages, write_messages)

/* ------------------------------------------------------------------ validate.h */

static bsn_status validate_a_deep_document(const bsn_alloc *alloc)
{
    const bsn_validate_options options = {.depth_max = 65535, .alloc = alloc};
    bsn_error err = {0};
    heap_doc nested = heap_doc_nested(BSN_TYPE_DOCUMENT, LEVELS);
    const bsn_status status = bsn_validate(heap_doc_span(nested), &options, NULL, &err);
    ck_assert_int_eq(err.status, status);
    free(nested.ptr);
    return status;
}

static const refusal_row rows[] = {
    {"bsn_buf_reserve, _append", fill_a_buffer, false},
    {"bsn_arena_take, _copy, _reset", take_from_an_arena, false},
    {"bsn_pool_prealloc, _take", take_from_a_pool, false},
    {"bsn_out_* over a pool", output_pool, false},
    {"bsn_out_* over a buffer", output_buffer, false},
    {"bsn_writer_* over a pool", writer_pool, false},
    {"bsn_writer_* over a buffer", writer_buffer, false},
    {"bsn_validate", validate_a_deep_document, false},
    {"bsn_json_print over a pool", printer_pool, false},
    {"bsn_json_print over a buffer", printer_buffer, false},
    {"bsn_json_print that is drained", print_and_drain, false},
    {"bsn_json_parse over a pool", parser_pool, false},
    {"bsn_json_parse over a buffer", parser_buffer, false},
    {"bsn_json_parse of wrappers over a pool", wrappers_pool, false},
    {"bsn_json_parse of wrappers over a buffer", wrappers_buffer, false},
    {"bsn_json_parser_*", parse_a_stream, false},
    {"bsn_msg_* over a pool", messages_pool, false},
    {"bsn_msg_* over a buffer", messages_buffer, false},
};

START_TEST(each_request_refused_is_told_and_leaves_nothing)
{
    refusals_try(&rows[_i]);
}
END_TEST

Suite *refused_codec_suite(void)
{
    Suite *suite = suite_create("refused_codec");
    TCase *tests = tcase_create("refused_codec");
    tcase_add_loop_test(tests, each_request_refused_is_told_and_leaves_nothing, 0,
                        (int)(sizeof rows / sizeof rows[0]));
    suite_add_tcase(suite, tests);
    return suite;
}
