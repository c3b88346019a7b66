/* SPDX-License-Identifier: Apache-2.0
 *
 * near.c -- see near.h. Edits are counted as Damerau did (A technique for computer detection and correction of spelling errors,
 * 1964): a letter too many, too few or wrong, or two neighbours exchanged.
 */
#include "cli/near.h"

#include <string.h>

/* The names of commands and options are shorter; longer words are near to nothing. */
#define WORD_MAX 31

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Rows of the table of distances between the fronts of both words, the last three of them:
 *
 *   before[j]  above[j]  row[j] = edits from a's first i-2, i-1, i bytes to b's first j                */
static size_t edits_between(bsn_str a, bsn_str b)
{
    size_t rows[3][WORD_MAX + 1];
    for (size_t j = 0; j <= b.len; j++) rows[0][j] = j;
    for (size_t i = 1; i <= a.len; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            const bool same = a.ptr[i - 1] == b.ptr[j - 1];
            row[j] = least(least(row[j - 1], above[j]) + 1, above[j - 1] + (same ? 0 : 1));
            if (i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] && a.ptr[i - 2] == b.ptr[j - 1]) {
                row[j] = least(row[j], before[j - 2] + 1);
            }
        }
    }
    return rows[a.len % 3][b.len];
}

cli_near cli_near_to(bsn_str typed)
{
    const cli_near near = {.typed = typed, .distance = (typed.len < 3 ? 1 : typed.len / 3) + 1};
    return near;
}

void cli_near_try(cli_near *near, const char *name)
{
    const bsn_str whole = bsn_str_from(name);
    if (near->typed.len == 0 || near->typed.len > WORD_MAX || whole.len > WORD_MAX) return;
    const bool abbreviates =
        near->typed.len < whole.len && memcmp(near->typed.ptr, name, near->typed.len) == 0;
    const size_t distance = abbreviates ? 1 : edits_between(near->typed, whole);
    if (distance >= near->distance) return;
    near->distance = distance;
    near->name = name;
}
