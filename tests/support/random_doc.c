/* SPDX-License-Identifier: Apache-2.0
 *
 * random_doc.c -- see random_doc.h.
 */
#include "support/random_doc.h"

#include "support/must.h"

#include <string.h>

enum { TEXT_MAX = 3000 };

static size_t put_character(test_random *random, char *to, bool zeros)
{
    static const char *const sequences[] = {"\xC2\x80",     "\xDF\xBF",         "\xE0\xA0\x80",
                                            "\xED\x9F\xBF", "\xEF\xBF\xBF",     "\xF0\x90\x80\x80",
                                            "\xC3\xA9",     "\xF4\x8F\xBF\xBF", "\xE2\x82\xAC"};
    if (random_one_in(random, 3)) {
        const char *sequence = sequences[random_size_below(random, 9)];
        const size_t len = strlen(sequence);
        memcpy(to, sequence, len);
        return len;
    }
    const uint32_t byte = random_below(random, 0x80);
    to[0] = (char)(byte == 0 && !zeros ? '"' : byte);
    return 1;
}

bsn_str random_doc_text(test_random *random, char *storage, size_t len_max, bool zeros)
{
    const bool plain = random_one_in(random, 2);
    const size_t wanted = random_size_below(random, len_max);
    size_t len = 0;
    while (len + 4 < wanted) {
        if (plain) {
            storage[len++] = (char)('a' + random_below(random, 26));
        } else {
            len += put_character(random, storage + len, zeros);
        }
    }
    const bsn_str text = {storage, len};
    return text;
}

static size_t any_len(test_random *random)
{
    return random_one_in(random, 40) ? TEXT_MAX : 80;
}

static double random_double(test_random *random)
{
    const uint64_t bits = random_u64(random), nan = (uint64_t)0x7FF8 << 48;
    double value;
    if (random_one_in(random, 2)) return (double)(int32_t)random_of_any_size(random) / 100;
    memcpy(&value, &bits, sizeof value);
    if (value != value) memcpy(&value, &nan, sizeof value);
    return value;
}

/* One that its text tells in full. */
static bsn_decimal128 random_decimal(test_random *random)
{
    char text[BSN_DECIMAL128_TEXT_MAX];
    bsn_decimal128 value = {random_of_any_size(random), random_u64(random)};
    if (random_one_in(random, 2)) value.high &= (uint64_t)0x31FF << 48 | 0xFFFF;
    const bsn_str str = {text, bsn_decimal128_to_text(value, text)};
    MUST(bsn_decimal128_from_text(str, &value) == BSN_OK || str.len > 34);
    MUST(bsn_decimal128_from_text(str, &value) == BSN_OK ||
         bsn_decimal128_from_text(BSN_STR("1.50"), &value) == BSN_OK);
    return value;
}

static void put_scalar(test_random *random, bsn_writer *w, bsn_str key)
{
    char storage[TEXT_MAX], other[TEXT_MAX];
    bsn_oid oid;
    for (size_t i = 0; i < sizeof oid.bytes; i++) oid.bytes[i] = (uint8_t)random_below(random, 256);
    const bsn_timestamp timestamp = {(uint32_t)random_of_any_size(random),
                                     (uint32_t)random_of_any_size(random)};
    const bsn_str text = random_doc_text(random, storage, any_len(random), true);
    const bsn_bytes bytes = {(const uint8_t *)text.ptr, text.len};
    const int64_t date = (int64_t)(random_u64(random) >> (random_one_in(random, 2) ? 20 : 0));
    switch (random_below(random, 19)) {
    case 0: bsn_writer_double(w, key, random_double(random)); return;
    case 1: bsn_writer_string(w, key, text); return;
    case 2: bsn_writer_binary(w, key, (uint8_t)random_below(random, 256), bytes); return;
    case 3: bsn_writer_undefined(w, key); return;
    case 4: bsn_writer_oid(w, key, &oid); return;
    case 5: bsn_writer_boolean(w, key, random_one_in(random, 2)); return;
    case 6: bsn_writer_date(w, key, date); return;
    case 7: bsn_writer_null(w, key); return;
    case 8:
        bsn_writer_regex(w, key, random_doc_text(random, other, any_len(random), false),
                         random_one_in(random, 2) ? BSN_STR("xi") : BSN_STR(""));
        return;
    case 9: bsn_writer_dbpointer(w, key, text, &oid); return;
    case 10: bsn_writer_code(w, key, text); return;
    case 11: bsn_writer_symbol(w, key, text); return;
    case 12: bsn_writer_timestamp(w, key, timestamp); return;
    case 13: bsn_writer_int64(w, key, (int64_t)random_of_any_size(random)); return;
    case 14: bsn_writer_int64(w, key, (int64_t)(0 - random_of_any_size(random))); return;
    case 15: bsn_writer_decimal128(w, key, random_decimal(random)); return;
    case 16: bsn_writer_minkey(w, key); return;
    case 17: bsn_writer_maxkey(w, key); return;
    default: bsn_writer_int32(w, key, (int32_t)random_of_any_size(random)); return;
    }
}

static bsn_str random_key(test_random *random, char *storage)
{
    static const bsn_str keys[] = {{"$gt", 3},    {"$ref", 4},     {"$id", 3}, {"$type", 5},
                                   {"$regex", 6}, {"$options", 8}, {"", 0},    {"$", 1}};
    if (random_one_in(random, 10)) return keys[random_size_below(random, 8)];
    return random_doc_text(random, storage, random_one_in(random, 30) ? 300 : 24, false);
}

static void put_element(test_random *random, bsn_writer *w)
{
    char storage[TEXT_MAX], code[TEXT_MAX];
    const bsn_str key = random_key(random, storage);
    switch (random_below(random, 12)) {
    case 0: bsn_writer_begin_document(w, key); return;
    case 1: bsn_writer_begin_array(w, key); return;
    case 2:
        bsn_writer_begin_code_scope(w, key, random_doc_text(random, code, any_len(random), true));
        return;
    case 3:
    case 4:
        if (w->depth > 1) bsn_writer_end(w);
        return;
    default: put_scalar(random, w, key); return;
    }
}

void random_doc_write(test_random *random, bsn_out *out)
{
    bsn_writer w;
    const uint32_t steps = random_below(random, random_one_in(random, 10) ? 120 : 20);
    bsn_writer_init(&w, out);
    bsn_writer_begin(&w);
    for (uint32_t i = 0; i < steps; i++) put_element(random, &w);
    while (w.depth > 0) bsn_writer_end(&w);
    MUST(bsn_writer_status(&w) == BSN_OK);
}
