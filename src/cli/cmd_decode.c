/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_decode.c -- bsonic decode: BSON files to Extended JSON, one line a document.
 */
#include "cli/command.h"
#include "cli/memory.h"
#include "cli/progress.h"
#include "cli/sink.h"

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

static cli_place place_of(const bsn_input *in, bsn_str name, bsn_bytes bytes, uint64_t number)
{
    const cli_place place = {
        .name = name, .number = number, .offset = bsn_input_offset(in), .bytes = bytes};
    return place;
}

/* Prints one document. A damaged one is told of after what came before it has been written. */
static int decode_document(decoder *d, const bsn_input *in, bsn_str name, bsn_doc doc)
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
    if (status == BSN_E_NOMEM) return cli_report(name, &err);
    const cli_place place = place_of(in, name, bsn_doc_bytes(doc), bsn_input_count(in));
    const int code = cli_report_document(&place, &err);
    if (!d->keep_going) return code;
    d->skipped = true;
    return CLI_OK;
}

/* What is told of an input that ended in a fault: of the file, or of the document that could not be had. */
static int report_input(const bsn_input *in, bsn_str name)
{
    bsn_error err = {0};
    const bsn_status status = bsn_input_error(in, &err);
    if (status == BSN_OK) return CLI_OK;
    if (status == BSN_E_IO || status == BSN_E_NOMEM) return cli_report(name, &err);
    const cli_place place = place_of(in, name, bsn_input_rest(in), bsn_input_count(in) + 1);
    return cli_report_document(&place, &err);
}

static int decode_input(decoder *d, bsn_input *in, bsn_str name)
{
    const bsn_bytes front = bsn_input_peek(in);
    bsn_doc doc;
    int code = CLI_OK;
    if (cli_is_json_text(front)) {
        bsn_error err = {0};
        bsn_error_set(&err, BSN_E_LENGTH, 0, "this looks like JSON text, not BSON");
        const cli_place place = place_of(in, name, front, 1);
        return cli_report_document(&place, &err);
    }
    while (code == CLI_OK && d->left > 0 && bsn_input_next(in, &doc)) {
        code = decode_document(d, in, name, doc);
        if (code == CLI_OK && (cli_sink_is_full(&d->sink) || !bsn_input_ready(in))) {
            code = cli_sink_flush(&d->sink);
            cli_progress_tick(&d->progress, d->documents, d->bytes);
        }
    }
    cli_progress_clear(&d->progress);
    if (code != CLI_OK) return code;
    code = cli_sink_flush(&d->sink);
    return code != CLI_OK ? code : report_input(in, name);
}

static int decode_file(decoder *d, const char *path)
{
    const bsn_input_options options = {.alloc = cli_memory()};
    const bool standard = path[0] == '-' && path[1] == '\0';
    const bsn_str name = bsn_str_from(standard ? "standard input" : path);
    bsn_error err = {0};
    bsn_input in;
    int code;
    if (bsn_input_open(&in, path, &options, &err) == BSN_OK) {
        code = decode_input(d, &in, name);
    } else {
        code = cli_report(name, &err);
    }
    bsn_input_free(&in);
    return code;
}

int cmd_decode(const cli_args *args)
{
    char standard_input[] = "-";
    char *no_operands[] = {standard_input};
    char **files = args->operand_count > 0 ? args->operands : no_operands;
    const int count = args->operand_count > 0 ? args->operand_count : 1;
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
