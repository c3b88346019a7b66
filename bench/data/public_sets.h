/* SPDX-License-Identifier: Apache-2.0
 *
 * public_sets.h -- the documents of the public driver benchmark (flat, deep, full, tweet, small, large), read as Extended JSON
 * from where its data lies and made into BSON by libbson.
 */
#ifndef BSONIC_BENCH_PUBLIC_SETS_H
#define BSONIC_BENCH_PUBLIC_SETS_H

#include <bsonic/bsonic.h>

/* The names, ending with NULL. */
extern const char *const public_set_names[];

/* Appends the document of a set to *buf. `folder` holds the benchmark's data. False when the file is absent or cannot be
 * read. */
bool public_set_append(const char *folder, const char *name, bsn_buf *buf);

#endif
