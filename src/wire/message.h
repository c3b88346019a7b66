/* SPDX-License-Identifier: Apache-2.0
 *
 * message.h -- what the files of this layer share about whole messages.
 */
#ifndef BSNI_WIRE_MESSAGE_H
#define BSNI_WIRE_MESSAGE_H

#include "base/reader.h"

#include <bsonic/wire.h>

#include <string.h>

/* Reads the header of a message that the span must be exactly, of this opcode; *rest is what follows the header. */
bsn_status bsni_message_open(bsn_bytes message, bsn_opcode opcode, bsn_header *header,
                             bsni_reader *rest, bsn_error *err);

/* Text up to a 0x00, which goes too. False, and nothing moves, when there is none. */
static inline bool bsni_reader_cstring(bsni_reader *r, bsn_str *text)
{
    const size_t left = bsni_reader_left(r);
    const uint8_t *const zero = left == 0 ? NULL : memchr(r->cur, 0, left);
    if (zero == NULL) return false;
    text->ptr = (const char *)r->cur;
    text->len = (size_t)(zero - r->cur);
    r->cur = zero + 1;
    return true;
}

/* BSN_E_PROTOCOL for flags of OP_MSG that a reader would have to know. */
bsn_status bsni_msg_check_flags(uint32_t flags, bsn_error *err);

/* Hops over documents that must fill the span exactly, and counts them. Offsets count from its start. */
bsn_status bsni_documents_check(bsn_bytes documents, size_t *count, bsn_error *err);

/* Adds to a fault's offset where the part that it was found in begins. Returns status. */
bsn_status bsni_error_move(bsn_error *err, bsn_status status, size_t offset);

#endif
