/* SPDX-License-Identifier: Apache-2.0
 *
 * store.c -- see store.h.
 */
#include "serve/store.h"

#include "base/debug.h"
#include "io/os.h"
#include "serve/list.h"

#include <bsonic/io.h>
#include <bsonic/wire.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK_EVERY 64
/* What is read ahead of one who goes on from where the window ends, and of one who leaps: to a document found by its _id, say. */
#define WINDOW_SIZE ((size_t)256 * 1024)
#define LEAP_SIZE ((size_t)16 * 1024)

/* ------------------------------------------------------------------ file */

bsn_status serve_store_init(serve_store *store, const char *path, const bsn_alloc *alloc,
                            bsn_error *err)
{
    const size_t size = strlen(path) + 1;
    struct stat about;
    const serve_store fresh = {.fd = -1, .alloc = alloc};
    *store = fresh;
    if (stat(path, &about) != 0) return bsni_os_error(err, errno, NULL);
    if (!S_ISREG(about.st_mode)) {
        return bsn_error_set(err, BSN_E_IO, 0,
                             "not a regular file: serving needs to go back in it");
    }
    store->path = bsn_alloc_resize(alloc, NULL, 0, size);
    if (store->path == NULL) return bsn_error_set(err, BSN_E_NOMEM, 0, NULL);
    memcpy(store->path, path, size);
    store->size = (uint64_t)about.st_size;
    return BSN_OK;
}

void serve_store_free(serve_store *store)
{
    if (store->fd >= 0) close(store->fd);
    store->fd = -1;
    if (store->path != NULL) {
        bsn_alloc_resize(store->alloc, store->path, strlen(store->path) + 1, 0);
    }
    store->path = NULL;
    serve_list_free(store->alloc, store->marks, store->mark_cap, sizeof store->marks[0]);
    store->marks = NULL;
    store->mark_count = store->mark_cap = 0;
}

static bsn_status open_file(serve_store *store, bsn_error *err)
{
    struct stat about;
    const int fd = open(store->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return bsni_os_error(err, errno, NULL);
    if (fstat(fd, &about) != 0) {
        const bsn_status status = bsni_os_error(err, errno, NULL);
        close(fd);
        return status;
    }
    if (!S_ISREG(about.st_mode) || (uint64_t)about.st_size != store->size) {
        close(fd);
        return serve_store_changed(err);
    }
    store->fd = fd;
    return BSN_OK;
}

bsn_status serve_store_read(serve_store *store, uint64_t offset, uint8_t *ptr, size_t len,
                            bsn_error *err)
{
    if (store->fd < 0) {
        const bsn_status status = open_file(store, err);
        if (status != BSN_OK) return status;
    }
    while (len > 0) {
        const ssize_t got = pread(store->fd, ptr, len, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return bsni_os_error(err, errno, NULL);
        if (got == 0) return serve_store_changed(err);
        ptr += got;
        offset += (uint64_t)got;
        len -= (size_t)got;
    }
    return BSN_OK;
}

/* ------------------------------------------------------------------ window */

void serve_window_init(serve_window *window, const bsn_alloc *alloc)
{
    bsn_buf_init(&window->buf, alloc);
    window->store = NULL;
    window->offset = 0;
    window->deadline_ns = 0;
}

void serve_window_free(serve_window *window)
{
    bsn_buf_free(&window->buf);
    window->store = NULL;
}

/* True when the window lies right in front of the offset, or reaches over it. */
static bool goes_on(const serve_window *window, const serve_store *store, uint64_t offset)
{
    return window->store == store && offset >= window->offset &&
           offset - window->offset <= window->buf.len;
}

/* Makes the window hold `len` bytes, and what is read ahead, as far as the file goes. What a document larger than the usual
 * window took is given back with the next smaller one. */
static bsn_status fill_window(serve_window *window, serve_store *store, uint64_t offset, size_t len,
                              bsn_error *err)
{
    const uint64_t left = store->size - offset;
    if (window->deadline_ns != 0 && bsn_clock_monotonic_ns() > window->deadline_ns) {
        return bsn_error_set(err, BSN_E_TIMEOUT, 0, NULL);
    }
    const size_t ahead = goes_on(window, store, offset) ? WINDOW_SIZE : LEAP_SIZE;
    size_t wanted = len > ahead ? len : ahead;
    if (wanted > left) wanted = (size_t)left;
    if (window->buf.cap > WINDOW_SIZE && wanted <= WINDOW_SIZE) bsn_buf_free(&window->buf);
    window->store = NULL;
    window->buf.len = 0;
    bsn_status status = bsn_buf_reserve(&window->buf, wanted > WINDOW_SIZE ? wanted : WINDOW_SIZE);
    if (status != BSN_OK) return bsn_error_set(err, status, 0, NULL);
    status = serve_store_read(store, offset, window->buf.ptr, wanted, err);
    if (status != BSN_OK) return status;
    window->buf.len = wanted;
    window->store = store;
    window->offset = offset;
    return BSN_OK;
}

bsn_status serve_window_at(serve_window *window, serve_store *store, uint64_t offset, size_t len,
                           bsn_bytes *bytes, bsn_error *err)
{
    if (offset > store->size || len > store->size - offset) {
        return serve_store_changed(err);
    }
    const bool here = goes_on(window, store, offset) &&
                      len <= window->buf.len - (size_t)(offset - window->offset);
    if (!here) {
        const bsn_status status = fill_window(window, store, offset, len, err);
        if (status != BSN_OK) return status;
    }
    const size_t start = (size_t)(offset - window->offset);
    bytes->ptr = window->buf.ptr + start;
    bytes->len = window->buf.len - start;
    return BSN_OK;
}

/* ------------------------------------------------------------------ hopping */

/* The frame of the document at *place: its length, and the byte that must end it. */
static bsn_status check_frame(serve_store *store, serve_window *window, serve_place place,
                              size_t *len, bsn_error *err)
{
    const uint64_t left = store->size - place.offset;
    bsn_bytes bytes;
    if (left < 4) return bsn_error_set(err, BSN_E_SHORT, 0, "the file ends in a length field");
    bsn_status status = serve_window_at(window, store, place.offset, 4, &bytes, err);
    if (status != BSN_OK) return status;
    status = bsn_doc_peek_len(bytes, len);
    if (status != BSN_OK) return bsn_error_set(err, status, 0, NULL);
    if (*len > left) return bsn_error_set(err, BSN_E_SHORT, 0, "the file ends in this document");
    if (*len > BSN_WIRE_DOC_SIZE_MAX) {
        return bsn_error_set(err, BSN_E_LIMIT, 0, "larger than a message may carry");
    }
    status = serve_window_at(window, store, place.offset + *len - 1, 1, &bytes, err);
    if (status != BSN_OK) return status;
    if (bytes.ptr[0] != 0) return bsn_error_set(err, BSN_E_TERMINATOR, *len - 1, NULL);
    return BSN_OK;
}

static bsn_status add_mark(serve_store *store, bsn_error *err)
{
    if (store->mark_count == store->mark_cap) {
        uint64_t *grown =
            serve_list_grow(store->alloc, store->marks, &store->mark_cap, sizeof *grown);
        if (grown == NULL) return bsn_error_set(err, BSN_E_NOMEM, 0, NULL);
        store->marks = grown;
    }
    store->marks[store->mark_count++] = store->known.offset;
    return BSN_OK;
}

static bool hopped_to_end(const serve_store *store)
{
    return store->damage.status != BSN_OK || store->known.offset == store->size;
}

/* Hops on until document `number` or byte `offset` lies behind, or the documents end. Damage is no failure of this. */
static bsn_status extend(serve_store *store, serve_window *window, uint64_t number, uint64_t offset,
                         bsn_error *err)
{
    while (!hopped_to_end(store) && store->known.number <= number &&
           store->known.offset <= offset) {
        bsn_error fault;
        size_t len;
        if (store->known.number == (uint64_t)store->mark_count * MARK_EVERY) {
            const bsn_status status = add_mark(store, err);
            if (status != BSN_OK) return status;
        }
        const bsn_status status = check_frame(store, window, store->known, &len, &fault);
        if (status == BSN_E_IO || status == BSN_E_NOMEM || status == BSN_E_TIMEOUT) {
            if (err != NULL) *err = fault;
            return status;
        }
        if (status != BSN_OK) {
            store->damage = fault;
            return BSN_OK;
        }
        store->known.number++;
        store->known.offset += len;
    }
    return BSN_OK;
}

static bsn_status report_damage(const serve_store *store, bsn_error *err)
{
    if (err != NULL) *err = store->damage;
    return store->damage.status;
}

/* Over one document that has been hopped over before: its length once more, which must still be what it was. */
static bsn_status known_len(serve_store *store, serve_window *window, serve_place place,
                            size_t *len, bsn_error *err)
{
    bsn_bytes bytes;
    const bsn_status status = serve_window_at(window, store, place.offset, 4, &bytes, err);
    if (status != BSN_OK) return status;
    if (bsn_doc_peek_len(bytes, len) != BSN_OK || *len > store->known.offset - place.offset) {
        return serve_store_changed(err);
    }
    return BSN_OK;
}

bool serve_store_step(serve_store *store, serve_window *window, serve_place *place, size_t *len,
                      bsn_status *status, bsn_error *err)
{
    size_t found = 0;
    *status = extend(store, window, place->number, UINT64_MAX, err);
    if (*status != BSN_OK) return false;
    if (place->number >= store->known.number) {
        if (store->damage.status != BSN_OK) *status = report_damage(store, err);
        return false;
    }
    *status = known_len(store, window, *place, &found, err);
    if (*status != BSN_OK) return false;
    place->number++;
    place->offset += found;
    if (len != NULL) *len = found;
    return true;
}

bsn_status serve_store_seek(serve_store *store, serve_window *window, uint64_t number,
                            serve_place *place, bsn_error *err)
{
    bsn_status status = BSN_OK;
    serve_place at = {0, 0};
    if (number > 0) status = extend(store, window, number - 1, UINT64_MAX, err);
    if (status != BSN_OK) return status;
    if (number > store->known.number && store->damage.status != BSN_OK) {
        return report_damage(store, err);
    }
    if (number >= store->known.number) {
        *place = store->known;
        return BSN_OK;
    }
    if (store->mark_count > 0) {
        at.number = number - number % MARK_EVERY;
        at.offset = store->marks[number / MARK_EVERY];
    }
    while (status == BSN_OK && at.number < number) {
        size_t len = 0;
        status = known_len(store, window, at, &len, err);
        at.number++;
        at.offset += len;
    }
    if (status == BSN_OK) *place = at;
    return status;
}

bsn_status serve_store_count(serve_store *store, serve_window *window, uint64_t *count,
                             bsn_error *err)
{
    const bsn_status status = extend(store, window, UINT64_MAX - 1, UINT64_MAX - 1, err);
    if (status != BSN_OK) return status;
    if (store->damage.status != BSN_OK) return report_damage(store, err);
    *count = store->known.number;
    return BSN_OK;
}

/* ------------------------------------------------------------------ planning a batch */

/* Takes a whole stretch between two marks into the plan, if it fits. */
static bool plan_stretch(const serve_store *store, uint64_t count_max, serve_plan *plan)
{
    const serve_place at = plan->end;
    const uint64_t next = at.number / MARK_EVERY + 1;
    if (at.number % MARK_EVERY != 0 || next >= store->mark_count) return false;
    const uint64_t bytes = store->marks[next] - at.offset;
    if (count_max - plan->count < MARK_EVERY || bytes > SERVE_BATCH_BYTES - plan->bytes)
        return false;
    plan->count += MARK_EVERY;
    plan->bytes += bytes;
    plan->end.number += MARK_EVERY;
    plan->end.offset += bytes;
    return true;
}

bsn_status serve_store_plan(serve_store *store, serve_window *window, serve_place from,
                            uint64_t count_max, serve_plan *plan, bsn_error *err)
{
    const serve_plan empty = {.end = from};
    const uint64_t last =
        count_max < UINT64_MAX - from.number ? from.number + count_max : UINT64_MAX - 1;
    bsn_status status = extend(store, window, last, from.offset + SERVE_BATCH_BYTES, err);
    *plan = empty;
    if (status != BSN_OK) return status;
    if (count_max > 0 && from.number >= store->known.number && store->damage.status != BSN_OK) {
        return report_damage(store, err);
    }
    while (plan->count < count_max && plan->end.number < store->known.number) {
        size_t len = 0;
        if (plan->bytes <= SERVE_BATCH_BYTES && plan_stretch(store, count_max, plan)) continue;
        status = known_len(store, window, plan->end, &len, err);
        if (status != BSN_OK) return status;
        if (plan->count > 0 &&
            (plan->bytes > SERVE_BATCH_BYTES || len > SERVE_BATCH_BYTES - plan->bytes)) {
            break;
        }
        plan->count++;
        plan->bytes += len;
        plan->end.number++;
        plan->end.offset += len;
    }
    plan->more = plan->end.offset < store->size;
    return BSN_OK;
}

bsn_status serve_store_damage(const serve_store *store, serve_place *place, bsn_error *err)
{
    if (store->damage.status == BSN_OK) return BSN_OK;
    *place = store->known;
    return report_damage(store, err);
}
