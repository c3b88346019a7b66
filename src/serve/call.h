/* SPDX-License-Identifier: Apache-2.0
 *
 * call.h -- what the answer to one command works with: the request, its fields, the reply being written, a refusal.
 */
#ifndef SERVE_CALL_H
#define SERVE_CALL_H

#include "serve/answer.h"

#include <bsonic/write.h>

/* Error codes of servers. */
typedef enum serve_code {
    SERVE_INTERNAL = 1,
    SERVE_BAD_VALUE = 2,
    SERVE_FAILED_TO_PARSE = 9,
    SERVE_UNAUTHORIZED = 13,
    SERVE_TYPE_MISMATCH = 14,
    SERVE_AUTHENTICATION_FAILED = 18,
    SERVE_NAMESPACE_NOT_FOUND = 26,
    SERVE_CURSOR_NOT_FOUND = 43,
    SERVE_TIME_EXPIRED = 50,
    SERVE_COMMAND_NOT_FOUND = 59,
    SERVE_INVALID_OPTIONS = 72,
    SERVE_INVALID_NAMESPACE = 73,
    SERVE_OPERATION_FAILED = 96,
    SERVE_COMMAND_NOT_SUPPORTED = 115,
    SERVE_NOT_IMPLEMENTED = 238,
    SERVE_NO_TRANSACTIONS = 263,
    SERVE_API_VERSION = 322,
    SERVE_MECHANISM_UNAVAILABLE = 334,
    SERVE_OLD_QUERY = 352,
    SERVE_BAD_SKIP = 15956,
    SERVE_BAD_LIMIT = 15958,
    SERVE_BAD_MATCH = 15959,
    SERVE_BAD_SORT = 15975,
    SERVE_BAD_COUNT = 40157,
    SERVE_BAD_STAGE = 40323,
    SERVE_UNKNOWN_STAGE = 40324,
    SERVE_FIELD_MISSING = 40414,
    SERVE_FIELD_UNKNOWN = 40415,
    SERVE_NEGATIVE = 51024
} serve_code;

#define SERVE_TEXT_MAX 512

typedef struct serve_call {
    serve_state *state;
    const serve_peer *peer;
    const serve_request *request;
    bsn_writer *w;     /* inside the reply's document, for the command's own fields */
    serve_batch batch; /* instead, when has_batch: a cursor's reply */
    bool has_batch;
    /* Those the batch borrows, when nobody else owns them: freed when the reply is written. */
    uint64_t *matches;
    size_t match_count;
    serve_code code; /* of the refusal; 0: none */
    size_t text_len;
    char text[SERVE_TEXT_MAX];
} serve_call;

/* Answers a command by writing fields, or setting the batch, or refusing. */
typedef void (*serve_command)(serve_call *call);

/* Refuses: {ok: 0, errmsg, code, codeName}. The first refusal counts. Returns false. */
bool serve_refuse(serve_call *call, serve_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Refuses because documents could not be read: *err is the fault within the document at `place`. */
bool serve_refuse_damage(serve_call *call, const serve_collection *c, serve_place place,
                         const bsn_error *err);

/* For "%.*s". */
#define SERVE_TEXT(str) (int)((str).len < 256 ? (str).len : 256), (str).ptr

/* ------------------------------------------------------------------ fields of the command */

typedef enum serve_kind {
    SERVE_ANY,       /* accepted, whatever it is */
    SERVE_COUNT,     /* an integer of any numeric type, at least 0: `number` */
    SERVE_INTEGER,   /* the same, negative too */
    SERVE_INT64,     /* of this type only */
    SERVE_BOOLEAN,   /* or a number: `number` is 0 or 1 */
    SERVE_STRING,    /* value.as.str */
    SERVE_DOCUMENT,  /* value.as.doc */
    SERVE_ARRAY,     /* value.as.doc */
    SERVE_EMPTY,     /* a document that asks for nothing: else 238 */
    SERVE_FALSE,     /* a boolean that asks for nothing: else 238 */
    SERVE_COLLATION, /* one that changes nothing: else 238 */
    SERVE_SORT       /* one that changes nothing: else 238, or 15975 when it is none */
} serve_kind;

/* A field that a command knows. */
typedef struct serve_field {
    const char *name;
    serve_kind kind;
} serve_field;

/* What the request said for it. */
typedef struct serve_given {
    bool given;
    bsn_value value;
    int64_t number;
} serve_given;

/* True when the request said yes, or a number other than 0. */
static inline bool serve_given_true(const serve_given *given)
{
    return given->given && given->number != 0;
}

/* Reads all fields behind the command's name: those listed into given[0..count), in the order of the list; those that every command
 * takes are passed over. False, and refused: a field nobody knows (40415), a wrong type (14), a negative count (51024), something
 * that would change the answer and is not implemented (238). */
bool serve_read_fields(serve_call *call, const serve_field *fields, size_t count,
                       serve_given *given);

/* The value of the command's own field as the name of a collection. False, and refused (73), when it is none. */
bool serve_read_collection(serve_call *call, bsn_str *name);

/* ------------------------------------------------------------------ the commands */

void serve_hello(serve_call *call); /* hello, isMaster, ismaster */

void serve_ping(serve_call *call); /* and all others that answer with ok alone */
void serve_start_session(serve_call *call);
void serve_build_info(serve_call *call);
void serve_get_parameter(serve_call *call);
void serve_connection_status(serve_call *call);
void serve_whats_my_uri(serve_call *call);
void serve_get_log(serve_call *call);
void serve_host_info(serve_call *call);
void serve_get_cmd_line_opts(serve_call *call);
void serve_server_status(serve_call *call);
void serve_sasl_start(serve_call *call);

void serve_list_databases(serve_call *call);
void serve_list_collections(serve_call *call);
void serve_list_indexes(serve_call *call);
void serve_coll_stats(serve_call *call);
void serve_db_stats(serve_call *call);

void serve_find(serve_call *call);
void serve_get_more(serve_call *call);
void serve_kill_cursors(serve_call *call);
void serve_count(serve_call *call);
void serve_aggregate(serve_call *call);
void serve_explain(serve_call *call);

#endif
