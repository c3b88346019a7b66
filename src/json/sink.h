/* SPDX-License-Identifier: Apache-2.0
 *
 * sink.h -- the printer's end of a bsn_out: it asks for room once an element, and looks at a pointer in between.
 *
 *   room in the output    | text not yet handed over | ... | BSNI_ELEMENT_MAX |
 *                         ^start                     ^dst  ^limit             ^room_end
 *
 * `dst` is the printer's own and stays in a register. An element begins with dst <= limit.
 */
#ifndef BSNI_SINK_H
#define BSNI_SINK_H

#include "base/debug.h"

#include <bsonic/mem.h>

/* Room that each element finds. */
#define BSNI_ELEMENT_MAX BSN_OUT_RESERVE_MAX

typedef struct bsni_sink {
    bsn_out *out;
    uint8_t *start;
    uint8_t *limit;
    uint8_t *room_end;
} bsni_sink;

/* Hands the text before dst to the output: the last call, or bsni_sink_reserve follows. */
static inline void bsni_sink_close(bsni_sink *sink, const uint8_t *dst)
{
    BSN_ASSERT(dst >= sink->start && dst <= sink->room_end);
    bsn_out_advance(sink->out, (size_t)(dst - sink->start));
}

/* A dst that has room for an element, at the end of what the output holds. */
static inline uint8_t *bsni_sink_reserve(bsni_sink *sink)
{
    sink->start = bsn_out_reserve(sink->out, BSNI_ELEMENT_MAX);
    sink->room_end = sink->start + bsn_out_room(sink->out);
    sink->limit = sink->room_end - BSNI_ELEMENT_MAX;
    return sink->start;
}

/* Begins at the end of what *out holds. Returns dst. */
static inline uint8_t *bsni_sink_open(bsni_sink *sink, bsn_out *out)
{
    sink->out = out;
    return bsni_sink_reserve(sink);
}

/* True when the output takes no more: nothing that is written to it will be seen. Full fixed storage goes on counting. */
static inline bool bsni_sink_failed(const bsni_sink *sink)
{
    const bsn_status status = bsn_out_status(sink->out);
    return status != BSN_OK && status != BSN_E_SPACE;
}

/* Room behind dst. */
static inline size_t bsni_sink_room(const bsni_sink *sink, const uint8_t *dst)
{
    return (size_t)(sink->room_end - dst);
}

#endif
