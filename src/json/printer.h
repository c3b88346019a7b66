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

typedef struct bsni_printer {
    const bsni_style *style;
    const uint8_t *base;         /* the outermost document */
    const uint8_t *readable_end; /* its end: until there anything may be read */
    bsni_print_frame *frames;
    size_t frame_cap;
    const bsn_alloc *alloc;
    uint32_t depth_max;
    bool out_of_memory; /* for frames */
    bsni_sink sink;
    const bsn_json_options *options;
    bsn_doc doc;
    bool sound; /* the document has been validated */
    bsn_error drain_err;
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

/* The long way of bsni_put_text: text in as many pieces as the output's room asks for. */
uint8_t *bsni_put_long_text(bsni_printer *p, uint8_t *dst, const uint8_t *src, size_t len);

/* Puts the inside of a string of a document. Any length; behind it there is room for BSNI_AFTER_TEXT bytes. */
static inline uint8_t *bsni_put_text(bsni_printer *p, uint8_t *dst, const uint8_t *src, size_t len)
{
    const uint64_t worst = (uint64_t)len * BSNI_ESCAPE_GROWTH + BSNI_ESCAPE_SLACK + BSNI_AFTER_TEXT;
    if (BSN_UNLIKELY(worst > bsni_sink_room(&p->sink, dst))) {
        return bsni_put_long_text(p, dst, src, len);
    }
    return bsni_escape_inside(dst, src, len, (size_t)(p->readable_end - src));
}

uint8_t *bsni_put_oid(const bsni_style *style, uint8_t *dst, const uint8_t *value);

/* Puts a value of a type that bsn_json_print has no short way for; of code with scope what stands before the scope. raw is its
 * bytes in the document, which an iterator has checked. */
uint8_t *bsni_put_value(bsni_printer *p, uint8_t *dst, uint8_t type, bsn_bytes raw);

#endif
