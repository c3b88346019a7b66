/* SPDX-License-Identifier: Apache-2.0
 *
 * signal_at_creation.c -- preloaded into a program, sends it SIGTERM at the very moment when it has made a new file (O_EXCL), before it
 * knows that it has.
 */
#define _GNU_SOURCE /* RTLD_NEXT */

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

int open64(const char *path, int flags, ...)
{
    static int (*next)(const char *, int, ...);
    mode_t mode = 0;
    if (next == NULL) {
        void *symbol = dlsym(RTLD_NEXT, "open64");
        if (symbol == NULL) abort();
        memcpy(&next, &symbol, sizeof next);
    }
    if ((flags & O_CREAT) != 0) {
        va_list rest;
        va_start(rest, flags);
        mode = va_arg(rest, mode_t);
        va_end(rest);
    }
    const int fd = next(path, flags, mode);
    if (fd >= 0 && (flags & O_EXCL) != 0) raise(SIGTERM);
    return fd;
}
