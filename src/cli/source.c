/* SPDX-License-Identifier: Apache-2.0
 *
 * source.c -- the documents of the files that a command names.
 */
#include "cli/source.h"

#include "cli/memory.h"

#include <string.h>

bool cli_source_is_standard_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

bsn_str cli_source_name(const char *path)
{
    if (path[0] == '\0')
        return BSN_STR("''"); /* else nobody sees that it is the name which is empty */
    return cli_source_is_standard_input(path) ? BSN_STR("standard input") : bsn_str_from(path);
}

char *const *cli_source_files(const cli_args *args, int first, int *count)
{
    static char standard_input[] = "-";
    static char *const no_files[] = {standard_input};
    *count = args->operand_count - first;
    if (*count > 0) return args->operands + first;
    *count = 1;
    return no_files;
}

static int report_place(const cli_source *s, bsn_bytes bytes, uint64_t number, const bsn_error *err)
{
    const cli_place place = {
        .name = s->name, .number = number, .offset = bsn_input_offset(&s->in), .bytes = bytes};
    return cli_report_document(&place, err);
}

int cli_source_open(cli_source *s, const char *path, const bsn_input_options *options)
{
    bsn_input_options o = {.alloc = cli_memory()};
    bsn_error err = {0};
    if (options != NULL) o = *options;
    o.alloc = cli_memory();
    s->name = cli_source_name(path);
    if (bsn_input_open(&s->in, path, &o, &err) != BSN_OK) return cli_report(s->name, &err);
    const char *kind = cli_other_kind(bsn_input_peek(&s->in), false);
    return kind == NULL ? CLI_OK : cli_report_kind(s->name, kind);
}

int cli_source_report(const cli_source *s, bsn_doc doc, const bsn_error *err)
{
    if (err->status == BSN_E_NOMEM) return cli_report(s->name, err);
    return report_place(s, bsn_doc_bytes(doc), bsn_input_count(&s->in), err);
}

int cli_source_end(const cli_source *s)
{
    bsn_error err = {0};
    const bsn_status status = bsn_input_error(&s->in, &err);
    if (status == BSN_OK) return CLI_OK;
    if (status == BSN_E_IO || status == BSN_E_NOMEM) return cli_report(s->name, &err);
    return report_place(s, bsn_input_rest(&s->in), bsn_input_count(&s->in) + 1, &err);
}

void cli_source_close(cli_source *s)
{
    bsn_input_free(&s->in);
}
