/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_wire_message.c -- property: a message that is opened consists of its sections and nothing else, and written again from them
 * it is the same bytes; any front of it is short, and with anything behind it it is too long, whatever kind it is. A reply that the
 * envelope finds sound is one that can be opened.
 */
#include "support.h"

#include <bsonic/detail/le.h>
#include <bsonic/wire.h>

enum { EVERY_FRONT_MAX = 512 };

static bool same(bsn_bytes a, const uint8_t *ptr, size_t len)
{
    const bsn_bytes b = {ptr, len};
    return bsn_bytes_equal(a, b);
}

/* Writes the message again, section by section, without its checksum. */
static bsn_status rewrite(const bsn_msg *msg, bsn_out *out)
{
    bsn_bytes src = msg->sections;
    bsn_section section;
    bsn_msg_writer m;
    uint32_t bodies = 0, sequences = 0;
    bsn_msg_begin(&m, out, msg->header.request_id, msg->header.response_to,
                  msg->flags & ~BSN_MSG_CHECKSUM);
    while (src.len > 0) {
        const uint8_t *const start = src.ptr;
        bsn_doc doc;
        MUST(bsn_section_take(&src, &section, NULL) == BSN_OK);
        MUST(src.ptr > start);
        if (section.kind == 0) {
            bsn_msg_begin_body(&m);
            bodies++;
        } else {
            bsn_bytes found;
            bsn_msg_begin_sequence(&m, section.identifier);
            MUST(bsn_msg_find_sequence(msg, section.identifier, &found));
            MUST(found.ptr == section.documents.ptr && found.len == section.documents.len);
            sequences++;
        }
        while (section.documents.len > 0) {
            MUST(bsn_doc_take(&section.documents, &doc, NULL) == BSN_OK);
            bsn_msg_document(&m, doc);
        }
    }
    MUST(bodies == 1 && sequences == msg->sequence_count);
    return bsn_msg_end(&m, BSN_DOC_SIZE_MAX);
}

static void check_message(bsn_bytes bytes, const bsn_msg *msg)
{
    bsn_out out;
    bsn_bytes view;
    bsn_buf buf;
    bsn_buf_init(&buf, NULL);
    bsn_out_init_buf(&out, &buf);
    MUST(rewrite(msg, &out) == BSN_OK);
    MUST(bsn_out_view(&out, &view));
    if ((msg->flags & BSN_MSG_CHECKSUM) == 0) {
        MUST(bsn_msg_verify(bytes, msg));
        MUST(same(bytes, view.ptr, view.len));
    } else { /* all but length, flags and checksum */
        MUST(view.len + 4 == bytes.len);
        const bsn_bytes ids = {bytes.ptr + 4, 12}, sections = {bytes.ptr + 20, bytes.len - 24};
        MUST(same(ids, view.ptr + 4, 12));
        MUST(same(sections, view.ptr + 20, view.len - 20));
        (void)bsn_msg_verify(bytes, msg);
    }
    bsn_out_free(&out);
    bsn_buf_free(&buf);
}

typedef bsn_status opener(bsn_bytes message, bsn_error *err);

static bsn_status open_msg(bsn_bytes message, bsn_error *err)
{
    bsn_msg msg;
    return bsn_msg_open(message, &msg, err);
}

static bsn_status open_query(bsn_bytes message, bsn_error *err)
{
    bsn_query query;
    return bsn_query_open(message, &query, err);
}

static bsn_status open_reply(bsn_bytes message, bsn_error *err)
{
    bsn_reply reply;
    return bsn_reply_open(message, &reply, err);
}

/* What opens as a whole opens only as a whole. Each part lies in a block of its own size. */
static void check_lengths(bsn_bytes message, opener *open)
{
    bsn_error err;
    for (size_t len = 0; len <= message.len + 1; len++) {
        if (len > EVERY_FRONT_MAX && len < message.len - 1) len = message.len - 1;
        uint8_t *block = calloc(1, len + (len == 0));
        MUST(block != NULL);
        memcpy(block, message.ptr, len < message.len ? len : message.len);
        const bsn_bytes part = {block, len};
        MUST(open(part, &err) == (len < message.len   ? BSN_E_SHORT
                                  : len > message.len ? BSN_E_TRAILING
                                                      : BSN_OK));
        free(block);
    }
}

static void check_documents(bsn_bytes documents, uint32_t count)
{
    bsn_doc doc;
    for (uint32_t i = 0; i < count; i++) MUST(bsn_doc_take(&documents, &doc, NULL) == BSN_OK);
    MUST(documents.len == 0);
}

/* True when the envelope finds a sound reply that takes all of the bytes. */
static bool envelope_ends(bsn_bytes bytes)
{
    const bsn_envelope_options options = {.any_response_to = true, .size_max = BSN_DOC_SIZE_MAX};
    bsn_envelope env;
    bsn_doc doc;
    bsn_envelope_event event;
    bsn_envelope_init(&env, &options);
    do {
        event = bsn_envelope_next(&env, &bytes, &doc);
    } while (event == BSN_ENVELOPE_DOC);
    return event == BSN_ENVELOPE_END && bytes.len == 0;
}

/* Returns what *open says, whose fault has a place in the message. */
static bsn_status check_open(bsn_bytes message, opener *open)
{
    bsn_error err = {0};
    const bsn_status status = open(message, &err);
    MUST(status == BSN_OK || (err.status == status && err.offset <= message.len));
    if (status == BSN_OK) check_lengths(message, open);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input;
    bsn_msg msg;
    bsn_reply reply;
    if (!fuzz_input_open(&input, data, size, 0)) return 0;
    const bool is_msg = check_open(input.bytes, open_msg) == BSN_OK;
    const bool is_query = check_open(input.bytes, open_query) == BSN_OK;
    const bool is_reply = check_open(input.bytes, open_reply) == BSN_OK;
    MUST(is_msg + is_query + is_reply <= 1);
    if (is_msg) {
        MUST(bsn_msg_open(input.bytes, &msg, NULL) == BSN_OK);
        check_message(input.bytes, &msg);
    }
    if (is_reply) {
        MUST(bsn_reply_open(input.bytes, &reply, NULL) == BSN_OK);
        check_documents(reply.documents, reply.document_count);
    }
    if (envelope_ends(input.bytes)) MUST(is_msg || is_reply);
    fuzz_input_close(&input);
    return 0;
}
