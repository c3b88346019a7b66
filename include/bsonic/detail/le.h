/* SPDX-License-Identifier: Apache-2.0
 *
 * detail/le.h -- little-endian loads and stores at any address, on machines of either byte order.
 *
 * Each is a memcpy, which compilers turn into one move (and a byte swap on big-endian machines). Header-only, because the
 * inline walk needs them; not part of the documented interface.
 */
#ifndef BSONIC_DETAIL_LE_H
#define BSONIC_DETAIL_LE_H

#include <stdint.h>
#include <string.h>

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BSN_BIG_ENDIAN 1
#else
#define BSN_BIG_ENDIAN 0
#endif

static inline uint32_t bsn_swap32(uint32_t x)
{
    return (x >> 24) | ((x >> 8) & 0x0000FF00u) | ((x << 8) & 0x00FF0000u) | (x << 24);
}

static inline uint64_t bsn_swap64(uint64_t x)
{
    return ((uint64_t)bsn_swap32((uint32_t)x) << 32) | bsn_swap32((uint32_t)(x >> 32));
}

static inline uint32_t bsn_load_u32(const uint8_t *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return BSN_BIG_ENDIAN ? bsn_swap32(x) : x;
}

static inline uint64_t bsn_load_u64(const uint8_t *p)
{
    uint64_t x;
    memcpy(&x, p, sizeof x);
    return BSN_BIG_ENDIAN ? bsn_swap64(x) : x;
}

/* Signed loads reinterpret the bits: converting an out-of-range value would be implementation-defined. */
static inline int32_t bsn_load_i32(const uint8_t *p)
{
    uint32_t bits = bsn_load_u32(p);
    int32_t x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline int64_t bsn_load_i64(const uint8_t *p)
{
    uint64_t bits = bsn_load_u64(p);
    int64_t x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* To *x and not by value: a signalling NaN becomes quiet on its way through a register of x87. */
static inline void bsn_load_f64_to(const uint8_t *p, double *x)
{
    uint64_t bits = bsn_load_u64(p);
    memcpy(x, &bits, sizeof *x);
}

static inline double bsn_load_f64(const uint8_t *p)
{
    double x;
    bsn_load_f64_to(p, &x);
    return x;
}

static inline void bsn_store_u32(uint8_t *p, uint32_t x)
{
    if (BSN_BIG_ENDIAN) x = bsn_swap32(x);
    memcpy(p, &x, sizeof x);
}

static inline void bsn_store_u64(uint8_t *p, uint64_t x)
{
    if (BSN_BIG_ENDIAN) x = bsn_swap64(x);
    memcpy(p, &x, sizeof x);
}

static inline void bsn_store_i32(uint8_t *p, int32_t x)
{
    bsn_store_u32(p, (uint32_t)x);
}

static inline void bsn_store_i64(uint8_t *p, int64_t x)
{
    bsn_store_u64(p, (uint64_t)x);
}

static inline void bsn_store_f64(uint8_t *p, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    bsn_store_u64(p, bits);
}

#endif
