/* SPDX-License-Identifier: Apache-2.0
 *
 * answer.c -- see answer.h: reads the request, finds the command, frames what it answers.
 */
#include "serve/call.h"
#include "serve/list.h"

#include <string.h>

typedef struct command_row {
    const char *name;
    serve_command run; /* NULL: a write */
} command_row;

static void not_implemented(serve_call *call)
{
    serve_refuse(call, SERVE_NOT_IMPLEMENTED, "the command '%.*s' is not implemented",
                 SERVE_TEXT(call->request->name));
}

/* Names are exact. */
static const command_row commands[] = {
    {"hello", serve_hello},
    {"isMaster", serve_hello},
    {"ismaster", serve_hello},
    {"find", serve_find},
    {"getMore", serve_get_more},
    {"killCursors", serve_kill_cursors},
    {"count", serve_count},
    {"aggregate", serve_aggregate},
    {"distinct", not_implemented},
    {"explain", serve_explain},
    {"ping", serve_ping},
    {"endSessions", serve_ping},
    {"refreshSessions", serve_ping},
    {"killSessions", serve_ping},
    {"logout", serve_ping},
    {"startSession", serve_start_session},
    {"buildInfo", serve_build_info},
    {"buildinfo", serve_build_info},
    {"listDatabases", serve_list_databases},
    {"listCollections", serve_list_collections},
    {"listIndexes", serve_list_indexes},
    {"collStats", serve_coll_stats},
    {"collstats", serve_coll_stats},
    {"dbStats", serve_db_stats},
    {"dbstats", serve_db_stats},
    {"getParameter", serve_get_parameter},
    {"connectionStatus", serve_connection_status},
    {"whatsmyuri", serve_whats_my_uri},
    {"getLog", serve_get_log},
    {"hostInfo", serve_host_info},
    {"getCmdLineOpts", serve_get_cmd_line_opts},
    {"serverStatus", serve_server_status},
    {"saslStart", serve_sasl_start},
    {"insert", NULL},
    {"update", NULL},
    {"delete", NULL},
    {"findAndModify", NULL},
    {"findandmodify", NULL},
    {"create", NULL},
    {"drop", NULL},
    {"createIndexes", NULL},
    {"dropIndexes", NULL},
    {"dropDatabase", NULL},
    {"renameCollection", NULL},
    {"collMod", NULL},
    {"bulkWrite", NULL},
    {"mapReduce", NULL},
};

static const command_row *command_named(bsn_str name)
{
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (bsn_str_equal(bsn_str_from(commands[i].name), name)) return &commands[i];
    }
    return NULL;
}

static void run_command(serve_call *call)
{
    const serve_request *const request = call->request;
    const command_row *const row = command_named(request->name);
    if (row == NULL) {
        serve_refuse(call, SERVE_COMMAND_NOT_FOUND, "no such command: '%.*s'",
                     SERVE_TEXT(request->name));
    } else if (request->db.len == 0) {
        serve_refuse(call, SERVE_FIELD_MISSING,
                     "BSON field '%s.$db' is missing but a required field", row->name);
    } else if (serve_db_name_fault(request->db) != NULL) {
        serve_refuse(call, SERVE_INVALID_NAMESPACE, "Invalid database name: '%.*s'",
                     SERVE_TEXT(request->db));
    } else if (row->run == NULL) {
        serve_refuse(call, SERVE_COMMAND_NOT_SUPPORTED,
                     "'%s' is a write, and this server is read-only", row->name);
    } else {
        row->run(call);
    }
}

/* ------------------------------------------------------------------ the reply's frame */

static int32_t next_id(serve_state *state)
{
    state->last_id = state->last_id == INT32_MAX ? 1 : state->last_id + 1;
    return state->last_id;
}

/* A reply being written: the message around the document that `w` writes. */
typedef struct reply_writer {
    bsn_msg_writer message;
    bsn_writer w;
} reply_writer;

static void begin_reply(reply_writer *reply, const serve_request *request, int32_t id,
                        uint32_t old_flags, bsn_out *out)
{
    if (request->old) {
        bsn_msg_begin_reply(&reply->message, out, id, request->id, (int32_t)old_flags);
    } else {
        bsn_msg_begin(&reply->message, out, id, request->id, 0);
        bsn_msg_begin_body(&reply->message);
    }
    bsn_writer_init(&reply->w, out);
    bsn_writer_begin(&reply->w);
}

static bsn_status end_reply(reply_writer *reply)
{
    bsn_writer_end(&reply->w);
    const bsn_status status = bsn_writer_status(&reply->w);
    return status != BSN_OK ? status : bsn_msg_end(&reply->message, BSN_MESSAGE_SIZE_MAX);
}

static const char *code_name(serve_code code)
{
    switch (code) {
    case SERVE_INTERNAL: return "InternalError";
    case SERVE_BAD_VALUE: return "BadValue";
    case SERVE_FAILED_TO_PARSE: return "FailedToParse";
    case SERVE_UNAUTHORIZED: return "Unauthorized";
    case SERVE_TYPE_MISMATCH: return "TypeMismatch";
    case SERVE_AUTHENTICATION_FAILED: return "AuthenticationFailed";
    case SERVE_NAMESPACE_NOT_FOUND: return "NamespaceNotFound";
    case SERVE_CURSOR_NOT_FOUND: return "CursorNotFound";
    case SERVE_TIME_EXPIRED: return "MaxTimeMSExpired";
    case SERVE_COMMAND_NOT_FOUND: return "CommandNotFound";
    case SERVE_INVALID_OPTIONS: return "InvalidOptions";
    case SERVE_INVALID_NAMESPACE: return "InvalidNamespace";
    case SERVE_OPERATION_FAILED: return "OperationFailed";
    case SERVE_COMMAND_NOT_SUPPORTED: return "CommandNotSupported";
    case SERVE_NOT_IMPLEMENTED: return "NotImplemented";
    case SERVE_NO_TRANSACTIONS: return "OperationNotSupportedInTransaction";
    case SERVE_API_VERSION: return "APIVersionError";
    case SERVE_MECHANISM_UNAVAILABLE: return "MechanismUnavailable";
    case SERVE_OLD_QUERY: return "UnsupportedOpQueryCommand";
    /* The server names errors of this age by their number. */
    case SERVE_BAD_SKIP: return "Location15956";
    case SERVE_BAD_LIMIT: return "Location15958";
    case SERVE_BAD_MATCH: return "Location15959";
    case SERVE_BAD_SORT: return "Location15975";
    case SERVE_BAD_COUNT: return "Location40157";
    case SERVE_BAD_STAGE: return "Location40323";
    case SERVE_UNKNOWN_STAGE: return "Location40324";
    case SERVE_FIELD_MISSING: return "IDLFailedToParse";
    case SERVE_FIELD_UNKNOWN: return "IDLUnknownField";
    case SERVE_NEGATIVE: return "Location51024";
    }
    return "UnknownError";
}

static void write_refusal(const serve_call *call, bsn_writer *w)
{
    const bsn_str text = {call->text, call->text_len};
    bsn_writer_double(w, BSN_STR("ok"), 0.0);
    bsn_writer_string(w, BSN_STR("errmsg"), text);
    bsn_writer_int32(w, BSN_STR("code"), (int32_t)call->code);
    bsn_writer_string(w, BSN_STR("codeName"), bsn_str_from(code_name(call->code)));
}

static void free_matches(serve_call *call)
{
    serve_list_free(call->state->alloc, call->matches, call->match_count, sizeof(uint64_t));
    call->matches = NULL;
}

/* Writes the reply to call->request. */
static bsn_status write_reply(serve_call *call, bsn_out *out, serve_feed *feed)
{
    const bsn_out_mark start = bsn_out_get_mark(out);
    const int32_t id = next_id(call->state);
    reply_writer reply;
    call->w = &reply.w;
    begin_reply(&reply, call->request, id, BSN_REPLY_AWAIT_CAPABLE, out);
    run_command(call);
    if (call->code == 0 && !call->has_batch) {
        bsn_writer_double(&reply.w, BSN_STR("ok"), 1.0);
        return end_reply(&reply);
    }
    bsn_out_rollback(out, start);
    if (call->code == 0) {
        return serve_batch_write(&call->batch, call->request, id, call->state->alloc, out, feed);
    }
    begin_reply(&reply, call->request, id, BSN_REPLY_AWAIT_CAPABLE, out);
    write_refusal(call, &reply.w);
    return end_reply(&reply);
}

/* An OP_QUERY to a collection, which servers since 5.1 do not answer either. */
static bsn_status write_old_refusal(serve_call *call, bsn_out *out)
{
    reply_writer reply;
    serve_refuse(call, SERVE_OLD_QUERY,
                 "OP_QUERY to '%.*s': only commands are served, ask by OP_MSG",
                 SERVE_TEXT(call->request->target));
    const bsn_str text = {call->text, call->text_len};
    begin_reply(&reply, call->request, next_id(call->state), BSN_REPLY_QUERY_FAILURE, out);
    bsn_writer_string(&reply.w, BSN_STR("$err"), text);
    bsn_writer_int32(&reply.w, BSN_STR("code"), (int32_t)call->code);
    return end_reply(&reply);
}

serve_outcome serve_answer(serve_state *state, const serve_peer *peer, bsn_bytes message,
                           bsn_out *out, serve_feed *feed, bsn_error *err)
{
    const bsn_out_mark start = bsn_out_get_mark(out);
    serve_request request;
    bsn_status status = serve_request_read(message, &request, err);
    if (status != BSN_OK) return SERVE_CLOSE;
    serve_call call = {.state = state, .peer = peer, .request = &request};
    status = request.target.len > 0 ? write_old_refusal(&call, out) : write_reply(&call, out, feed);
    free_matches(&call);
    state->window.deadline_ns = 0;
    if (status == BSN_OK && !request.silent) return SERVE_REPLY;
    serve_feed_free(feed);
    bsn_out_rollback(out, start);
    if (status == BSN_OK) return SERVE_SILENT;
    bsn_error_set(err, status, 0, status == BSN_E_NOMEM ? NULL : "the reply could not be written");
    return SERVE_CLOSE;
}

void serve_state_init(serve_state *state, const bsn_alloc *alloc)
{
    memset(state, 0, sizeof *state);
    state->alloc = alloc;
    state->host = "localhost";
    serve_catalog_init(&state->catalog, alloc);
    serve_cursors_init(&state->cursors, alloc);
    serve_window_init(&state->window, alloc);
}

void serve_state_free(serve_state *state)
{
    serve_cursors_free(&state->cursors);
    serve_catalog_free(&state->catalog);
    serve_window_free(&state->window);
}
