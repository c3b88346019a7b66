/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_json_number.c -- property: numbers are read as what they say, and come back as the same bits.
 *   - what is read is what the grammar allows, as long as the grammar says, and the value that libc's strtod and strtoll give in
 *     the C locale; glibc's strtod rounds correctly at any length
 *   - a double is printed as the fewest digits that read back as the same bits, and among those the nearest, as `printf` finds
 *     them
 *   - a decimal128 is read exactly or not at all: its text reads back as the same bits, and is the same number to strtod
 *
 *     | text |     the first 16 bytes are a decimal128 by themselves too, and the first 8 a double
 */
#include "support.h"

#include "json/number.h"

#include <bsonic/detail/le.h>
#include <bsonic/types.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>

enum { DIGITS_MAX = 17 };

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* ------------------------------------------------------------------ the grammars, plainly */

/* A text being looked through. */
typedef struct scan {
    bsn_str text;
    size_t at;
} scan;

static bool take(scan *s, const char *any_of)
{
    if (s->at == s->text.len || s->text.ptr[s->at] == '\0') return false;
    if (strchr(any_of, s->text.ptr[s->at]) == NULL) return false;
    s->at++;
    return true;
}

static size_t take_digits(scan *s)
{
    const size_t start = s->at;
    while (take(s, "0123456789")) {
    }
    return s->at - start;
}

/* A number of RFC 8259 at the front. s->at is behind it, or where it is wrong. */
static bool take_json_number(scan *s, bool *integer)
{
    *integer = true;
    (void)take(s, "-");
    if (!take(s, "0") && take_digits(s) == 0) return false;
    if (take(s, ".")) {
        *integer = false;
        if (take_digits(s) == 0) return false;
    }
    if (take(s, "eE")) {
        *integer = false;
        (void)take(s, "+-");
        if (take_digits(s) == 0) return false;
    }
    return true;
}

/* What a decimal128 is read from, unless it is a word. */
static bool is_decimal(bsn_str text)
{
    scan s = {.text = text};
    (void)take(&s, "+-");
    size_t digits = take_digits(&s);
    if (take(&s, ".")) digits += take_digits(&s);
    if (digits == 0) return false;
    if (take(&s, "eE")) {
        (void)take(&s, "+-");
        if (take_digits(&s) == 0) return false;
    }
    return s.at == text.len;
}

static bool is_word(bsn_str text, const char *word)
{
    if (text.len != strlen(word)) return false;
    for (size_t i = 0; i < text.len; i++) {
        const char c = text.ptr[i];
        if ((c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c) != word[i]) return false;
    }
    return true;
}

static bool is_decimal_word(bsn_str text)
{
    if (text.len > 0 && (text.ptr[0] == '+' || text.ptr[0] == '-')) {
        text.ptr++;
        text.len--;
    }
    return is_word(text, "nan") || is_word(text, "inf") || is_word(text, "infinity");
}

/* ------------------------------------------------------------------ reading */

/* What libc says of the number text.ptr[0..text.len). */
typedef struct oracle {
    double real;
    bool fits_int64;
    int64_t integer;
} oracle;

static oracle ask_libc(bsn_str text)
{
    char *copy = malloc(text.len + 1);
    char *end;
    oracle said;
    MUST(copy != NULL);
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    said.real = strtod(copy, &end);
    MUST(end == copy + text.len);
    errno = 0;
    said.integer = strtoll(copy, NULL, 10);
    said.fits_int64 = errno != ERANGE;
    free(copy);
    return said;
}

static bsni_number_kind kind_of(const oracle *said, bool integer)
{
    if (!integer) return BSNI_NUMBER_DOUBLE;
    if (!said->fits_int64) return BSNI_NUMBER_BEYOND;
    return said->integer >= INT32_MIN && said->integer <= INT32_MAX ? BSNI_NUMBER_INT32
                                                                    : BSNI_NUMBER_INT64;
}

/* The front of the text, whatever follows. */
static void check_take(bsn_str text)
{
    scan s = {.text = text};
    bool integer;
    bsni_number number;
    const bool sound = take_json_number(&s, &integer);
    const bsn_status status = bsni_number_take(text, &number);
    MUST((status != BSN_E_SYNTAX) == sound && number.len == s.at);
    if (!sound) return;
    const oracle said = ask_libc((bsn_str){text.ptr, s.at});
    const bsni_number_kind kind = kind_of(&said, integer);
    MUST(number.kind == kind);
    if (kind == BSNI_NUMBER_INT32 || kind == BSNI_NUMBER_INT64) {
        MUST(status == BSN_OK && number.integer == said.integer);
    } else {
        MUST(status == (isinf(said.real) ? BSN_E_RANGE : BSN_OK));
        MUST(bits_of(number.real) == bits_of(said.real));
    }
}

static void check_double(double value);

/* The whole text, as the values of wrappers are. */
static void check_whole(bsn_str text)
{
    scan s = {.text = text};
    bool integer;
    const bool sound = take_json_number(&s, &integer) && s.at == text.len;
    double real = 0;
    int64_t wide = 0;
    int32_t narrow = 0;
    const bsn_status as_double = bsni_double_from_text(text, &real);
    const bsn_status as_int64 = bsni_int64_from_text(text, &wide);
    const bsn_status as_int32 = bsni_int32_from_text(text, &narrow);
    if (!sound) {
        MUST(as_double == (isfinite(real) ? BSN_E_SYNTAX : BSN_OK)); /* the three words */
        MUST(as_int64 == BSN_E_SYNTAX && as_int32 == BSN_E_SYNTAX);
        return;
    }
    const oracle said = ask_libc(text);
    MUST(as_double == (isinf(said.real) ? BSN_E_RANGE : BSN_OK));
    MUST(as_double != BSN_OK || bits_of(real) == bits_of(said.real));
    const bool fits_int32 = said.integer >= INT32_MIN && said.integer <= INT32_MAX;
    MUST(as_int64 == (!integer ? BSN_E_SYNTAX : said.fits_int64 ? BSN_OK : BSN_E_RANGE));
    MUST(as_int32 == (!integer                        ? BSN_E_SYNTAX
                      : said.fits_int64 && fits_int32 ? BSN_OK
                                                      : BSN_E_RANGE));
    MUST(as_int64 != BSN_OK || wide == said.integer);
    MUST(as_int32 != BSN_OK || narrow == said.integer);
    check_double(real);
}

/* ------------------------------------------------------------------ printing */

/* The digits of a number without zeros at either end. Returns how many. */
static size_t significant(const char *text, size_t len, char digits[DIGITS_MAX + 16])
{
    size_t count = 0;
    for (size_t i = 0; i < len && text[i] != 'e' && text[i] != 'E'; i++) {
        if (text[i] < '0' || text[i] > '9' || (count == 0 && text[i] == '0')) continue;
        MUST(count < DIGITS_MAX + 16);
        digits[count++] = text[i];
    }
    while (count > 0 && digits[count - 1] == '0') count--;
    return count;
}

/* True when `count` digits, as printf rounds, read back as the value; they are then in digits. */
static bool suffices(double value, size_t count, char digits[DIGITS_MAX + 16], size_t *len)
{
    char text[64];
    const int printed = snprintf(text, sizeof text, "%.*e", (int)count - 1, value);
    *len = significant(text, (size_t)printed, digits);
    return strtod(text, NULL) == value;
}

static void check_double(double value)
{
    char text[BSNI_DOUBLE_TEXT_MAX], found[DIGITS_MAX + 16], wanted[DIGITS_MAX + 16];
    size_t wanted_len;
    if (!isfinite(value)) return;
    const bsn_str printed = {text, bsni_double_to_text(value, text)};
    MUST(printed.len <= BSNI_DOUBLE_TEXT_MAX);
    scan s = {.text = printed};
    bool integer;
    double again = 0;
    MUST(take_json_number(&s, &integer) && s.at == printed.len && !integer);
    MUST(bsni_double_from_text(printed, &again) == BSN_OK && bits_of(again) == bits_of(value));
    MUST(bits_of(ask_libc(printed).real) == bits_of(value));
    const size_t len = significant(text, printed.len, found);
    if (len == 0) return;
    MUST(len <= DIGITS_MAX);
    if (len > 1) MUST(!suffices(value, len - 1, wanted, &wanted_len));
    if (suffices(value, len, wanted, &wanted_len)) {
        MUST(wanted_len == len && memcmp(found, wanted, len) == 0);
    }
}

static void check_integers(uint64_t bits)
{
    char text[BSNI_INTEGER_TEXT_MAX], wanted[32];
    size_t len = bsni_uint64_to_text(bits, text);
    int wanted_len = snprintf(wanted, sizeof wanted, "%llu", (unsigned long long)bits);
    MUST(len == (size_t)wanted_len && memcmp(text, wanted, len) == 0);
    len = bsni_int64_to_text((int64_t)bits, text);
    wanted_len = snprintf(wanted, sizeof wanted, "%lld", (long long)bits);
    MUST(len == (size_t)wanted_len && memcmp(text, wanted, len) == 0);
    int64_t again;
    MUST(bsni_int64_from_text((bsn_str){text, len}, &again) == BSN_OK && again == (int64_t)bits);
}

/* ------------------------------------------------------------------ decimal128 */

static void check_decimal_text(bsn_str text)
{
    bsn_decimal128 value = {0, 0}, again = {1, 1};
    char printed[BSN_DECIMAL128_TEXT_MAX];
    const bool number = is_decimal(text);
    const bsn_status status = bsn_decimal128_from_text(text, &value);
    MUST((status != BSN_E_SYNTAX) == (number || is_decimal_word(text)));
    if (status != BSN_OK) {
        MUST(status == BSN_E_SYNTAX ||
             (number && (status == BSN_E_INEXACT || status == BSN_E_RANGE)));
        return;
    }
    const bsn_str shown = {printed, bsn_decimal128_to_text(value, printed)};
    MUST(shown.len <= BSN_DECIMAL128_TEXT_MAX);
    MUST(bsn_decimal128_from_text(shown, &again) == BSN_OK);
    MUST(again.high == value.high && again.low == value.low);
    MUST(!number || bits_of(ask_libc(shown).real) == bits_of(ask_libc(text).real));
}

/* Any bits: those of a number in another form than the reader makes have a text all the same, and it says the same again. */
static void check_decimal_bits(bsn_decimal128 value)
{
    bsn_decimal128 again;
    char printed[BSN_DECIMAL128_TEXT_MAX], reprinted[BSN_DECIMAL128_TEXT_MAX];
    const bsn_str shown = {printed, bsn_decimal128_to_text(value, printed)};
    MUST(shown.len <= BSN_DECIMAL128_TEXT_MAX);
    MUST(bsn_decimal128_from_text(shown, &again) == BSN_OK);
    const bsn_str reshown = {reprinted, bsn_decimal128_to_text(again, reprinted)};
    MUST(bsn_str_equal(shown, reshown));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input;
    if (!fuzz_input_open(&input, data, size, 0)) return 0;
    const bsn_str text = {(const char *)input.bytes.ptr, input.bytes.len};
    check_take(text);
    check_whole(text);
    check_decimal_text(text);
    if (size >= 8) {
        const uint64_t bits = bsn_load_u64(input.bytes.ptr);
        double value;
        memcpy(&value, &bits, sizeof value);
        check_double(value);
        check_integers(bits);
    }
    if (size >= 16) {
        const bsn_decimal128 value = {.high = bsn_load_u64(input.bytes.ptr + 8),
                                      .low = bsn_load_u64(input.bytes.ptr)};
        check_decimal_bits(value);
    }
    fuzz_input_close(&input);
    return 0;
}
