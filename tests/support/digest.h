/* SPDX-License-Identifier: Apache-2.0
 *
 * digest.h -- a digest of what was seen, so that two sights can be compared without being kept.
 */
#ifndef TESTS_SUPPORT_DIGEST_H
#define TESTS_SUPPORT_DIGEST_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Takes bytes, and how many there are, into a digest: FNV-1a's step over words of eight, since a fuzzer watches every turn of a
 * loop. Equal bytes cut at equal places give equal digests. */
static inline uint64_t digest_mix(uint64_t digest, const void *bytes, size_t len)
{
    const uint8_t *p = bytes;
    uint64_t word = 0;
    size_t at = 0;
    for (; len - at >= sizeof word; at += sizeof word) {
        memcpy(&word, p + at, sizeof word);
        digest = (digest ^ word ^ (digest >> 29)) * 0x100000001B3u;
    }
    word = 0;
    if (at < len) memcpy(&word, p + at, len - at);
    digest = (digest ^ word ^ (digest >> 29)) * 0x100000001B3u;
    return (digest ^ len) * 0x100000001B3u;
}

#endif
