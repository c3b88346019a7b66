/* SPDX-License-Identifier: Apache-2.0
 *
 * print.c -- BSON to text: one pass over the elements (print_walk.h), and what surrounds it.
 *
 * There is one walk, compiled plain, and shaped, where lines, limits of length and scripts are asked for.
 *
 * An element begins with room for everything of it but long text, so nothing within it asks for room byte by byte; long text
 * makes room for itself piece by piece.
 *
 * Faults are found but not judged here: an embedded document is judged by its frame before its text is read, so the first
 * fault met need not be the first one in byte order. Whatever is found, bsn_validate then says what it is.
 */
#include "json/print_walk.h"

#include <bsonic/validate.h>

/* ---- nesting ---- */

/* Room for more frames, when the first ones are used up: the limit is above BSN_DEPTH_DEFAULT, and there is an allocator. */
bool bsni_print_grow(bsni_printer *p)
{
    const size_t old_len = p->frame_cap * sizeof *p->frames;
    const bool first = p->frames == p->first_frames;
    bsni_print_frame *frames =
        bsn_alloc_resize(p->alloc, first ? NULL : p->frames, first ? 0 : old_len, 2 * old_len);
    if (frames == NULL) {
        p->out_of_memory = true;
        return false;
    }
    if (first) memcpy(frames, p->first_frames, old_len);
    p->frames = frames;
    p->frame_cap *= 2;
    return true;
}

static void free_frames(bsni_printer *p)
{
    if (p->frames == p->first_frames) return;
    bsn_alloc_resize(p->alloc, p->frames, p->frame_cap * sizeof *p->frames, 0);
}

/* Makes the copy ready that bsni_print_move goes on in: long before, since what has just been stored cannot be loaded at once. */
static void copy_tail(bsni_printer *p, bsn_doc doc)
{
    if (BSN_LIKELY(doc.len >= BSNI_PRINT_TAIL)) {
        memcpy(p->tail, doc.ptr + doc.len - BSNI_PRINT_TAIL, BSNI_PRINT_TAIL);
    } else {
        memcpy(p->tail + BSNI_PRINT_TAIL - doc.len, doc.ptr, doc.len);
    }
    memset(p->tail + BSNI_PRINT_TAIL, 0, BSNI_PRINT_TAIL);
}

void bsni_print_move(bsni_printer *p, uint32_t depth)
{
    const size_t len = (size_t)(p->readable_end - p->base);
    const size_t offset = len < BSNI_PRINT_TAIL ? 0 : len - BSNI_PRINT_TAIL;
    for (uint32_t i = 0; i + 1 < depth; i++) p->frames[i].end -= (uint32_t)offset;
    p->base = p->tail + BSNI_PRINT_TAIL - (len - offset);
    p->base_offset = offset;
    p->readable_end = p->tail + sizeof p->tail;
}

/* ---- draining ---- */

#define DRAIN_DEFAULT ((size_t)256 * 1024)

static bsn_status validate(bsn_doc doc, const bsn_json_options *options, bsn_error *err)
{
    const bsn_validate_options as = {
        .level = options->utf8 == BSN_JSON_UTF8_ERROR ? BSN_LEVEL_UTF8 : BSN_LEVEL_STRUCTURE,
        .depth_max = options->depth_max,
        .alloc = options->alloc};
    return bsn_validate(bsn_doc_bytes(doc), &as, NULL, err);
}

/* Has the output drained; before the first time the document must be known to be sound. */
static bool drain(bsni_printer *p)
{
    const bsn_json_options *o = p->options;
    if (!p->sound) {
        p->wants_proof = bsni_seeks_lookalikes(p) && o->reversible;
        if (p->wants_proof) return false;
        if (validate(p->doc, o, &p->drain_err) != BSN_OK) return false;
        p->sound = true;
    }
    const bsn_status status = o->drain(o->drain_ctx, p->sink.out, &p->drain_err);
    if (status == BSN_OK) return true;
    p->drain_err.status = status;
    return false;
}

/* Looks where the text will have to be cut, in the room that there is from dst on. Returns dst. */
static uint8_t *aim(bsni_printer *p, uint8_t *dst)
{
    const size_t room = bsni_sink_room(&p->sink, dst);
    p->cut_at = p->length_left < room ? dst + p->length_left : p->sink.room_end;
    return dst;
}

uint8_t *bsni_print_turn(bsni_printer *p, const uint8_t *dst)
{
    const bsn_json_options *o = p->options;
    if (BSN_UNLIKELY(dst > p->cut_at)) {
        bsni_print_cut(p);
        return NULL;
    }
    p->length_left -= (size_t)(dst - p->sink.start);
    bsni_sink_close(&p->sink, dst);
    if (o->drain != NULL && !bsni_sink_failed(&p->sink)) {
        const size_t least = o->drain_min != 0 ? o->drain_min : DRAIN_DEFAULT;
        if (bsn_out_unsent(p->sink.out) >= least && !drain(p)) {
            bsni_sink_reserve(&p->sink);
            return NULL;
        }
    }
    uint8_t *fresh = aim(p, bsni_sink_reserve(&p->sink));
    return bsni_sink_failed(&p->sink) ? NULL : fresh;
}

/* Takes back what has been printed since the mark and has not been drained. */
static void take_back(bsn_out *out, bsn_out_mark mark)
{
    if (mark.total < out->total_sent) mark.total = out->total_sent;
    bsn_out_rollback(out, mark);
}

/* ---- the walk ---- */

static uint8_t *put_plain(bsni_printer *p, bsn_doc doc, uint8_t *dst)
{
#ifdef BSONIC_HAS_WIDE
    if (bsni_kernels()->is_wide) return bsni_print_plain_wide(p, doc, dst);
#endif
    return put_elements(p, doc, dst, false);
}

static uint8_t *put_shaped(bsni_printer *p, bsn_doc doc, uint8_t *dst)
{
    return put_elements(p, doc, dst, true);
}

/* Opens the sink, prints, and closes it. False: a fault, the output fails, or the text is cut. */
static bool put_document(bsni_printer *p, bsn_out *out)
{
    const bsn_json_options *o = p->options;
    uint8_t *dst = aim(p, bsni_sink_open(&p->sink, out));
    const bool shaped = o->indent != 0 || o->length_max != 0 || p->style->is_script;
    dst = shaped ? put_shaped(p, p->doc, dst) : put_plain(p, p->doc, dst);
    free_frames(p);
    if (dst == NULL) return false;
    if (dst > p->cut_at) {
        bsni_print_cut(p);
        return false;
    }
    bsni_sink_close(&p->sink, dst);
    return true;
}

/* ---- the call ---- */

static uint32_t depth_limit(const bsn_json_options *options)
{
    BSN_ASSERT(options->depth_max <= UINT16_MAX);
    if (options->depth_max == 0) return BSN_DEPTH_DEFAULT;
    if (options->depth_max > BSN_DEPTH_DEFAULT && options->alloc == NULL) return BSN_DEPTH_DEFAULT;
    return options->depth_max;
}

static void open_printer(bsni_printer *p, bsn_doc doc, const bsn_json_options *options)
{
    p->style = bsni_style_of(options->form);
    p->base = doc.ptr;
    p->readable_end = doc.ptr + doc.len;
    p->base_offset = 0;
    copy_tail(p, doc);
    p->frames = p->first_frames;
    p->frame_cap = BSN_DEPTH_DEFAULT;
    p->alloc = options->alloc;
    p->out_of_memory = false;
    p->options = options;
    p->doc = doc;
    p->sound = false;
    p->is_tolerant = options->utf8 != BSN_JSON_UTF8_ERROR;
    p->is_cut = false;
    p->wants_proof = false;
    p->lookalike = NULL;
    p->lookalikes = 0;
    p->length_left = options->length_max != 0 ? options->length_max : UINT64_MAX;
    p->element = doc.ptr;
    p->drain_err.status = BSN_OK;
    p->depth_max = depth_limit(options);
}

/* What is wrong with a document in which a fault was found. */
static bsn_status judge(const bsni_printer *p, bsn_error *err)
{
    const bsn_status status = validate(p->doc, p->options, err);
    BSN_ASSERT(status != BSN_OK || p->lookalike != NULL);
    if (status != BSN_OK) return status;
    if (p->lookalike == NULL) return bsn_error_set(err, BSN_E_VALUE, 0, NULL);
    return bsn_error_set(err, BSN_E_LOOKALIKE, (uint64_t)(p->lookalike - p->base) + p->base_offset,
                         "a key of a wrapper");
}

/* Prints into nothing, to see whether a document is sound and reversible before any of its text is drained. */
static bool is_proven(bsni_printer *p)
{
    const bsn_json_options *options = p->options;
    const bsn_json_options o = {.form = options->form,
                                .utf8 = options->utf8,
                                .depth_max = options->depth_max,
                                .reversible = true,
                                .alloc = options->alloc};
    bsn_out nothing, *out = p->sink.out;
    bsn_out_init_fixed(&nothing, NULL, 0);
    open_printer(p, p->doc, &o);
    const bool proven = put_document(p, &nothing);
    bsn_out_free(&nothing);
    p->sink.out = out;
    p->options = options;
    return proven;
}

/* Tells of the text, if there is any. What did not fit its storage is printed again: then its lookalikes count. */
static void fill_report(const bsni_printer *p, bsn_status status)
{
    bsn_json_report *report = p->options->report;
    if (report == NULL) return;
    const bool cut = p->is_cut && (status == BSN_OK || status == BSN_E_SPACE);
    if (status == BSN_OK) report->lookalikes += p->lookalikes;
    report->is_cut = cut;
    report->cut_offset = cut ? (uint64_t)(p->element - p->doc.ptr) : 0;
}

/* Why there is no text. */
static bsn_status reason(const bsni_printer *p, bool out_failed, bsn_error *err)
{
    if (p->drain_err.status != BSN_OK) {
        if (err != NULL) *err = p->drain_err;
        return p->drain_err.status;
    }
    if (out_failed) return bsn_error_set(err, bsn_out_status(p->sink.out), 0, NULL);
    if (p->out_of_memory) return bsn_error_set(err, BSN_E_NOMEM, 0, NULL);
    return judge(p, err);
}

/* Judges what a cut has left unread: a document is refused or not whatever becomes of its text. */
static bool is_sound_behind_cut(bsni_printer *p)
{
    const uint8_t *element = p->element;
    if (p->sound) return true;
    if (!p->options->reversible || !bsni_seeks_lookalikes(p)) {
        return validate(p->doc, p->options, &p->drain_err) == BSN_OK;
    }
    if (!is_proven(p)) return false;
    p->is_cut = true;
    p->element = element;
    return true;
}

/* True when the text is there: whole, or cut and of a document that is sound as a whole. */
static bool is_printed(bsni_printer *p, bsn_out *out, bsn_out_mark mark)
{
    bool whole = put_document(p, out);
    if (p->wants_proof) {
        const bsn_json_options *options = p->options;
        take_back(out, mark);
        if (!is_proven(p)) return false;
        open_printer(p, p->doc, options);
        p->sound = true;
        whole = put_document(p, out);
    }
    return whole || (p->is_cut && is_sound_behind_cut(p));
}

bsn_status bsn_json_print(bsn_doc doc, const bsn_json_options *options, bsn_out *out,
                          bsn_error *err)
{
    static const bsn_json_options defaults = {.form = BSN_JSON_RELAXED};
    const bsn_out_mark mark = bsn_out_get_mark(out);
    bsni_printer p;
    open_printer(&p, doc, options != NULL ? options : &defaults);
    const bool printed = is_printed(&p, out, mark);
    const bool out_failed = bsni_sink_failed(&p.sink);
    if (printed && !out_failed) {
        const bsn_status status = bsn_out_status(out);
        fill_report(&p, status);
        return status == BSN_OK ? BSN_OK : bsn_error_set(err, status, 0, NULL);
    }
    take_back(out, mark);
    const bsn_status status = reason(&p, out_failed, err);
    fill_report(&p, status);
    return status;
}
