/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_pull.c -- bsonic pull: streams a collection out of a server.
 *
 * Each buffer that arrives is printed and written before the next is waited for: one recv, one writev, nothing allocated.
 */
#include "cli/command.h"
#include "cli/memory.h"
#include "cli/progress.h"
#include "cli/sink.h"

#include <bsonic/client.h>
#include <bsonic/uri.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* A stream at work. */
typedef struct puller {
    const cli_args *args;
    cli_sink sink;
    bsn_uri uri; /* for the namespace; the client parses for itself */
    bsn_client *client;
    bsn_str db;
    bsn_str collection;
    bsn_str name; /* of the namespace, for messages */
    char name_room[512];
    cli_progress progress;
    uint64_t documents;
    uint64_t bytes;
    uint64_t start_ns;
    uint64_t requests_at_start;
    uint64_t requests_in_first_batch;
    bool first_batch_over;
} puller;

/* An exit code for what came over the network: a failing system call is the network's failure there. */
static int network_code(bsn_status status)
{
    return status == BSN_E_IO ? CLI_NETWORK : cli_exit_code(status);
}

static void warn(void *ctx, bsn_str key, const char *reason)
{
    const puller *p = ctx;
    char escaped[CLI_ESCAPED_MAX];
    if (p->args->given[CLI_QUIET]) return;
    cli_say("connection string: option %s: %s", cli_escape(key, escaped), reason);
}

/* ------------------------------------------------------------------ opening */

/* db.collection, or the collection alone when the connection string names the database. */
static bool take_namespace(puller *p, const char *text)
{
    const bsn_str whole = bsn_str_from(text);
    const char *dot = memchr(text, '.', whole.len);
    if (dot != NULL) {
        const bsn_str db = {.ptr = text, .len = (size_t)(dot - text)};
        p->db = db;
        p->collection = bsn_str_from(dot + 1);
    } else if (p->uri.database.ptr != NULL) {
        p->db = p->uri.database;
        p->collection = whole;
    }
    if (p->db.len == 0 || p->collection.len == 0) return false;
    const int len = snprintf(p->name_room, sizeof p->name_room, "%.*s.%.*s", (int)p->db.len,
                             p->db.ptr, (int)p->collection.len, p->collection.ptr);
    p->name.ptr = p->name_room;
    p->name.len = len < (int)sizeof p->name_room ? (size_t)len : sizeof p->name_room - 1;
    return true;
}

/* Everything that can be wrong with the operands is found before a connection is made. */
static int read_operands(puller *p)
{
    const cli_args *args = p->args;
    bsn_error err = {0};
    const bsn_status status =
        bsn_uri_parse(bsn_str_from(args->operands[0]), cli_memory(), NULL, NULL, &p->uri, &err);
    if (status == BSN_E_URI) {
        return cli_usage_error(args->command, "connection string at byte %" PRIu64 ": %s",
                               err.offset, err.detail);
    }
    if (status != BSN_OK) return cli_report(BSN_STR("connection string"), &err);
    if (args->operand_count == 2 && take_namespace(p, args->operands[1])) return CLI_OK;
    return cli_usage_error(args->command, "say which collection: NS is database.collection");
}

/* The client's own sentence, which names the host. */
static int report_client(const puller *p, const bsn_error *err)
{
    char escaped[CLI_ESCAPED_MAX];
    if (p->client == NULL) return cli_report(BSN_STR("pull"), err);
    cli_say("%s", cli_escape(bsn_client_message(p->client), escaped));
    return network_code(err->status);
}

static int open_client(puller *p)
{
    const bsn_client_options options = {.warn = warn, .warn_ctx = p, .alloc = cli_memory()};
    bsn_error err = {0};
    const bsn_status status =
        bsn_client_open(bsn_str_from(p->args->operands[0]), &options, &p->client, &err);
    return status == BSN_OK ? CLI_OK : report_client(p, &err);
}

/* ------------------------------------------------------------------ streaming */

static int add_document(puller *p, bsn_doc doc)
{
    bsn_error err = {0};
    const bsn_status status = cli_sink_add(&p->sink, doc, &err);
    if (status == BSN_OK) {
        p->documents++;
        p->bytes += doc.len;
        return CLI_OK;
    }
    cli_progress_clear(&p->progress);
    const int flush_code = cli_sink_flush(&p->sink);
    if (flush_code != CLI_OK) return flush_code;
    if (status == BSN_E_NOMEM) return cli_report(p->name, &err);
    const cli_place place = {.name = p->name,
                             .number = p->documents + 1,
                             .offset = p->bytes,
                             .bytes = bsn_doc_bytes(doc)};
    return cli_report_document(&place, &err);
}

/* The hello's reply is one, that of the first batch the second: what has been asked of the allocator by then was to warm up. */
static void note_first_batch(puller *p)
{
    if (p->first_batch_over || bsn_client_get_stats(p->client).conn.replies < 2) return;
    p->first_batch_over = true;
    p->requests_in_first_batch = cli_memory_requests() - p->requests_at_start;
}

static int pull_run(puller *p, bsn_run run)
{
    int code = CLI_OK;
    for (size_t i = 0; i < run.count && code == CLI_OK; i++) code = add_document(p, run.docs[i]);
    if (code == CLI_OK) code = cli_sink_flush(&p->sink);
    cli_progress_tick(&p->progress, p->documents, p->bytes);
    note_first_batch(p);
    return code;
}

static int pull_cursor(puller *p, bsn_cursor *cursor)
{
    bsn_run run;
    bsn_error err = {0};
    int code = CLI_OK;
    cli_progress_start(&p->progress, p->args->given[CLI_QUIET]);
    while (code == CLI_OK && bsn_cursor_next_run(cursor, &run)) code = pull_run(p, run);
    cli_progress_clear(&p->progress);
    if (code == CLI_OK && bsn_cursor_error(cursor, &err) != BSN_OK) {
        char escaped[CLI_ESCAPED_MAX];
        code = report_client(p, &err);
        cli_say("%s: %" PRIu64 " documents came before that", cli_escape(p->name, escaped),
                p->documents);
    }
    (void)bsn_cursor_close(cursor, NULL); /* what it returns has been told */
    return code;
}

static int pull_documents(puller *p)
{
    const cli_args *args = p->args;
    const bsn_find_options options = {.skip = args->number[CLI_SKIP],
                                      .limit = args->number[CLI_LIMIT_DOCUMENTS],
                                      .batch_size = (uint32_t)args->number[CLI_BATCH_SIZE]};
    bsn_error err = {0};
    bsn_cursor cursor;
    p->start_ns = bsn_clock_monotonic_ns();
    p->requests_at_start = cli_memory_requests();
    if (bsn_client_find(p->client, p->db, p->collection, &options, &cursor, &err) != BSN_OK) {
        return report_client(p, &err);
    }
    return pull_cursor(p, &cursor);
}

/* ------------------------------------------------------------------ what it cost */

static void print_stats(const puller *p)
{
    const bsn_client_stats stats = bsn_client_get_stats(p->client);
    const uint64_t requests = cli_memory_requests() - p->requests_at_start;
    const uint64_t first = p->first_batch_over ? p->requests_in_first_batch : requests;
    const double seconds = (double)(bsn_clock_monotonic_ns() - p->start_ns) / 1e9;
    const double documents = (double)p->documents, megabytes = (double)p->bytes / 1e6;
    fprintf(stderr, "documents            %" PRIu64 "\n", p->documents);
    fprintf(stderr, "bytes of BSON        %" PRIu64 "\n", p->bytes);
    fprintf(stderr, "bytes written        %" PRIu64 "\n", bsn_output_bytes(&p->sink.to));
    fprintf(stderr, "seconds              %.3f\n", seconds);
    fprintf(stderr, "documents/s          %.0f\n", documents / seconds);
    fprintf(stderr, "MB/s of BSON         %.1f\n", megabytes / seconds);
    fprintf(stderr, "replies              %" PRIu64 "\n", stats.conn.replies);
    fprintf(stderr,
            "system calls         %" PRIu64 " receive, %" PRIu64 " send, %" PRIu64 " write\n",
            stats.receives, stats.sends, bsn_output_writes(&p->sink.to));
    fprintf(stderr, "allocations          %" PRIu64 " in the first batch, %" PRIu64 " after it\n",
            first, requests - first);
}

static int pull(puller *p)
{
    int code = read_operands(p);
    if (code != CLI_OK) return code;
    code = open_client(p);
    if (code != CLI_OK) return code;
    code = cli_sink_open(&p->sink, p->args);
    if (code != CLI_OK) return code;
    code = pull_documents(p);
    if (p->args->given[CLI_STATS]) print_stats(p);
    return cli_sink_close(&p->sink, code);
}

int cmd_pull(const cli_args *args)
{
    puller p = {.args = args};
    const int code = pull(&p);
    bsn_client_free(p.client);
    bsn_uri_free(&p.uri);
    return code;
}
