/* SPDX-License-Identifier: Apache-2.0
 *
 * print_shape.c -- what only some texts ask for: lines, an end at a greatest length, keys of scripts; and documents that look like
 * wrappers.
 */
#include "json/parser.h"
#include "json/printer.h"

#include "simd/simd.h"

/* ---- cutting ---- */

/* The greatest place <= at where text that is cut ends with a whole character and a whole escape; text[at] is there, and at the
 * start nothing is open: no turn is made within either. */
static const uint8_t *cut_place(const uint8_t *start, const uint8_t *at)
{
    while (at > start && (*at & 0xC0) == 0x80) at--;
    for (ptrdiff_t back = 1; back <= 5 && back <= at - start; back++) { /* the longest: \u001f */
        if (at[-back] != '\\') continue;
        ptrdiff_t run = 1;
        while (back + run <= at - start && at[-back - run] == '\\') run++;
        if (run % 2 == 0) return at; /* this one is itself escaped */
        return back < (at[1 - back] == 'u' ? 6 : 2) ? at - back : at;
    }
    return at;
}

void bsni_print_cut(bsni_printer *p)
{
    bsni_sink_close(&p->sink, cut_place(p->sink.start, p->cut_at));
    p->is_cut = true;
}

/* ---- lines and keys ---- */

uint8_t *bsni_put_line(bsni_printer *p, uint8_t *dst, uint32_t depth)
{
    const bool tab = p->options->indent == BSN_JSON_INDENT_TAB;
    uint64_t left = (uint64_t)depth * (tab ? 1 : p->options->indent);
    *dst++ = '\n';
    for (;;) {
        if (BSN_UNLIKELY(dst > p->sink.limit)) {
            dst = bsni_print_turn(p, dst);
            if (dst == NULL) return NULL;
        }
        if (left == 0) return dst;
        const size_t piece = left < BSNI_ELEMENT_MAX / 2 ? (size_t)left : BSNI_ELEMENT_MAX / 2;
        memset(dst, tab ? '\t' : ' ', piece);
        dst += piece;
        left -= piece;
    }
}

uint8_t *bsni_put_front(bsni_printer *p, uint8_t *dst, uint8_t separator, uint32_t depth)
{
    *dst++ = separator;
    return p->options->indent != 0 ? bsni_put_line(p, dst, depth) : dst;
}

uint8_t *bsni_put_colon(const bsni_printer *p, uint8_t *start, uint8_t *dst)
{
    static const char proto[] = "\"__proto__\":";
    const size_t len = sizeof proto - 1;
    if (p->style->is_script && (size_t)(dst - start) == len && memcmp(start, proto, len) == 0) {
        memcpy(start, "[\"__proto__\"]:", len + 2);
        dst += 2;
    }
    if (p->options->indent != 0) *dst++ = ' ';
    return dst;
}

/* ---- lookalikes ---- */

bool bsni_seeks_lookalikes(const bsni_printer *p)
{
    return !p->style->is_script;
}

bool bsni_print_step(const bsni_printer *p, const uint8_t *at, const uint8_t *end, bsn_iter *it)
{
    it->cur = at;
    it->end = end;
    it->value = at;
    it->base = p->base;
    it->key_len = 0;
    it->type = BSN_TYPE_NONE;
    it->status = BSN_OK;
    it->depth = 1; /* asked for only to enter a container */
    it->depth_max = 1;
    it->beyond = 1;
    return bsn_iter_next_slow(it);
}

/* Does what the iterator finds in [at, end) make an object of two strings that legacy readers take for a regex? */
static bool is_legacy_regex(const bsni_printer *p, const uint8_t *at, const uint8_t *end)
{
    bool has_pattern = false, has_options = false;
    bsn_iter it;
    for (int i = 0; i < 2; i++) {
        if (at == end || !bsni_print_step(p, at, end, &it) || it.type != BSN_TYPE_STRING)
            return false;
        const bsn_str key = bsn_iter_key(&it);
        has_pattern |= bsn_str_equal(key, BSN_STR("$regex"));
        has_options |= bsn_str_equal(key, BSN_STR("$options"));
        const size_t len = bsn_load_u32(it.value) - 1;
        if (bsni_cstring(it.value + 4, len) != len) return false;
        at = it.cur;
    }
    return at == end && has_pattern && has_options;
}

bool bsni_makes_lookalike(const bsni_printer *p, const uint8_t *at, const uint8_t *end,
                          bool is_first)
{
    if (!bsni_seeks_lookalikes(p)) return false;
    const size_t room = (size_t)(end - at) - 1;
    const bsn_str key = {(const char *)at + 1, bsni_cstring(at + 1, room)};
    if (key.len == room) return false;
    if (bsni_special_key(key) != SPECIAL_NONE) return true;
    return is_first && p->style->is_legacy && is_legacy_regex(p, at, end);
}

bool bsni_note_lookalike(bsni_printer *p, const uint8_t *at)
{
    p->lookalikes++;
    if (!p->options->reversible) return true;
    p->lookalike = at;
    return false;
}
