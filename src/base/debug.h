/* SPDX-License-Identifier: Apache-2.0
 *
 * debug.h -- BSN_ASSERT(condition): a statement about the caller's or our own code, never about input.
 *
 * Live where the build defines BSONIC_ASSERT (debug and fuzz builds): a false condition stops the program on the spot, by
 * a trap instruction, where a debugger or a sanitizer shows the line. Elsewhere it costs nothing, and the condition is
 * compiled but not evaluated, so that it cannot rot and what it names counts as used.
 */
#ifndef BSNI_DEBUG_H
#define BSNI_DEBUG_H

#ifdef BSONIC_ASSERT
#if defined(__GNUC__)
#define BSN_ASSERT(condition) ((condition) ? (void)0 : __builtin_trap())
#else
#include <stdlib.h>
#define BSN_ASSERT(condition) ((condition) ? (void)0 : abort())
#endif
#else
#define BSN_ASSERT(condition) ((void)sizeof((condition) ? 1 : 0))
#endif

#endif
