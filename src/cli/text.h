/* SPDX-License-Identifier: Apache-2.0
 *
 * text.h -- the documents of a file of Extended JSON, with the words for what can be wrong with them.
 *
 *   cli_text t;
 *   int code = cli_text_open(&t, path, &options, NULL);
 *   while (code == CLI_OK && cli_text_fill(&t)) {                    reads
 *       while (code == CLI_OK && cli_text_next(&t, &doc)) use(doc);    what is there
 *       if (code == CLI_OK && cli_text_failed(&t)) code = cli_text_report(&t);
 *   }
 *   if (code == CLI_OK) code = cli_text_end(&t);
 *   cli_text_close(&t);
 */
#ifndef CLI_TEXT_H
#define CLI_TEXT_H

#include "cli/command.h"

#include <bsonic/io.h>
#include <bsonic/json_parse.h>

typedef struct cli_text {
    bsn_input in;
    bsn_str name; /* of the file, for messages */
    bsn_shape shape;
    bsn_json_parser parser;
    uint64_t left_out; /* faulty documents passed by */
    bool ended;        /* the parser knows that the file is at its end, or cannot be read on */
} cli_text;

/* What the options say about parsing. Returns an exit code, and has said why. */
int cli_text_options(const cli_args *args, bsn_json_parse_options *options);

/* Opens a file. What cannot be opened or is of another kind is told. NULL input_options: the defaults. Returns an exit code;
 * cli_text_close in any case. */
int cli_text_open(cli_text *t, const char *path, const bsn_json_parse_options *options,
                  const bsn_input_options *input_options);

/* Reads once. False when there is no more to be parsed: after the end of the file, which is a piece of its own, since the text may
 * end inside a document, and after a file that could not be read. */
bool cli_text_fill(cli_text *t);

/* The next document of what has been read; it lives until the next call. False when more must be read, and at a fault. */
static inline bool cli_text_next(cli_text *t, bsn_doc *doc)
{
    return bsn_json_parser_next(&t->parser, doc);
}

/* True at a fault of the text. */
static inline bool cli_text_failed(const cli_text *t)
{
    return bsn_json_parser_status(&t->parser, NULL) != BSN_OK;
}

/* Says what is wrong with the text: "bsonic: FILE: document N at line L, column C (byte B): reason". Returns the exit code. */
int cli_text_report(const cli_text *t);

/* Goes on at the line after the fault. False when that cannot be done, and has said why if it is because the text is an array. */
bool cli_text_pass_by(cli_text *t);

/* Says why the file could not be read to its end, if so. Returns the exit code. */
int cli_text_end(const cli_text *t);

void cli_text_close(cli_text *t);

#endif
