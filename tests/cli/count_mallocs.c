/* SPDX-License-Identifier: Apache-2.0
 *
 * count_mallocs.c -- preloaded into a program, counts its calls of malloc, calloc and realloc, libc's own included, and writes the
 * count at exit to the file that COUNT_MALLOCS names. What a program says of its allocations can so be held against it. With
 * REFUSE_FROM=N in the environment the Nth call and all later ones get nothing.
 */
#define _GNU_SOURCE /* RTLD_NEXT */

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned long count;

/* Counts a call. True when it is to get nothing. */
static int is_refused(void)
{
    const char *from = getenv("REFUSE_FROM");
    count++;
    return from != NULL && count >= strtoul(from, NULL, 10);
}

/* POSIX lets a symbol's address pass through void *; ISO C needs the detour by memcpy. */
static void find(void *function, size_t size, const char *name)
{
    void *symbol = dlsym(RTLD_NEXT, name);
    if (symbol == NULL) abort();
    memcpy(function, &symbol, size);
}

/* While dlsym itself asks for memory (glibc may, once), it is served from here, and never given back. */
static void *early(size_t size)
{
    static _Alignas(max_align_t) char room[4096];
    static size_t used;
    const size_t start = used;
    used += (size + 15) & ~(size_t)15;
    return used <= sizeof room ? room + start : NULL;
}

void *malloc(size_t size)
{
    static void *(*next)(size_t);
    static int looking;
    if (is_refused()) return NULL;
    if (next == NULL) {
        if (looking) return early(size);
        looking = 1;
        find(&next, sizeof next, "malloc");
        looking = 0;
    }
    return next(size);
}

void *calloc(size_t items, size_t size)
{
    static void *(*next)(size_t, size_t);
    static int looking;
    if (is_refused()) return NULL;
    if (next == NULL) {
        if (looking) return early(items * size);
        looking = 1;
        find(&next, sizeof next, "calloc");
        looking = 0;
    }
    return next(items, size);
}

void *realloc(void *block, size_t size)
{
    static void *(*next)(void *, size_t);
    if (is_refused()) return NULL;
    if (next == NULL) find(&next, sizeof next, "realloc");
    return next(block, size);
}

__attribute__((destructor)) static void tell(void)
{
    const unsigned long seen = count;
    const char *path = getenv("COUNT_MALLOCS");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file == NULL) return;
    fprintf(file, "%lu\n", seen);
    fclose(file);
}
