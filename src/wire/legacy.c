/* SPDX-License-Identifier: Apache-2.0
 *
 * legacy.c -- the old opcodes that are still met, read: OP_QUERY, which carries the first hello of most clients, and OP_REPLY,
 * which answers it.
 *
 *   OP_QUERY  16 header | int32 flags | cstring ns | int32 skip | int32 numberToReturn | document | [document]
 *   OP_REPLY  16 header | int32 flags | int64 cursor | int32 startingFrom | int32 numberReturned | documents
 */
#include "base/reader.h"
#include "wire/message.h"

/* Bit 0 and bits 8 and up of OP_QUERY's flags mean nothing and must be zero. */
#define QUERY_FLAGS_KNOWN 0xFEu

static bsn_status take_document(bsni_reader *rest, bsn_bytes message, bsn_doc *doc, bsn_error *err)
{
    bsn_bytes src = {rest->cur, bsni_reader_left(rest)};
    const size_t offset = (size_t)(rest->cur - message.ptr);
    const bsn_status status = bsn_doc_take(&src, doc, err);
    if (status != BSN_OK) return bsni_error_move(err, status, offset);
    rest->cur = src.ptr;
    return BSN_OK;
}

static bsn_status take_query_head(bsni_reader *rest, bsn_query *query, bsn_error *err)
{
    if (!bsni_reader_i32(rest, &query->flags)) {
        return bsn_error_set(err, BSN_E_PROTOCOL, BSN_HEADER_LEN, "no room for the flags");
    }
    if (((uint32_t)query->flags & ~QUERY_FLAGS_KNOWN) != 0) {
        return bsn_error_set(err, BSN_E_PROTOCOL, BSN_HEADER_LEN, "unknown flag");
    }
    if (!bsni_reader_cstring(rest, &query->ns)) {
        return bsn_error_set(err, BSN_E_PROTOCOL, BSN_HEADER_LEN + 4, "namespace has no end");
    }
    if (!bsni_reader_i32(rest, &query->skip) || !bsni_reader_i32(rest, &query->return_count)) {
        return bsn_error_set(err, BSN_E_PROTOCOL, BSN_HEADER_LEN + 4 + query->ns.len + 1,
                             "no room for skip and numberToReturn");
    }
    return BSN_OK;
}

bsn_status bsn_query_open(bsn_bytes message, bsn_query *query, bsn_error *err)
{
    bsn_query open = {.flags = 0};
    bsni_reader rest;
    bsn_status status = bsni_message_open(message, BSN_OP_QUERY, &open.header, &rest, err);
    if (status == BSN_OK) status = take_query_head(&rest, &open, err);
    if (status == BSN_OK) status = take_document(&rest, message, &open.query, err);
    if (status == BSN_OK && bsni_reader_left(&rest) > 0)
        status = take_document(&rest, message, &open.fields, err);
    if (status != BSN_OK) return status;
    if (bsni_reader_left(&rest) > 0) {
        return bsn_error_set(err, BSN_E_PROTOCOL, (size_t)(rest.cur - message.ptr),
                             "bytes after the query's documents");
    }
    *query = open;
    return BSN_OK;
}

static bool take_reply_head(bsni_reader *rest, bsn_reply *reply, int32_t *count)
{
    return bsni_reader_u32(rest, &reply->flags) && bsni_reader_i64(rest, &reply->cursor_id) &&
           bsni_reader_i32(rest, &reply->starting_from) && bsni_reader_i32(rest, count);
}

bsn_status bsn_reply_open(bsn_bytes message, bsn_reply *reply, bsn_error *err)
{
    const size_t documents_offset = BSN_HEADER_LEN + BSN_REPLY_HEAD_LEN;
    bsn_reply open = {.flags = 0};
    bsni_reader rest;
    int32_t stated;
    size_t count;
    bsn_status status = bsni_message_open(message, BSN_OP_REPLY, &open.header, &rest, err);
    if (status != BSN_OK) return status;
    if (!take_reply_head(&rest, &open, &stated)) {
        return bsn_error_set(err, BSN_E_PROTOCOL, BSN_HEADER_LEN, "a reply's head has 20 bytes");
    }
    open.documents.ptr = rest.cur;
    open.documents.len = bsni_reader_left(&rest);
    status = bsni_documents_check(open.documents, &count, err);
    if (status != BSN_OK) return bsni_error_move(err, status, documents_offset);
    if (stated < 0 || (size_t)stated != count) {
        return bsn_error_set(err, BSN_E_PROTOCOL, documents_offset - 4,
                             "count and documents disagree");
    }
    open.document_count = (uint32_t)stated;
    *reply = open;
    return BSN_OK;
}
