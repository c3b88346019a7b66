/* SPDX-License-Identifier: Apache-2.0
 *
 * datasets.h -- the documents that benches and the demo run on, made from a fixed seed.
 *
 *   seedc    different documents of one schema: 24 ASCII keys of 3 to 18, 17 ASCII strings of 8 to 60      1.0 kB, 24 elements
 *   seedu    seedc, with a quarter of the strings made of 2 to 4 byte sequences
 *   mixc     no schema: random keys of 3 to 24 bytes, random types and lengths                             0.75 kB, 24
 *   keys100  100 int32 with 40-byte keys                                                                   4.6 kB, 100
 *   arr1000  1000 int32 and 1000 doubles (decimals of up to six digits) in two arrays                      22 kB, 2002
 *   bits1000 1000 doubles of random bits in an array                                                      12 kB, 1001
 *   bigstr   16 strings of 64 KiB, every other one ASCII                                                   1 MB, 16
 *   bigascii the same, all of them ASCII
 */
#ifndef BSONIC_BENCH_DATASETS_H
#define BSONIC_BENCH_DATASETS_H

#include <bsonic/bsonic.h>

/* The names above, ending with NULL. */
extern const char *const dataset_names[];

/* How many documents a set has by itself: 10,000 for seedc, seedu and mixc; 1 for the public ones; few for the large. 0 for an
 * unknown name. */
size_t dataset_default_count(const char *name);

/* Appends `count` documents of a set to *buf, back to back. A set repeats after dataset_default_count documents but for the
 * `_id`, which seedc and seedu give every document anew. False for an unknown name, and when memory runs out. */
bool dataset_append(const char *name, size_t count, bsn_buf *buf);

/* The same for `count` documents from number `first` on, so that more can be made than memory holds. */
bool dataset_append_from(const char *name, size_t first, size_t count, bsn_buf *buf);

#endif
