/* SPDX-License-Identifier: Apache-2.0
 *
 * message.c -- the header and OP_MSG, both ways.
 *
 *   16 header | uint32 flags | 00 document | 01 size identifier 00 documents | ... | [uint32 checksum]
 *                            ^ sections, in any order, fill the rest exactly
 *
 * Faults carry their offset in the message. Functions that see only a part report it within that part, and the caller adds
 * where the part begins.
 */
#include "wire/message.h"
#include "base/debug.h"
#include "base/reader.h"

#include <bsonic/detail/len.h>

#define FLAGS_REQUIRED 0xFFFFu /* bits that a reader must know to understand the message */
#define FLAGS_KNOWN (BSN_MSG_CHECKSUM | BSN_MSG_MORE_TO_COME)

/* ------------------------------------------------------------------ header */

const char *bsn_opcode_name(int32_t opcode)
{
    switch (opcode) {
    case BSN_OP_REPLY: return "OP_REPLY";
    case BSN_OP_UPDATE: return "OP_UPDATE";
    case BSN_OP_INSERT: return "OP_INSERT";
    case BSN_OP_QUERY: return "OP_QUERY";
    case BSN_OP_GET_MORE: return "OP_GET_MORE";
    case BSN_OP_DELETE: return "OP_DELETE";
    case BSN_OP_KILL_CURSORS: return "OP_KILL_CURSORS";
    case BSN_OP_COMPRESSED: return "OP_COMPRESSED";
    case BSN_OP_MSG: return "OP_MSG";
    default: return NULL;
    }
}

bsn_status bsn_header_read(bsn_bytes bytes, size_t size_max, bsn_header *header, bsn_error *err)
{
    if (bytes.len < BSN_HEADER_LEN) {
        return bsn_error_set(err, BSN_E_SHORT, 0, "a message header has 16 bytes");
    }
    bsn_header read = {.request_id = bsn_load_i32(bytes.ptr + 4),
                       .response_to = bsn_load_i32(bytes.ptr + 8),
                       .opcode = bsn_load_i32(bytes.ptr + 12)};
    if (!bsn_len_from_i32(bsn_load_i32(bytes.ptr), BSN_HEADER_LEN, &read.len)) {
        return bsn_error_set(err, BSN_E_PROTOCOL, 0, "message length is below 16");
    }
    if (read.len > size_max) {
        return bsn_error_set(err, BSN_E_PROTOCOL, 0, "message length is above the limit");
    }
    *header = read;
    if (bsn_opcode_name(read.opcode) == NULL) {
        return bsn_error_set(err, BSN_E_PROTOCOL, 12, "unknown opcode");
    }
    return BSN_OK;
}

void bsn_header_write(const bsn_header *header, uint8_t bytes[BSN_HEADER_LEN])
{
    int32_t len = 0;
    const bool fits = bsn_len_to_i32(header->len, &len);
    BSN_ASSERT(fits);
    (void)fits;
    bsn_store_i32(bytes, len);
    bsn_store_i32(bytes + 4, header->request_id);
    bsn_store_i32(bytes + 8, header->response_to);
    bsn_store_i32(bytes + 12, header->opcode);
}

bsn_status bsni_message_open(bsn_bytes message, bsn_opcode opcode, bsn_header *header,
                             bsni_reader *rest, bsn_error *err)
{
    const bsn_status status = bsn_header_read(message, BSN_DOC_SIZE_MAX, header, err);
    if (status != BSN_OK) return status;
    if (header->len > message.len) {
        return bsn_error_set(err, BSN_E_SHORT, 0, "the message is cut short");
    }
    if (header->len < message.len) {
        return bsn_error_set(err, BSN_E_TRAILING, header->len, "bytes after the message");
    }
    if (header->opcode != (int32_t)opcode) {
        return bsn_error_set(err, BSN_E_PROTOCOL, 12, "not the opcode that is read here");
    }
    *rest = bsni_reader_over(message);
    rest->cur += BSN_HEADER_LEN;
    return BSN_OK;
}

bsn_status bsni_error_move(bsn_error *err, bsn_status status, size_t offset)
{
    if (err != NULL && status != BSN_OK) err->offset += offset;
    return status;
}

/* ------------------------------------------------------------------ sections */

bsn_status bsni_documents_check(bsn_bytes documents, size_t *count, bsn_error *err)
{
    bsn_bytes src = documents;
    bsn_doc doc;
    *count = 0;
    while (src.len > 0) {
        const size_t offset = (size_t)(src.ptr - documents.ptr);
        const bsn_status status = bsn_doc_take(&src, &doc, err);
        if (status != BSN_OK) return bsni_error_move(err, status, offset);
        *count += 1;
    }
    return BSN_OK;
}

static bsn_status take_body(bsn_bytes *src, bsn_section *section, bsn_error *err)
{
    bsn_doc doc;
    const bsn_status status = bsn_doc_take(src, &doc, err);
    if (status != BSN_OK) return bsni_error_move(err, status, 1);
    section->documents = bsn_doc_bytes(doc);
    return BSN_OK;
}

/* src stands at the size field, which is at offset 1 of the section. */
static bsn_status take_sequence(bsn_bytes *src, bsn_section *section, bsn_error *err)
{
    bsni_reader r = bsni_reader_over(*src);
    bsn_bytes inside;
    int32_t size;
    size_t len, count;
    if (!bsni_reader_i32(&r, &size)) {
        return bsn_error_set(err, BSN_E_PROTOCOL, 1, "section is cut short");
    }
    /* The size itself, and at least an empty identifier. */
    if (!bsn_len_from_i32(size, 5, &len) || !bsni_reader_take(&r, len - 4, &inside)) {
        return bsn_error_set(err, BSN_E_PROTOCOL, 1, "size of a document sequence does not fit");
    }
    bsni_reader in = bsni_reader_over(inside);
    if (!bsni_reader_cstring(&in, &section->identifier)) {
        return bsn_error_set(err, BSN_E_PROTOCOL, 5, "identifier of a sequence has no end");
    }
    section->documents.ptr = in.cur;
    section->documents.len = bsni_reader_left(&in);
    const bsn_status status = bsni_documents_check(section->documents, &count, err);
    if (status != BSN_OK) return bsni_error_move(err, status, 1 + (size_t)(in.cur - src->ptr));
    src->len = bsni_reader_left(&r);
    src->ptr = r.cur;
    return BSN_OK;
}

bsn_status bsn_section_take(bsn_bytes *src, bsn_section *section, bsn_error *err)
{
    bsn_section taken = {.identifier = {"", 0}};
    if (src->len == 0) return bsn_error_set(err, BSN_E_SHORT, 0, "no section is left");
    taken.kind = src->ptr[0];
    bsn_bytes rest = {src->ptr + 1, src->len - 1};
    if (taken.kind > 1) return bsn_error_set(err, BSN_E_PROTOCOL, 0, "unknown kind of section");
    const bsn_status status =
        taken.kind == 0 ? take_body(&rest, &taken, err) : take_sequence(&rest, &taken, err);
    if (status != BSN_OK) return status;
    *src = rest;
    *section = taken;
    return BSN_OK;
}

/* ------------------------------------------------------------------ OP_MSG, reading */

bsn_status bsni_msg_check_flags(uint32_t flags, bsn_error *err)
{
    if ((flags & FLAGS_REQUIRED & ~FLAGS_KNOWN) != 0) {
        return bsn_error_set(err, BSN_E_PROTOCOL, BSN_HEADER_LEN, "unknown required flag");
    }
    return BSN_OK;
}

/* Flags off the front, the checksum off the end of what follows the header. */
static bsn_status open_frame(bsni_reader rest, bsn_msg *msg, bsn_error *err)
{
    if (!bsni_reader_u32(&rest, &msg->flags)) {
        return bsn_error_set(err, BSN_E_PROTOCOL, BSN_HEADER_LEN, "no room for the flags");
    }
    const bsn_status status = bsni_msg_check_flags(msg->flags, err);
    if (status != BSN_OK) return status;
    if ((msg->flags & BSN_MSG_CHECKSUM) != 0) {
        if (bsni_reader_left(&rest) < 4) {
            return bsn_error_set(err, BSN_E_PROTOCOL, BSN_HEADER_LEN + 4,
                                 "no room for the checksum");
        }
        rest.end -= 4;
        msg->checksum = bsn_load_u32(rest.end);
    }
    msg->sections.ptr = rest.cur;
    msg->sections.len = bsni_reader_left(&rest);
    return BSN_OK;
}

/* Identifiers met so far; few, so that finding one twice needs no more than looking through them. */
typedef struct name_list {
    bsn_str names[BSN_MSG_SEQUENCES_MAX];
    uint32_t count;
} name_list;

static bool name_is_listed(const name_list *list, bsn_str name)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (bsn_str_equal(list->names[i], name)) return true;
    }
    return false;
}

/* Why the section may not follow those before it, or NULL; remembers it. */
static const char *note_section(const bsn_section *section, bsn_msg *msg, name_list *identifiers)
{
    if (section->kind == 0) {
        if (msg->body.ptr != NULL) return "two bodies";
        msg->body.ptr = section->documents.ptr;
        msg->body.len = section->documents.len;
        return NULL;
    }
    if (identifiers->count == BSN_MSG_SEQUENCES_MAX) return "too many document sequences";
    if (name_is_listed(identifiers, section->identifier)) return "two sequences of one identifier";
    identifiers->names[identifiers->count++] = section->identifier;
    return NULL;
}

static bsn_status open_sections(bsn_msg *msg, name_list *identifiers, bsn_error *err)
{
    bsn_bytes src = msg->sections;
    while (src.len > 0) {
        const size_t offset = (size_t)(src.ptr - msg->sections.ptr);
        bsn_section section;
        const bsn_status status = bsn_section_take(&src, &section, err);
        if (status != BSN_OK) return bsni_error_move(err, status, offset);
        const char *fault = note_section(&section, msg, identifiers);
        if (fault != NULL) return bsn_error_set(err, BSN_E_PROTOCOL, offset, fault);
    }
    if (msg->body.ptr == NULL) {
        return bsn_error_set(err, BSN_E_PROTOCOL, msg->sections.len, "no body");
    }
    msg->sequence_count = identifiers->count;
    return BSN_OK;
}

/* No sequence may be named like a field of the body. */
static bsn_status check_body_keys(const bsn_msg *msg, const name_list *identifiers, bsn_error *err)
{
    if (identifiers->count == 0) return BSN_OK;
    const size_t body_offset = (size_t)(msg->body.ptr - msg->sections.ptr);
    bsn_iter it;
    bsn_iter_init(&it, msg->body);
    while (bsn_iter_next(&it)) {
        if (name_is_listed(identifiers, bsn_iter_key(&it))) {
            return bsn_error_set(err, BSN_E_PROTOCOL, body_offset + bsn_iter_offset(&it),
                                 "a sequence is named like a field of the body");
        }
    }
    return bsni_error_move(err, bsn_iter_error(&it, err), body_offset);
}

bsn_status bsn_msg_open(bsn_bytes message, bsn_msg *msg, bsn_error *err)
{
    const size_t sections_offset = BSN_HEADER_LEN + 4;
    bsn_msg open = {.flags = 0};
    name_list identifiers = {.count = 0};
    bsni_reader rest;
    bsn_status status = bsni_message_open(message, BSN_OP_MSG, &open.header, &rest, err);
    if (status != BSN_OK) return status;
    status = open_frame(rest, &open, err);
    if (status != BSN_OK) return status;
    status = open_sections(&open, &identifiers, err);
    if (status == BSN_OK) status = check_body_keys(&open, &identifiers, err);
    if (status != BSN_OK) return bsni_error_move(err, status, sections_offset);
    *msg = open;
    return BSN_OK;
}

bool bsn_msg_verify(bsn_bytes message, const bsn_msg *msg)
{
    if ((msg->flags & BSN_MSG_CHECKSUM) == 0) return true;
    const bsn_bytes covered = {message.ptr, message.len - 4};
    return bsn_crc32c(0, covered) == msg->checksum;
}

bool bsn_msg_find_sequence(const bsn_msg *msg, bsn_str identifier, bsn_bytes *documents)
{
    bsn_bytes src = msg->sections;
    bsn_section section;
    while (src.len > 0 && bsn_section_take(&src, &section, NULL) == BSN_OK) {
        if (section.kind == 1 && bsn_str_equal(section.identifier, identifier)) {
            *documents = section.documents;
            return true;
        }
    }
    return false;
}

/* ------------------------------------------------------------------ writing */

static void fail(bsn_msg_writer *m, bsn_status status)
{
    if (m->status == BSN_OK) m->status = status;
}

static void put_i32(bsn_out *out, int32_t value)
{
    bsn_store_i32(bsn_out_reserve(out, 4), value);
    bsn_out_advance(out, 4);
}

static void put_u8(bsn_out *out, uint8_t value)
{
    *bsn_out_reserve(out, 1) = value;
    bsn_out_advance(out, 1);
}

static void put_cstring(bsn_msg_writer *m, bsn_str text)
{
    if (text.len > 0 && memchr(text.ptr, 0, text.len) != NULL) fail(m, BSN_E_KEY_NUL);
    bsn_out_append(m->out, text.ptr, text.len);
    put_u8(m->out, 0);
}

static void begin(bsn_msg_writer *m, bsn_out *out, int32_t request_id, int32_t response_to,
                  bsn_opcode opcode)
{
    m->out = out;
    m->status = BSN_OK;
    m->in_sequence = false;
    m->start = bsn_out_slot_i32(out);
    m->sequence = m->start;
    put_i32(out, request_id);
    put_i32(out, response_to);
    put_i32(out, (int32_t)opcode);
}

void bsn_msg_begin(bsn_msg_writer *m, bsn_out *out, int32_t request_id, int32_t response_to,
                   uint32_t flags)
{
    begin(m, out, request_id, response_to, BSN_OP_MSG);
    if ((flags & BSN_MSG_CHECKSUM) != 0) fail(m, BSN_E_UNSUPPORTED);
    bsn_store_u32(bsn_out_reserve(out, 4), flags);
    bsn_out_advance(out, 4);
}

/* The sequence has `ahead` more bytes than the output holds. */
static void end_sequence(bsn_msg_writer *m, size_t ahead)
{
    int32_t size = 0;
    if (!m->in_sequence) return;
    const uint64_t len = bsn_out_len(m->out) - m->sequence.total;
    if (len > SIZE_MAX - ahead || !bsn_len_to_i32((size_t)len + ahead, &size)) fail(m, BSN_E_SIZE);
    bsn_out_patch_i32(m->out, m->sequence, size);
    m->in_sequence = false;
}

void bsn_msg_begin_body(bsn_msg_writer *m)
{
    end_sequence(m, 0);
    put_u8(m->out, 0);
}

void bsn_msg_begin_sequence(bsn_msg_writer *m, bsn_str identifier)
{
    end_sequence(m, 0);
    put_u8(m->out, 1);
    m->sequence = bsn_out_slot_i32(m->out);
    m->in_sequence = true;
    put_cstring(m, identifier);
}

void bsn_msg_document(bsn_msg_writer *m, bsn_doc doc)
{
    bsn_out_append_ref(m->out, bsn_doc_bytes(doc));
}

void bsn_msg_begin_query(bsn_msg_writer *m, bsn_out *out, int32_t request_id, int32_t flags,
                         bsn_str ns)
{
    begin(m, out, request_id, 0, BSN_OP_QUERY);
    put_i32(out, flags);
    put_cstring(m, ns);
    put_i32(out, 0);
    put_i32(out, -1);
}

void bsn_msg_begin_reply(bsn_msg_writer *m, bsn_out *out, int32_t request_id, int32_t response_to,
                         int32_t flags)
{
    begin(m, out, request_id, response_to, BSN_OP_REPLY);
    put_i32(out, flags);
    put_i32(out, 0); /* cursor id, its two halves */
    put_i32(out, 0);
    put_i32(out, 0); /* starting from */
    put_i32(out, 1); /* documents */
}

uint64_t bsn_msg_len(const bsn_msg_writer *m)
{
    return bsn_out_len(m->out) - m->start.total;
}

static bsn_status end_message(bsn_msg_writer *m, size_t ahead, size_t size_max)
{
    int32_t total = 0;
    end_sequence(m, ahead);
    const uint64_t len = bsn_msg_len(m);
    if (len > size_max || ahead > size_max - (size_t)len ||
        !bsn_len_to_i32((size_t)len + ahead, &total)) {
        fail(m, BSN_E_SIZE);
    }
    bsn_out_patch_i32(m->out, m->start, total);
    return m->status != BSN_OK ? m->status : bsn_out_status(m->out);
}

bsn_status bsn_msg_end(bsn_msg_writer *m, size_t size_max)
{
    return end_message(m, 0, size_max);
}

bsn_status bsn_msg_end_ahead(bsn_msg_writer *m, size_t len, size_t size_max)
{
    if (!m->in_sequence) fail(m, BSN_E_STATE);
    return end_message(m, len, size_max);
}
