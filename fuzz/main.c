/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c -- replays inputs through a fuzz target without libFuzzer: `replay_x FILE|FOLDER...`, folders one level deep, so
 * that any compiler and any sanitizer can run the corpus. A property that does not hold ends the program on the spot. It
 * fails when there was no input at all: an empty run proves nothing.
 */
#define _DEFAULT_SOURCE 1 /* d_type is not asked for, but dirent.h is POSIX */

#include "support.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void *must(void *ptr, const char *what)
{
    if (ptr == NULL) {
        perror(what);
        exit(2);
    }
    return ptr;
}

static void replay_file(const char *path, size_t size)
{
    FILE *file = must(fopen(path, "rb"), path);
    /* One byte more than nothing: malloc(0) may be NULL. The target copies to a block of the exact size. */
    uint8_t *data = must(malloc(size + 1), path);
    if (fread(data, 1, size, file) != size) {
        fprintf(stderr, "%s: cannot be read\n", path);
        exit(2);
    }
    fclose(file);
    /* Shown before it runs, so that a crash names its input; the line is replaced by the next. */
    LLVMFuzzerTestOneInput(data, size);
    free(data);
}

/* Replays a file, or the files of a folder; returns how many. */
static size_t replay(const char *path, bool into_folders)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        perror(path);
        exit(2);
    }
    if (S_ISREG(info.st_mode)) {
        fprintf(stderr, "%s\n", path);
        replay_file(path, (size_t)info.st_size);
        return 1;
    }
    if (!S_ISDIR(info.st_mode) || !into_folders) return 0;
    size_t count = 0;
    DIR *folder = must(opendir(path), path);
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        char inner[4096];
        const int len = snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (len < 0 || (size_t)len >= sizeof inner) {
            fprintf(stderr, "%s: too long a path\n", path);
            exit(2);
        }
        count += replay(inner, false);
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    size_t count = 0;
    for (int i = 1; i < argc; i++) count += replay(argv[i], true);
    printf("%zu inputs\n", count);
    return count == 0 ? 1 : 0;
}
