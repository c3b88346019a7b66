/* SPDX-License-Identifier: Apache-2.0
 *
 * text.c -- the documents of a file of Extended JSON.
 */
#include "cli/text.h"

#include "cli/memory.h"
#include "cli/source.h"

#include <string.h>

/* An option that is one of two words; *second tells which. */
static int take_word(const cli_args *args, cli_option option, const char *const words[2],
                     const char *usage, bool *second)
{
    const char *text = args->text[option];
    *second = false;
    if (text == NULL || strcmp(text, words[0]) == 0) return CLI_OK;
    *second = true;
    return strcmp(text, words[1]) == 0 ? CLI_OK : cli_usage_error(args->command, "%s", usage);
}

int cli_text_options(const cli_args *args, bsn_json_parse_options *options)
{
    static const char *const big_int[2] = {"double", "error"};
    static const char *const sub_ms[2] = {"error", "floor"};
    bool refuses, floors;
    int code = take_word(args, CLI_BIG_INT, big_int, "--big-int is double or error", &refuses);
    if (code == CLI_OK) {
        code = take_word(args, CLI_SUB_MS, sub_ms, "--sub-ms is error or floor", &floors);
    }
    if (code != CLI_OK) return code;
    const bsn_json_parse_options o = {
        .legacy = args->given[CLI_LEGACY],
        .big_int = refuses ? BSN_JSON_BIG_INT_ERROR : BSN_JSON_BIG_INT_DOUBLE,
        .sub_ms = floors ? BSN_JSON_SUB_MS_FLOOR : BSN_JSON_SUB_MS_ERROR,
        .depth_max = (uint32_t)args->number[CLI_MAX_DEPTH],
        .alloc = cli_memory()};
    *options = o;
    return CLI_OK;
}

int cli_text_open(cli_text *t, const char *path, const bsn_json_parse_options *options,
                  const bsn_input_options *input_options)
{
    bsn_input_options o = {0};
    bsn_error err = {0};
    if (input_options != NULL) o = *input_options;
    o.alloc = cli_memory();
    bsn_json_parse_options shaped = *options;
    bsn_shape_init(&t->shape, cli_memory());
    shaped.shape = &t->shape;
    bsn_json_parser_init(&t->parser, &shaped);
    t->left_out = 0;
    t->ended = false;
    t->name = cli_source_name(path);
    if (bsn_input_open(&t->in, path, &o, &err) != BSN_OK) return cli_report(t->name, &err);
    const char *kind = cli_other_kind(bsn_input_peek(&t->in), true);
    return kind == NULL ? CLI_OK : cli_report_kind(t->name, kind);
}

bool cli_text_fill(cli_text *t)
{
    bsn_bytes piece;
    if (t->ended) return false;
    if (bsn_input_next_piece(&t->in, &piece)) {
        const bsn_str text = {.ptr = (const char *)piece.ptr, .len = piece.len};
        bsn_json_parser_feed(&t->parser, text);
        return true;
    }
    t->ended = true;
    if (bsn_input_error(&t->in, NULL) != BSN_OK)
        return false; /* that is told, not that the text ends there */
    bsn_json_parser_finish(&t->parser);
    return true;
}

int cli_text_report(const cli_text *t)
{
    bsn_error err = {0};
    const bsn_status status = bsn_json_parser_status(&t->parser, &err);
    if (status == BSN_E_NOMEM) return cli_report(t->name, &err);
    return cli_report_text(t->name, bsn_json_parser_count(&t->parser) + t->left_out + 1, &err);
}

bool cli_text_pass_by(cli_text *t)
{
    if (bsn_json_parser_status(&t->parser, NULL) == BSN_E_NOMEM) return false;
    if (!bsn_json_parser_skip_line(&t->parser)) {
        char escaped[CLI_ESCAPED_MAX];
        cli_say("%s: the documents are in one array: what follows a fault in it cannot be read",
                cli_escape(t->name, escaped));
        return false;
    }
    t->left_out++;
    return true;
}

int cli_text_end(const cli_text *t)
{
    bsn_error err = {0};
    if (bsn_input_error(&t->in, &err) == BSN_OK) return CLI_OK;
    return cli_report(t->name, &err);
}

void cli_text_close(cli_text *t)
{
    bsn_json_parser_free(&t->parser);
    bsn_shape_free(&t->shape);
    bsn_input_free(&t->in);
}
