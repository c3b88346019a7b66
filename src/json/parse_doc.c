/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_doc.c -- room for the document that is being built, always in one piece.
 *
 * A document is begun in the room that the output has, and is the output's as soon as it is finished. When the room ends before it does,
 * and the output has no larger one, or when the caller has the word while it is open, it moves to a block of the
 * parser's own, and is copied at its end.
 */
#include "json/parser.h"

#include "mem/out.h"

/* The document lies at `doc`, `len` bytes of it are written, `cap` is its room. */
static void place(bsn_json_parser *j, uint8_t *doc, size_t len, size_t cap)
{
    const size_t allowed = cap < j->size_max ? cap : j->size_max;
    j->doc = doc;
    j->doc_cur = doc + len;
    j->doc_end = doc + cap;
    j->doc_safe = doc + (allowed < BSNI_DOC_MARGIN ? 0 : allowed - BSNI_DOC_MARGIN);
}

/* Scratch of at least `cap` bytes, of which `len` are in use. */
static bool reserve_scratch(bsn_json_parser *j, size_t len, size_t cap)
{
    j->scratch.len = len;
    const bsn_status status = bsn_buf_reserve(&j->scratch, cap - len);
    if (status == BSN_OK) return true;
    bsni_parse_set_error(j, status, j->cur, NULL);
    return false;
}

bool bsni_doc_begin(bsn_json_parser *j, bsn_out *out)
{
    j->out = out;
    if (out != NULL) {
        uint8_t *room = bsn_out_reserve(out, BSN_OUT_RESERVE_MAX);
        place(j, room, 0, bsn_out_room(out));
        return true;
    }
    if (!reserve_scratch(j, 0, 2 * BSNI_DOC_MARGIN)) return false;
    place(j, j->scratch.ptr, 0, j->scratch.cap);
    return true;
}

static bool move_to_scratch(bsn_json_parser *j, size_t room)
{
    const size_t len = bsni_doc_len(j);
    if (!reserve_scratch(j, 0, len + len / 2 + room)) return false;
    memcpy(j->scratch.ptr, j->doc, len);
    j->out = NULL;
    place(j, j->scratch.ptr, len, j->scratch.cap);
    return true;
}

bool bsni_doc_spill(bsn_json_parser *j)
{
    return j->out == NULL || move_to_scratch(j, BSNI_DOC_MARGIN);
}

bool bsni_doc_grow(bsn_json_parser *j, size_t room)
{
    const size_t len = bsni_doc_len(j);
    if (j->out != NULL) {
        /* A failed output fails the document that is handed to it. */
        if (!bsni_out_grow(j->out, len, room)) return move_to_scratch(j, room);
        place(j, j->out->cur, len, bsn_out_room(j->out));
        return true;
    }
    if (!reserve_scratch(j, len, len + room)) return false;
    place(j, j->scratch.ptr, len, j->scratch.cap);
    return true;
}

bool bsni_doc_check(bsn_json_parser *j)
{
    if (bsni_doc_len(j) > j->size_max) {
        bsni_parse_set_error(j, BSN_E_SIZE, j->cur, "the document is too large");
        return false;
    }
    return bsni_doc_reserve(j, BSNI_DOC_MARGIN);
}
