/* SPDX-License-Identifier: Apache-2.0
 *
 * doc.c -- opening the frame of a document: length field, minimum, final 0x00.
 *
 *   | int32 len | elements ... | 00 |
 *     ^0                         ^len - 1
 */
#include <bsonic/doc.h>

#include "base/reader.h"

bsn_status bsn_doc_peek_len(bsn_bytes bytes, size_t *len)
{
    bsni_reader r = bsni_reader_over(bytes);
    int32_t field;
    if (!bsni_reader_i32(&r, &field)) return BSN_E_SHORT;
    return bsn_len_from_i32(field, BSN_DOC_SIZE_MIN, len) ? BSN_OK : BSN_E_LENGTH;
}

/* The frame of the document at the start of `bytes`. */
static bsn_status read_frame(bsn_bytes bytes, bsn_doc *doc, bsn_error *err)
{
    size_t len;
    const bsn_status status = bsn_doc_peek_len(bytes, &len);
    if (status != BSN_OK) return bsn_error_set(err, status, 0, NULL);
    if (len > bytes.len) return bsn_error_set(err, BSN_E_SHORT, 0, NULL);
    if (bytes.ptr[len - 1] != 0) return bsn_error_set(err, BSN_E_TERMINATOR, len - 1, NULL);
    doc->ptr = bytes.ptr;
    doc->len = len;
    return BSN_OK;
}

bsn_status bsn_doc_open(bsn_bytes bytes, bsn_doc *doc, bsn_error *err)
{
    bsn_doc front = {NULL, 0};
    const bsn_status status = read_frame(bytes, &front, err);
    if (status != BSN_OK) return status;
    if (front.len != bytes.len) return bsn_error_set(err, BSN_E_TRAILING, front.len, NULL);
    *doc = front;
    return BSN_OK;
}

bsn_status bsn_doc_take(bsn_bytes *src, bsn_doc *doc, bsn_error *err)
{
    const bsn_status status = read_frame(*src, doc, err);
    if (status != BSN_OK) return status;
    src->ptr += doc->len;
    src->len -= doc->len;
    return BSN_OK;
}
