/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_encode.c -- bsonic encode: files of Extended JSON to BSON.
 *
 * What has been read is parsed and written before more is waited for.
 */
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/sink.h"
#include "cli/source.h"
#include "cli/text.h"

typedef struct encoder {
    cli_sink sink;
    cli_progress progress;
    bsn_json_parse_options options;
    bool keep_going;
    bool skipped;       /* a faulty document was left out */
    uint64_t documents; /* written, and their bytes */
    uint64_t bytes;
} encoder;

/* Adds documents until more must be read or there is a fault. */
static int encode_documents(encoder *e, cli_text *text)
{
    bsn_doc doc;
    int code = CLI_OK;
    while (code == CLI_OK && cli_text_next(text, &doc)) {
        code = cli_sink_add_bson(&e->sink, doc);
        e->documents++;
        e->bytes += doc.len;
    }
    return code;
}

/* A faulty document is told of after what came before it has been written. */
static int tell_fault(encoder *e, cli_text *text)
{
    cli_progress_clear(&e->progress);
    const int flush_code = cli_sink_flush(&e->sink);
    if (flush_code != CLI_OK) return flush_code;
    const int code = cli_text_report(text);
    if (!e->keep_going || !cli_text_pass_by(text)) return code;
    e->skipped = true;
    return CLI_OK;
}

static int encode_text(encoder *e, cli_text *text)
{
    int code = CLI_OK;
    while (code == CLI_OK && cli_text_fill(text)) {
        code = encode_documents(e, text);
        while (code == CLI_OK && cli_text_failed(text)) {
            code = tell_fault(e, text);
            if (code == CLI_OK) code = encode_documents(e, text);
        }
        if (code == CLI_OK) code = cli_sink_flush(&e->sink);
        cli_progress_tick(&e->progress, e->documents, e->bytes);
    }
    cli_progress_clear(&e->progress);
    return code != CLI_OK ? code : cli_text_end(text);
}

static int encode_file(encoder *e, const char *path)
{
    cli_text text;
    int code = cli_text_open(&text, path, &e->options, NULL);
    if (code == CLI_OK) code = encode_text(e, &text);
    cli_text_close(&text);
    return code;
}

int cmd_encode(const cli_args *args)
{
    int count;
    char *const *files = cli_source_files(args, 0, &count);
    encoder e = {.keep_going = args->given[CLI_KEEP_GOING]};
    int code = cli_text_options(args, &e.options);
    if (code == CLI_OK) code = cli_sink_check_terminal(args);
    if (code == CLI_OK) code = cli_sink_open(&e.sink, args);
    if (code != CLI_OK) return code;
    cli_progress_start(&e.progress, args->given[CLI_QUIET]);
    for (int i = 0; i < count && code == CLI_OK; i++) code = encode_file(&e, files[i]);
    cli_progress_clear(&e.progress);
    if (code == CLI_OK && e.skipped) code = CLI_SKIPPED;
    return cli_sink_close(&e.sink, code);
}
