/* SPDX-License-Identifier: Apache-2.0
 *
 * replies.h -- what a server answers, for the tests of conn and client. Each puts one whole message behind what the build holds
 * and returns it.
 */
#ifndef TESTS_CLIENT_REPLIES_H
#define TESTS_CLIENT_REPLIES_H

#include "support/build.h"

/* The hello of an ordinary server, wire versions 0 to 21, over OP_REPLY, to request 1. */
bsn_bytes reply_hello(build *b);

/* The same of `body`: hex digits of elements that stand in front of ok: 1. */
bsn_bytes reply_hello_of(build *b, const char *elements);

/* A batch, over OP_MSG: documents {"n": first}, {"n": first + 1}, .. `count` of them; ns NULL: none. */
bsn_bytes reply_batch(build *b, int32_t response_to, const char *batch, int64_t id, const char *ns,
                      int32_t first, int count);

/* {ok: 0, errmsg, code, codeName}, over OP_MSG. */
bsn_bytes reply_error(build *b, int32_t response_to, const char *text, int32_t code,
                      const char *name);

/* {ok: 1}, over OP_MSG. */
bsn_bytes reply_ok(build *b, int32_t response_to);

/* An OP_MSG whose body holds these elements, hex digits. */
bsn_bytes reply_of(build *b, int32_t response_to, uint32_t flags, const char *elements);

#endif
