/* SPDX-License-Identifier: Apache-2.0
 *
 * source.h -- the documents of the files that a command names, with the words for what can be wrong with them.
 *
 *   cli_source s;
 *   int code = cli_source_open(&s, path, NULL);
 *   while (code == CLI_OK && cli_source_next(&s, &doc)) code = use(doc) ? CLI_OK : cli_source_report(&s, doc, &err);
 *   if (code == CLI_OK) code = cli_source_end(&s);
 *   cli_source_close(&s);
 */
#ifndef CLI_SOURCE_H
#define CLI_SOURCE_H

#include "cli/command.h"

#include <bsonic/io.h>

typedef struct cli_source {
    bsn_input in;
    bsn_str name; /* of the file, for messages */
} cli_source;

/* The files that are named from operand `first` on; without any, "-" for standard input. *count is at least 1. */
char *const *cli_source_files(const cli_args *args, int first, int *count);

/* True for "-". */
bool cli_source_is_standard_input(const char *path);

/* What messages call the file. */
bsn_str cli_source_name(const char *path);

/* Opens a file. What cannot be opened or is of another kind is told. NULL options: the defaults. Returns an exit code; cli_source_close
 * in any case. */
int cli_source_open(cli_source *s, const char *path, const bsn_input_options *options);

/* The next document, as bsn_input_next. */
static inline bool cli_source_next(cli_source *s, bsn_doc *doc)
{
    return bsn_input_next(&s->in, doc);
}

/* Says what is wrong with the document handed out last. Returns the exit code. */
int cli_source_report(const cli_source *s, bsn_doc doc, const bsn_error *err);

/* Says why there are no more documents, unless the file is at its end: of the file, or of the document that could not be had. Returns
 * the exit code. */
int cli_source_end(const cli_source *s);

void cli_source_close(cli_source *s);

#endif
