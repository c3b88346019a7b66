/* SPDX-License-Identifier: Apache-2.0
 *
 * input.c -- documents that lie back to back, read in blocks through the window.
 */
#include <bsonic/io.h>

#include "io/os.h"
#include "io/window.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#define WINDOW_DEFAULT ((size_t)256 * 1024)
#define WINDOW_MIN ((size_t)1024)

static const bsn_input_options defaults = {0};

bsn_status bsn_input_init(bsn_input *in, bsn_read_function read_function, void *ctx,
                          const bsn_input_options *options, bsn_error *err)
{
    const bsn_input_options *o = options != NULL ? options : &defaults;
    size_t size = o->window_size != 0 ? o->window_size : WINDOW_DEFAULT;
    if (size < WINDOW_MIN) size = WINDOW_MIN;
    const bsn_input fresh = {.read = read_function, .read_ctx = ctx, .fd = -1};
    *in = fresh;
    in->calls = &bsni_system_calls;
    in->linger_ms = o->linger_ms;
    in->document_max = o->document_max != 0 ? o->document_max : (size_t)BSN_DOC_SIZE_MAX;
    const bsn_status status = bsni_window_init(&in->window, size, o->alloc);
    if (status != BSN_OK) {
        in->ended = true;
        bsn_error_set(&in->err, status, 0, NULL);
        bsn_error_set(err, status, 0, NULL);
    }
    return status;
}

bsn_status bsn_input_open(bsn_input *in, const char *path, const bsn_input_options *options,
                          bsn_error *err)
{
    const bsn_status status = bsn_input_init(in, NULL, NULL, options, err);
    if (status != BSN_OK) return status;
    if (path == NULL || strcmp(path, "-") == 0) {
        in->fd = STDIN_FILENO;
        return BSN_OK;
    }
    in->fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (in->fd >= 0) return BSN_OK;
    bsni_os_error(&in->err, errno, NULL);
    if (err != NULL) *err = in->err;
    return BSN_E_IO;
}

void bsn_input_free(bsn_input *in)
{
    /* Nothing was written through it, so a failing close loses nothing. */
    if (in->fd > STDIN_FILENO) in->calls->close(in->fd);
    in->fd = -1;
    bsni_window_free(&in->window);
}

static bsn_status read_file(bsn_input *in, uint8_t *ptr, size_t cap, size_t *len, bsn_error *err)
{
    for (;;) {
        const ssize_t got = in->calls->read(in->fd, ptr, cap);
        if (got >= 0) {
            *len = (size_t)got;
            return BSN_OK;
        }
        if (errno == EINTR) continue;
        if (errno == EAGAIN && bsni_wait_for(in->fd, POLLIN, -1)) continue;
        return bsni_os_error(err, errno, NULL);
    }
}

static bool fail(bsn_input *in, bsn_status status, uint64_t offset, const char *detail)
{
    bsn_error_set(&in->err, status, offset, detail);
    return false;
}

/* Reads once. */
static bool read_once(bsn_input *in, uint8_t *ptr, size_t cap, size_t *len)
{
    in->reads++;
    const bsn_status status = in->read != NULL ? in->read(in->read_ctx, ptr, cap, len, &in->err)
                                               : read_file(in, ptr, cap, len, &in->err);
    if (status != BSN_OK) {
        in->err.status = status;
        return false;
    }
    if (*len == 0) in->ended = true;
    bsni_window_received(&in->window, *len);
    return true;
}

/* True when more is worth a read: there is room for it, and it comes in time. */
static bool lingers(const bsn_input *in, size_t room)
{
    if (in->linger_ms == 0 || in->read != NULL || in->ended || room == 0) return false;
    const int timeout_ms = in->linger_ms < INT_MAX ? (int)in->linger_ms : INT_MAX;
    return bsni_wait_for(in->fd, POLLIN, timeout_ms);
}

/* Reads, once or as long as more comes, for a document that needs `need` bytes. */
static bool fill(bsn_input *in, size_t need)
{
    uint8_t *ptr;
    size_t cap;
    const bsn_status status = bsni_window_room(&in->window, need, &ptr, &cap);
    if (status != BSN_OK) return fail(in, status, 0, NULL);
    size_t len = 0;
    if (!read_once(in, ptr, cap, &len)) return false;
    while (lingers(in, cap - len)) {
        const bsn_error none = {0};
        ptr += len;
        cap -= len;
        if (read_once(in, ptr, cap, &len)) continue;
        in->err =
            none; /* the next read says so again, when what came before it has been handed out */
        return true;
    }
    return true;
}

/* Passes by what was handed out last. */
static void drop_given(bsn_input *in)
{
    bsni_window_consume(&in->window, in->given_len);
    in->offset += in->given_len;
    in->given_len = 0;
}

bsn_bytes bsn_input_peek(bsn_input *in)
{
    static const bsn_bytes nothing = {0};
    if (in->err.status != BSN_OK) return nothing;
    drop_given(in);
    for (;;) {
        const size_t len = bsni_window_view(&in->window).len;
        if (len >= BSN_DOC_SIZE_MIN || in->ended) return bsni_window_view(&in->window);
        if (!fill(in, BSN_DOC_SIZE_MIN)) return nothing;
    }
}

/* How many bytes the document at the window's start has; 4 while its length field is not all there. */
static bsn_status front_len(const bsn_input *in, bsn_bytes view, size_t *len)
{
    *len = 4;
    if (view.len < 4) return BSN_OK;
    const bsn_status status = bsn_doc_peek_len(view, len);
    if (status != BSN_OK) return status;
    return *len <= in->document_max ? BSN_OK : BSN_E_LIMIT;
}

bool bsn_input_next(bsn_input *in, bsn_doc *doc)
{
    if (in->err.status != BSN_OK) return false;
    drop_given(in);
    for (;;) {
        bsn_bytes view = bsni_window_view(&in->window);
        size_t need;
        const bsn_status status = front_len(in, view, &need);
        if (status == BSN_E_LIMIT) return fail(in, status, 0, "document longer than the limit");
        if (status != BSN_OK) return fail(in, status, 0, NULL);
        if (view.len >= need && need >= BSN_DOC_SIZE_MIN) {
            if (bsn_doc_take(&view, doc, &in->err) != BSN_OK) return false;
            in->given_len = doc->len;
            in->count++;
            return true;
        }
        if (in->ended && view.len == 0) return false;
        if (in->ended) return fail(in, BSN_E_SHORT, 0, "the input ends inside a document");
        if (!fill(in, need)) return false;
    }
}

bool bsn_input_next_piece(bsn_input *in, bsn_bytes *piece)
{
    if (in->err.status != BSN_OK) return false;
    drop_given(in);
    if (bsni_window_view(&in->window).len == 0 && (in->ended || !fill(in, 1))) return false;
    *piece = bsni_window_view(&in->window);
    in->given_len = piece->len;
    return piece->len > 0;
}

bool bsn_input_ready(const bsn_input *in)
{
    if (in->ended || in->err.status != BSN_OK) return true;
    bsn_bytes view = bsni_window_view(&in->window);
    view.ptr += in->given_len;
    view.len -= in->given_len;
    size_t need;
    return front_len(in, view, &need) != BSN_OK || (need >= BSN_DOC_SIZE_MIN && view.len >= need);
}

bsn_status bsn_input_error(const bsn_input *in, bsn_error *err)
{
    if (in->err.status != BSN_OK && err != NULL) *err = in->err;
    return in->err.status;
}

bsn_bytes bsn_input_rest(const bsn_input *in)
{
    return bsni_window_view(&in->window);
}
