/* SPDX-License-Identifier: Apache-2.0
 *
 * client.h -- the small blocking client: a connection string in, documents out.
 *
 *   bsn_client *client;
 *   bsn_cursor cursor;
 *   bsn_doc doc;
 *   if (bsn_client_open(BSN_STR("mongodb://localhost/shop"), NULL, &client, &err) == BSN_OK &&
 *       bsn_client_find(client, BSN_STR("shop"), BSN_STR("orders"), NULL, &cursor, &err) == BSN_OK) {
 *       while (bsn_cursor_next(&cursor, &doc)) use(doc);
 *       status = bsn_cursor_close(&cursor, &err);
 *   }
 *   if (client != NULL && ...) report(bsn_client_message(client));
 *   bsn_client_free(client);
 *
 * One connection, one operation at a time. Bytes go from the socket into a window that is used over and over, and documents are
 * views of it: one system call a buffer, no copy but of a window's rest, nothing allocated in the steady state (conn.h).
 *
 * In this version: no authentication, no TLS, no SRV lookup, no compression; strings that ask for them are refused.
 * Threads  One thread at a time for each client.
 */
#ifndef BSONIC_CLIENT_H
#define BSONIC_CLIENT_H

#include <bsonic/conn.h>
#include <bsonic/uri.h>

#ifdef __cplusplus
extern "C" {
#endif

/* How to open a client. All zero (or a NULL pointer to it) is the default. */
typedef struct bsn_client_options {
    size_t window_size;      /* receive window in bytes; 0: 64 KiB */
    uint32_t receive_buffer; /* SO_RCVBUF in bytes; 0: the system's own */
    size_t reply_max;        /* room for a reply's own fields; 0: 16 KiB */
    bsn_uri_warning warn;    /* told what is odd about the connection string; may be NULL */
    void *warn_ctx;
    const bsn_alloc *alloc; /* NULL: libc. (Name resolution is libc's and uses libc's.) */
} bsn_client_options;

/* What a client has done so far. */
typedef struct bsn_client_stats {
    bsn_conn_stats conn;
    uint64_t receives; /* system calls */
    uint64_t sends;
} bsn_client_stats;

typedef struct bsn_client bsn_client;

/* Parses the string, connects to the first of its hosts that answers, and greets it.
 *
 * Time     Each host is tried once, in order, for connectTimeoutMS, all together for serverSelectionTimeoutMS.
 *          socketTimeoutMS bounds the silence while a reply is awaited; none by default, so a slow consumer loses nothing.
 * Returns  BSN_OK with *client ready. On another status *client is NULL or a client that knows why (bsn_client_message): free it.
 * Errors   BSN_E_URI          offset and detail say what is wrong with the string
 *          BSN_E_UNSUPPORTED  asks for what this version cannot do; or server and client share no wire version
 *          BSN_E_RESOLVE, BSN_E_IO, BSN_E_TIMEOUT, BSN_E_CLOSED   of the last host tried
 *          BSN_E_SERVER, BSN_E_PROTOCOL                           it answered, but not as it should
 *          BSN_E_NOMEM
 */
BSN_API BSN_MUST_CHECK bsn_status bsn_client_open(bsn_str uri, const bsn_client_options *options, bsn_client **client,
                                                  bsn_error *err);

/* Closes the connection and frees the client, at once: a cursor still open stays behind on the server until that forgets it.
 * NULL is ignored. */
BSN_API void bsn_client_free(bsn_client *client);

/* The connection string it was opened with. NULL when that could not be parsed. */
BSN_API const bsn_uri *bsn_client_uri(const bsn_client *client);

/* What the server said of itself. */
BSN_API const bsn_server_info *bsn_client_server(const bsn_client *client);

/* The last failure as a sentence that names the host and its reason; not escaped, no secrets in it. Empty when nothing failed.
 * Lives until the next call on the client. */
BSN_API bsn_str bsn_client_message(const bsn_client *client);

BSN_API bsn_client_stats bsn_client_get_stats(const bsn_client *client);

/* Runs a command that answers with one document. *reply lives until the next call on the client. A cursor in the answer is
 * killed: use bsn_client_cursor for those.
 * Errors   BSN_E_SERVER with the code as offset (*reply is then set too); those of bsn_conn_command; of the network. */
BSN_API BSN_MUST_CHECK bsn_status bsn_client_command(bsn_client *client, bsn_str db, bsn_doc command, bsn_doc *reply,
                                                     bsn_error *err);

/* ------------------------------------------------------------------ cursors */

/* A cursor, in the caller's storage. It holds the client until it is closed. */
typedef struct bsn_cursor {
    /* private */
    bsn_client *client;
    bsn_run run;
    size_t next;
    bool ended;
    bsn_error err;
} bsn_cursor;

/* Starts a find, or a command that answers with a cursor (aggregate, listCollections, ..). The first reply is waited for by the
 * first bsn_cursor_next.
 * Errors   BSN_E_STATE  another cursor is open;  those of bsn_conn_find, bsn_conn_command.  *cursor may be closed in any case. */
BSN_API BSN_MUST_CHECK bsn_status bsn_client_find(bsn_client *client, bsn_str db, bsn_str collection,
                                                  const bsn_find_options *options, bsn_cursor *cursor, bsn_error *err);
BSN_API BSN_MUST_CHECK bsn_status bsn_client_cursor(bsn_client *client, bsn_str db, bsn_doc command,
                                                    uint32_t batch_size, bsn_cursor *cursor, bsn_error *err);

/* Slow half of bsn_cursor_next: the next run. */
BSN_API BSN_MUST_CHECK bool bsn_cursor_refill(bsn_cursor *cursor);

/* The next document, its frame checked. False at the end and after a failure, then and ever after; bsn_cursor_error tells which.
 * *doc lives until the call that needs more bytes: at the latest the next one. */
static inline bool bsn_cursor_next(bsn_cursor *cursor, bsn_doc *doc)
{
    if (BSN_UNLIKELY(cursor->next == cursor->run.count) && !bsn_cursor_refill(cursor)) return false;
    *doc = cursor->run.docs[cursor->next++];
    return true;
}

/* All documents that are here, without waiting for more than the first: at least one. They live until the next call. */
static inline bool bsn_cursor_next_run(bsn_cursor *cursor, bsn_run *run)
{
    if (cursor->next == cursor->run.count && !bsn_cursor_refill(cursor)) return false;
    run->docs = cursor->run.docs + cursor->next;
    run->count = cursor->run.count - cursor->next;
    cursor->next = cursor->run.count;
    return true;
}

/* BSN_OK, or why the cursor ended early: as bsn_conn_error. */
BSN_API bsn_status bsn_cursor_error(const bsn_cursor *cursor, bsn_error *err);

/* Ends the cursor, killing it on the server when it is not at its end, and sets the client free for the next operation.
 * Killing waits for what is left of a reply, for connectTimeoutMS at most; after that the connection is closed instead.
 * Returns what bsn_cursor_error returned before it; failures of the killing are not reported. Closing twice is harmless. */
BSN_API bsn_status bsn_cursor_close(bsn_cursor *cursor, bsn_error *err);

/* ------------------------------------------------------------------ inserting */

/* A stream of documents into one collection, in the caller's storage.
 *
 *   bsn_bulk bulk;
 *   bsn_status status = bsn_client_bulk(client, db, collection, NULL, &bulk, &err);
 *   while (status == BSN_OK && next(&doc)) status = bsn_bulk_add(&bulk, doc);
 *   status = bsn_bulk_finish(&bulk, &err);
 *   look_at(bsn_bulk_result(&bulk));
 *   bsn_bulk_free(&bulk);
 *
 * Documents wait where they lie, and are sent from there. So they must stay there, unchanged, until a bsn_bulk_flush or
 * bsn_bulk_finish has returned, or a bsn_bulk_add that returned something else than BSN_OK; an add sends what waits by itself when
 * that fills a message. Documents that follow one another in memory cost the least: they go out in one piece.
 *
 * A document without an _id gets one, as its first field, on its way out. In between, the client may be used for other things.
 * Memory   Opening takes about 270 KiB, and the connection's first insert 145 KiB, kept for the next. The list of documents that
 *          wait grows to as many as the server takes in one message, or options->batch_max: at most 1.6 MB.
 */
typedef struct bsn_bulk {
    /* private */
    bsn_doc *docs; /* that wait */
    size_t count;
    size_t cap;  /* documents that `docs` holds; 0: nothing more is taken */
    size_t room; /* bytes that may still wait */
    size_t room_max;
    size_t batch_max;
    bsn_client *client;
    bsn_str db;
    bsn_str collection;
    bsn_insert_options options;
    size_t docs_size;   /* in bytes, of the list */
    size_t concern_len; /* of the connection string's write concern, as a document; 0: it has none */
    uint8_t concern[256];
    bsn_insert_result result;
    bsn_error err; /* that ended the stream */
} bsn_bulk;

/* Starts a stream. The names, and what *options points to, must live as long as the bulk. Without ids in *options the client makes
 * them. Without a write_concern there, that of the connection string counts: w, journal, wtimeoutMS.
 *
 * Errors   BSN_E_STATE  there is no connection, or a cursor is open;  BSN_E_VALUE  an empty name, ignore_duplicates without unordered;
 *          BSN_E_UNSUPPORTED  w: 0, there or in the connection string;  BSN_E_SIZE  a name in its w that is too long;
 *          BSN_E_NOMEM;  BSN_E_IO  no entropy.  *bulk may be freed in any case. */
BSN_API BSN_MUST_CHECK bsn_status bsn_client_bulk(bsn_client *client, bsn_str db, bsn_str collection,
                                                  const bsn_insert_options *options, bsn_bulk *bulk, bsn_error *err);

/* Slow half of bsn_bulk_add. */
BSN_API BSN_MUST_CHECK bsn_status bsn_bulk_add_slow(bsn_bulk *bulk, bsn_doc doc);

/* Adds a document. The one that does not fit any more sends those before it.
 *
 * Returns  BSN_OK, and it will be sent; else the stream is over: why, bsn_bulk_finish says. That is so after a failure of the
 *          connection or of the whole command, and, in order, after the first document that failed. */
static inline BSN_MUST_CHECK bsn_status bsn_bulk_add(bsn_bulk *bulk, bsn_doc doc)
{
    if (BSN_UNLIKELY(bulk->count >= bulk->cap || doc.len > bulk->room)) return bsn_bulk_add_slow(bulk, doc);
    bulk->docs[bulk->count++] = doc;
    bulk->room -= doc.len;
    return BSN_OK;
}

/* Sends what waits, and waits for the answer. Returns as bsn_bulk_add does. */
BSN_API BSN_MUST_CHECK bsn_status bsn_bulk_flush(bsn_bulk *bulk);

/* Sends what waits, and gives the verdict on the stream.
 *
 * Returns  BSN_OK: every document has been inserted, as safely as was asked for.
 * Errors   what ended the stream: of the connection; BSN_E_SERVER with the server's code as offset, the command being refused as a
 *          whole. Else of the first document that failed: its status, the server's code as offset; bsn_bulk_result tells of the
 *          others. Else BSN_E_SERVER: a write concern could not be satisfied. bsn_client_message says it as a sentence. */
BSN_API BSN_MUST_CHECK bsn_status bsn_bulk_finish(bsn_bulk *bulk, bsn_error *err);

/* What has become of the documents that have been sent. Read at any time until bsn_bulk_free. */
static inline const bsn_insert_result *bsn_bulk_result(const bsn_bulk *bulk)
{
    return &bulk->result;
}

/* Frees it. Documents that still wait are not sent. */
BSN_API void bsn_bulk_free(bsn_bulk *bulk);

#ifdef __cplusplus
}
#endif
#endif
