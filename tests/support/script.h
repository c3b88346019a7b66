/* SPDX-License-Identifier: Apache-2.0
 *
 * script.h -- a scripted peer: a transport (src/client/transport.h) whose other end says what the test has written down, in pieces
 * of any size, and only after the request that it answers has arrived whole.
 *
 *   script s;
 *   script_init(&s);
 *   script_reply(&s, bytes); ...                   what answers the 1st, 2nd, .. request
 *   s.receive_step = 1;                            a byte a call
 *   bsni_transport t = script_transport(&s);
 *   ... s.sent[0..sent_len) is what came; script_request(&s, n) the nth message of it
 */
#ifndef TESTS_SUPPORT_SCRIPT_H
#define TESTS_SUPPORT_SCRIPT_H

#include "client/transport.h"

#define SCRIPT_REPLIES_MAX 128
#define SCRIPT_SENT_MAX 65536

typedef struct script {
    bsn_bytes replies[SCRIPT_REPLIES_MAX]; /* borrowed */
    size_t reply_count;
    size_t reply; /* the one that is being received, and how much of it is */
    size_t reply_at;

    size_t receive_step; /* most bytes of one receive; SIZE_MAX at first */
    size_t send_step;
    size_t received_max; /* the stream fails after that many bytes in all; SIZE_MAX at first */
    size_t sent_max;
    bsn_status failure; /* how: BSN_E_CLOSED at first */

    size_t received;
    size_t sent_len;
    uint8_t sent[SCRIPT_SENT_MAX];
    size_t receives; /* calls */
    size_t sends;
    size_t closes;
    int32_t timeout_ms; /* that the last call was given */
} script;

void script_init(script *s);

/* Adds what answers the next request. The bytes must live as long as the script is used. */
void script_reply(script *s, bsn_bytes reply);

/* When the replies are all given, or a request has not come yet, receiving is BSN_E_TIMEOUT. */
bsni_transport script_transport(script *s);

/* Complete messages among what was sent. */
size_t script_request_count(const script *s);

/* The nth of them, from 0; fails the running test when there is none. */
bsn_bytes script_request(const script *s, size_t n);

#endif
