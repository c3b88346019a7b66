/* SPDX-License-Identifier: Apache-2.0
 *
 * system.c -- the system's clock and entropy, and the table of its file calls.
 */
#include <bsonic/io.h>

#include "io/os.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

const bsni_calls bsni_system_calls = {
    .read = read, .writev = writev, .close = close, .link = link, .rename = rename};

const char *bsn_os_text(int os_error, char text[BSN_OS_TEXT_MAX])
{
    if (strerror_r(os_error, text, BSN_OS_TEXT_MAX) != 0) {
        snprintf(text, BSN_OS_TEXT_MAX, "error %d", os_error);
    }
    return text;
}

uint64_t bsn_clock_monotonic_ns(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock, which POSIX systems have */
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int64_t bsn_clock_utc_ms(void)
{
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bsn_status read_fully(int fd, uint8_t *ptr, size_t len, bsn_error *err)
{
    while (len > 0) {
        const ssize_t got = read(fd, ptr, len);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return bsni_os_error(err, got < 0 ? errno : EIO, "/dev/urandom");
        ptr += got;
        len -= (size_t)got;
    }
    return BSN_OK;
}

/* The device and not getrandom, which POSIX does not have yet. It never blocks once the system is up. */
bsn_status bsn_entropy(void *ptr, size_t len, bsn_error *err)
{
    const int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return bsni_os_error(err, errno, "/dev/urandom");
    const bsn_status status = read_fully(fd, ptr, len, err);
    close(fd);
    return status;
}

bool bsni_wait_for(int fd, short events, int timeout_ms)
{
    struct pollfd item = {.fd = fd, .events = events};
    for (;;) {
        const int ready = poll(&item, 1, timeout_ms);
        if (ready > 0) return true;
        if (ready == 0 || errno != EINTR) return false;
    }
}
