/* SPDX-License-Identifier: Apache-2.0
 *
 * insert.h -- an insert in progress: which documents are in the message at hand, and how far they have been sent.
 *
 *   docs    | answered | in the message at hand      | to come         |
 *           0          ^batch_start     ^next        ^batch_end        ^count
 *                                       laid out as pieces up to here
 *
 * A message is a head in conn->out, which says how long all of it is, and behind it the documents: pieces of the caller's memory,
 * and of a stage where small documents and new _ids are put side by side. Both are used over and over; a new set is laid out when
 * the one before has been sent.
 */
#ifndef BSNI_INSERT_H
#define BSNI_INSERT_H

#include <bsonic/conn.h>

/* Pieces that are laid out at once: as many as one system call takes (BSNI_IOV_MAX). */
#define BSNI_INSERT_PIECES 64

/* With half of it inserting takes 7 % more processor time, with twice as much no less.        [bench_wire --only insert] */
#define BSNI_INSERT_STAGE ((size_t)128 * 1024)

/* Writes in one command, whatever a server says. */
#define BSNI_INSERT_BATCH_MAX 100000

/* What the host asked for; all of it is the host's. */
typedef struct insert_order {
    bsn_str db;
    bsn_str collection;
    const bsn_doc *docs;
    size_t count;
    bsn_insert_options options;
    bsn_insert_result *result;
} insert_order;

typedef struct conn_insert {
    insert_order order;
    uint64_t base; /* the result's index of docs[0] */

    size_t batch_start;
    size_t batch_end;
    size_t next;
    size_t error_count; /* of the message at hand */
    size_t first_error; /* and the first of them, counted from batch_start */
    bool over;          /* an ordered insert has met a failure */

    size_t piece_first; /* pieces[piece_first..piece_count) are to be sent */
    size_t piece_count;
    bsn_iovec pieces[BSNI_INSERT_PIECES];
    size_t staged;
    /* A bit for each document of the message: it gets an _id. */
    uint8_t bare[(BSNI_INSERT_BATCH_MAX + 7) / 8];
    uint8_t stage[BSNI_INSERT_STAGE];
} conn_insert;

struct bsn_conn;

/* BSN_OK, or why an order cannot be carried out, whatever its documents are. */
bsn_status bsni_insert_check(const insert_order *order);

/* Takes down what is to be inserted, or refuses it. The first time it takes memory. */
bsn_status bsni_insert_begin(struct bsn_conn *conn, const insert_order *order);

/* Writes the head of the next message. *more false: there is none, and nothing has been written. Documents that fail by
 * themselves are noted on the way. */
bsn_status bsni_insert_next(struct bsn_conn *conn, bool *more);

/* The documents behind the head: as bsn_conn_output and _sent. */
bool bsni_insert_unsent(const conn_insert *insert);
size_t bsni_insert_output(conn_insert *insert, bsn_iovec *iov, size_t max);
void bsni_insert_sent(conn_insert *insert, size_t len);

/* Forgets what is to be sent. */
void bsni_insert_drop(conn_insert *insert);

/* Notes that a document has failed, on this side or on the server's. In order, the insert is then over. */
void bsni_insert_note_failure(conn_insert *insert, const bsn_write_error *error);

/* Of the answer (insert_answer.c): a write error of it. */
bsn_status bsni_insert_take_error(conn_insert *insert, bsn_doc doc, bsn_error *err);

/* The rest of the answer, which is ok: 1. Returns NULL, or what cannot be. */
const char *bsni_insert_take_reply(struct bsn_conn *conn);

#endif
