/* SPDX-License-Identifier: Apache-2.0
 *
 * msan_stat.c -- linked into what the memory sanitizer watches, and nothing else. clang 14 knows stat and its kin only by the names
 * that they had before glibc 2.33, so it takes what they write for uninitialized. These stand in front of libc's and say.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT */
#endif

#include <dlfcn.h>
#include <sanitizer/msan_interface.h>
#include <string.h>
#include <sys/stat.h>

typedef int stat_path(const char *path, struct stat *about);

static int known(int result, struct stat *about)
{
    if (result == 0) __msan_unpoison(about, sizeof *about);
    return result;
}

/* libc's function of that name, moved by memcpy: ISO C has no cast from data to functions. */
static int next_path(const char *name, const char *path, struct stat *about)
{
    stat_path *next;
    void *found = dlsym(RTLD_NEXT, name);
    memcpy(&next, &found, sizeof next);
    return known(next(path, about), about);
}

/* NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): libc's names are not ours to use */
int stat(const char *path, struct stat *about)
{
    return next_path("stat", path, about);
}

int lstat(const char *path, struct stat *about)
{
    return next_path("lstat", path, about);
}

int fstat(int fd, struct stat *about)
{
    int (*next)(int, struct stat *);
    void *found = dlsym(RTLD_NEXT, "fstat");
    memcpy(&next, &found, sizeof next);
    return known(next(fd, about), about);
}
/* NOLINTEND(readability-inconsistent-declaration-parameter-name) */
