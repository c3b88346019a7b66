/* SPDX-License-Identifier: Apache-2.0
 *
 * output.c -- output by writev, and files that get their name only when they are whole.
 *
 *   path exists, not a regular file ──► written in place (a pipe, a device)
 *   path leads to a file by links ──► that file is the path
 *   otherwise ──► path.HEX.part ──commit──► link to path (fails if it exists) or rename over it
 */
#define _XOPEN_SOURCE 700 /* realpath */

#include <bsonic/io.h>

#include "io/os.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define IOV_COUNT 64
#define SUFFIX_LEN (sizeof ".0123456789abcdef.part")
#define NAME_TRIES 16

static const bsn_output_options defaults = {0};

/* A terminated copy of text with room for a suffix. */
static char *copy_path(bsn_output *to, const char *path, size_t extra, size_t *size)
{
    const size_t len = strlen(path) + 1;
    char *copy = bsn_alloc_resize(to->alloc, NULL, 0, len + extra);
    if (copy == NULL) return NULL;
    memcpy(copy, path, len);
    *size = len + extra;
    return copy;
}

static void drop(bsn_output *to, char **text, size_t size)
{
    if (*text != NULL) bsn_alloc_resize(to->alloc, *text, size, 0);
    *text = NULL;
}

/* Creates a file beside the path that no other has: its name is drawn until it is new. */
static bsn_status create_beside(bsn_output *to, bsn_error *err)
{
    char *suffix = to->temporary + strlen(to->temporary);
    for (int tries = 0; tries < NAME_TRIES; tries++) {
        uint64_t draw;
        const bsn_status status = bsn_entropy(&draw, sizeof draw, err);
        if (status != BSN_OK) return status;
        snprintf(suffix, SUFFIX_LEN, ".%016llx.part", (unsigned long long)draw);
        to->fd = open(to->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (to->fd >= 0) return BSN_OK;
        if (errno != EEXIST) break;
    }
    return bsni_os_error(err, errno, NULL);
}

static bsn_status open_beside(bsn_output *to, const char *path, bsn_error *err)
{
    to->path = copy_path(to, path, 0, &to->path_size);
    to->temporary = copy_path(to, path, SUFFIX_LEN, &to->temporary_size);
    bsn_status status = BSN_E_NOMEM;
    if (to->path == NULL || to->temporary == NULL) {
        bsn_error_set(err, status, 0, NULL);
    } else {
        status = create_beside(to, err);
    }
    if (status != BSN_OK) drop(to, &to->temporary, to->temporary_size);
    return status;
}

bsn_status bsn_output_open(bsn_output *to, const char *path, const bsn_output_options *options,
                           bsn_error *err)
{
    const bsn_output_options *o = options != NULL ? options : &defaults;
    const bsn_output fresh = {.fd = STDOUT_FILENO, .replace = o->replace, .alloc = o->alloc};
    *to = fresh;
    to->calls = &bsni_system_calls;
    if (path == NULL || strcmp(path, "-") == 0) return BSN_OK;

    struct stat about;
    to->fd = -1;
    to->owned = true;
    if (stat(path, &about) != 0) {
        if (errno != ENOENT) return bsni_os_error(err, errno, NULL);
        return open_beside(to, path, err);
    }
    if (S_ISREG(about.st_mode)) {
        char target[PATH_MAX]; /* the file itself: links that lead to it stay */
        if (!to->replace) return bsni_os_error(err, EEXIST, NULL);
        if (realpath(path, target) == NULL) return bsni_os_error(err, errno, NULL);
        const bsn_status status = open_beside(to, target, err);
        if (status != BSN_OK) return status;
        /* Who could not read the old file must not read the new one. */
        if (fchmod(to->fd, about.st_mode & 07777) == 0) return BSN_OK;
        return bsni_os_error(err, errno, "setting permissions failed");
    }
    to->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
    return to->fd >= 0 ? BSN_OK : bsni_os_error(err, errno, NULL);
}

static bsn_status write_some(bsn_output *to, const struct iovec *iov, size_t count, size_t *len,
                             bsn_error *err)
{
    for (;;) {
        to->writes++;
        const ssize_t put = to->calls->writev(to->fd, iov, (int)count);
        if (put > 0) {
            *len = (size_t)put;
            return BSN_OK;
        }
        if (put == 0) return bsni_os_error(err, EIO, "nothing could be written");
        if (errno == EINTR) continue;
        if (errno == EAGAIN && bsni_wait_for(to->fd, POLLOUT, -1)) continue;
        return bsni_os_error(err, errno, NULL);
    }
}

bsn_status bsn_output_flush(bsn_output *to, bsn_out *out, bsn_error *err)
{
    bsn_iovec pieces[IOV_COUNT];
    struct iovec iov[IOV_COUNT];
    size_t count;
    while ((count = bsn_out_iovecs(out, pieces, IOV_COUNT)) > 0) {
        size_t len;
        bsni_to_iovec(iov, pieces, count);
        const bsn_status status = write_some(to, iov, count, &len, err);
        if (status != BSN_OK) return status;
        to->bytes += len;
        bsn_out_sent(out, len);
    }
    return BSN_OK;
}

/* Some file systems tell of a lost write only at close. Standard output is not ours to close: a duplicate of it is. */
static bsn_status close_checked(bsn_output *to, bsn_error *err)
{
    const int fd = to->owned ? to->fd : fcntl(to->fd, F_DUPFD_CLOEXEC, 3);
    to->fd = -1;
    if (fd < 0) {
        /* No such descriptor to begin with: writing has said so, if anything was written. */
        return to->bytes == 0 ? BSN_OK : bsni_os_error(err, errno, NULL);
    }
    if (to->calls->close(fd) == 0) return BSN_OK;
    /* POSIX leaves open whether an interrupted close has closed; Linux has. The bytes were handed over by writev. */
    return errno == EINTR ? BSN_OK : bsni_os_error(err, errno, "closing failed");
}

/* Gives the file its name: link does not replace what has come there meanwhile, rename does. */
static bsn_status give_name(bsn_output *to, bsn_error *err)
{
    if (!to->replace) {
        if (to->calls->link(to->temporary, to->path) == 0) {
            unlink(to->temporary);
            return BSN_OK;
        }
        if (errno == EEXIST) return bsni_os_error(err, errno, NULL);
        /* The file system may have no links. Then a rename, with a short moment for somebody to come between. */
        struct stat about;
        if (lstat(to->path, &about) == 0) return bsni_os_error(err, EEXIST, NULL);
    }
    if (to->calls->rename(to->temporary, to->path) == 0) return BSN_OK;
    return bsni_os_error(err, errno, "renaming failed");
}

bsn_status bsn_output_commit(bsn_output *to, bsn_error *err)
{
    bsn_status status = close_checked(to, err);
    if (to->temporary == NULL) return status;
    if (status == BSN_OK) status = give_name(to, err);
    if (status == BSN_OK) drop(to, &to->temporary, to->temporary_size);
    return status;
}

void bsn_output_free(bsn_output *to)
{
    if (to->owned && to->fd >= 0) to->calls->close(to->fd);
    to->fd = -1;
    if (to->temporary != NULL) unlink(to->temporary);
    drop(to, &to->temporary, to->temporary_size);
    drop(to, &to->path, to->path_size);
}
