/* SPDX-License-Identifier: Apache-2.0
 *
 * reply_samples.h -- replies put together byte by byte: sound ones of every kind, and the parts they are made of.
 */
#ifndef TESTS_WIRE_REPLY_SAMPLES_H
#define TESTS_WIRE_REPLY_SAMPLES_H

#include "support/build.h"

/* Header and flags of an OP_MSG that answers request 7, up to the body's first element; *body is for sample_end. */
size_t sample_begin(build *b, uint32_t flags, size_t *body);
void sample_end(build *b, size_t message, size_t body);

/* {n: number} */
void build_number_document(build *b, int32_t number);

/* Elements of a cursor and of a body. */
void build_ns(build *b, const char *ns);
void build_ok(build *b, double ok);

/* Whole replies. */
void sample_usual(build *b);
void sample_batch_last(build *b);
void sample_checksummed(build *b);
void sample_server_error(build *b);
void sample_hello(build *b); /* OP_REPLY */
void sample_write_errors(build *b);

/* These and more, and what a walk over each gives. */
typedef struct reply_sample {
    const char *name;
    void (*make)(build *b);
    bool ok;
    uint64_t count;
    int64_t cursor_id;
    const char *ns;
    int32_t code;
} reply_sample;

enum { REPLY_SAMPLES = 10 };
extern const reply_sample reply_samples[REPLY_SAMPLES];

#endif
