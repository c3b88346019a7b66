/* SPDX-License-Identifier: Apache-2.0
 *
 * simd.h -- the kernels, run by the best tier that this CPU has. What each does stands in its k_<name>.h.
 *
 * The tables are constant, so the pointer to the chosen one needs no ordering, and no lock: the library's only global state.
 */
#ifndef BSNI_SIMD_H
#define BSNI_SIMD_H

#include "simd/kernels.h"

#include <bsonic/base.h>

#include <stdatomic.h>

extern _Atomic(const bsn_kernels *) bsni_kernels_chosen;

/* Makes the choice. */
const bsn_kernels *bsni_kernels_choose(void);

/* The table in use. */
static inline const bsn_kernels *bsni_kernels(void)
{
    const bsn_kernels *kernels = atomic_load_explicit(&bsni_kernels_chosen, memory_order_relaxed);
    return BSN_LIKELY(kernels != NULL) ? kernels : bsni_kernels_choose();
}

/* Offset of the first 0x00 in p[0..n), or n. */
static inline size_t bsni_cstring(const uint8_t *p, size_t n)
{
    return bsni_kernels()->cstring(p, n);
}

/* How many bytes from the start of p[0..n) are well-formed UTF-8; n if all are. */
static inline size_t bsni_utf8(const uint8_t *p, size_t n)
{
    return bsni_kernels()->utf8(p, n);
}

/* p[0..n) as the inside of a JSON string to out, which has room for 6 * n + 32 bytes. Returns the length. */
static inline size_t bsni_json_escape(const uint8_t *p, size_t n, uint8_t *out)
{
    return bsni_kernels()->json_escape(p, n, out);
}

/* Copies the plain front of p[0..n), up to the first `"`, `\` or control, to out, which has room for n + 32 bytes; returns how much
 * that is. *ascii becomes false when the copy is not all ASCII, and is left alone otherwise. */
static inline size_t bsni_json_string(const uint8_t *p, size_t n, uint8_t *out, bool *ascii)
{
    return bsni_kernels()->json_string(p, n, out, ascii);
}

/* The 2 * n lower-case hex digits of p[0..n) to out. */
static inline void bsni_hex_encode(const uint8_t *p, size_t n, uint8_t *out)
{
    bsni_kernels()->hex_encode(p, n, out);
}

/* The n bytes of the 2 * n hex digits at p to out. False if one is none; out is then undefined. */
static inline bool bsni_hex_decode(const uint8_t *p, size_t n, uint8_t *out)
{
    return bsni_kernels()->hex_decode(p, n, out);
}

/* The longest input whose base64 text has a length that fits. */
#define BSNI_BASE64_BYTES_MAX (SIZE_MAX / 4 * 3)

/* Length of the base64 text of `len` bytes, len <= BSNI_BASE64_BYTES_MAX: four characters for every three bytes begun. */
static inline size_t bsni_base64_text_len(size_t len)
{
    return (len / 3 + (len % 3 != 0)) * 4;
}

/* Room that the bytes of a base64 text of `len` characters need: exact but for padding. */
static inline size_t bsni_base64_bytes_max(size_t len)
{
    return len / 4 * 3;
}

/* The base64 text of p[0..n) to out[0..bsni_base64_text_len(n)). */
static inline void bsni_base64_encode(const uint8_t *p, size_t n, uint8_t *out)
{
    bsni_kernels()->base64_enc(p, n, out);
}

/* Reads the whole of the base64 text p[0..n) into out[0..*len), room for bsni_base64_bytes_max(n). Strict; false when it is
 * unsound, *len untouched and the room undefined. */
static inline bool bsni_base64_decode(const uint8_t *p, size_t n, uint8_t *out, size_t *len)
{
    return bsni_kernels()->base64_dec(p, n, out, len);
}

#endif
