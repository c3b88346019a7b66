/* SPDX-License-Identifier: Apache-2.0
 *
 * remote.c -- a collection on a server, as the command line names it.
 */
#include "cli/remote.h"

#include "cli/memory.h"

#include <bsonic/io.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool take_namespace(cli_remote *remote, const char *text)
{
    const bsn_str whole = bsn_str_from(text);
    const char *dot = memchr(text, '.', whole.len);
    if (dot != NULL) {
        const bsn_str db = {.ptr = text, .len = (size_t)(dot - text)};
        remote->db = db;
        remote->collection = bsn_str_from(dot + 1);
    } else if (remote->uri.database.ptr != NULL) {
        remote->db = remote->uri.database;
        remote->collection = whole;
    }
    if (remote->db.len == 0 || remote->collection.len == 0) return false;
    const int len =
        snprintf(remote->name_room, sizeof remote->name_room, "%.*s.%.*s", (int)remote->db.len,
                 remote->db.ptr, (int)remote->collection.len, remote->collection.ptr);
    remote->name.ptr = remote->name_room;
    remote->name.len =
        len < (int)sizeof remote->name_room ? (size_t)len : sizeof remote->name_room - 1;
    return true;
}

/* What stands before "://", when it may be shown: the letters of a scheme, and not much of them. A password cannot be there. */
static bsn_str scheme_of(const char *uri)
{
    const char *end = strstr(uri, "://");
    const bsn_str none = {.ptr = uri, .len = 0};
    const bsn_str scheme = {.ptr = uri, .len = end != NULL ? (size_t)(end - uri) : 0};
    const size_t letters =
        strspn(uri, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+.-");
    return scheme.len > 0 && scheme.len <= letters && scheme.len <= 32 ? scheme : none;
}

static bool is_known(bsn_str scheme)
{
    return bsn_str_equal(scheme, BSN_STR("mongodb")) ||
           bsn_str_equal(scheme, BSN_STR("mongodb+srv"));
}

static int report_string(const cli_remote *remote, const bsn_error *err)
{
    const bsn_str scheme = scheme_of(remote->args->operands[0]);
    if (err->offset == 0 && scheme.len > 0 && !is_known(scheme)) {
        return cli_usage_error(remote->args->command,
                               "connection string at byte 0: its scheme is %.*s, not mongodb",
                               (int)scheme.len, scheme.ptr);
    }
    return cli_usage_error(remote->args->command, "connection string at byte %" PRIu64 ": %s",
                           err->offset, err->detail);
}

int cli_remote_read(cli_remote *remote, const cli_args *args)
{
    bsn_error err = {0};
    remote->args = args;
    const bsn_status status = bsn_uri_parse(bsn_str_from(args->operands[0]), cli_memory(), NULL,
                                            NULL, &remote->uri, &err);
    if (status == BSN_E_URI) return report_string(remote, &err);
    if (status != BSN_OK) return cli_report(BSN_STR("connection string"), &err);
    if (args->operand_count >= 2 && take_namespace(remote, args->operands[1])) return CLI_OK;
    return cli_usage_error(args->command, "say which collection: NS is database.collection");
}

static void warn(void *ctx, bsn_str key, const char *reason)
{
    const cli_remote *remote = ctx;
    char escaped[CLI_ESCAPED_MAX];
    if (remote->args->given[CLI_QUIET]) return;
    cli_say("connection string: option %s: %s", cli_escape(key, escaped), reason);
}

int cli_remote_report(const cli_remote *remote, const bsn_error *err)
{
    char escaped[CLI_ESCAPED_MAX];
    if (remote->client == NULL) return cli_report(bsn_str_from(remote->args->command->name), err);
    cli_say("%s", cli_escape(bsn_client_message(remote->client), escaped));
    /* A failing system call is the network's failure here. */
    return err->status == BSN_E_IO ? CLI_NETWORK : cli_exit_code(err->status);
}

int cli_remote_open(cli_remote *remote)
{
    const bsn_client_options options = {.warn = warn, .warn_ctx = remote, .alloc = cli_memory()};
    bsn_error err = {0};
    const bsn_status status =
        bsn_client_open(bsn_str_from(remote->args->operands[0]), &options, &remote->client, &err);
    if (status == BSN_OK) return CLI_OK;
    const int code = cli_remote_report(remote, &err);
    /* What nobody has been asked yet is a wish that the string should not have had. */
    const bool asked = remote->client != NULL && bsn_client_get_stats(remote->client).sends > 0;
    return status == BSN_E_UNSUPPORTED && !asked ? CLI_USAGE : code;
}

void cli_remote_close(cli_remote *remote)
{
    bsn_client_free(remote->client);
    bsn_uri_free(&remote->uri);
}

void cli_remote_start(cli_remote *remote)
{
    remote->start_ns = bsn_clock_monotonic_ns();
    remote->requests_at_start = cli_memory_requests();
}

void cli_remote_note_warm(cli_remote *remote)
{
    if (remote->is_warm) return;
    remote->is_warm = true;
    remote->requests_when_warm = cli_memory_requests();
}

void cli_remote_print_cost(const cli_remote *remote, const cli_traffic *traffic)
{
    const bsn_client_stats stats = bsn_client_get_stats(remote->client);
    const double seconds = (double)(bsn_clock_monotonic_ns() - remote->start_ns) / 1e9;
    const uint64_t requests = cli_memory_requests();
    const uint64_t warm = remote->is_warm ? remote->requests_when_warm : requests;
    fprintf(stderr, "documents            %" PRIu64 "\n", traffic->documents);
    fprintf(stderr, "bytes of BSON        %" PRIu64 "\n", traffic->bytes);
    fprintf(stderr, "seconds              %.3f\n", seconds);
    fprintf(stderr, "documents/s          %.0f\n", (double)traffic->documents / seconds);
    fprintf(stderr, "MB/s of BSON         %.1f\n", (double)traffic->bytes / 1e6 / seconds);
    fprintf(stderr, "replies              %" PRIu64 "\n", stats.conn.replies);
    fprintf(stderr, "system calls         %" PRIu64 " receive, %" PRIu64 " send, %" PRIu64 " %s\n",
            stats.receives, stats.sends, traffic->file_calls, traffic->file_verb);
    fprintf(stderr, "allocations          %" PRIu64 " %s, %" PRIu64 " after it\n",
            warm - remote->requests_at_start, traffic->warming_up, requests - warm);
}
