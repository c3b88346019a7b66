/* SPDX-License-Identifier: Apache-2.0
 *
 * kernels.h -- the one list of the kernels, and the type of a table of them. A kernel's contract stands in its k_<name>.h.
 */
#ifndef BSNI_KERNELS_H
#define BSNI_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* K(name, result, parameters) */
#define BSN_KERNELS(K)                                                              \
    K(cstring, size_t, (const uint8_t *p, size_t n))                                \
    K(utf8, size_t, (const uint8_t *p, size_t n))                                   \
    K(json_escape, size_t, (const uint8_t *p, size_t n, uint8_t *out))              \
    K(json_string, size_t, (const uint8_t *p, size_t n, uint8_t *out, bool *ascii)) \
    K(hex_encode, void, (const uint8_t *p, size_t n, uint8_t *out))                 \
    K(hex_decode, bool, (const uint8_t *p, size_t n, uint8_t *out))                 \
    K(base64_enc, void, (const uint8_t *p, size_t n, uint8_t *out))                 \
    K(base64_dec, bool, (const uint8_t *p, size_t n, uint8_t *out, size_t *len))

/* One tier's kernels. */
typedef struct bsn_kernels {
    const char *tier; /* "scalar" */
    bool is_wide; /* files of other layers that were compiled with BSONIC_WIDE_FLAGS may run, too */
#define BSN_KERNEL_FIELD(name, result, parameters) result(*name) parameters;
    BSN_KERNELS(BSN_KERNEL_FIELD)
#undef BSN_KERNEL_FIELD
} bsn_kernels;

#endif
