/* SPDX-License-Identifier: Apache-2.0
 *
 * insert_result.c -- what became of a stream of documents.
 *
 *   block   | errors, BSN_WRITE_ERRORS_MAX of them | their text ...            | text of the first write concern's |
 *           0                                      ^TEXT_START      text_len^  ^CONCERN_START                     ^BLOCK_SIZE
 *
 * All of it is taken at once: so there is no failure to tell of failures.
 */
#include "client/insert_result.h"

#include <string.h>

#define MESSAGE_MAX ((size_t)512) /* of one text: longer ones are cut */
#define TEXT_START (BSN_WRITE_ERRORS_MAX * sizeof(bsn_write_error))
#define CONCERN_START (TEXT_START + (size_t)200 * 1024)
#define BLOCK_SIZE (CONCERN_START + MESSAGE_MAX)

bsn_status bsn_insert_result_init(bsn_insert_result *result, const bsn_alloc *alloc)
{
    const bsn_insert_result fresh = {.alloc = alloc};
    *result = fresh;
    result->block = bsn_alloc_resize(alloc, NULL, 0, BLOCK_SIZE);
    if (result->block == NULL) return BSN_E_NOMEM;
    /* The allocator aligns for everything. */
    result->errors = (const bsn_write_error *)(const void *)result->block;
    return BSN_OK;
}

void bsn_insert_result_free(bsn_insert_result *result)
{
    if (result->block != NULL) bsn_alloc_resize(result->alloc, result->block, BLOCK_SIZE, 0);
    result->block = NULL;
    result->errors = NULL;
    result->error_count = 0;
}

/* Copies a text, or as much of it as `cap` bytes hold, no UTF-8 sequence cut through. */
static bsn_str keep_text(uint8_t *to, size_t cap, bsn_str text)
{
    size_t len = text.len;
    if (len > cap) {
        len = cap;
        while (len > 0 && ((uint8_t)text.ptr[len] & 0xC0) == 0x80) len--;
    }
    if (len > 0) memcpy(to, text.ptr, len);
    const bsn_str kept = {.ptr = (const char *)to, .len = len};
    return kept;
}

void bsni_result_add_error(bsn_insert_result *result, const bsn_write_error *error)
{
    result->failed++;
    if (result->error_count == BSN_WRITE_ERRORS_MAX) return;
    const size_t room = CONCERN_START - TEXT_START - result->text_len;
    bsn_write_error kept = *error;
    kept.message = keep_text(result->block + TEXT_START + result->text_len,
                             room < MESSAGE_MAX ? room : MESSAGE_MAX, error->message);
    result->text_len += kept.message.len;
    memcpy(result->block + result->error_count * sizeof kept, &kept, sizeof kept);
    result->error_count++;
}

void bsni_result_add_concern(bsn_insert_result *result, int32_t code, bsn_str message)
{
    if (result->concern_errors++ > 0) return;
    result->concern_code = code;
    result->concern_message = keep_text(result->block + CONCERN_START, MESSAGE_MAX, message);
}
