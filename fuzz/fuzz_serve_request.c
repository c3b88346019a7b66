/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_serve_request.c -- property: whatever a client sends, each answer is a sound message to that very request, with `ok` in it, or
 * silence, or an end; and questions afterwards are answered as before.
 *
 *     | request | request ... |     each as long as its header says, the last one as long as it is
 *
 * Open cursors get the ids 1, 2, .. after each request, so that an input can ask for them.
 */
#include "support.h"

#include "serve/answer.h"

#include <bsonic/detail/le.h>
#include <bsonic/wire.h>

#include <stdio.h>
#include <unistd.h>

/* {_id: i, n: i}, 20 of them */
enum { DOCUMENTS = 20, DOCUMENT_LEN = 25 };

static void tell_nobody(void *ctx, bsn_str subject, const char *text)
{
    (void)ctx;
    (void)subject;
    (void)text;
}

static void write_file(const char *path)
{
    uint8_t doc[DOCUMENT_LEN] = {DOCUMENT_LEN, 0,  0, 0, 0x10, '_', 'i', 'd', 0, 0, 0, 0, 0,
                                 0x12,         'n'};
    FILE *file = fopen(path, "wb");
    MUST(file != NULL);
    for (int32_t i = 0; i < DOCUMENTS; i++) {
        bsn_store_i32(doc + 9, i);
        bsn_store_i64(doc + 16, i);
        MUST(fwrite(doc, 1, sizeof doc, file) == sizeof doc);
    }
    MUST(fclose(file) == 0);
}

/* Serves test.c out of a file without a name: it has been opened when its folder is removed. */
static void open_state(serve_state *state)
{
    const serve_notice notice = {.tell = tell_nobody};
    char folder[] = "/tmp/bsonic-fuzz-XXXXXX", path[64], subject[SERVE_NS_MAX + 1];
    uint64_t count;
    MUST(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/c.bson", folder);
    write_file(path);
    serve_state_init(state, NULL);
    MUST(serve_catalog_add(&state->catalog, path, &notice, subject, NULL) == BSN_OK);
    MUST(serve_store_count(&state->catalog.items[0]->store, &state->window, &count, NULL) ==
         BSN_OK);
    MUST(count == DOCUMENTS);
    MUST(unlink(path) == 0 && rmdir(folder) == 0);
}

/* The reply's document, whichever way it came. */
static bsn_doc reply_document(bsn_bytes bytes, int32_t *response_to)
{
    bsn_msg msg;
    bsn_reply reply;
    bsn_doc doc;
    if (bsn_msg_open(bytes, &msg, NULL) == BSN_OK) {
        *response_to = msg.header.response_to;
        return msg.body;
    }
    MUST(bsn_reply_open(bytes, &reply, NULL) == BSN_OK && reply.document_count == 1);
    MUST(bsn_doc_take(&reply.documents, &doc, NULL) == BSN_OK);
    *response_to = reply.header.response_to;
    return doc;
}

static void check_reply(bsn_bytes request, bsn_bytes bytes)
{
    int32_t response_to;
    bsn_value value;
    const bsn_doc doc = reply_document(bytes, &response_to);
    MUST(response_to == bsn_load_i32(request.ptr + 4));
    MUST(bsn_find_value(doc, BSN_STR("ok"), &value, NULL) == BSN_OK ||
         bsn_find_value(doc, BSN_STR("$err"), &value, NULL) == BSN_OK);
}

static serve_outcome ask(serve_state *state, bsn_bytes request)
{
    const serve_peer peer = {.id = 1, .address = BSN_STR("fuzz")};
    serve_feed feed = {.active = false};
    bsn_buf buf;
    bsn_out out;
    bsn_bytes view;
    bsn_error err;
    bsn_buf_init(&buf, NULL);
    bsn_out_init_buf(&out, &buf);
    const serve_outcome outcome = serve_answer(state, &peer, request, &out, &feed, &err);
    MUST(outcome == SERVE_REPLY || (!feed.active && bsn_out_len(&out) == 0));
    if (outcome == SERVE_REPLY) {
        MUST(serve_feed_fill(&feed, &state->window, &out, SIZE_MAX, &err) == BSN_OK);
        MUST(bsn_out_view(&out, &view));
        check_reply(request, view);
    }
    bsn_out_free(&out);
    bsn_buf_free(&buf);
    return outcome;
}

/* Takes the next request off the front. */
static bsn_bytes take_request(bsn_bytes *left)
{
    bsn_bytes request = *left;
    bsn_header header;
    if (bsn_header_read(*left, SIZE_MAX, &header, NULL) == BSN_OK && header.len < left->len) {
        request.len = header.len;
    }
    left->ptr += request.len;
    left->len -= request.len;
    return request;
}

static void number_cursors(serve_cursors *cursors)
{
    for (size_t i = 0; i < cursors->count; i++) cursors->items[i].id = (int64_t)i + 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    /* {ping: 1, $db: "x"} */
    static const uint8_t ping[] = {0x2F, 0,    0,   0,   0x09, 0,   0, 0, 0,   0,    0, 0,
                                   0xDD, 0x07, 0,   0,   0,    0,   0, 0, 0,   0x1A, 0, 0,
                                   0,    0x10, 'p', 'i', 'n',  'g', 0, 1, 0,   0,    0, 2,
                                   '$',  'd',  'b', 0,   2,    0,   0, 0, 'x', 0,    0};
    static serve_state state;
    static bool opened;
    fuzz_input input;
    if (!opened) open_state(&state);
    opened = true;
    if (!fuzz_input_open(&input, data, size, 0)) return 0;
    bsn_bytes left = input.bytes;
    do {
        (void)ask(&state, take_request(&left));
        number_cursors(&state.cursors);
    } while (left.len > 0);
    const bsn_bytes afterwards = {ping, sizeof ping};
    MUST(ask(&state, afterwards) == SERVE_REPLY);
    serve_cursors_free(&state.cursors);
    fuzz_input_close(&input);
    return 0;
}
