/* SPDX-License-Identifier: Apache-2.0
 *
 * near.h -- which name a mistyped one was meant to be.
 *
 *   cli_near near = cli_near_to(typed);
 *   for (each name) cli_near_try(&near, name);
 *   if (near.name != NULL) .. "did you mean near.name?"
 */
#ifndef CLI_NEAR_H
#define CLI_NEAR_H

#include <bsonic/base.h>

typedef struct cli_near {
    bsn_str typed;
    const char *name; /* the nearest so far; NULL: none is near */
    size_t distance;  /* only what is nearer than this is taken */
} cli_near;

/* Nothing found yet. A name is near when it takes at most one edit for three bytes, and at least one may be wrong. */
cli_near cli_near_to(bsn_str typed);

/* Takes the name if it is nearer than all before it. A name that the typed one abbreviates is as near as one edit. */
void cli_near_try(cli_near *near, const char *name);

#endif
