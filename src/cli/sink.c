/* SPDX-License-Identifier: Apache-2.0
 *
 * sink.c -- documents to text or bytes, into pooled blocks, out by writev.
 */
#include "cli/sink.h"

#include "cli/memory.h"
#include "cli/signals.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define FULL ((uint64_t)1 << 20)

/* Spaces of --pretty. */
#define INDENT 2

/* Documents that do not live on are copied when they are shorter: a write of so much costs more than that. */
#define COPIED ((size_t)64 * 1024)

static bsn_str name_of(const cli_sink *sink)
{
    return sink->path != NULL ? bsn_str_from(sink->path) : bsn_str_from("standard output");
}

/* Says what is wrong with the output itself. */
static int report(const cli_sink *sink, const bsn_error *err)
{
    char escaped[CLI_ESCAPED_MAX], text[BSN_OS_TEXT_MAX];
    if (err->os_error != EEXIST) return cli_report(name_of(sink), err);
    cli_say("%s: %s (use --force to replace it)", cli_escape(name_of(sink), escaped),
            bsn_os_text(err->os_error, text));
    return CLI_SYSTEM;
}

/* Text may be many times as long as its document: it goes out while the document is still being printed. */
static bsn_status drain(void *ctx, bsn_out *out, bsn_error *err)
{
    cli_sink *sink = ctx;
    (void)out; /* the sink's own */
    sink->has_drained = true;
    return bsn_error_set(err, cli_sink_flush(sink) == CLI_OK ? BSN_OK : BSN_E_IO, 0, NULL);
}

static bsn_json_form form_of(const cli_args *args)
{
    if (args->given[CLI_CANONICAL]) return BSN_JSON_CANONICAL;
    if (args->given[CLI_SAFE]) return BSN_JSON_SAFE;
    if (args->given[CLI_LEGACY]) return BSN_JSON_LEGACY;
    return args->given[CLI_SHELL] ? BSN_JSON_SHELL : BSN_JSON_RELAXED;
}

static int take_utf8(const cli_args *args, bsn_json_utf8 *utf8)
{
    const char *how = args->text[CLI_UTF8];
    *utf8 = BSN_JSON_UTF8_ERROR;
    if (how == NULL || strcmp(how, "error") == 0) return CLI_OK;
    *utf8 = BSN_JSON_UTF8_REPLACE;
    if (strcmp(how, "replace") == 0) return CLI_OK;
    *utf8 = BSN_JSON_UTF8_ESCAPE;
    if (strcmp(how, "escape") == 0) return CLI_OK;
    return cli_usage_error(args->command, "--utf8 is error, replace or escape");
}

int cli_sink_check_terminal(const cli_args *args)
{
    const char *path = args->text[CLI_OUTPUT];
    const bool is_standard = path == NULL || (path[0] == '-' && path[1] == '\0');
    if (!is_standard || !isatty(STDOUT_FILENO)) return CLI_OK;
    return cli_usage_error(args->command,
                           "BSON is nothing for a terminal: use --output FILE, or a pipe");
}

/* How documents are written. */
static int take_options(cli_sink *sink, const cli_args *args)
{
    const bsn_json_report fresh = {0};
    sink->as_bson = args->given[CLI_BSON];
    sink->as_array = args->given[CLI_ARRAY];
    sink->quiet = args->given[CLI_QUIET];
    sink->documents = 0;
    sink->report = fresh;
    if (sink->as_bson && (sink->as_array || args->given[CLI_PRETTY] || args->given[CLI_UTF8] ||
                          args->given[CLI_REVERSIBLE])) {
        return cli_usage_error(args->command, "--bson takes no option of text");
    }
    const bsn_json_options json = {.form = form_of(args),
                                   .depth_max = (uint32_t)args->number[CLI_MAX_DEPTH],
                                   .indent = args->given[CLI_PRETTY] ? INDENT : 0,
                                   .reversible = args->given[CLI_REVERSIBLE],
                                   .report = &sink->report,
                                   .alloc = cli_memory(),
                                   .drain = drain,
                                   .drain_ctx = sink,
                                   .drain_min = FULL};
    sink->json = json;
    return take_utf8(args, &sink->json.utf8);
}

int cli_sink_open(cli_sink *sink, const cli_args *args)
{
    const bsn_output_options options = {.replace = args->given[CLI_FORCE], .alloc = cli_memory()};
    const char *path = args->text[CLI_OUTPUT];
    bsn_error err = {0};
    if (path != NULL && path[0] == '\0') {
        return cli_usage_error(args->command, "--output needs the name of a file");
    }
    sink->path = path != NULL && !(path[0] == '-' && path[1] == '\0') ? path : NULL;
    const int code = take_options(sink, args);
    if (code != CLI_OK) return code;
    cli_hold_signals(); /* the file must not be there before it is known what has to be removed */
    const bsn_status status = bsn_output_open(&sink->to, sink->path, &options, &err);
    if (status == BSN_OK && bsn_output_temporary(&sink->to) != NULL) {
        cli_unlink_on_signal(bsn_output_temporary(&sink->to));
    }
    if (status != BSN_OK) bsn_output_free(&sink->to);
    cli_release_signals();
    if (status != BSN_OK) return report(sink, &err);
    bsn_pool_init(&sink->pool, cli_memory(), SIZE_MAX);
    bsn_out_init_pool(&sink->out, &sink->pool, 0);
    return CLI_OK;
}

/* What stands in front of a document, or behind it, is there only if the document is. */
static bsn_status add_text(cli_sink *sink, bsn_doc doc, bsn_error *err)
{
    const bsn_out_mark mark = bsn_out_get_mark(&sink->out);
    if (sink->as_array) bsn_out_append(&sink->out, sink->documents == 0 ? "[\n" : ",\n", 2);
    sink->has_drained = false;
    const bsn_status status = bsn_json_print(doc, &sink->json, &sink->out, err);
    if (status != BSN_OK) {
        if (!sink->has_drained) bsn_out_rollback(&sink->out, mark);
        return status;
    }
    if (!sink->as_array) bsn_out_append(&sink->out, "\n", 1);
    sink->documents++;
    return BSN_OK;
}

bsn_status cli_sink_add(cli_sink *sink, bsn_doc doc, bsn_error *err)
{
    if (sink->as_bson) {
        bsn_out_append_ref(&sink->out, bsn_doc_bytes(doc));
    } else {
        const bsn_status status = add_text(sink, doc, err);
        if (status != BSN_OK) return status;
    }
    return bsn_error_set(err, bsn_out_status(&sink->out), 0, NULL);
}

int cli_sink_add_bson(cli_sink *sink, bsn_doc doc)
{
    bsn_error err = {0};
    if (doc.len < COPIED) {
        bsn_out_append(&sink->out, doc.ptr, doc.len);
    } else {
        bsn_out_append_ref(&sink->out, bsn_doc_bytes(doc));
    }
    if (bsn_error_set(&err, bsn_out_status(&sink->out), 0, NULL) != BSN_OK) {
        return cli_report(name_of(sink), &err);
    }
    return doc.len < COPIED && !cli_sink_is_full(sink) ? CLI_OK : cli_sink_flush(sink);
}

bool cli_sink_is_full(const cli_sink *sink)
{
    return bsn_out_unsent(&sink->out) >= FULL;
}

int cli_sink_flush(cli_sink *sink)
{
    bsn_error err = {0};
    if (bsn_output_flush(&sink->to, &sink->out, &err) == BSN_OK) return CLI_OK;
    return cli_report(name_of(sink), &err);
}

/* The end of the array, when all of it is there; and what a reader of the text should know. */
static void finish(cli_sink *sink, int code)
{
    const uint64_t count = sink->report.lookalikes;
    if (sink->as_array && (code == CLI_OK || code == CLI_SKIPPED))
        bsn_out_append(&sink->out, sink->documents == 0 ? "[]\n" : "\n]\n", 3);
    if (count == 0 || sink->quiet) return;
    cli_say("%" PRIu64 " embedded document%s like wrappers of Extended JSON and cannot be read back"
            " (--reversible refuses them)",
            count, count == 1 ? " looks" : "s look");
}

int cli_sink_close(cli_sink *sink, int code)
{
    bsn_error err = {0};
    bool flushed = true;
    finish(sink, code);
    if (code != CLI_SYSTEM) { /* else writing is what failed, perhaps */
        const int flush_code = cli_sink_flush(sink);
        flushed = flush_code == CLI_OK;
        if (code == CLI_OK || code == CLI_SKIPPED) code = flushed ? code : flush_code;
    }
    if (code == CLI_OK || code == CLI_SKIPPED || sink->path == NULL) {
        if (flushed && bsn_output_commit(&sink->to, &err) != BSN_OK) {
            code = report(sink, &err);
        }
    } else if (bsn_output_temporary(&sink->to) != NULL) {
        char escaped[CLI_ESCAPED_MAX];
        cli_say("%s: not written", cli_escape(name_of(sink), escaped));
    }
    bsn_out_free(&sink->out);
    bsn_pool_free(&sink->pool);
    bsn_output_free(&sink->to);
    cli_unlink_on_signal(NULL);
    return code;
}
