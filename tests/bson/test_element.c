/* SPDX-License-Identifier: Apache-2.0
 *
 * test_element.c -- the size and shape of each type, one element at a time.
 */
#include "suites.h"

#include "bson/element.h"
#include "support/exact_copy.h"
#include "support/hex.h"

#include <bsonic/doc.h>

/* One element of each type, with a key of one byte unless said. */
typedef struct shape_row {
    const char *name;
    const char *hex;
    size_t key_len;
    size_t container; /* where the embedded document starts, from the type byte; 0: none */
} shape_row;

static const shape_row shape_rows[] = {
    {"double", "01 61 00 00 00 00 00 00 00 F8 3F", 1, 0},
    {"string", "02 62 00 05 00 00 00 74 65 78 74 00", 1, 0},
    {"document", "03 63 00 0C 00 00 00 10 69 00 07 00 00 00 00", 1, 3},
    {"array", "04 64 00 0C 00 00 00 0A 30 00 08 31 00 01 00", 1, 3},
    {"binary", "05 65 00 03 00 00 00 80 78 79 7A", 1, 0},
    {"old binary", "05 76 00 06 00 00 00 02 02 00 00 00 7A 7A", 1, 0},
    {"undefined", "06 66 00", 1, 0},
    {"ObjectId", "07 67 00 01 02 03 04 05 06 07 08 09 0A 0B 0C", 1, 0},
    {"boolean", "08 68 00 00", 1, 0},
    {"date", "09 69 00 FF FF FF FF FF FF FF FF", 1, 0},
    {"null", "0A 6A 00", 1, 0},
    {"regex", "0B 6B 00 5E 61 2B 00 69 6D 00", 1, 0},
    {"DBPointer", "0C 6C 00 05 00 00 00 64 62 2E 63 00 01 02 03 04 05 06 07 08 09 0A 0B 0C", 1, 0},
    {"code", "0D 6D 00 04 00 00 00 66 28 29 00", 1, 0},
    {"symbol", "0E 6E 00 04 00 00 00 73 79 6D 00", 1, 0},
    {"code with scope",
     "0F 6F 00 16 00 00 00 02 00 00 00 78 00 0C 00 00 00 10 78 00 01 00 00 00 00", 1, 13},
    {"int32", "10 70 00 FE FF FF FF", 1, 0},
    {"timestamp", "11 71 00 05 00 00 00 FF FF FF FF", 1, 0},
    {"int64", "12 72 00 00 00 00 00 00 01 00 00", 1, 0},
    {"decimal128", "13 73 00 00 01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F", 1, 0},
    {"MinKey", "FF 74 00", 1, 0},
    {"MaxKey", "7F 75 00", 1, 0},
    {"empty key", "10 00 FE FF FF FF", 0, 0},
    {"key of 8 bytes", "10 61 62 63 64 65 66 67 68 00 FE FF FF FF", 8, 0},
    {"key of 15 bytes", "10 61 62 63 64 65 66 67 68 69 6A 6B 6C 6D 6E 6F 00 FE FF FF FF", 15, 0},
    {"key of 16 bytes", "10 61 62 63 64 65 66 67 68 69 6A 6B 6C 6D 6E 6F 70 00 FE FF FF FF", 16, 0},
};
enum { SHAPE_ROW_COUNT = sizeof shape_rows / sizeof shape_rows[0] };

/* The bytes of the row, then one byte more, where `end` points. */
static uint8_t *with_end_byte(const hex_bytes *bytes, size_t len, uint8_t end_byte)
{
    uint8_t *block = malloc(len + 1);
    ck_assert_ptr_nonnull(block);
    memcpy(block, bytes->ptr, len);
    block[len] = end_byte;
    return block;
}

START_TEST(each_type_reaches_exactly_to_its_end)
{
    for (size_t i = 0; i < SHAPE_ROW_COUNT; i++) {
        const shape_row *row = &shape_rows[i];
        hex_bytes bytes = hex_read(row->hex);
        uint8_t *at = with_end_byte(&bytes, bytes.len, 0);
        bsni_element element;
        ck_assert_msg(bsni_element_read(at, at + bytes.len, true, &element) == BSN_OK, "%s",
                      row->name);
        ck_assert_msg(element.next == at + bytes.len, "%s", row->name);
        ck_assert_msg(element.type == *at && element.key_len == row->key_len, "%s", row->name);
        ck_assert_msg(element.value == at + 2 + row->key_len, "%s", row->name);
        const uint8_t *container = row->container != 0 ? at + row->container : NULL;
        ck_assert_msg(element.container == container, "%s", row->name);
        if (*at == BSN_TYPE_CODE_SCOPE)
            ck_assert_ptr_eq(bsni_element_scope(element.value), container);
        free(at);
        hex_free(&bytes);
    }
}
END_TEST

static bool is_in(bsn_status status, const bsn_status *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (list[i] == status) return true;
    }
    return false;
}

/* With the container's end in the middle of an element, that is what the element is blamed for, inside what is left. */
START_TEST(an_element_cut_anywhere_is_a_fault_of_size)
{
    static const bsn_status of_size[] = {BSN_E_SHORT, BSN_E_LENGTH, BSN_E_CSTRING};
    static const bsn_status of_no_end[] = {BSN_E_SHORT, BSN_E_LENGTH, BSN_E_TERMINATOR};
    for (size_t i = 0; i < SHAPE_ROW_COUNT; i++) {
        hex_bytes bytes = hex_read(shape_rows[i].hex);
        for (size_t len = 1; len < bytes.len; len++) {
            for (unsigned end_byte = 0; end_byte <= 0xFF; end_byte += 0xFF) {
                uint8_t *at = with_end_byte(&bytes, len, (uint8_t)end_byte);
                bsni_element element;
                const bsn_status status = bsni_element_read(at, at + len, true, &element);
                const bsn_status *expected = end_byte == 0 ? of_size : of_no_end;
                ck_assert_msg(is_in(status, expected, 3), "%s cut to %zu: %s", shape_rows[i].name,
                              len, bsn_status_text(status));
                ck_assert(element.fault > at && element.fault <= at + len);
                free(at);
            }
        }
        hex_free(&bytes);
    }
}
END_TEST

START_TEST(what_is_no_type_is_a_fault_at_once)
{
    for (unsigned type = 0; type <= 0xFF; type++) {
        if (bsn_type_known((uint8_t)type)) continue;
        const uint8_t element_bytes[] = {(uint8_t)type, 'k', 0, 0};
        uint8_t *at = exact_copy(element_bytes, sizeof element_bytes);
        bsni_element element;
        ck_assert_int_eq(bsni_element_read(at, at + 3, true, &element), BSN_E_TYPE);
        ck_assert_ptr_eq(element.fault, at);
        free(at);
    }
}
END_TEST

Suite *element_suite(void)
{
    Suite *suite = suite_create("element");
    TCase *tests = tcase_create("element");
    tcase_add_test(tests, each_type_reaches_exactly_to_its_end);
    tcase_add_test(tests, an_element_cut_anywhere_is_a_fault_of_size);
    tcase_add_test(tests, what_is_no_type_is_a_fault_at_once);
    suite_add_tcase(suite, tests);
    return suite;
}
