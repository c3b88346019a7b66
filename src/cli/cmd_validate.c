/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_validate.c -- bsonic validate: is every document of these files sound? Says where the first one is not.
 */
#include "cli/command.h"
#include "cli/memory.h"

#include <bsonic/io.h>
#include <bsonic/validate.h>

#include <string.h>

static int check_document(const bsn_input *in, bsn_str name, bsn_doc doc,
                          const bsn_validate_options *options)
{
    bsn_error err = {0};
    const bsn_status status = bsn_validate(bsn_doc_bytes(doc), options, NULL, &err);
    if (status == BSN_OK) return CLI_OK;
    if (status == BSN_E_NOMEM) return cli_report(name, &err);
    const cli_place place = {.name = name,
                             .number = bsn_input_count(in),
                             .offset = bsn_input_offset(in),
                             .bytes = bsn_doc_bytes(doc)};
    return cli_report_document(&place, &err);
}

static int check_input(bsn_input *in, bsn_str name, const bsn_validate_options *options)
{
    bsn_error err = {0};
    bsn_doc doc;
    const bsn_bytes front = bsn_input_peek(in);
    cli_place place = {.name = name, .number = 1, .bytes = front};
    if (cli_is_json_text(front)) {
        bsn_error_set(&err, BSN_E_LENGTH, 0, "this looks like JSON text, not BSON");
        return cli_report_document(&place, &err);
    }
    while (bsn_input_next(in, &doc)) {
        const int code = check_document(in, name, doc, options);
        if (code != CLI_OK) return code;
    }
    const bsn_status status = bsn_input_error(in, &err);
    if (status == BSN_OK) return CLI_OK;
    if (status == BSN_E_IO || status == BSN_E_NOMEM) return cli_report(name, &err);
    place.number = bsn_input_count(in) + 1;
    place.offset = bsn_input_offset(in);
    place.bytes = bsn_input_rest(in);
    return cli_report_document(&place, &err);
}

static int check_file(const char *path, const bsn_validate_options *options)
{
    const bsn_input_options input_options = {.alloc = cli_memory()};
    const bool standard = strcmp(path, "-") == 0;
    const bsn_str name = bsn_str_from(standard ? "standard input" : path);
    bsn_error err = {0};
    bsn_input in;
    int code;
    if (bsn_input_open(&in, path, &input_options, &err) == BSN_OK) {
        code = check_input(&in, name, options);
    } else {
        code = cli_report(name, &err);
    }
    bsn_input_free(&in);
    return code;
}

int cmd_validate(const cli_args *args)
{
    const char *level = args->text[CLI_LEVEL];
    bsn_validate_options options = {.level = BSN_LEVEL_UTF8,
                                    .depth_max = (uint32_t)args->number[CLI_MAX_DEPTH],
                                    .alloc = cli_memory()};
    if (level != NULL && strcmp(level, "structure") == 0) {
        options.level = BSN_LEVEL_STRUCTURE;
    } else if (level != NULL && strcmp(level, "utf8") != 0) {
        return cli_usage_error(args->command, "--level is structure or utf8");
    }
    if (args->operand_count == 0) return check_file("-", &options);
    int code = CLI_OK;
    for (int i = 0; i < args->operand_count && code == CLI_OK; i++) {
        code = check_file(args->operands[i], &options);
    }
    return code;
}
