/* SPDX-License-Identifier: Apache-2.0
 *
 * mix.h -- SplitMix64: numbers that look random out of a counter, the same on every machine, and the step that makes them so, which
 * hashes use too.
 *
 * Source: Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014.
 */
#ifndef BSNI_MIX_H
#define BSNI_MIX_H

#include <stdint.h>

/* Mixes the bits of x, each of which changes half of the result's. */
static inline uint64_t bsni_mix(uint64_t x)
{
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
    x = (x ^ x >> 27) * 0x94D049BB133111EBu;
    return x ^ x >> 31;
}

/* The next number; *counter may begin with any. */
static inline uint64_t bsni_mix_next(uint64_t *counter)
{
    return bsni_mix(*counter += 0x9E3779B97F4A7C15u);
}

#endif
