/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_pull.c -- bsonic pull: streams a collection out of a server.
 *
 * Each buffer that arrives is printed and written before the next is waited for: one recv, one writev, nothing allocated.
 */
#include "cli/command.h"
#include "cli/memory.h"
#include "cli/progress.h"
#include "cli/remote.h"
#include "cli/sink.h"

#include <bsonic/client.h>

#include <inttypes.h>
#include <stdio.h>

/* A stream at work. */
typedef struct puller {
    const cli_args *args;
    cli_remote remote;
    cli_sink sink;
    cli_progress progress;
    uint64_t documents;
    uint64_t bytes;
} puller;

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
    if (status == BSN_E_IO) return CLI_SYSTEM;
    const int flush_code = cli_sink_flush(&p->sink);
    if (flush_code != CLI_OK) return flush_code;
    if (status == BSN_E_NOMEM) return cli_report(p->remote.name, &err);
    const cli_place place = {.name = p->remote.name,
                             .number = p->documents + 1,
                             .offset = p->bytes,
                             .bytes = bsn_doc_bytes(doc)};
    return cli_report_document(&place, &err);
}

/* The hello's reply is one, that of the first batch the second: what has been asked of the allocator by then was to warm up. */
static void note_first_batch(puller *p)
{
    if (bsn_client_get_stats(p->remote.client).conn.replies >= 2) cli_remote_note_warm(&p->remote);
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
        code = cli_remote_report(&p->remote, &err);
        cli_say("%s: %" PRIu64 " document%s came before that", cli_escape(p->remote.name, escaped),
                p->documents, cli_s(p->documents));
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
    cli_remote_start(&p->remote);
    if (bsn_client_find(p->remote.client, p->remote.db, p->remote.collection, &options, &cursor,
                        &err) != BSN_OK) {
        return cli_remote_report(&p->remote, &err);
    }
    return pull_cursor(p, &cursor);
}

/* ------------------------------------------------------------------ what it cost */

static void print_stats(const puller *p)
{
    const cli_traffic traffic = {.documents = p->documents,
                                 .bytes = p->bytes,
                                 .file_calls = bsn_output_writes(&p->sink.to),
                                 .file_verb = "write",
                                 .warming_up = "in the first batch"};
    cli_remote_print_cost(&p->remote, &traffic);
    fprintf(stderr, "bytes written        %" PRIu64 "\n", bsn_output_bytes(&p->sink.to));
}

/* A server answers for a collection that it does not have as for an empty one. */
static void tell_of_nothing(const puller *p)
{
    char escaped[CLI_ESCAPED_MAX];
    if (p->documents > 0 || p->args->number[CLI_SKIP] > 0 || p->args->given[CLI_QUIET]) return;
    cli_say("0 documents: %s does not exist or is empty", cli_escape(p->remote.name, escaped));
}

static int pull(puller *p)
{
    int code = cli_remote_read(&p->remote, p->args);
    if (code == CLI_OK && p->args->given[CLI_BSON]) code = cli_sink_check_terminal(p->args);
    if (code != CLI_OK) return code;
    code = cli_remote_open(&p->remote);
    if (code != CLI_OK) return code;
    code = cli_sink_open(&p->sink, p->args);
    if (code != CLI_OK) return code;
    code = pull_documents(p);
    if (code == CLI_OK) tell_of_nothing(p);
    if (p->args->given[CLI_STATS]) print_stats(p);
    return cli_sink_close(&p->sink, code);
}

int cmd_pull(const cli_args *args)
{
    puller p = {.args = args};
    const int code = pull(&p);
    cli_remote_close(&p.remote);
    return code;
}
