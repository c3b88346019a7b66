/* SPDX-License-Identifier: Apache-2.0
 *
 * support.h -- what fuzz targets share.
 *
 * A target states a property, by MUST. Its input is copied to a block of exactly its size, so that a sanitizer sees a read past the
 * end; options come from the last bytes, so that the front stays a document that other targets can read.
 *
 *     | bytes under test ......................... | options |
 */
#ifndef FUZZ_SUPPORT_H
#define FUZZ_SUPPORT_H

#include "support/must.h"

#include <bsonic/base.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct fuzz_input {
    uint8_t *block; /* owned: fuzz_input_close */
    bsn_bytes bytes;
    const uint8_t *options;
} fuzz_input;

/* Splits data into bytes under test and option_count options. False when there are not enough bytes for the options. */
static inline bool fuzz_input_open(fuzz_input *input, const uint8_t *data, size_t size,
                                   size_t option_count)
{
    if (size < option_count) return false;
    input->bytes.len = size - option_count;
    input->block = malloc(input->bytes.len);
    if (input->block == NULL && input->bytes.len != 0) return false;
    if (input->bytes.len != 0) memcpy(input->block, data, input->bytes.len);
    input->bytes.ptr = input->block;
    input->options = data + input->bytes.len;
    return true;
}

static inline void fuzz_input_close(fuzz_input *input)
{
    free(input->block);
}

#endif
