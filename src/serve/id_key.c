/* SPDX-License-Identifier: Apache-2.0
 *
 * id_key.c -- see id_key.h.
 *
 * A number becomes the first of these that can hold it exactly: an int64, a double, a decimal without trailing zeros. For a
 * decimal128 that needs its coefficient (113 bits at most) divided by small numbers.
 */
#include "serve/id_key.h"

#include "base/mix.h"
#include "base/whole.h"
#include "base/wide.h"

#include <bsonic/detail/le.h>

#include <math.h>

/* Kinds above any type byte that has its own key; 0xFF is MinKey's. */
enum { KIND_INTEGER = 0xE0, KIND_DOUBLE = 0xE1, KIND_DECIMAL = 0xE2, KIND_NAN = 0xE3 };

/* Divides by divisor while nothing is left over, at most `times` times; returns how many times. x is not 0. */
static int divide_out(bsni_u128 *x, uint32_t divisor, int times)
{
    for (int done = 0; done < times; done++) {
        bsni_u128 quotient = *x;
        if (bsni_divide(&quotient, divisor) != 0) return done;
        *x = quotient;
    }
    return times;
}

/* ------------------------------------------------------------------ keys */

static void set_key(serve_id_key *key, uint8_t kind, size_t len)
{
    key->kind = kind;
    key->bytes.ptr = key->storage;
    key->bytes.len = len;
}

static void integer_key(serve_id_key *key, int64_t value)
{
    bsn_store_i64(key->storage, value);
    set_key(key, KIND_INTEGER, 8);
}

static void double_key(serve_id_key *key, double value)
{
    int64_t whole;
    if (value != value) {
        set_key(key, KIND_NAN, 0);
        return;
    }
    if (bsni_whole_double(value, &whole)) {
        integer_key(key, whole);
        return;
    }
    bsn_store_f64(key->storage, value);
    set_key(key, KIND_DOUBLE, 8);
}

/* A decimal: sign * coefficient * 10^exponent. */
typedef struct decimal {
    bool negative;
    int exponent;
    bsni_u128 coefficient;
} decimal;

/* As the odd part times a power of two: true, and *value set, when a double holds that exactly. */
static bool decimal_to_double(const decimal *d, double *value)
{
    bsni_u128 odd = d->coefficient;
    int fives = d->exponent, twos = d->exponent;
    if (fives < 0 && divide_out(&odd, 5, -fives) != -fives) return false;
    twos += divide_out(&odd, 2, 128);
    if (odd.high != 0) return false;
    uint64_t mantissa = odd.low;
    for (; fives > 0; fives--) {
        if (mantissa > ((uint64_t)1 << 53) / 5) return false;
        mantissa *= 5;
    }
    if (mantissa > (uint64_t)1 << 53) return false;
    double result = (double)mantissa; /* exact, and so is each step: only the exponent changes */
    for (; twos > 0; twos--) result *= 2.0;
    for (; twos < 0; twos++) result *= 0.5;
    *value = d->negative ? -result : result;
    return true;
}

/* True, and *value set, when the decimal is an int64. */
static bool decimal_to_integer(const decimal *d, int64_t *value)
{
    if (d->exponent < 0 || d->coefficient.high != 0) return false;
    uint64_t magnitude = d->coefficient.low;
    for (int i = 0; i < d->exponent; i++) {
        if (magnitude > UINT64_MAX / 10) return false;
        magnitude *= 10;
    }
    const uint64_t limit = (uint64_t)INT64_MAX + (d->negative ? 1 : 0);
    if (magnitude > limit) return false;
    if (!d->negative) {
        *value = (int64_t)magnitude;
    } else {
        *value = magnitude == limit ? INT64_MIN : -(int64_t)magnitude;
    }
    return true;
}

/* Bits of decimal128 with an integer coefficient: sign 1, exponent 14 (biased by 6176), coefficient 113; or, where the two bits
 * behind the sign are 11, a coefficient beyond 10^34 - 1, which reads as 0, an infinity (11110) or a NaN (11111).
 * [IEEE 754-2008 3.5.2] */
static void decimal_key(serve_id_key *key, const uint8_t *raw)
{
    const uint64_t low = bsn_load_u64(raw), high = bsn_load_u64(raw + 8);
    decimal d = {.negative = high >> 63 != 0};
    int64_t integer;
    double number;
    const unsigned top = (unsigned)(high >> 58) & 0x1F;
    if (top >= 0x1E) {
        double_key(key, top == 0x1F ? (double)NAN : (double)(d.negative ? -INFINITY : INFINITY));
        return;
    }
    d.exponent = (int)(high >> 49 & 0x3FFF) - 6176;
    d.coefficient.high = high & (((uint64_t)1 << 49) - 1);
    d.coefficient.low = low;
    bsni_u128 digits = d.coefficient; /* 10^34 - 1 at most, else it is no coefficient */
    for (int i = 0; i < 34; i++) bsni_divide(&digits, 10);
    if (top >= 0x18 || (digits.high | digits.low) != 0 ||
        (d.coefficient.high | d.coefficient.low) == 0) {
        integer_key(key, 0);
        return;
    }
    d.exponent += divide_out(&d.coefficient, 10, 34);
    if (decimal_to_integer(&d, &integer)) {
        integer_key(key, integer);
    } else if (decimal_to_double(&d, &number)) {
        double_key(key, number);
    } else {
        key->storage[0] = d.negative;
        bsn_store_i32(key->storage + 1, d.exponent);
        bsn_store_u64(key->storage + 5, d.coefficient.low);
        bsn_store_u64(key->storage + 13, d.coefficient.high);
        set_key(key, KIND_DECIMAL, 21);
    }
}

void serve_id_key_make(serve_id_key *key, bsn_type type, bsn_bytes raw)
{
    switch (type) {
    case BSN_TYPE_INT32: integer_key(key, bsn_load_i32(raw.ptr)); return;
    case BSN_TYPE_INT64: integer_key(key, bsn_load_i64(raw.ptr)); return;
    case BSN_TYPE_DOUBLE: double_key(key, bsn_load_f64(raw.ptr)); return;
    case BSN_TYPE_DECIMAL128: decimal_key(key, raw.ptr); return;
    default: key->kind = (uint8_t)type; key->bytes = raw;
    }
}

bool serve_id_key_equal(const serve_id_key *a, const serve_id_key *b)
{
    return a->kind == b->kind && bsn_bytes_equal(a->bytes, b->bytes);
}

uint64_t serve_id_key_hash(const serve_id_key *key)
{
    uint64_t hash = bsni_mix(key->kind + 0x9E3779B97F4A7C15u * (key->bytes.len + 1));
    size_t i = 0;
    for (; key->bytes.len - i >= 8; i += 8)
        hash = bsni_mix(hash ^ bsn_load_u64(key->bytes.ptr + i));
    uint64_t tail = 0;
    for (; i < key->bytes.len; i++) tail = tail << 8 | key->bytes.ptr[i];
    return bsni_mix(hash ^ tail);
}
