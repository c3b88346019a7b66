/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_decode.c -- bsonic decode: BSON files to Extended JSON, one line a document.
 */
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/sink.h"
#include "cli/source.h"

typedef struct decoder {
    cli_sink sink;
    cli_progress progress;
    bool keep_going;
    bool skipped;       /* a damaged document was left out */
    uint64_t skip;      /* documents still to be left out */
    uint64_t left;      /* documents still to be printed */
    uint64_t documents; /* printed */
    uint64_t bytes;     /* of them, as BSON */
} decoder;

/* Prints one document. A damaged one is told of after what came before it has been written. */
static int decode_document(decoder *d, const cli_source *source, bsn_doc doc)
{
    bsn_error err = {0};
    if (d->skip > 0) {
        d->skip--;
        return CLI_OK;
    }
    const bsn_status status = cli_sink_add(&d->sink, doc, &err);
    if (status == BSN_OK) {
        d->left--;
        d->documents++;
        d->bytes += doc.len;
        return CLI_OK;
    }
    cli_progress_clear(&d->progress);
    if (status == BSN_E_IO) return CLI_SYSTEM;
    const int flush_code = cli_sink_flush(&d->sink);
    if (flush_code != CLI_OK) return flush_code;
    const int code = cli_source_report(source, doc, &err);
    if (!d->keep_going || status == BSN_E_NOMEM) return code;
    d->skipped = true;
    return CLI_OK;
}

static int decode_documents(decoder *d, cli_source *source)
{
    bsn_doc doc;
    int code = CLI_OK;
    while (code == CLI_OK && d->left > 0 && cli_source_next(source, &doc)) {
        code = decode_document(d, source, doc);
        if (code == CLI_OK && (cli_sink_is_full(&d->sink) || !bsn_input_ready(&source->in))) {
            code = cli_sink_flush(&d->sink);
            cli_progress_tick(&d->progress, d->documents, d->bytes);
        }
    }
    cli_progress_clear(&d->progress);
    if (code == CLI_OK) code = cli_sink_flush(&d->sink);
    return code != CLI_OK ? code : cli_source_end(source);
}

static int decode_file(decoder *d, const char *path)
{
    cli_source source;
    int code = cli_source_open(&source, path, NULL);
    if (code == CLI_OK) code = decode_documents(d, &source);
    cli_source_close(&source);
    return code;
}

int cmd_decode(const cli_args *args)
{
    int count;
    char *const *files = cli_source_files(args, 0, &count);
    decoder d = {.keep_going = args->given[CLI_KEEP_GOING],
                 .skip = args->number[CLI_SKIP],
                 .left = args->number[CLI_LIMIT_DOCUMENTS]};
    if (d.left == 0) d.left = UINT64_MAX;
    int code = cli_sink_open(&d.sink, args);
    if (code != CLI_OK) return code;
    cli_progress_start(&d.progress, args->given[CLI_QUIET]);
    for (int i = 0; i < count && code == CLI_OK && d.left > 0; i++) {
        code = decode_file(&d, files[i]);
    }
    cli_progress_clear(&d.progress);
    if (code == CLI_OK && d.skipped) code = CLI_SKIPPED;
    return cli_sink_close(&d.sink, code);
}
