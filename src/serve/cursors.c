/* SPDX-License-Identifier: Apache-2.0
 *
 * cursors.c -- see cursors.h. A short list that is looked through: cursors are few, and each question to one costs far more.
 */
#include "serve/cursors.h"

#include "serve/list.h"

#include <bsonic/io.h>

void serve_cursors_init(serve_cursors *cursors, const bsn_alloc *alloc)
{
    const serve_cursors empty = {.alloc = alloc};
    *cursors = empty;
}

static void free_matches(const serve_cursors *cursors, const serve_cursor *cursor)
{
    serve_list_free(cursors->alloc, cursor->matches, cursor->match_count, sizeof(uint64_t));
}

void serve_cursors_free(serve_cursors *cursors)
{
    for (size_t i = 0; i < cursors->count; i++) free_matches(cursors, &cursors->items[i]);
    serve_list_free(cursors->alloc, cursors->items, cursors->cap, sizeof cursors->items[0]);
    serve_cursors_init(cursors, cursors->alloc);
}

serve_cursor *serve_cursors_find(serve_cursors *cursors, int64_t id)
{
    for (size_t i = 0; i < cursors->count; i++) {
        if (cursors->items[i].id == id) return &cursors->items[i];
    }
    return NULL;
}

void serve_cursors_release(serve_cursors *cursors, serve_cursor *cursor)
{
    if (cursor->matches != NULL) cursors->match_count -= cursor->match_count;
    *cursor = cursors->items[--cursors->count];
}

void serve_cursors_remove(serve_cursors *cursors, serve_cursor *cursor)
{
    free_matches(cursors, cursor);
    serve_cursors_release(cursors, cursor);
}

/* ------------------------------------------------------------------ opening */

static serve_cursor *longest_idle(const serve_cursors *cursors)
{
    serve_cursor *found = &cursors->items[0];
    for (size_t i = 1; i < cursors->count; i++) {
        if (cursors->items[i].used_ms < found->used_ms) found = &cursors->items[i];
    }
    return found;
}

/* True when there are too many cursors, or matches in them, to take in one with `match_count` more. */
static bool is_full(const serve_cursors *cursors, size_t match_count)
{
    if (cursors->count == SERVE_CURSORS_MAX) return true;
    if (cursors->match_count == 0 || match_count == 0) return false;
    return cursors->match_count > SERVE_MATCHES_MAX ||
           match_count > SERVE_MATCHES_MAX - cursors->match_count;
}

static bsn_status make_room(serve_cursors *cursors, size_t match_count, bsn_error *err)
{
    while (is_full(cursors, match_count)) serve_cursors_remove(cursors, longest_idle(cursors));
    if (cursors->count < cursors->cap) return BSN_OK;
    serve_cursor *grown =
        serve_list_grow(cursors->alloc, cursors->items, &cursors->cap, sizeof *grown);
    if (grown == NULL) return bsn_error_set(err, BSN_E_NOMEM, 0, NULL);
    cursors->items = grown;
    return BSN_OK;
}

/* A positive id that is not in use. */
static bsn_status make_id(serve_cursors *cursors, int64_t *id, bsn_error *err)
{
    uint64_t bits = 0;
    do {
        const bsn_status status = bsn_entropy(&bits, sizeof bits, err);
        if (status != BSN_OK) return status;
        *id = (int64_t)(bits & INT64_MAX);
    } while (*id == 0 || serve_cursors_find(cursors, *id) != NULL);
    return BSN_OK;
}

bsn_status serve_cursors_add(serve_cursors *cursors, const serve_cursor *cursor, int64_t *id,
                             bsn_error *err)
{
    const size_t match_count = cursor->matches != NULL ? cursor->match_count : 0;
    int64_t made;
    bsn_status status = make_room(cursors, match_count, err);
    if (status == BSN_OK) status = make_id(cursors, &made, err);
    if (status != BSN_OK) return status;
    cursors->items[cursors->count] = *cursor;
    cursors->items[cursors->count].id = made;
    cursors->count++;
    cursors->match_count += match_count;
    *id = made;
    return BSN_OK;
}

/* ------------------------------------------------------------------ ends */

int64_t serve_cursors_expire(serve_cursors *cursors, uint64_t now_ms)
{
    int64_t next = -1;
    size_t i = 0;
    while (i < cursors->count) {
        serve_cursor *cursor = &cursors->items[i];
        const uint64_t idle = now_ms > cursor->used_ms ? now_ms - cursor->used_ms : 0;
        if (idle >= cursor->idle_ms) {
            serve_cursors_remove(cursors, cursor); /* another takes its place in the list */
            continue;
        }
        const int64_t left = (int64_t)(cursor->idle_ms - idle);
        if (next < 0 || left < next) next = left;
        i++;
    }
    return next;
}
