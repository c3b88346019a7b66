/* SPDX-License-Identifier: Apache-2.0
 *
 * printer.h -- the state of one bsn_json_print, and the pieces that print.c and print_value.c share.
 *
 * Functions that print take dst, where the next byte of text goes, and return the new one. They return NULL when the document
 * is at fault (text that is not UTF-8), the output refuses (bsni_sink_failed tells), or draining it failed (drain_err).
 */
#ifndef BSNI_PRINTER_H
#define BSNI_PRINTER_H

#include "json/escape.h"
#include "json/sink.h"
#include "json/style.h"

#include <bsonic/json.h>

/* An open container, to be gone on with when the one in it is closed. */
typedef struct bsni_print_frame {
    uint32_t end; /* offset of its final 0x00 */
    uint32_t kind;
} bsni_print_frame;

/* How much of a document's end is moved to where more may be read behind it: as much as vectors read. */
#define BSNI_PRINT_TAIL 64

typedef struct bsni_printer {
    const bsni_style *style;
    const uint8_t *base;         /* the outermost document, or its tail */
    const uint8_t *readable_end; /* its end: until there anything may be read */
    size_t base_offset;          /* of the tail */
    bsni_print_frame *frames;
    size_t frame_cap;
    const bsn_alloc *alloc;
    uint32_t depth_max;
    bool out_of_memory; /* for frames */
    bool is_tolerant;   /* of text that is not UTF-8 */
    bool is_cut;        /* the text has ended at its greatest length */
    bool wants_proof;   /* it is time to drain, and the document is not known to be reversible */
    const uint8_t *lookalike; /* the key that makes a document irreversible, if it matters */
    uint64_t lookalikes;
    uint64_t length_left;   /* bytes that may still be put behind sink.start */
    const uint8_t *cut_at;  /* its end, if that is within the room; else the room's end */
    const uint8_t *element; /* the one at hand, when the text may be cut */
    bsni_sink sink;
    const bsn_json_options *options;
    bsn_doc doc;
    bool sound; /* the document has been validated */
    bsn_error drain_err;
    uint8_t tail[2 * BSNI_PRINT_TAIL];
    bsni_print_frame first_frames[BSN_DEPTH_DEFAULT];
} bsni_printer;

/* Room that is still there behind a text that was put: for what else its element needs. The most is what follows the
 * namespace of a DBPointer: two literals, copied whole, and an ObjectId. */
#define BSNI_AFTER_TEXT 192

static inline uint8_t *bsni_put_literal(uint8_t *dst, const bsni_literal *literal)
{
    memcpy(dst, literal->text, sizeof literal->text);
    return dst + literal->len;
}

/* Hands the text before dst to the output, drains that when it is time, and returns a dst that has room for an element. */
uint8_t *bsni_print_turn(bsni_printer *p, const uint8_t *dst);

/* The long way of bsni_put_text: text in as many pieces as the output's room asks for, and text that is not UTF-8. */
uint8_t *bsni_put_long_text(bsni_printer *p, uint8_t *dst, const uint8_t *src, size_t len);

/* Puts the inside of a string of a document. Any length; behind it there is room for BSNI_AFTER_TEXT bytes. */
static inline uint8_t *bsni_put_text(bsni_printer *p, uint8_t *dst, const uint8_t *src, size_t len)
{
    const uint64_t worst = (uint64_t)len * BSNI_ESCAPE_GROWTH + BSNI_ESCAPE_SLACK + BSNI_AFTER_TEXT;
    if (BSN_UNLIKELY(worst > bsni_sink_room(&p->sink, dst))) {
        return bsni_put_long_text(p, dst, src, len);
    }
    uint8_t *past = bsni_escape_inside(dst, src, len, (size_t)(p->readable_end - src));
    if (BSN_LIKELY(past != NULL)) return past;
    return p->is_tolerant ? bsni_put_long_text(p, dst, src, len) : NULL;
}

/* ---- print.c, print_wide.c ---- */

/* Room for more frames, when the first ones are used up: the limit is above BSN_DEPTH_DEFAULT, and there is an allocator. */
bool bsni_print_grow(bsni_printer *p);

/* Goes on in a copy of the document's last BSNI_PRINT_TAIL bytes, or of all, behind which as many zeros may be read: what stood at
 * p->readable_end - n stands at p->readable_end - BSNI_PRINT_TAIL - n then. `depth` containers are open; all end there. */
void bsni_print_move(bsni_printer *p, uint32_t depth);

/* The walk where nothing is asked for but text, on one line. Everything from the opening bracket of the document to its closing one;
 * NULL: a fault, or the output fails. Runs where the tier is wide. */
uint8_t *bsni_print_plain_wide(bsni_printer *p, bsn_doc doc, uint8_t *dst);

/* ---- print_shape.c ---- */

/* Ends the text, of which too much is there: within the limit, with a whole character and a whole escape. */
void bsni_print_cut(bsni_printer *p);

/* Begins a line. Behind it there is room for an element. */
uint8_t *bsni_put_line(bsni_printer *p, uint8_t *dst, uint32_t depth);

/* What stands in front of an element. */
uint8_t *bsni_put_front(bsni_printer *p, uint8_t *dst, uint8_t separator, uint32_t depth);

/* Ends a key: `"key":` lies from start to dst. In a script "__proto__": is no key, ["__proto__"]: is. */
uint8_t *bsni_put_colon(const bsni_printer *p, uint8_t *start, uint8_t *dst);

/* Lets the iterator judge the element at `at`; false at a fault. */
bool bsni_print_step(const bsni_printer *p, const uint8_t *at, const uint8_t *end, bsn_iter *it);

/* True when the form has wrappers, so that documents can look like one. */
bool bsni_seeks_lookalikes(const bsni_printer *p);

/* Looks at an element whose key begins with '$': true when it makes its document one that text cannot tell from a wrapper. */
bool bsni_makes_lookalike(const bsni_printer *p, const uint8_t *at, const uint8_t *end,
                          bool is_first);

/* Counts a document that has such an element. False when that is a fault. */
bool bsni_note_lookalike(bsni_printer *p, const uint8_t *at);

/* ---- print_value.c ---- */

uint8_t *bsni_put_oid(const bsni_style *style, uint8_t *dst, const uint8_t *value);

/* Puts a value of a type that bsn_json_print has no short way for; of code with scope what stands before the scope. raw is its
 * bytes in the document, which an iterator has checked. */
uint8_t *bsni_put_value(bsni_printer *p, uint8_t *dst, uint8_t type, bsn_bytes raw);

#endif
