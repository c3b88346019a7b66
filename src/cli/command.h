/* SPDX-License-Identifier: Apache-2.0
 *
 * command.h -- the commands of the binary, their options, and what is common to them.
 *
 * The option table in options.c is the one place that knows an option: its spelling, argument, help line, and the commands
 * that take it. The parser and --help are made of it. A command is a row of the table in main.c and one function,
 *
 *   int cmd_<verb>(const struct cli_args *args);
 *
 * which returns an exit code below. Data goes to stdout, everything else to stderr.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <bsonic/base.h>

/* Exit codes. A signal's 128+N is the shell's. */
enum {
    CLI_OK = 0,
    CLI_MALFORMED = 1, /* malformed input, truncated input too */
    CLI_USAGE = 2,
    CLI_SYSTEM = 3,  /* a system call, a file */
    CLI_NETWORK = 4, /* network, server, authentication */
    CLI_LIMIT = 5,   /* out of memory, or a limit of depth or size */
    CLI_SKIPPED = 6  /* --keep-going finished, but left documents out */
};

/* Every option of every command, by the name of its long form. */
typedef enum cli_option {
    CLI_HELP,
    CLI_RELAXED,
    CLI_CANONICAL,
    CLI_SAFE,
    CLI_SHELL,
    CLI_PRETTY,
    CLI_ARRAY,
    CLI_UTF8,
    CLI_REVERSIBLE,
    CLI_LEGACY,
    CLI_BIG_INT,
    CLI_SUB_MS,
    CLI_BSON,
    CLI_OUTPUT,
    CLI_FORCE,
    CLI_SKIP,
    CLI_LIMIT_DOCUMENTS, /* --limit */
    CLI_KEEP_GOING,
    CLI_LEVEL,
    CLI_MAX_DEPTH,
    CLI_BATCH_SIZE,
    CLI_UNORDERED,
    CLI_WRITE_CONCERN,
    CLI_DROP,
    CLI_SKIP_DUPLICATES,
    CLI_JSON,
    CLI_QUIET,
    CLI_STATS,
    CLI_PORT,
    CLI_BIND,
    CLI_OPTION_COUNT
} cli_option;

/* What the command line said. */
typedef struct cli_args {
    const struct cli_command *command;
    bool given[CLI_OPTION_COUNT];
    const char *text[CLI_OPTION_COUNT]; /* the argument as it stands; NULL without one */
    uint64_t number[CLI_OPTION_COUNT]; /* options that take a number: its value, 0 when not given */
    char **operands;
    int operand_count;
} cli_args;

/* A command: a row of the table in main.c. */
typedef struct cli_command {
    const char *name;
    const char *operands; /* as help shows them: "[FILE...]" */
    const char *purpose;  /* one line, without a full stop */
    const char *notes;    /* what help says below the options; NULL: nothing */
    const char *needs;    /* said when there are fewer than operands_min; NULL: there cannot be */
    int operands_min;
    int operands_max; /* -1: any number */
    int (*run)(const cli_args *args);
} cli_command;

int cmd_decode(const cli_args *args);
int cmd_encode(const cli_args *args);
int cmd_validate(const cli_args *args);
int cmd_pull(const cli_args *args);
int cmd_push(const cli_args *args);
int cmd_serve(const cli_args *args);
int cmd_version(const cli_args *args);

/* Reads the options and operands behind the command's name. argv is reordered: operands in front.
 * Returns CLI_OK; or CLI_USAGE, and has said on stderr what is wrong. */
int cli_parse(const cli_command *command, int argc, char **argv, cli_args *args);

/* Text of digits and nothing else as a number, up to max. False, and *number untouched, for anything else. */
bool cli_read_number(const char *text, uint64_t max, uint64_t *number);

/* Prints a command's help, made of its row and the option table. */
void cli_print_help(const cli_command *command);

/* ------------------------------------------------------------------ messages */

/* The exit code that stands for a status met while reading or writing files. */
int cli_exit_code(bsn_status status);

/* "bsonic: " and the text, formatted, and a line feed, on stderr. Names and keys are passed through cli_escape first. */
void cli_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* "bsonic: ", the text, and a hint where the command's help is; returns CLI_USAGE. command NULL: the program's help. */
int cli_usage_error(const cli_command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* What a word gets behind it when there are so many: "s", or nothing for one. */
static inline const char *cli_s(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* Room for an escaped name: longer ones end in "...". */
#define CLI_ESCAPED_MAX 512

/* Copies text to `to`, fit for a message on a terminal: control characters, backslashes and bytes that are not UTF-8 as \xHH, a
 * line feed and a tab as \n and \t. Returns to, which ends in a zero byte. */
const char *cli_escape(bsn_str text, char to[CLI_ESCAPED_MAX]);

/* Says what failed: "bsonic: NAME: reason". Returns cli_exit_code(err->status). */
int cli_report(bsn_str name, const bsn_error *err);

/* A document that is at fault. */
typedef struct cli_place {
    bsn_str name;    /* of the file, or the namespace */
    uint64_t number; /* of the document in it, from 1 */
    uint64_t offset; /* of the document's first byte in it */
    bsn_bytes
        bytes; /* the document, as far as it is there, and what follows if its end is not known */
} cli_place;

/* Says where and why a document is damaged: "bsonic: FILE: document N at byte B: reason (path a.b.3)"; and if its length does not
 * agree with its elements, that. err->offset counts from the
 * document's first byte. Returns cli_exit_code(err->status). */
int cli_report_document(const cli_place *place, const bsn_error *err);

/* Says where and why text cannot be read: "bsonic: FILE: document N at line L, column C (byte B): reason". Returns
 * cli_exit_code(err->status). */
int cli_report_text(bsn_str name, uint64_t number, const bsn_error *err);

/* What a file is, by its first bytes, when it cannot be the BSON or (is_text) the JSON text that it is read as: a sentence. NULL when
 * it may be. */
const char *cli_other_kind(bsn_bytes front, bool is_text);

/* Says that a file is of another kind: "bsonic: FILE: document 1 at byte 0: this looks like JSON text, .." Returns CLI_MALFORMED. */
int cli_report_kind(bsn_str name, const char *kind);

#endif
