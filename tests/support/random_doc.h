/* SPDX-License-Identifier: Apache-2.0
 *
 * random_doc.h -- random documents of all types that Extended JSON can say in full: text is UTF-8, no key of an embedded document makes a
 * wrapper, NaN and decimal128 have no bits that their text does not show.
 */
#ifndef TESTS_SUPPORT_RANDOM_DOC_H
#define TESTS_SUPPORT_RANDOM_DOC_H

#include "support/random.h"

#include <bsonic/write.h>

/* Appends one document to *out. */
void random_doc_write(test_random *random, bsn_out *out);

/* UTF-8 text of less than len_max bytes: plain, or with all that must be escaped, or of sequences of any length. `zeros`: U+0000 may be
 * among it. It lives in *storage. */
bsn_str random_doc_text(test_random *random, char *storage, size_t len_max, bool zeros);

#endif
