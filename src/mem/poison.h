/* SPDX-License-Identifier: Apache-2.0
 *
 * poison.h -- makes memory that nobody may look at any more unlike what it was: a view that outlived its block is then seen
 * by a test, and not after release.
 *
 * Debug builds overwrite the bytes with 0xDB. Under the address sanitizer the bytes are also marked as not addressable, so that
 * the first read through a stale view stops the program. Release builds do nothing.
 */
#ifndef BSNI_POISON_H
#define BSNI_POISON_H

#include <stddef.h>
#include <string.h>

#define BSNI_POISON_BYTE 0xDB

#if defined(__SANITIZE_ADDRESS__)
#define BSNI_POISON_ADDRESSES 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BSNI_POISON_ADDRESSES 1
#endif
#endif

#ifdef BSNI_POISON_ADDRESSES
#include <sanitizer/asan_interface.h>
#endif

/* The bytes mean nothing from here on, but the owner may write to them. */
static inline void bsni_scramble(void *ptr, size_t len)
{
#ifdef BSONIC_ASSERT
    if (len != 0) memset(ptr, BSNI_POISON_BYTE, len);
#else
    (void)ptr;
    (void)len;
#endif
}

/* Nobody may touch the bytes until bsni_unpoison. */
static inline void bsni_poison(void *ptr, size_t len)
{
    bsni_scramble(ptr, len);
#ifdef BSNI_POISON_ADDRESSES
    __asan_poison_memory_region(ptr, len);
#endif
}

/* The bytes are in use again, contents undefined. */
static inline void bsni_unpoison(void *ptr, size_t len)
{
#ifdef BSNI_POISON_ADDRESSES
    __asan_unpoison_memory_region(ptr, len);
#else
    (void)ptr;
    (void)len;
#endif
}

#endif
