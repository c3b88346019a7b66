/* SPDX-License-Identifier: Apache-2.0
 *
 * test_legacy.c -- OP_QUERY and OP_REPLY, read and written.
 */
#include "suites.h"

#include "support/build.h"
#include "support/guard_page.h"

#include <bsonic/wire.h>

#define NS_COMMAND "61646d696e2e24636d6400" /* admin.$cmd, 11 bytes with its end */
#define PING "0f0000001070696e6700 01000000 00"
#define EMPTY "0500000000"

typedef struct legacy_row {
    const char *name;
    const char *rest; /* what follows the header */
    bsn_status status;
    uint64_t offset;
} legacy_row;

static const legacy_row query_rows[] = {
    {"command", "04000000" NS_COMMAND "00000000 FFFFFFFF" PING, BSN_OK, 0},
    {"with fields", "00000000" NS_COMMAND "00000000 FFFFFFFF" PING EMPTY, BSN_OK, 0},
    {"all flags that mean something", "FE000000 00 00000000 00000000" EMPTY, BSN_OK, 0},
    {"flag 0", "01000000" NS_COMMAND "00000000 FFFFFFFF" PING, BSN_E_PROTOCOL, 16},
    {"flag 8", "00010000" NS_COMMAND "00000000 FFFFFFFF" PING, BSN_E_PROTOCOL, 16},
    {"flag 31", "00000080" NS_COMMAND "00000000 FFFFFFFF" PING, BSN_E_PROTOCOL, 16},
    {"no flags", "000000", BSN_E_PROTOCOL, 16},
    {"nothing", "", BSN_E_PROTOCOL, 16},
    {"namespace without an end", "00000000 616263", BSN_E_PROTOCOL, 20},
    {"no namespace", "00000000", BSN_E_PROTOCOL, 20},
    {"no skip", "00000000 6100 000000", BSN_E_PROTOCOL, 22},
    {"no numberToReturn", "00000000 6100 00000000 000000", BSN_E_PROTOCOL, 22},
    {"no document", "00000000 6100 00000000 00000000", BSN_E_SHORT, 30},
    {"half a document", "00000000 6100 00000000 00000000 060000 00 00", BSN_E_SHORT, 30},
    {"half the fields", "00000000 6100 00000000 00000000" EMPTY "05000000", BSN_E_SHORT, 35},
    {"bytes behind", "00000000 6100 00000000 00000000" EMPTY EMPTY "00", BSN_E_PROTOCOL, 40},
};

static const legacy_row reply_rows[] = {
    {"one", "08000000 0000000000000000 00000000 01000000" PING, BSN_OK, 0},
    {"none", "01000000 0000000000000000 00000000 00000000", BSN_OK, 0},
    {"two", "00000000 0100000000000080 07000000 02000000" EMPTY EMPTY, BSN_OK, 0},
    {"head cut short", "00000000 0000000000000000 00000000 010000", BSN_E_PROTOCOL, 16},
    {"one more than said", "00000000 0000000000000000 00000000 00000000" EMPTY, BSN_E_PROTOCOL, 32},
    {"one less than said", "00000000 0000000000000000 00000000 02000000" EMPTY, BSN_E_PROTOCOL, 32},
    {"negative count", "00000000 0000000000000000 00000000 FFFFFFFF" EMPTY, BSN_E_PROTOCOL, 32},
    {"half a document", "00000000 0000000000000000 00000000 01000000 0500", BSN_E_SHORT, 36},
    {"damaged", "00000000 0000000000000000 00000000 02000000" EMPTY "0500000001", BSN_E_TERMINATOR,
     45},
};

static bsn_bytes build_legacy(build *b, guard_area *area, int32_t opcode, const char *rest)
{
    const size_t start = build_header(b, 7, 3, opcode);
    build_hex(b, rest);
    build_patch(b, start);
    guard_open(area, b->len);
    const bsn_bytes span = {guard_at_end(area, b->bytes, b->len), b->len};
    return span;
}

START_TEST(query_is_opened_or_refused_at_the_right_byte)
{
    const legacy_row *row = &query_rows[_i];
    build b = {.len = 0};
    guard_area area;
    bsn_query query = {.skip = 99};
    bsn_error err = {.offset = 0};
    const bsn_bytes span = build_legacy(&b, &area, BSN_OP_QUERY, row->rest);
    const bsn_status status = bsn_query_open(span, &query, &err);
    ck_assert_msg(status == row->status && err.offset == row->offset, "%s: %d at %u", row->name,
                  (int)status, (unsigned)err.offset);
    ck_assert_int_eq(query.skip, status == BSN_OK ? 0 : 99);
    guard_close(&area);
}
END_TEST

START_TEST(reply_is_opened_or_refused_at_the_right_byte)
{
    const legacy_row *row = &reply_rows[_i];
    build b = {.len = 0};
    guard_area area;
    bsn_reply reply = {.document_count = 99};
    bsn_error err = {.offset = 0};
    const bsn_bytes span = build_legacy(&b, &area, BSN_OP_REPLY, row->rest);
    const bsn_status status = bsn_reply_open(span, &reply, &err);
    ck_assert_msg(status == row->status && err.offset == row->offset, "%s: %d at %u", row->name,
                  (int)status, (unsigned)err.offset);
    if (status == BSN_OK) {
        ck_assert_uint_eq(reply.document_count, (unsigned)b.bytes[32]);
    } else {
        ck_assert_uint_eq(reply.document_count, 99);
    }
    guard_close(&area);
}
END_TEST

START_TEST(fields_of_query_and_reply_are_where_they_lie)
{
    build b = {.len = 0};
    guard_area area;
    bsn_query query;
    bsn_bytes span = build_legacy(&b, &area, BSN_OP_QUERY, query_rows[0].rest);
    ck_assert_int_eq(bsn_query_open(span, &query, NULL), BSN_OK);
    ck_assert_int_eq(query.header.request_id, 7);
    ck_assert_int_eq(query.flags, 4);
    ck_assert(bsn_str_equal(query.ns, BSN_STR("admin.$cmd")));
    ck_assert_int_eq(query.return_count, -1);
    ck_assert_uint_eq(query.query.len, 15);
    ck_assert_ptr_null(query.fields.ptr);
    guard_close(&area);
    b.len = 0;
    bsn_reply reply;
    span = build_legacy(&b, &area, BSN_OP_REPLY, reply_rows[2].rest);
    ck_assert_int_eq(bsn_reply_open(span, &reply, NULL), BSN_OK);
    ck_assert_int_eq(reply.cursor_id, INT64_MIN + 1);
    ck_assert_int_eq(reply.starting_from, 7);
    ck_assert_uint_eq(reply.documents.len, 10);
    guard_close(&area);
}
END_TEST

/* {ping: 1} */
static void write_ping(bsn_out *out)
{
    static const uint8_t ping[] = {15, 0, 0, 0, 0x10, 'p', 'i', 'n', 'g', 0, 1, 0, 0, 0, 0};
    bsn_out_append(out, ping, sizeof ping);
}

START_TEST(query_and_reply_written_are_those_read)
{
    uint8_t storage[256];
    bsn_out out;
    bsn_msg_writer m;
    bsn_query query;
    bsn_reply reply;
    bsn_bytes view;
    bsn_out_init_fixed(&out, storage, sizeof storage);
    bsn_msg_begin_query(&m, &out, 5, 4, BSN_STR("admin.$cmd"));
    write_ping(&out);
    ck_assert_int_eq(bsn_msg_end(&m, BSN_MESSAGE_SIZE_MAX), BSN_OK);
    ck_assert(bsn_out_view(&out, &view));
    ck_assert_int_eq(bsn_query_open(view, &query, NULL), BSN_OK);
    ck_assert(bsn_str_equal(query.ns, BSN_STR("admin.$cmd")));
    ck_assert_int_eq(query.flags, 4);
    ck_assert_int_eq(query.skip, 0);
    ck_assert_int_eq(query.return_count, -1);
    ck_assert_int_eq(query.header.request_id, 5);
    ck_assert_int_eq(query.header.response_to, 0);
    ck_assert_uint_eq(query.query.len, 15);
    bsn_out_clear(&out);
    bsn_msg_begin_reply(&m, &out, 6, 5, BSN_REPLY_AWAIT_CAPABLE);
    write_ping(&out);
    ck_assert_int_eq(bsn_msg_end(&m, BSN_MESSAGE_SIZE_MAX), BSN_OK);
    ck_assert(bsn_out_view(&out, &view));
    ck_assert_int_eq(bsn_reply_open(view, &reply, NULL), BSN_OK);
    ck_assert_uint_eq(reply.flags, 8);
    ck_assert_int_eq(reply.cursor_id, 0);
    ck_assert_int_eq(reply.header.response_to, 5);
    ck_assert_uint_eq(reply.document_count, 1);
    ck_assert_uint_eq(reply.documents.len, 15);
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))

Suite *legacy_suite(void)
{
    Suite *suite = suite_create("legacy");
    TCase *tests = tcase_create("legacy");
    tcase_add_loop_test(tests, query_is_opened_or_refused_at_the_right_byte, 0, COUNT(query_rows));
    tcase_add_loop_test(tests, reply_is_opened_or_refused_at_the_right_byte, 0, COUNT(reply_rows));
    tcase_add_test(tests, fields_of_query_and_reply_are_where_they_lie);
    tcase_add_test(tests, query_and_reply_written_are_those_read);
    suite_add_tcase(suite, tests);
    return suite;
}
