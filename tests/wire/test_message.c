/* SPDX-License-Identifier: Apache-2.0
 *
 * test_message.c -- headers and OP_MSG, read and written: each limit, each lie, each mutant of sound messages.
 */
#include "suites.h"

#include "support/build.h"
#include "support/counting_alloc.h"
#include "support/guard_page.h"

#include <bsonic/detail/le.h>
#include <bsonic/wire.h>

#include <string.h>

/* ------------------------------------------------------------------ header */

typedef struct header_row {
    const char *name;
    int32_t len;
    int32_t opcode;
    size_t size_max;
    bsn_status status;
    uint64_t offset;
} header_row;

static const header_row header_rows[] = {
    {"least", 16, 2013, BSN_MESSAGE_SIZE_MAX, BSN_OK, 0},
    {"most", BSN_MESSAGE_SIZE_MAX, 2013, BSN_MESSAGE_SIZE_MAX, BSN_OK, 0},
    {"zero", 0, 2013, BSN_MESSAGE_SIZE_MAX, BSN_E_PROTOCOL, 0},
    {"one too short", 15, 2013, BSN_MESSAGE_SIZE_MAX, BSN_E_PROTOCOL, 0},
    {"negative", -1, 2013, BSN_MESSAGE_SIZE_MAX, BSN_E_PROTOCOL, 0},
    {"most negative", INT32_MIN, 2013, BSN_MESSAGE_SIZE_MAX, BSN_E_PROTOCOL, 0},
    {"one above", BSN_MESSAGE_SIZE_MAX + 1, 2013, BSN_MESSAGE_SIZE_MAX, BSN_E_PROTOCOL, 0},
    {"largest", INT32_MAX, 2013, BSN_MESSAGE_SIZE_MAX, BSN_E_PROTOCOL, 0},
    {"at a smaller limit", 1000, 2013, 1000, BSN_OK, 0},
    {"above a smaller limit", 1001, 2013, 1000, BSN_E_PROTOCOL, 0},
    {"largest where allowed", INT32_MAX, 1, INT32_MAX, BSN_OK, 0},
    {"OP_REPLY", 16, 1, 48, BSN_OK, 0},
    {"OP_UPDATE", 16, 2001, 48, BSN_OK, 0},
    {"OP_INSERT", 16, 2002, 48, BSN_OK, 0},
    {"OP_QUERY", 16, 2004, 48, BSN_OK, 0},
    {"OP_GET_MORE", 16, 2005, 48, BSN_OK, 0},
    {"OP_DELETE", 16, 2006, 48, BSN_OK, 0},
    {"OP_KILL_CURSORS", 16, 2007, 48, BSN_OK, 0},
    {"OP_COMPRESSED", 16, 2012, 48, BSN_OK, 0},
    {"opcode 0", 16, 0, 48, BSN_E_PROTOCOL, 12},
    {"retired 1000", 16, 1000, 48, BSN_E_PROTOCOL, 12},
    {"retired 2003", 16, 2003, 48, BSN_E_PROTOCOL, 12},
    {"retired 2010", 16, 2010, 48, BSN_E_PROTOCOL, 12},
    {"retired 2011", 16, 2011, 48, BSN_E_PROTOCOL, 12},
    {"opcode 2014", 16, 2014, 48, BSN_E_PROTOCOL, 12},
    {"negative opcode", 16, -2013, 48, BSN_E_PROTOCOL, 12},
};

START_TEST(header_is_judged_before_it_is_believed)
{
    const header_row *row = &header_rows[_i];
    uint8_t bytes[BSN_HEADER_LEN];
    bsn_header header = {.len = 99};
    bsn_error err = {.offset = 99};
    bsn_store_i32(bytes, row->len);
    bsn_store_i32(bytes + 4, -2);
    bsn_store_i32(bytes + 8, INT32_MAX);
    bsn_store_i32(bytes + 12, row->opcode);
    const bsn_bytes span = {bytes, sizeof bytes};
    ck_assert_msg(bsn_header_read(span, row->size_max, &header, &err) == row->status, "%s",
                  row->name);
    if (row->status != BSN_OK) ck_assert_msg(err.offset == row->offset, "%s", row->name);
    if (row->status == BSN_OK || row->offset == 12) { /* an unknown opcode can be named */
        ck_assert_uint_eq(header.len, (size_t)row->len);
        ck_assert_int_eq(header.request_id, -2);
        ck_assert_int_eq(header.response_to, INT32_MAX);
        ck_assert_int_eq(header.opcode, row->opcode);
    } else {
        ck_assert_uint_eq(header.len, 99);
    }
    if (row->status == BSN_OK && row->opcode != BSN_OP_MSG) {
        ck_assert_str_eq(bsn_opcode_name(row->opcode)[0] == 'O' ? "OP" : "", "OP");
    }
}
END_TEST

START_TEST(header_cut_short_is_short_at_every_length)
{
    guard_area area;
    bsn_header header;
    bsn_error err;
    guard_open(&area, BSN_HEADER_LEN);
    for (size_t len = 0; len < BSN_HEADER_LEN; len++) {
        const bsn_bytes span = {guard_at_end(&area, NULL, len), len};
        ck_assert_int_eq(bsn_header_read(span, 48, &header, &err), BSN_E_SHORT);
        ck_assert_uint_eq(err.offset, 0);
    }
    guard_close(&area);
}
END_TEST

START_TEST(header_written_is_the_header_read)
{
    const bsn_header in = {.len = INT32_MAX, .request_id = -7, .response_to = 9, .opcode = 2004};
    uint8_t bytes[BSN_HEADER_LEN];
    bsn_header out;
    bsn_header_write(&in, bytes);
    const bsn_bytes span = {bytes, sizeof bytes};
    ck_assert_int_eq(bsn_header_read(span, INT32_MAX, &out, NULL), BSN_OK);
    ck_assert_uint_eq(out.len, in.len);
    ck_assert_int_eq(out.request_id, in.request_id);
    ck_assert_int_eq(out.response_to, in.response_to);
    ck_assert_int_eq(out.opcode, in.opcode);
}
END_TEST

/* ------------------------------------------------------------------ OP_MSG, reading */

#define BODY_INSERT "00 13000000 02 696e7365727400 02000000 6300 00" /* {insert: "c"}, 19 bytes */
#define BODY_EMPTY "00 0500000000"
#define SEQUENCE_TWO \
    "01 1c000000 646f63756d656e747300 0500000000 0900000008610001 00" /* documents */
#define SEQUENCE_NONE "01 06000000 7800"                              /* x */
#define SEQUENCE_NAMED_INSERT "01 0b000000 696e7365727400"

typedef struct message_row {
    const char *name;
    uint32_t flags;
    const char *sections; /* what follows the flags */
    int32_t lie;          /* added to messageLength */
    bsn_status status;
    uint64_t offset;
    uint32_t sequences;
} message_row;

static const message_row message_rows[] = {
    {"body", 0, BODY_INSERT, 0, BSN_OK, 0, 0},
    {"body and sequence", 0, BODY_INSERT SEQUENCE_TWO, 0, BSN_OK, 0, 1},
    {"sequence and body", 0, SEQUENCE_TWO BODY_INSERT, 0, BSN_OK, 0, 1},
    {"between two sequences", 0, SEQUENCE_TWO BODY_INSERT SEQUENCE_NONE, 0, BSN_OK, 0, 2},
    {"moreToCome", 2, BODY_EMPTY, 0, BSN_OK, 0, 0},
    {"exhaustAllowed", 0x10000, BODY_EMPTY, 0, BSN_OK, 0, 0},
    {"unknown optional flags", 0xFFFE0000, BODY_EMPTY, 0, BSN_OK, 0, 0},
    {"checksum stripped", 1, BODY_EMPTY "12345678", 0, BSN_OK, 0, 0},
    {"unknown flag 2", 4, BODY_EMPTY, 0, BSN_E_PROTOCOL, 16, 0},
    {"unknown flag 15", 0x8000, BODY_EMPTY, 0, BSN_E_PROTOCOL, 16, 0},
    {"no sections", 0, "", 0, BSN_E_PROTOCOL, 20, 0},
    {"no body", 0, SEQUENCE_NONE, 0, BSN_E_PROTOCOL, 27, 0},
    {"two bodies", 0, BODY_EMPTY BODY_EMPTY, 0, BSN_E_PROTOCOL, 26, 0},
    {"section kind 2", 0, BODY_EMPTY "02 05000000 00", 0, BSN_E_PROTOCOL, 26, 0},
    {"section kind FF", 0, "FF", 0, BSN_E_PROTOCOL, 20, 0},
    {"checksum without room", 1, "000000", 0, BSN_E_PROTOCOL, 20, 0},
    {"checksum inside the body", 1, BODY_EMPTY, 0, BSN_E_SHORT, 21, 0},
    {"body cut short", 0, "00 06000000 00", 0, BSN_E_SHORT, 21, 0},
    {"body of length 4", 0, "00 04000000 00", 0, BSN_E_LENGTH, 21, 0},
    {"body without its end", 0, "00 05000000 01", 0, BSN_E_TERMINATOR, 25, 0},
    {"sequence without a size", 0, BODY_EMPTY "01 0600", 0, BSN_E_PROTOCOL, 27, 0},
    {"sequence of size 4", 0, BODY_EMPTY "01 04000000 00", 0, BSN_E_PROTOCOL, 27, 0},
    {"sequence of size -1", 0, BODY_EMPTY "01 FFFFFFFF 00", 0, BSN_E_PROTOCOL, 27, 0},
    {"sequence one too long", 0, BODY_EMPTY "01 07000000 7800", 0, BSN_E_PROTOCOL, 27, 0},
    {"sequence one too short", 0, BODY_EMPTY "01 05000000 7800", 0, BSN_E_PROTOCOL, 31, 0},
    {"identifier without an end", 0, "01 07000000 787878", 0, BSN_E_PROTOCOL, 25, 0},
    {"document past its sequence", 0,
     "01 0b000000 7800 0600000000"
     "00",
     0, BSN_E_SHORT, 27, 0},
    {"half a document", 0, "01 08000000 7800 0500", 0, BSN_E_SHORT, 27, 0},
    {"damaged second document", 0, "01 10000000 7800 0500000000 0500000001", 0, BSN_E_TERMINATOR,
     36, 0},
    {"one identifier twice", 0, BODY_EMPTY SEQUENCE_NONE SEQUENCE_NONE, 0, BSN_E_PROTOCOL, 33, 0},
    {"named like a field behind", 0, SEQUENCE_NAMED_INSERT BODY_INSERT, 0, BSN_E_PROTOCOL, 37, 0},
    {"named like a field before", 0, BODY_INSERT SEQUENCE_NAMED_INSERT, 0, BSN_E_PROTOCOL, 25, 0},
    {"body that cannot be walked", 0, "00 080000002061 0000" SEQUENCE_NONE, 0, BSN_E_TYPE, 25, 0},
    {"longer than it says", 0, BODY_EMPTY, -1, BSN_E_TRAILING, 25, 0},
    {"shorter than it says", 0, BODY_EMPTY, 1, BSN_E_SHORT, 0, 0},
};

static void build_message(build *b, uint32_t flags, const char *sections)
{
    const size_t start = build_header(b, 7, 0, BSN_OP_MSG);
    build_u32(b, flags);
    build_hex(b, sections);
    build_patch(b, start);
}

START_TEST(message_is_opened_or_refused_at_the_right_byte)
{
    const message_row *row = &message_rows[_i];
    build b = {.len = 0};
    guard_area area;
    bsn_msg msg = {.sequence_count = 99};
    bsn_error err = {.offset = 0};
    build_message(&b, row->flags, row->sections);
    build_set(&b, 0, (int32_t)b.len + row->lie);
    guard_open(&area, b.len);
    const bsn_bytes span = {guard_at_end(&area, b.bytes, b.len), b.len};
    const bsn_status status = bsn_msg_open(span, &msg, &err);
    ck_assert_msg(status == row->status && err.offset == row->offset, "%s: %d at %u", row->name,
                  (int)status, (unsigned)err.offset);
    ck_assert_uint_eq(msg.sequence_count, status == BSN_OK ? row->sequences : 99);
    if (status == BSN_OK) {
        ck_assert_uint_eq(msg.flags, row->flags);
        ck_assert_ptr_nonnull(msg.body.ptr);
        ck_assert_int_eq(msg.header.request_id, 7);
    } else {
        ck_assert_int_eq(bsn_msg_open(span, &msg, NULL), row->status);
    }
    guard_close(&area);
}
END_TEST

START_TEST(message_without_room_for_flags_is_refused)
{
    for (size_t extra = 0; extra < 4; extra++) {
        build b = {.len = 0};
        bsn_msg msg;
        bsn_error err;
        const size_t start = build_header(&b, 7, 0, BSN_OP_MSG);
        for (size_t i = 0; i < extra; i++) build_u8(&b, 0);
        build_patch(&b, start);
        ck_assert_int_eq(bsn_msg_open(build_view(&b), &msg, &err), BSN_E_PROTOCOL);
        ck_assert_uint_eq(err.offset, 16);
    }
}
END_TEST

START_TEST(message_of_another_opcode_is_refused)
{
    build b = {.len = 0};
    bsn_msg msg;
    bsn_error err;
    build_message(&b, 0, BODY_EMPTY);
    build_set(&b, 12, BSN_OP_QUERY);
    ck_assert_int_eq(bsn_msg_open(build_view(&b), &msg, &err), BSN_E_PROTOCOL);
    ck_assert_uint_eq(err.offset, 12);
}
END_TEST

START_TEST(as_many_sequences_as_allowed_and_not_one_more)
{
    for (uint32_t count = BSN_MSG_SEQUENCES_MAX; count <= BSN_MSG_SEQUENCES_MAX + 1; count++) {
        build b = {.len = 0};
        bsn_msg msg;
        const size_t start = build_header(&b, 7, 0, BSN_OP_MSG);
        build_u32(&b, 0);
        build_hex(&b, BODY_EMPTY);
        for (uint32_t i = 0; i < count; i++) {
            const char identifier[2] = {(char)('a' + i), 0};
            build_u8(&b, 1);
            build_i32(&b, 6);
            build_cstring(&b, identifier);
        }
        build_patch(&b, start);
        ck_assert_int_eq(bsn_msg_open(build_view(&b), &msg, NULL),
                         count <= BSN_MSG_SEQUENCES_MAX ? BSN_OK : BSN_E_PROTOCOL);
    }
}
END_TEST

START_TEST(sections_and_documents_are_iterated_in_order)
{
    build b = {.len = 0};
    bsn_msg msg;
    bsn_section section;
    bsn_doc doc;
    bsn_bytes found;
    build_message(&b, 0, SEQUENCE_NONE BODY_INSERT SEQUENCE_TWO);
    ck_assert_int_eq(bsn_msg_open(build_view(&b), &msg, NULL), BSN_OK);
    bsn_bytes src = msg.sections;
    ck_assert_int_eq(bsn_section_take(&src, &section, NULL), BSN_OK);
    ck_assert_uint_eq(section.kind, 1);
    ck_assert(bsn_str_equal(section.identifier, BSN_STR("x")));
    ck_assert_uint_eq(section.documents.len, 0);
    ck_assert_int_eq(bsn_section_take(&src, &section, NULL), BSN_OK);
    ck_assert_uint_eq(section.kind, 0);
    ck_assert_ptr_eq(section.documents.ptr, msg.body.ptr);
    ck_assert_uint_eq(section.documents.len, 19);
    ck_assert_int_eq(bsn_section_take(&src, &section, NULL), BSN_OK);
    ck_assert(bsn_str_equal(section.identifier, BSN_STR("documents")));
    ck_assert_int_eq(bsn_doc_take(&section.documents, &doc, NULL), BSN_OK);
    ck_assert_uint_eq(doc.len, 5);
    ck_assert_int_eq(bsn_doc_take(&section.documents, &doc, NULL), BSN_OK);
    ck_assert_uint_eq(doc.len, 9);
    ck_assert_uint_eq(section.documents.len, 0);
    ck_assert_uint_eq(src.len, 0);
    ck_assert_int_eq(bsn_section_take(&src, &section, NULL), BSN_E_SHORT);
    ck_assert(bsn_msg_find_sequence(&msg, BSN_STR("documents"), &found));
    ck_assert_uint_eq(found.len, 14);
    ck_assert(!bsn_msg_find_sequence(&msg, BSN_STR("document"), &found));
}
END_TEST

START_TEST(checksum_is_verified_over_all_but_itself)
{
    build b = {.len = 0};
    bsn_msg msg;
    build_message(&b, BSN_MSG_CHECKSUM, BODY_INSERT "00000000");
    const bsn_bytes covered = {b.bytes, b.len - 4};
    bsn_store_u32(b.bytes + b.len - 4, bsn_crc32c(0, covered));
    ck_assert_int_eq(bsn_msg_open(build_view(&b), &msg, NULL), BSN_OK);
    ck_assert(bsn_msg_verify(build_view(&b), &msg));
    ck_assert_uint_eq(msg.body.len, 19);
    for (size_t i = 20; i < b.len; i++) { /* a flipped bit anywhere behind the flags */
        b.bytes[i] ^= 0x10;
        msg.checksum = bsn_load_u32(b.bytes + b.len - 4);
        ck_assert(!bsn_msg_verify(build_view(&b), &msg));
        b.bytes[i] ^= 0x10;
    }
    msg.flags = 0;
    msg.checksum = 1;
    ck_assert(bsn_msg_verify(build_view(&b), &msg));
}
END_TEST

START_TEST(mutants_are_opened_or_refused_within_their_bytes)
{
    static const uint8_t values[] = {0x00, 0x01, 0x02, 0x7F, 0x80, 0xFF};
    build b = {.len = 0};
    guard_area area;
    size_t refused = 0;
    build_message(&b, BSN_MSG_CHECKSUM, SEQUENCE_TWO BODY_INSERT SEQUENCE_NONE "00000000");
    guard_open(&area, b.len);
    for (size_t i = 0; i < b.len; i++) {
        for (size_t v = 0; v < sizeof values; v++) {
            bsn_msg msg;
            bsn_error err;
            uint8_t *const bytes = guard_at_end(&area, b.bytes, b.len);
            const bsn_bytes span = {bytes, b.len};
            bytes[i] = values[v];
            if (bsn_msg_open(span, &msg, &err) == BSN_OK) {
                (void)bsn_msg_verify(span, &msg);
                continue;
            }
            refused++;
            ck_assert_uint_le(err.offset, b.len);
        }
    }
    guard_close(&area);
    ck_assert_uint_gt(refused, 100);
}
END_TEST

START_TEST(every_prefix_is_short)
{
    build b = {.len = 0};
    guard_area area;
    build_message(&b, 0, BODY_INSERT SEQUENCE_TWO);
    guard_open(&area, b.len);
    for (size_t len = 0; len < b.len; len++) {
        bsn_msg msg;
        const bsn_bytes span = {guard_at_end(&area, b.bytes, len), len};
        ck_assert_int_eq(bsn_msg_open(span, &msg, NULL), BSN_E_SHORT);
    }
    guard_close(&area);
}
END_TEST

/* ------------------------------------------------------------------ OP_MSG, writing */

static const uint8_t empty_document[] = {5, 0, 0, 0, 0};
/* {insert: "c"} */
static const uint8_t insert_body[] = {0x13, 0, 0, 0, 2, 'i', 'n', 's', 'e', 'r',
                                      't',  0, 2, 0, 0, 0,   'c', 0,   0};
static const bsn_doc empty = {empty_document, sizeof empty_document};

static bsn_status write_insert(bsn_out *out, bsn_doc large, size_t size_max)
{
    bsn_msg_writer m;
    bsn_msg_begin(&m, out, 7, 3, BSN_MSG_MORE_TO_COME);
    bsn_msg_begin_sequence(&m, BSN_STR("x"));
    bsn_msg_begin_body(&m);
    bsn_out_append(out, insert_body, sizeof insert_body);
    bsn_msg_begin_sequence(&m, BSN_STR("documents"));
    bsn_msg_document(&m, empty);
    bsn_msg_document(&m, large);
    bsn_msg_document(&m, empty);
    return bsn_msg_end(&m, size_max);
}

/* A document of one binary, of `len` bytes in all. */
static bsn_doc make_large(uint8_t *bytes, size_t len)
{
    const bsn_doc doc = {bytes, len};
    memset(bytes, 0x5A, len);
    bsn_store_i32(bytes, (int32_t)len);
    memcpy(bytes + 4, "\x05\x62", 3);
    bsn_store_i32(bytes + 7, (int32_t)len - 13);
    bytes[11] = 0;
    bytes[len - 1] = 0;
    return doc;
}

static void check_insert(bsn_bytes bytes, size_t large_len)
{
    bsn_msg msg;
    bsn_bytes documents;
    bsn_doc doc;
    ck_assert_int_eq(bsn_msg_open(bytes, &msg, NULL), BSN_OK);
    ck_assert_uint_eq(msg.flags, BSN_MSG_MORE_TO_COME);
    ck_assert_int_eq(msg.header.request_id, 7);
    ck_assert_int_eq(msg.header.response_to, 3);
    ck_assert_uint_eq(msg.sequence_count, 2);
    ck_assert_uint_eq(msg.body.len, 19);
    ck_assert(bsn_msg_find_sequence(&msg, BSN_STR("x"), &documents));
    ck_assert_uint_eq(documents.len, 0);
    ck_assert(bsn_msg_find_sequence(&msg, BSN_STR("documents"), &documents));
    ck_assert_uint_eq(documents.len, 10 + large_len);
    ck_assert_int_eq(bsn_doc_take(&documents, &doc, NULL), BSN_OK);
    ck_assert_int_eq(bsn_doc_take(&documents, &doc, NULL), BSN_OK);
    ck_assert_uint_eq(doc.len, large_len);
}

/* Copies pooled output together, as a socket would see it. */
static bsn_bytes gather(bsn_out *out, uint8_t *storage)
{
    bsn_iovec iov[64];
    bsn_bytes all = {storage, 0};
    const size_t count = bsn_out_iovecs(out, iov, 64);
    for (size_t i = 0; i < count; i++) {
        memcpy(storage + all.len, iov[i].ptr, iov[i].len);
        all.len += iov[i].len;
    }
    ck_assert_uint_eq(all.len, bsn_out_unsent(out));
    return all;
}

START_TEST(message_written_is_the_message_read)
{
    static uint8_t large[9000], storage[20000];
    counting_alloc counter;
    bsn_pool pool;
    bsn_out out;
    counting_alloc_init(&counter);
    bsn_pool_init(&pool, &counter.alloc, SIZE_MAX);
    for (size_t len = 13; len <= sizeof large; len += 599) {
        bsn_out_init_pool(&out, &pool, 1024); /* small blocks: slots and documents in several */
        ck_assert_int_eq(write_insert(&out, make_large(large, len), BSN_MESSAGE_SIZE_MAX), BSN_OK);
        check_insert(gather(&out, storage), len);
        bsn_out_free(&out);
    }
    bsn_pool_free(&pool);
    counting_alloc_finish(&counter);
}
END_TEST

START_TEST(message_counts_on_when_fixed_storage_is_full)
{
    uint8_t storage[200], large[13];
    bsn_out out;
    bsn_bytes view;
    bsn_out_init_fixed(&out, NULL, 0);
    ck_assert_int_eq(write_insert(&out, make_large(large, 13), 1000), BSN_E_SPACE);
    const size_t needed = (size_t)bsn_out_len(&out);
    bsn_out_init_fixed(&out, storage, needed - 1);
    ck_assert_int_eq(write_insert(&out, make_large(large, 13), 1000), BSN_E_SPACE);
    bsn_out_init_fixed(&out, storage, needed);
    ck_assert_int_eq(write_insert(&out, make_large(large, 13), 1000), BSN_OK);
    ck_assert(bsn_out_view(&out, &view));
    check_insert(view, 13);
}
END_TEST

START_TEST(message_over_the_limit_is_refused)
{
    uint8_t storage[200], large[13];
    bsn_out out;
    bsn_out_init_fixed(&out, storage, sizeof storage);
    ck_assert_int_eq(write_insert(&out, make_large(large, 13), 1000), BSN_OK);
    const size_t len = (size_t)bsn_out_len(&out);
    bsn_out_clear(&out);
    ck_assert_int_eq(write_insert(&out, make_large(large, 13), len), BSN_OK);
    bsn_out_clear(&out);
    ck_assert_int_eq(write_insert(&out, make_large(large, 13), len - 1), BSN_E_SIZE);
}
END_TEST

/* The documents behind the output count as if they were in it. */
START_TEST(message_ends_ahead_of_documents_that_are_sent_from_where_they_lie)
{
    uint8_t storage[300], large[100];
    const bsn_doc doc = make_large(large, sizeof large);
    bsn_out out;
    bsn_msg_writer m;
    bsn_out_init_fixed(&out, storage, sizeof storage);
    for (int over = 0; over < 2; over++) {
        const size_t size_max = 16 + 4 + 1 + sizeof insert_body + 1 + 4 + 10 + sizeof large;
        bsn_msg_begin(&m, &out, 7, 3, 0);
        bsn_msg_begin_body(&m);
        bsn_out_append(&out, insert_body, sizeof insert_body);
        bsn_msg_begin_sequence(&m, BSN_STR("documents"));
        ck_assert_int_eq(bsn_msg_end_ahead(&m, doc.len, size_max - (size_t)over),
                         over ? BSN_E_SIZE : BSN_OK);
        if (over) continue;
        bsn_bytes documents;
        bsn_msg msg;
        bsn_out_append(&out, doc.ptr, doc.len);
        const bsn_bytes message = {storage, (size_t)bsn_out_len(&out)};
        ck_assert_uint_eq(message.len, size_max);
        ck_assert_int_eq(bsn_msg_open(message, &msg, NULL), BSN_OK);
        ck_assert(bsn_msg_find_sequence(&msg, BSN_STR("documents"), &documents));
        ck_assert_uint_eq(documents.len, sizeof large);
        bsn_out_clear(&out);
    }
    bsn_out_clear(&out);
    bsn_msg_begin(&m, &out, 7, 3, 0);
    bsn_msg_begin_sequence(&m, BSN_STR("documents"));
    ck_assert_int_eq(bsn_msg_end_ahead(&m, SIZE_MAX, SIZE_MAX), BSN_E_SIZE);
    bsn_msg_begin(&m, &out, 7, 3, 0);
    ck_assert_int_eq(bsn_msg_end_ahead(&m, 1, 1000), BSN_E_STATE);
}
END_TEST

START_TEST(what_cannot_be_written_is_refused)
{
    uint8_t storage[200];
    bsn_out out;
    bsn_msg_writer m;
    bsn_out_init_fixed(&out, storage, sizeof storage);
    bsn_msg_begin(&m, &out, 1, 0, BSN_MSG_CHECKSUM);
    ck_assert_int_eq(bsn_msg_end(&m, 1000), BSN_E_UNSUPPORTED);
    bsn_msg_begin(&m, &out, 1, 0, 0);
    bsn_msg_begin_sequence(&m, BSN_STR("a\0b"));
    ck_assert_int_eq(bsn_msg_end(&m, 1000), BSN_E_KEY_NUL);
    bsn_msg_begin_query(&m, &out, 1, 0, BSN_STR("a\0b"));
    ck_assert_int_eq(bsn_msg_end(&m, 1000), BSN_E_KEY_NUL);
}
END_TEST

#define COUNT(table) (int)(sizeof(table) / sizeof((table)[0]))

Suite *message_suite(void)
{
    Suite *suite = suite_create("message");
    TCase *reading = tcase_create("reading");
    tcase_add_loop_test(reading, header_is_judged_before_it_is_believed, 0, COUNT(header_rows));
    tcase_add_test(reading, header_cut_short_is_short_at_every_length);
    tcase_add_loop_test(reading, message_is_opened_or_refused_at_the_right_byte, 0,
                        COUNT(message_rows));
    tcase_add_test(reading, message_without_room_for_flags_is_refused);
    tcase_add_test(reading, message_of_another_opcode_is_refused);
    tcase_add_test(reading, as_many_sequences_as_allowed_and_not_one_more);
    tcase_add_test(reading, sections_and_documents_are_iterated_in_order);
    tcase_add_test(reading, checksum_is_verified_over_all_but_itself);
    tcase_add_test(reading, mutants_are_opened_or_refused_within_their_bytes);
    tcase_add_test(reading, every_prefix_is_short);
    suite_add_tcase(suite, reading);
    TCase *writing = tcase_create("writing");
    tcase_add_test(writing, header_written_is_the_header_read);
    tcase_add_test(writing, message_written_is_the_message_read);
    tcase_add_test(writing, message_counts_on_when_fixed_storage_is_full);
    tcase_add_test(writing, message_over_the_limit_is_refused);
    tcase_add_test(writing, message_ends_ahead_of_documents_that_are_sent_from_where_they_lie);
    tcase_add_test(writing, what_cannot_be_written_is_refused);
    suite_add_tcase(suite, writing);
    return suite;
}
