/* SPDX-License-Identifier: Apache-2.0
 *
 * test_promises.c -- promises that hold over several headers of libbsonic: what the caller's storage must hold, and that nesting costs
 * no stack. docs/promises.md lists all promises with the tests that hold them.
 */
#include "suites.h"
#include "support/counting_alloc.h"
#include "support/heap_doc.h"
#include "json/printer.h"

#include <bsonic/bsonic.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define CONTEXT_MAX ((size_t)8 * 1024)
#define LEVELS 8000
#define STACK_LEN ((size_t)256 * 1024) /* 32 bytes a level */

START_TEST(contexts_are_at_most_8_KiB)
{
    ck_assert_uint_le(sizeof(bsn_writer), CONTEXT_MAX);
    ck_assert_uint_le(sizeof(bsni_printer), CONTEXT_MAX);
    ck_assert_uint_le(sizeof(bsn_json_parser), CONTEXT_MAX);
    ck_assert_uint_le(sizeof(bsn_envelope), CONTEXT_MAX);
    ck_assert_uint_le(sizeof(bsn_out), CONTEXT_MAX);
    ck_assert_uint_le(sizeof(bsn_pool), CONTEXT_MAX);
    ck_assert_uint_le(sizeof(bsn_iter), 48);
    ck_assert_uint_le(sizeof(bsn_doc), 48);
    ck_assert_uint_le(sizeof(bsn_value), 48);
}
END_TEST

static bsn_status write_deep(bsn_out *out)
{
    bsn_writer_frame *frames = malloc((LEVELS + 1) * sizeof *frames);
    bsn_writer w;
    ck_assert_ptr_nonnull(frames);
    bsn_writer_init(&w, out);
    bsn_writer_use_frames(&w, frames, LEVELS + 1);
    bsn_writer_begin(&w);
    for (int i = 1; i < LEVELS; i++) bsn_writer_begin_document(&w, BSN_STR("a"));
    for (int i = 0; i < LEVELS; i++) bsn_writer_end(&w);
    const bsn_status status = bsn_writer_status(&w);
    free(frames);
    return status;
}

/* Parses the text that *out holds, over *buf. */
static bsn_status parse_deep(bsn_buf *buf, bsn_out *out, const bsn_alloc *alloc)
{
    const bsn_json_parse_options options = {.depth_max = LEVELS, .alloc = alloc};
    bsn_bytes text;
    bsn_buf parsed;
    bsn_out to;
    if (!bsn_out_view(out, &text)) return BSN_E_STATE;
    const bsn_str all = {(const char *)text.ptr, buf->len};
    bsn_buf_init(&parsed, NULL);
    bsn_out_init_buf(&to, &parsed);
    const bsn_status status = bsn_json_parse(all, &options, &to, NULL);
    bsn_out_free(&to);
    bsn_buf_free(&parsed);
    return status;
}

typedef struct deep_results {
    bsn_status written, printed, validated, parsed;
    bool same;
    uint64_t text_len;
} deep_results;

static void *go_deep(void *argument)
{
    deep_results *r = argument;
    heap_doc nested = heap_doc_nested(BSN_TYPE_DOCUMENT, LEVELS);
    const bsn_doc doc = {nested.ptr, nested.len};
    counting_alloc counter;
    bsn_buf buf;
    bsn_out out;
    bsn_bytes written;
    counting_alloc_init(&counter);
    const bsn_json_options json = {.depth_max = LEVELS, .alloc = &counter.alloc};
    const bsn_validate_options levels = {.depth_max = LEVELS, .alloc = &counter.alloc};
    bsn_buf_init(&buf, NULL);
    bsn_out_init_buf(&out, &buf);
    r->written = write_deep(&out);
    r->same = bsn_out_view(&out, &written) && bsn_bytes_equal(written, heap_doc_span(nested));
    bsn_out_clear(&out);
    r->printed = bsn_json_print(doc, &json, &out, NULL);
    r->text_len = bsn_out_len(&out);
    r->parsed = parse_deep(&buf, &out, &counter.alloc);
    r->validated = bsn_validate(bsn_doc_bytes(doc), &levels, NULL, NULL);
    bsn_out_free(&out);
    bsn_buf_free(&buf);
    free(nested.ptr);
    counting_alloc_finish(&counter);
    return NULL;
}

START_TEST(deep_nesting_takes_no_stack)
{
    deep_results r = {.same = false};
    pthread_attr_t attributes;
    pthread_t thread;
    ck_assert_int_eq(pthread_attr_init(&attributes), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, STACK_LEN), 0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, go_deep, &r), 0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    ck_assert_int_eq(pthread_attr_destroy(&attributes), 0);
    ck_assert_int_eq(r.written, BSN_OK);
    ck_assert(r.same);
    ck_assert_int_eq(r.validated, BSN_OK);
    ck_assert_int_eq(r.printed, BSN_OK);
    ck_assert_int_eq(r.parsed, BSN_OK);
    ck_assert_uint_eq(r.text_len, (LEVELS - 1) * strlen("{\"a\":}") + strlen("{}"));
}
END_TEST

Suite *promises_suite(void)
{
    Suite *suite = suite_create("promises");
    TCase *tests = tcase_create("promises");
    tcase_add_test(tests, contexts_are_at_most_8_KiB);
    tcase_add_test(tests, deep_nesting_takes_no_stack);
    suite_add_tcase(suite, tests);
    return suite;
}
