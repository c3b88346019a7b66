/* SPDX-License-Identifier: Apache-2.0
 *
 * os.h -- what the files of this layer and the one above share about the system: its calls as a table, so that tests can let each
 * of them fail, and its errors as a bsn_error.
 */
#ifndef BSNI_OS_H
#define BSNI_OS_H

#include <bsonic/mem.h>

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>

/* The system calls of bsn_input and bsn_output, with the meaning POSIX gives them. */
typedef struct bsni_calls {
    ssize_t (*read)(int fd, void *ptr, size_t len);
    ssize_t (*writev)(int fd, const struct iovec *iov, int count);
    int (*close)(int fd);
    int (*link)(const char *from, const char *to);
    int (*rename)(const char *from, const char *to);
} bsni_calls;

extern const bsni_calls bsni_system_calls;

/* Fills *err with BSN_E_IO and an errno. Returns BSN_E_IO. */
static inline bsn_status bsni_os_error(bsn_error *err, int os_error, const char *detail)
{
    bsn_error_set(err, BSN_E_IO, 0, detail);
    if (err != NULL) err->os_error = os_error;
    return BSN_E_IO;
}

/* Pieces of output as POSIX names them. The layouts are the same; the types are not, so the words are copied. */
static inline void bsni_to_iovec(struct iovec *iov, const bsn_iovec *pieces, size_t count)
{
    _Static_assert(sizeof(struct iovec) == sizeof(bsn_iovec) &&
                       offsetof(struct iovec, iov_base) == offsetof(bsn_iovec, ptr) &&
                       offsetof(struct iovec, iov_len) == offsetof(bsn_iovec, len),
                   "bsn_iovec is laid out as struct iovec");
    memcpy(iov, pieces, count * sizeof iov[0]);
}

/* Waits until a descriptor can go on, for timeout_ms at most (-1: for ever): events as of poll. False with errno set, or when the time
 * is over. */
bool bsni_wait_for(int fd, short events, int timeout_ms);

#endif
