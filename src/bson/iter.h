/* SPDX-License-Identifier: Apache-2.0
 *
 * iter.h -- the iterator's step without the short cuts.
 */
#ifndef BSNI_ITER_H
#define BSNI_ITER_H

#include <bsonic/doc.h>

/* What bsn_iter_next does, all of it by bsni_element_read: what the short cuts must be equal to. */
bool bsni_iter_next_judged(bsn_iter *it);

#endif
