/* SPDX-License-Identifier: Apache-2.0
 *
 * print_wide.c -- the printer's plain walk, for machines whose tier is wide (simd/kernels.h).
 */
#include "json/print_walk.h"

uint8_t *bsni_print_plain_wide(bsni_printer *p, bsn_doc doc, uint8_t *dst)
{
    return put_elements(p, doc, dst, false);
}
