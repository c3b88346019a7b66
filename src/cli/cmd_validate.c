/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_validate.c -- bsonic validate: is every document of these files sound? Says where the first one is not.
 */
#include "cli/command.h"
#include "cli/memory.h"
#include "cli/source.h"

#include <bsonic/validate.h>

#include <string.h>

static int check_documents(cli_source *source, const bsn_validate_options *options)
{
    bsn_error err = {0};
    bsn_doc doc;
    while (cli_source_next(source, &doc)) {
        if (bsn_validate(bsn_doc_bytes(doc), options, NULL, &err) != BSN_OK) {
            return cli_source_report(source, doc, &err);
        }
    }
    return cli_source_end(source);
}

static int check_file(const char *path, const bsn_validate_options *options)
{
    cli_source source;
    int code = cli_source_open(&source, path, NULL);
    if (code == CLI_OK) code = check_documents(&source, options);
    cli_source_close(&source);
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
    int count, code = CLI_OK;
    char *const *files = cli_source_files(args, 0, &count);
    for (int i = 0; i < count && code == CLI_OK; i++) code = check_file(files[i], &options);
    return code;
}
