/* SPDX-License-Identifier: Apache-2.0
 *
 * make_data.c -- writes documents of a made set to standard output:  make_data SET [COUNT]
 */
#include "datasets.h"

#include <stdio.h>
#include <stdlib.h>

#define BATCH ((size_t)64)

static int usage(void)
{
    fputs("usage: make_data SET [COUNT]    writes BSON documents of a made set to standard "
          "output\nsets:",
          stderr);
    for (size_t i = 0; dataset_names[i] != NULL; i++) fprintf(stderr, " %s", dataset_names[i]);
    fputs("\n", stderr);
    return 2;
}

/* A few at a time: a set may be larger than memory. */
static bool write_documents(const char *name, size_t count)
{
    bsn_buf buf;
    bool sound = true;
    bsn_buf_init(&buf, NULL);
    for (size_t first = 0; first < count && sound; first += BATCH) {
        buf.len = 0;
        sound =
            dataset_append_from(name, first, count - first < BATCH ? count - first : BATCH, &buf) &&
            fwrite(buf.ptr, 1, buf.len, stdout) == buf.len;
    }
    bsn_buf_free(&buf);
    return sound;
}

int main(int argc, char **argv)
{
    char *rest = NULL;
    if (argc < 2 || argc > 3 || dataset_default_count(argv[1]) == 0) return usage();
    size_t count = argc == 3 ? strtoul(argv[2], &rest, 10) : dataset_default_count(argv[1]);
    if (rest != NULL && (*rest != '\0' || rest == argv[2])) return usage();

    const bool sound = write_documents(argv[1], count);
    if (fclose(stdout) != 0 || !sound) {
        fputs("make_data: output failed\n", stderr);
        return 3;
    }
    return 0;
}
