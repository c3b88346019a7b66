/* SPDX-License-Identifier: Apache-2.0
 *
 * query.h -- which documents a command is about: all of a collection or those of one `_id`, less those skipped, as many as the
 * limit allows; and cutting batches off them.
 */
#ifndef SERVE_QUERY_H
#define SERVE_QUERY_H

#include "serve/call.h"

/* Documents of the first batch when nobody says how many. */
#define SERVE_FIRST_BATCH 101

typedef struct serve_query {
    bool by_id;
    bsn_type id_type; /* the value of `_id`, as it stands in the request */
    bsn_bytes id_raw;
    uint64_t skip;
    uint64_t limit; /* UINT64_MAX: none */
} serve_query;

/* Everything. */
void serve_query_init(serve_query *query);

/* Takes in a filter: {}, {_id: value} or {_id: {$eq: value}}. False, and refused (238), for others: the operator or field is named. */
bool serve_query_filter(serve_call *call, bsn_doc filter, serve_query *query);

/* The collection that a command is about, NULL when there is none of this name. */
serve_collection *serve_query_collection(const serve_call *call, bsn_str name);

/* True when the refusal at hand only says that something is not implemented, and there are no documents it could be about: then it
 * is taken back. Shells look into collections that servers of other kinds have. */
bool serve_query_nothing(serve_call *call, const serve_collection *c);

/* A cursor that stands before the first of the query's documents. It is not open: serve_query_batch opens it if need be. False, and
 * refused, when documents cannot be read. */
bool serve_query_start(serve_call *call, serve_collection *c, const serve_query *query,
                       serve_cursor *cursor);

/* How many documents the query has. */
bool serve_query_count(serve_call *call, serve_collection *c, const serve_query *query,
                       uint64_t *count);

/* Makes the next batch of at most count_max documents the call's answer. `cursor` moves on; *more says whether anything is left.
 * False, and refused, when the next document cannot be read. */
bool serve_query_batch(serve_call *call, serve_cursor *cursor, uint64_t count_max, bool *more);

/* The answer of a command that opens a cursor: the first batch, and the cursor is opened if more is left and `single` is false. c NULL:
 * there is no such collection, so nothing. */
void serve_query_answer(serve_call *call, serve_collection *c, bsn_str name,
                        const serve_query *query, uint64_t batch_size, bool single,
                        uint64_t idle_ms);

#define SERVE_IDLE_MS ((uint64_t)10 * 60 * 1000)
#define SERVE_IDLE_LONG_MS ((uint64_t)30 * 60 * 1000)

#endif
