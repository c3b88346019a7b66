/* SPDX-License-Identifier: Apache-2.0
 *
 * conn.h -- the connection machine: greets a server, asks, and hands out what it answers, without any I/O of its own.
 *
 *   host                                   machine
 *   bsn_conn_hello / _command / _find / _insert  ──► starts an operation
 *   bsn_conn_step                      ──► says what is next:
 *      BSN_CONN_SEND     bsn_conn_output gives the bytes, bsn_conn_sent takes how many of them went
 *      BSN_CONN_RECEIVE  bsn_conn_room gives the place, bsn_conn_received takes how many bytes came,
 *                        bsn_conn_lost what happened instead; bsn_conn_timeout_ms is how long to wait
 *      BSN_CONN_RUN      documents: bsn_conn_run
 *      BSN_CONN_DONE     the operation is over; another may start
 *      BSN_CONN_FAILED   the operation failed: bsn_conn_error, bsn_conn_reply; bsn_conn_usable: the connection still works
 *
 * Nothing blocks, nothing reads a clock; the host moves the bytes and may cut them anywhere. Documents are views of the receive
 * window, handed out as soon as they are complete there, before the rest of the reply is known: a fault later in the same reply
 * fails the operation after documents that were given already.
 *
 * Memory   The window, the room for a reply's own fields, and the output are taken at bsn_conn_new and used over and over. A
 *          document longer than the window is put together in a block that grows with what has arrived; it is kept.
 *          In the steady state of a stream nothing is allocated.
 * Trust    Nothing a server says is believed before it is checked: lengths, counts, limits, responseTo. A cursor keeps its id and
 *          namespace until it says that it is at its end; a find that gets a thousand empty batches one after the other fails.
 */
#ifndef BSONIC_CONN_H
#define BSONIC_CONN_H

#include <bsonic/doc.h>
#include <bsonic/mem.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The wire versions this client speaks: from server 3.6, the first with OP_MSG, to 8.0. */
#define BSN_WIRE_VERSION_MIN 6
#define BSN_WIRE_VERSION_MAX 25

/* How to connect. All zero (or a NULL pointer to it) is the default. */
typedef struct bsn_conn_options {
    size_t window_size;         /* bytes of the receive window; 0: 64 KiB; at least 1 KiB */
    size_t reply_max;           /* room for a reply's own fields (all but the documents of a batch); 0: 16 KiB */
    bsn_str app_name;           /* told to the server; at most 128 bytes; empty: not told. Copied. */
    int32_t connect_timeout_ms; /* what bsn_conn_timeout_ms says during the hello; 0: for ever */
    int32_t socket_timeout_ms;  /* and later; 0: for ever */
    const bsn_alloc *alloc;     /* NULL: libc */
} bsn_conn_options;

/* What a server said of itself, bounded by what this client takes. */
typedef struct bsn_server_info {
    int32_t wire_version_min; /* as told: may lie outside of ours */
    int32_t wire_version_max;
    size_t document_size_max; /* what it takes and sends, at most BSN_WIRE_DOC_SIZE_MAX - 16 KiB */
    size_t message_size_max;  /* at most BSN_MESSAGE_SIZE_MAX */
    uint32_t write_batch_max; /* writes in one command */
    bool hello_ok;            /* knows the command hello */
    bool replica_set_member;  /* it told a set's name: bsn_conn_reply has it while no other operation has started */
    bool mongos;
} bsn_server_info;

/* What to find. All zero (or a NULL pointer to it) is everything. Documents are copied into the request. */
typedef struct bsn_find_options {
    bsn_doc filter;      /* ptr NULL: all */
    bsn_doc projection;  /* ptr NULL: whole documents */
    bsn_doc sort;        /* ptr NULL: the collection's own order */
    uint64_t skip;       /* at most INT64_MAX, limit alike; more is BSN_E_RANGE */
    uint64_t limit;      /* 0: none */
    uint32_t batch_size; /* documents a reply; 0: the server's choice; at most INT32_MAX - 1 */
} bsn_find_options;

/* ------------------------------------------------------------------ what inserting takes and gives */

/* How to insert. All zero (or a NULL pointer to it) is the default: in order, as the server is set up, ids left to it. What it
 * points to must live until the operation is over. */
typedef struct bsn_insert_options {
    bool unordered;         /* go on after a document that fails; else that is where it stops */
    bool ignore_duplicates; /* with unordered: a key that is there already is counted apart, and no failure */
    bsn_doc write_concern;  /* { w: .., j: .., wtimeout: .. }; ptr NULL or empty: the server's default */
    uint32_t batch_max;     /* documents in one message; 0, or more than that: as many as the server takes */
    bsn_oid_source *ids;    /* a document without _id gets one of these, as its first field; NULL: none */
    uint32_t seconds;       /* since 1970, for those ids */
} bsn_insert_options;

/* Failures of documents that a bsn_insert_result keeps; more are counted. */
#define BSN_WRITE_ERRORS_MAX 1000

/* A document that was not inserted. */
typedef struct bsn_write_error {
    uint64_t index; /* which one, from 0, of all that its result has been given to */
    /* BSN_E_SERVER: the server refused it. Else it was not sent: BSN_E_SIZE  longer than the server takes; what a walk found
     * that looked for its _id. */
    bsn_status status;
    int32_t code;    /* the server's, 11000: duplicate key; 0 when it gave none */
    bsn_str message; /* the server's words, cut where they are long, not escaped; or why it was not sent */
} bsn_write_error;

/* What became of a stream of documents. It goes on counting from one insert to the next. */
typedef struct bsn_insert_result {
    uint64_t documents;            /* given to bsn_conn_insert: where the next one's index begins */
    uint64_t inserted;             /* as the server counts. Without failures and after BSN_CONN_DONE: all */
    uint64_t failed;               /* one by one; ordered: at most one */
    uint64_t duplicates;           /* passed by, with ignore_duplicates */
    uint64_t batches;              /* messages that were answered */
    const bsn_write_error *errors; /* the first of the failed, batch by batch, as the server lists them */
    size_t error_count;            /* at most BSN_WRITE_ERRORS_MAX */

    uint64_t concern_errors; /* answers that say: written, but not as safely as write_concern wants it */
    int32_t concern_code;    /* of the first of them */
    bsn_str concern_message;

    /* private */
    const bsn_alloc *alloc;
    uint8_t *block; /* the errors, then their text */
    size_t text_len;
} bsn_insert_result;

/* Takes all the memory that a result will ever use, about 250 KiB. BSN_E_NOMEM; *result may be freed in any case. */
BSN_API BSN_MUST_CHECK bsn_status bsn_insert_result_init(bsn_insert_result *result, const bsn_alloc *alloc);
BSN_API void bsn_insert_result_free(bsn_insert_result *result);

/* The complete documents that are in the window now: a run. */
typedef struct bsn_run {
    const bsn_doc *docs;
    size_t count;
} bsn_run;

/* Documents that one run holds at most; more in the window make another run. */
#define BSN_RUN_MAX 256

typedef enum bsn_conn_event {
    BSN_CONN_SEND = 1,
    BSN_CONN_RECEIVE,
    BSN_CONN_RUN,
    BSN_CONN_DONE,
    BSN_CONN_FAILED
} bsn_conn_event;

/* Counts since bsn_conn_new. */
typedef struct bsn_conn_stats {
    uint64_t bytes_sent;
    uint64_t bytes_received;
    uint64_t replies;
    uint64_t documents; /* handed out in runs */
} bsn_conn_stats;

typedef struct bsn_conn bsn_conn;

/* A machine that has not greeted yet.
 * Errors   BSN_E_NOMEM;  BSN_E_RANGE  an app_name over 128 bytes */
BSN_API BSN_MUST_CHECK bsn_status bsn_conn_new(const bsn_conn_options *options, bsn_conn **conn, bsn_error *err);

/* Frees it, in any state. NULL is ignored. */
BSN_API void bsn_conn_free(bsn_conn *conn);

/* ------------------------------------------------------------------ operations: one at a time */

/* Greets: isMaster with helloOk over OP_QUERY, which servers of every age answer. The first operation, once.
 *
 * At the end   BSN_E_UNSUPPORTED when server and client share no wire version: bsn_conn_message names both ranges.
 * Errors       BSN_E_STATE  out of order; BSN_E_NOMEM */
BSN_API BSN_MUST_CHECK bsn_status bsn_conn_hello(bsn_conn *conn);

/* Runs any command: `command` without `$db`, its name the first key, against database db. Where the answer has a cursor, its
 * documents come as runs and the cursor is followed to its end, `batch_size` (0: the server's choice) documents a reply.
 *
 * Errors   BSN_E_STATE  an operation is not over, or no hello yet; BSN_E_VALUE  empty command, or an empty name of a database;
 *          BSN_E_NOMEM; BSN_E_SIZE  longer than the server takes; what a walk of `command` finds */
BSN_API BSN_MUST_CHECK bsn_status bsn_conn_command(bsn_conn *conn, bsn_str db, bsn_doc command, uint32_t batch_size);

/* Finds documents. Errors as bsn_conn_command, and BSN_E_RANGE for numbers beyond what options say. */
BSN_API BSN_MUST_CHECK bsn_status bsn_conn_find(bsn_conn *conn, bsn_str db, bsn_str collection,
                                                const bsn_find_options *options);

/* Inserts docs[0..count) into a collection, in as many messages as the server's limits ask for: of writes in one, of a document's
 * size, of a message's. The documents are sent from where they lie; small ones that have no neighbour go through a buffer.
 *
 * A document that fails is told by *result, with its index there; the operation goes on (unordered) or is over (ordered; those
 * behind it are not tried). One that is longer than the server takes fails without being sent.
 *
 * At the end   BSN_CONN_DONE: every message has been answered; *result says what became of the documents. BSN_CONN_FAILED: the
 *              server refused the command as a whole (BSN_E_SERVER), its counts do not add up (BSN_E_PROTOCOL), the connection
 *              broke, ..: of the message at hand any part may have been inserted, of the ones before *result tells.
 * Errors       as bsn_conn_command; BSN_E_UNSUPPORTED  a write concern of w: 0, which would not be answered;
 *              BSN_E_VALUE  ignore_duplicates without unordered
 * Memory       Everything that is given here is borrowed until the operation is over, names and options too; the documents'
 *              bytes must not change. The first insert takes a buffer of about 145 KiB, once; nothing is allocated after that.
 */
BSN_API BSN_MUST_CHECK bsn_status bsn_conn_insert(bsn_conn *conn, bsn_str db, bsn_str collection, const bsn_doc *docs,
                                                  size_t count, const bsn_insert_options *options,
                                                  bsn_insert_result *result);

/* Ends the operation early: what is left of its reply is passed by, and the server's cursor is killed; an insert ends with the
 * message at hand. Step on until DONE or FAILED; no more runs come. Without an operation it does nothing. */
BSN_API void bsn_conn_stop(bsn_conn *conn);

/* ------------------------------------------------------------------ stepping */

BSN_API BSN_MUST_CHECK bsn_conn_event bsn_conn_step(bsn_conn *conn);

/* The bytes to send, in up to max pieces; returns how many pieces. They live until the next call on *conn. */
BSN_API BSN_MUST_CHECK size_t bsn_conn_output(bsn_conn *conn, bsn_iovec *iov, size_t max);
BSN_API void bsn_conn_sent(bsn_conn *conn, size_t len);

/* Room of *cap > 0 bytes to receive into, until the next call on *conn. Views of the last run die. Only after BSN_CONN_RECEIVE.
 * NULL when there is no memory for it: the operation has failed, and the connection with it. */
BSN_API BSN_MUST_CHECK uint8_t *bsn_conn_room(bsn_conn *conn, size_t *cap);
BSN_API void bsn_conn_received(bsn_conn *conn, size_t len);

/* The stream ended or failed, or the host's patience did: fails the operation with this status; the connection is of no use
 * from here on. `detail` is static, or NULL. */
BSN_API void bsn_conn_lost(bsn_conn *conn, bsn_status status, int os_error, const char *detail);

/* How long the host may wait in silence for bytes to come or go, in milliseconds; -1: for ever. During the hello it is meant
 * for all of it together. */
BSN_API int32_t bsn_conn_timeout_ms(const bsn_conn *conn);

/* ------------------------------------------------------------------ results */

/* After BSN_CONN_RUN: at least one document. Views live until the next call of bsn_conn_step, _room or _stop. */
BSN_API bsn_run bsn_conn_run(const bsn_conn *conn);

/* After BSN_CONN_DONE or FAILED: the reply's own fields (its cursor left out) as a document; of a cursor's replies the last.
 * False when there was none. Lives until the next operation starts. Fields that reply_max had no room for are left out, the
 * server's error kept as long as can be. */
BSN_API bool bsn_conn_reply(const bsn_conn *conn, bsn_doc *reply);

/* BSN_OK, or why the operation failed. BSN_E_SERVER: the server said so; err->offset is its code, 0 when it gave none. Else
 * err->offset counts from the first byte of the message at fault. */
BSN_API bsn_status bsn_conn_error(const bsn_conn *conn, bsn_error *err);

/* The failure as a sentence, the server's code, name and message in it: in the machine's own storage, until the next operation.
 * Not escaped. Empty when nothing failed. */
BSN_API bsn_str bsn_conn_message(const bsn_conn *conn);

/* True while operations may be started on this connection, now or when the one at hand is over. */
BSN_API bool bsn_conn_usable(const bsn_conn *conn);

/* What the hello found. All zero before. */
BSN_API const bsn_server_info *bsn_conn_server(const bsn_conn *conn);

BSN_API bsn_conn_stats bsn_conn_get_stats(const bsn_conn *conn);

#ifdef __cplusplus
}
#endif
#endif
