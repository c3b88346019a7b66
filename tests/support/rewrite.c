/* SPDX-License-Identifier: Apache-2.0
 *
 * rewrite.c -- see rewrite.h.
 */
#include "support/rewrite.h"

/* Begins the container that *it stands on. */
static void begin(bsn_writer *w, const bsn_iter *it)
{
    const bsn_str key = bsn_iter_key(it);
    switch (bsn_iter_type(it)) {
    case BSN_TYPE_DOCUMENT: bsn_writer_begin_document(w, key); return;
    case BSN_TYPE_ARRAY: bsn_writer_begin_array(w, key); return;
    default: bsn_writer_begin_code_scope(w, key, bsn_iter_value(it).as.code_scope.code); return;
    }
}

static bool is_container(const bsn_iter *it)
{
    const bsn_type type = bsn_iter_type(it);
    return type == BSN_TYPE_DOCUMENT || type == BSN_TYPE_ARRAY || type == BSN_TYPE_CODE_SCOPE;
}

static void append(bsn_writer *w, const bsn_iter *it, rewrite_way way)
{
    if (way == REWRITE_RAW) {
        bsn_writer_raw(w, bsn_iter_key(it), bsn_iter_type(it), bsn_iter_raw(it));
    } else {
        const bsn_value value = bsn_iter_value(it);
        bsn_writer_value(w, bsn_iter_key(it), &value);
    }
}

bsn_status rewrite_document(bsn_writer *w, bsn_doc doc, rewrite_way way)
{
    bsn_iter levels[BSN_DEPTH_DEFAULT];
    size_t depth = 1;
    bsn_iter_init(&levels[0], doc);
    bsn_writer_begin(w);
    while (depth > 0) {
        bsn_iter *it = &levels[depth - 1];
        if (!bsn_iter_next(it)) {
            const bsn_status status = bsn_iter_error(it, NULL);
            if (status != BSN_OK) return status;
            bsn_writer_end(w);
            depth--;
        } else if (way == REWRITE_WHOLE || !is_container(it)) {
            append(w, it, way);
        } else {
            begin(w, it);
            if (!bsn_iter_enter(it, &levels[depth])) return bsn_iter_error(it, NULL);
            depth++;
        }
    }
    return bsn_writer_status(w);
}
