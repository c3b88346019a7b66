/* SPDX-License-Identifier: Apache-2.0
 *
 * sink.h -- where decode, encode and pull put documents: as text or as they are, into pooled blocks, out by writev.
 */
#ifndef CLI_SINK_H
#define CLI_SINK_H

#include "cli/command.h"

#include <bsonic/io.h>
#include <bsonic/json.h>

typedef struct cli_sink {
    const char *path; /* NULL: standard output */
    bool as_bson;
    bool as_array;
    bool quiet; /* of warnings */
    bsn_json_options json;
    bsn_json_report report;
    uint64_t documents; /* in the array so far */
    bool has_drained;   /* of the document at hand, text that cannot be taken back */
    bsn_pool pool;
    bsn_out out;
    bsn_output to;
} cli_sink;

/* For a command that writes BSON: refuses to write it to a terminal, where nobody can read it and some of its bytes are commands.
 * Returns an exit code, and has said why. */
int cli_sink_check_terminal(const cli_args *args);

/* Opens the output that the options name. Returns an exit code, and has said why; not CLI_OK leaves nothing to close. */
int cli_sink_open(cli_sink *sink, const cli_args *args);

/* Adds a document. A document at fault leaves the output as it was: its status and place; BSN_E_NOMEM ends everything, and so does
 * BSN_E_IO: text went out before the whole of it was there, and that failed; cli_sink_add has said why.
 * What is larger than a few KiB and goes out as it is may be referenced: it must live until the next flush. */
bsn_status cli_sink_add(cli_sink *sink, bsn_doc doc, bsn_error *err);

/* Adds a document as it is; it need not live on: a large one is written now. Returns an exit code, and has said why. */
int cli_sink_add_bson(cli_sink *sink, bsn_doc doc);

/* True when so much waits that it should go out. */
bool cli_sink_is_full(const cli_sink *sink);

/* Writes what waits. Returns an exit code, and has said why. */
int cli_sink_flush(cli_sink *sink);

/* Writes what waits and closes. A file gets its name only when `code` so far is CLI_OK or CLI_SKIPPED; else it is removed, and
 * that is said. Returns code, or the exit code of what went wrong here. */
int cli_sink_close(cli_sink *sink, int code);

#endif
