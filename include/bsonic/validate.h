/* SPDX-License-Identifier: Apache-2.0
 *
 * validate.h -- checks a whole document, once, before it is trusted.
 *
 * Levels, each holding the one before:
 *   frame       the length field, its minimum, the final 0x00
 *   structure   all lengths, terminators, types, booleans, binary subtype 02, code-with-scope sums, depth: safe to walk
 *   utf8        and every key, string, code, symbol, DBPointer name and regex part is UTF-8: safe to print
 *
 * The frame of the outermost document is checked first; after that the first fault in byte order wins.
 */
#ifndef BSONIC_VALIDATE_H
#define BSONIC_VALIDATE_H

#include <bsonic/doc.h>
#include <bsonic/mem.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum bsn_level { BSN_LEVEL_FRAME = 1, BSN_LEVEL_STRUCTURE = 2, BSN_LEVEL_UTF8 = 3 } bsn_level;

/* How to validate. All zero (or a NULL pointer to it) is the default: utf8, BSN_DEPTH_DEFAULT. */
typedef struct bsn_validate_options {
    bsn_level level;    /* 0: BSN_LEVEL_UTF8 */
    uint32_t depth_max; /* 0: BSN_DEPTH_DEFAULT; at most 65535 */
    /* For the stack of limits above BSN_DEPTH_DEFAULT. NULL: deeper documents are BSN_E_DEPTH. */
    const bsn_alloc *alloc;
} bsn_validate_options;

/* A document that bsn_validate has passed, at the level it was asked for. Only bsn_validate makes one. */
typedef struct bsn_valid_doc {
    bsn_doc doc;
    bsn_level level;
} bsn_valid_doc;

/* Validates exactly one document.
 *
 * Returns  BSN_OK with *valid set (NULL is allowed); any other status leaves it alone.
 * Errors   those of bsn_doc_open and bsn_iter_error, at the offsets given there;
 *          BSN_E_UTF8   the first byte of the first ill-formed sequence (as a decoder meets it: of E2 82 41 it is E2).
 *                       Text ends at its 0x00, or where that should be: in a key that runs into the final 0x00 an ill-formed
 *                       sequence comes first
 *          BSN_E_NOMEM  a depth above BSN_DEPTH_DEFAULT, and the allocator refused
 * Memory   allocates nothing up to BSN_DEPTH_DEFAULT levels; about 2 KiB of stack.
 * Cost     one pass.
 */
BSN_API BSN_MUST_CHECK bsn_status bsn_validate(bsn_bytes bytes, const bsn_validate_options *options,
                                               bsn_valid_doc *valid, bsn_error *err);

/* True when the span is UTF-8 as Unicode 15 table 3-7 defines it: no overlong form, no surrogate, nothing above U+10FFFF.
 * U+0000 is allowed. *valid_len (may be NULL) gets the length of the sound front: all of it, or up to the first ill-formed
 * sequence. */
BSN_API bool bsn_utf8_valid(bsn_str text, size_t *valid_len);

#ifdef __cplusplus
}
#endif
#endif
