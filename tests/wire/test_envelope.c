/* SPDX-License-Identifier: Apache-2.0
 *
 * test_envelope.c -- replies walked whole, cut in two everywhere, and in pieces of every size: always the same documents, the same
 * end, the same fault at the same offset.
 */
#include "suites.h"

#include "wire/reply_samples.h"
#include "wire/reply_walk.h"

#include <bsonic/detail/le.h>

#include <string.h>

/* ------------------------------------------------------------------ sound replies */

START_TEST(sound_reply_gives_its_documents_and_fields)
{
    const reply_sample *row = &reply_samples[_i];
    build b = {.len = 0};
    static walk w;
    row->make(&b);
    const size_t len = b.len;
    build_hex(&b, "10000000"); /* the next message begins behind it */
    walk_message(build_view(&b), &walk_whole, &w);
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
    reply_samples[_i].make(&b);
    walk_message(build_view(&b), &walk_whole, &expected);
    for (size_t cut = 1; cut < b.len; cut++) {
        walk_how how = walk_whole;
        how.first = cut;
        walk_message(build_view(&b), &how, &w);
        walk_check_same(&expected, &w, reply_samples[_i].name, cut);
    }
}
END_TEST

START_TEST(pieces_of_every_size_give_the_same)
{
    build b = {.len = 0};
    static walk expected, w;
    reply_samples[_i].make(&b);
    walk_message(build_view(&b), &walk_whole, &expected);
    for (size_t chunk = 1; chunk < 70; chunk++) {
        walk_how how = walk_whole;
        how.chunk = chunk;
        walk_message(build_view(&b), &how, &w);
        walk_check_same(&expected, &w, reply_samples[_i].name, chunk);
    }
}
END_TEST

START_TEST(every_prefix_waits_for_more)
{
    build b = {.len = 0};
    static walk expected, w;
    reply_samples[_i].make(&b);
    walk_message(build_view(&b), &walk_whole, &expected);
    for (size_t len = 0; len < b.len; len++) {
        const bsn_bytes prefix = {b.bytes, len};
        walk_message(prefix, &walk_whole, &w);
        ck_assert_msg(w.event == BSN_ENVELOPE_MORE, "%s, %zu bytes", reply_samples[_i].name, len);
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
    reply_samples[_i].make(&b);
    for (size_t i = 0; i < b.len; i++) {
        const uint8_t original = b.bytes[i];
        for (size_t v = 0; v < sizeof values; v++) {
            b.bytes[i] = values[v];
            walk_message(build_view(&b), &walk_whole, &expected);
            walk_how how = walk_whole;
            how.chunk = 11 + (i * 7 + v * 5) % 149;
            walk_message(build_view(&b), &how, &w);
            walk_check_same(&expected, &w, reply_samples[_i].name, i);
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
    walk_message(build_view(&b), &walk_whole, &expected);
    ck_assert_msg(expected.event == BSN_ENVELOPE_FAULT && expected.status == row->status &&
                      expected.offset == row->offset,
                  "%s: event %d, status %d at %u", row->name, (int)expected.event,
                  (int)expected.status, (unsigned)expected.offset);
    for (size_t cut = 1; cut < b.len; cut++) {
        walk_how how = walk_whole;
        how.first = cut;
        walk_message(build_view(&b), &how, &w);
        walk_check_same(&expected, &w, row->name, cut);
        how.first = 0;
        how.chunk = cut;
        walk_message(build_view(&b), &how, &w);
        walk_check_same(&expected, &w, row->name, cut);
    }
}
END_TEST

/* The batch, with its third document changed: the two before it are handed out all the same. */
static void check_third_document(size_t place, uint8_t value, bsn_status status, size_t offset)
{
    build b = {.len = 0};
    static walk w;
    walk_how how = walk_whole;
    sample_usual(&b);
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
    walk_how how = walk_whole;
    sample_checksummed(&b);
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
    walk_how how = walk_whole;
    sample_usual(&b);
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
    walk_how how = walk_whole;
    sample_usual(&b);
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
    sample_usual(&b);
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
        walk_how how = walk_whole;
        const size_t message = sample_begin(&b, 0, &body);
        memset(ns, 'n', len);
        ns[len] = 0;
        build_element(&b, 0x03, "cursor");
        const size_t cursor = build_open(&b);
        build_ns(&b, ns);
        build_close(&b, cursor);
        sample_end(&b, message, body);
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

/* ------------------------------------------------------------------ success and failure */

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
    const size_t message = sample_begin(&b, 0, &body);
    build_hex(&b, truth_rows[_i].element);
    sample_end(&b, message, body);
    walk_message(build_view(&b), &walk_whole, &w);
    ck_assert_int_eq(w.event, BSN_ENVELOPE_END);
    ck_assert_msg(w.ok == truth_rows[_i].ok, "%s", truth_rows[_i].element);
}
END_TEST

START_TEST(failure_flags_of_an_old_reply_overrule_ok)
{
    for (uint32_t flag = 1; flag <= 8; flag <<= 1) {
        build b = {.len = 0};
        static walk w;
        sample_hello(&b);
        build_set(&b, 16, (int32_t)flag);
        walk_message(build_view(&b), &walk_whole, &w);
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
        sample_hello(&b);
        build_set(&b, 32, count);
        if (count == 1) { /* one said, bytes behind it */
            build_hex(&b, "0500000000");
            build_set(&b, 0, (int32_t)b.len);
        }
        walk_message(build_view(&b), &walk_whole, &w);
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
    tcase_add_loop_test(sound, sound_reply_gives_its_documents_and_fields, 0, REPLY_SAMPLES);
    tcase_add_loop_test(sound, every_cut_in_two_gives_the_same, 0, REPLY_SAMPLES);
    tcase_add_loop_test(sound, pieces_of_every_size_give_the_same, 0, REPLY_SAMPLES);
    tcase_add_loop_test(sound, every_prefix_waits_for_more, 0, REPLY_SAMPLES);
    tcase_add_loop_test(sound, mutants_fail_or_pass_alike_at_every_cut, 0, REPLY_SAMPLES);
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
    tcase_add_loop_test(fields, ok_is_true_in_every_type_that_servers_write, 0, COUNT(truth_rows));
    tcase_add_test(fields, failure_flags_of_an_old_reply_overrule_ok);
    tcase_add_test(fields, old_reply_of_no_or_two_documents_is_refused);
    suite_add_tcase(suite, fields);
    return suite;
}
