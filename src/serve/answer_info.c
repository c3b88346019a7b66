/* SPDX-License-Identifier: Apache-2.0
 *
 * answer_info.c -- what drivers and shells ask about the server itself.
 */
#include "serve/call.h"

#include <bsonic/io.h>

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

void serve_ping(serve_call *call)
{
    (void)call; /* ok says it all */
}

void serve_start_session(serve_call *call)
{
    char text[BSN_OS_TEXT_MAX];
    uint8_t uuid[16];
    bsn_error err;
    if (bsn_entropy(uuid, sizeof uuid, &err) != BSN_OK) {
        serve_refuse(call, SERVE_INTERNAL, "no random bytes: %s", bsn_os_text(err.os_error, text));
        return;
    }
    uuid[6] = (uint8_t)((uuid[6] & 0x0F) | 0x40); /* version 4, of random bits [RFC 4122 4.4] */
    uuid[8] = (uint8_t)((uuid[8] & 0x3F) | 0x80);
    const bsn_bytes id = {uuid, sizeof uuid};
    bsn_writer_begin_document(call->w, BSN_STR("id"));
    bsn_writer_binary(call->w, BSN_STR("id"), BSN_SUBTYPE_UUID, id);
    bsn_writer_end(call->w);
    bsn_writer_int32(call->w, BSN_STR("timeoutMinutes"), 30);
}

void serve_build_info(serve_call *call)
{
    static const int32_t version[4] = {7, 0, 0, 0};
    bsn_writer *const w = call->w;
    bsn_writer_string(w, BSN_STR("version"), BSN_STR(SERVE_VERSION));
    bsn_writer_string(w, BSN_STR("gitVersion"), BSN_STR("bsonic"));
    bsn_writer_begin_array(w, BSN_STR("modules"));
    bsn_writer_end(w);
    bsn_writer_string(w, BSN_STR("sysInfo"), BSN_STR("bsonic serve"));
    bsn_writer_begin_array(w, BSN_STR("versionArray"));
    for (size_t i = 0; i < 4; i++) bsn_writer_int32(w, BSN_STR(""), version[i]);
    bsn_writer_end(w);
    bsn_writer_int32(w, BSN_STR("bits"), 64);
    bsn_writer_boolean(w, BSN_STR("debug"), false);
    bsn_writer_int32(w, BSN_STR("maxBsonObjectSize"), 16 * 1024 * 1024);
}

/* getParameter: 1, name: 1, ...; or "*" for all: there is one. */
void serve_get_parameter(serve_call *call)
{
    const serve_request *const request = call->request;
    bsn_value value;
    const bool all = request->value.type == BSN_TYPE_STRING &&
                     bsn_str_equal(request->value.as.str, BSN_STR("*"));
    if (!all && bsn_find_value(request->body, BSN_STR("featureCompatibilityVersion"), &value,
                               NULL) != BSN_OK) {
        serve_refuse(call, SERVE_INVALID_OPTIONS, "no option found to get");
        return;
    }
    bsn_writer_begin_document(call->w, BSN_STR("featureCompatibilityVersion"));
    bsn_writer_string(call->w, BSN_STR("version"), BSN_STR("7.0"));
    bsn_writer_end(call->w);
}

void serve_connection_status(serve_call *call)
{
    bsn_writer *const w = call->w;
    bsn_writer_begin_document(w, BSN_STR("authInfo"));
    bsn_writer_begin_array(w, BSN_STR("authenticatedUsers"));
    bsn_writer_end(w);
    bsn_writer_begin_array(w, BSN_STR("authenticatedUserRoles"));
    bsn_writer_end(w);
    bsn_writer_end(w);
}

void serve_whats_my_uri(serve_call *call)
{
    bsn_writer_string(call->w, BSN_STR("you"), call->peer->address);
}

void serve_get_log(serve_call *call)
{
    bsn_writer *const w = call->w;
    const bsn_value *const value = &call->request->value;
    if (value->type != BSN_TYPE_STRING) {
        serve_refuse(call, SERVE_TYPE_MISMATCH,
                     "Argument to getLog must be of type String; found %s",
                     bsn_type_name((uint8_t)value->type));
    } else if (bsn_str_equal(value->as.str, BSN_STR("*"))) {
        bsn_writer_begin_array(w, BSN_STR("names"));
        bsn_writer_string(w, BSN_STR(""), BSN_STR("global"));
        bsn_writer_string(w, BSN_STR(""), BSN_STR("startupWarnings"));
        bsn_writer_end(w);
    } else if (bsn_str_equal(value->as.str, BSN_STR("global")) ||
               bsn_str_equal(value->as.str, BSN_STR("startupWarnings"))) {
        bsn_writer_int32(w, BSN_STR("totalLinesWritten"), 0);
        bsn_writer_begin_array(w, BSN_STR("log"));
        bsn_writer_end(w);
    } else {
        serve_refuse(call, SERVE_OPERATION_FAILED, "No log named '%.*s'",
                     SERVE_TEXT(value->as.str));
    }
}

static bsn_str host_name(char storage[256])
{
    if (gethostname(storage, 255) != 0) storage[0] = '\0';
    storage[255] = '\0';
    return bsn_str_from(storage[0] == '\0' ? "unknown" : storage);
}

void serve_host_info(serve_call *call)
{
    bsn_writer *const w = call->w;
    struct utsname about;
    char host[256];
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    if (uname(&about) < 0) memset(&about, 0, sizeof about);
    bsn_writer_begin_document(w, BSN_STR("system"));
    bsn_writer_date(w, BSN_STR("currentTime"), call->state->utc_ms);
    bsn_writer_string(w, BSN_STR("hostname"), host_name(host));
    bsn_writer_int32(w, BSN_STR("cpuAddrSize"), (int32_t)(sizeof(void *) * 8));
    bsn_writer_int32(w, BSN_STR("numCores"), cores > 0 && cores < INT32_MAX ? (int32_t)cores : 1);
    bsn_writer_string(w, BSN_STR("cpuArch"), bsn_str_from(about.machine));
    bsn_writer_end(w);
    bsn_writer_begin_document(w, BSN_STR("os"));
    bsn_writer_string(w, BSN_STR("type"), bsn_str_from(about.sysname));
    bsn_writer_string(w, BSN_STR("name"), bsn_str_from(about.sysname));
    bsn_writer_string(w, BSN_STR("version"), bsn_str_from(about.release));
    bsn_writer_end(w);
    bsn_writer_begin_document(w, BSN_STR("extra"));
    bsn_writer_end(w);
}

void serve_get_cmd_line_opts(serve_call *call)
{
    bsn_writer_begin_array(call->w, BSN_STR("argv"));
    bsn_writer_end(call->w);
    bsn_writer_begin_document(call->w, BSN_STR("parsed"));
    bsn_writer_end(call->w);
}

void serve_server_status(serve_call *call)
{
    const serve_state *const state = call->state;
    const uint64_t uptime_ms = state->now_ms - state->started_ms;
    bsn_writer *const w = call->w;
    char host[256], name[256 + sizeof ":65535"];
    const bsn_str machine = host_name(host);
    snprintf(name, sizeof name, "%.*s:%u", SERVE_TEXT(machine), (unsigned)state->port);
    bsn_writer_string(w, BSN_STR("host"), bsn_str_from(name));
    bsn_writer_string(w, BSN_STR("version"), BSN_STR(SERVE_VERSION));
    bsn_writer_string(w, BSN_STR("process"), BSN_STR("bsonic"));
    bsn_writer_int64(w, BSN_STR("pid"), (int64_t)getpid());
    bsn_writer_double(w, BSN_STR("uptime"), (double)uptime_ms / 1000.0);
    bsn_writer_int64(w, BSN_STR("uptimeMillis"), (int64_t)uptime_ms);
    bsn_writer_date(w, BSN_STR("localTime"), state->utc_ms);
    bsn_writer_begin_document(w, BSN_STR("connections"));
    bsn_writer_int32(w, BSN_STR("current"), (int32_t)state->connections);
    bsn_writer_int32(w, BSN_STR("available"),
                     (int32_t)(SERVE_CONNECTIONS_MAX - state->connections));
    bsn_writer_int64(w, BSN_STR("totalCreated"), (int64_t)state->connections_total);
    bsn_writer_end(w);
}

/* There are no users, so nobody can be one. */
void serve_sasl_start(serve_call *call)
{
    static const char *const known[] = {"SCRAM-SHA-256", "SCRAM-SHA-1", "PLAIN", "MONGODB-X509"};
    bsn_value mechanism;
    if (bsn_find_value(call->request->body, BSN_STR("mechanism"), &mechanism, NULL) == BSN_OK &&
        mechanism.type == BSN_TYPE_STRING) {
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
            if (bsn_str_equal(mechanism.as.str, bsn_str_from(known[i]))) {
                serve_refuse(call, SERVE_AUTHENTICATION_FAILED, "Authentication failed.");
                return;
            }
        }
    }
    serve_refuse(call, SERVE_MECHANISM_UNAVAILABLE, "Unsupported mechanism");
}
