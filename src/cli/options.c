/* SPDX-License-Identifier: Apache-2.0
 *
 * options.c -- the option table, and the parser and help made of it.
 *
 *   --name  --name=ARG  --name ARG  -n  -nARG  -n ARG  -abc (three without arguments)  --  (operands only from here)
 */
#include "cli/command.h"
#include "cli/near.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

typedef enum argument_kind { NO_ARGUMENT, TEXT, NUMBER } argument_kind;

typedef struct option_row {
    const char *name;
    const char *argument; /* as help shows it */
    const char *commands; /* those that take it, separated by blanks; NULL: all */
    const char *help;
    uint64_t min, max; /* NUMBER */
    cli_option id;
    argument_kind kind;
    int group;   /* of options that exclude each other; 0: none */
    char letter; /* the short form; 0: none */
} option_row;

enum { FORM = 1 };

/* In the order of help. */
static const option_row rows[] = {
    {.id = CLI_RELAXED,
     .name = "relaxed",
     .group = FORM,
     .commands = "decode pull",
     .help = "relaxed Extended JSON, the default: integers lose their width"},
    {.id = CLI_CANONICAL,
     .name = "canonical",
     .group = FORM,
     .commands = "decode pull",
     .help = "canonical Extended JSON: every type spelt out, reads back exactly"},
    {.id = CLI_SAFE,
     .name = "safe",
     .group = FORM,
     .commands = "decode pull",
     .help = "relaxed, but no plain integer that JavaScript would round"},
    {.id = CLI_LEGACY,
     .name = "legacy",
     .group = FORM,
     .commands = "decode pull",
     .help = "Extended JSON of version 1, which encode --legacy reads back"},
    {.id = CLI_SHELL,
     .name = "shell",
     .group = FORM,
     .commands = "decode pull",
     .help = "what mongosh evaluates: ObjectId(\"..\"), ISODate(\"..\"); no JSON"},
    {.id = CLI_PRETTY,
     .name = "pretty",
     .commands = "decode pull",
     .help = "each field on a line of its own, indented by two spaces"},
    {.id = CLI_ARRAY,
     .name = "array",
     .commands = "decode pull",
     .help = "all documents as one array"},
    {.id = CLI_UTF8,
     .name = "utf8",
     .kind = TEXT,
     .argument = "HOW",
     .commands = "decode pull",
     .help =
         "text that is not UTF-8: error (default), replace (U+FFFD) or escape (\\u0080..\\u00ff)"},
    {.id = CLI_REVERSIBLE,
     .name = "reversible",
     .commands = "decode pull",
     .help = "refuse documents that text cannot tell from wrappers: {\"$oid\": 5}"},
    {.id = CLI_BSON,
     .name = "bson",
     .group = FORM,
     .commands = "pull",
     .help = "documents as they are, not text"},
    {.id = CLI_LEGACY,
     .name = "legacy",
     .commands = "encode push",
     .help = "take the forms of version 1 too: {\"$date\": 1356351330501} and its like"},
    {.id = CLI_BIG_INT,
     .name = "big-int",
     .kind = TEXT,
     .argument = "HOW",
     .commands = "encode push",
     .help = "integers beyond 64 bits: double (default), the nearest one, or error"},
    {.id = CLI_SUB_MS,
     .name = "sub-ms",
     .kind = TEXT,
     .argument = "HOW",
     .commands = "encode push",
     .help = "digits of a date below the millisecond: error (default), or floor drops them"},
    {.id = CLI_LEVEL,
     .name = "level",
     .kind = TEXT,
     .argument = "LEVEL",
     .commands = "validate",
     .help = "structure, or utf8 (default): text is checked to be UTF-8 too"},
    {.id = CLI_MAX_DEPTH,
     .name = "max-depth",
     .kind = NUMBER,
     .argument = "N",
     .min = 1,
     .max = 65535,
     .commands = "decode encode validate pull",
     .help = "refuse documents nested deeper than N (default 200)"},
    {.id = CLI_SKIP,
     .name = "skip",
     .kind = NUMBER,
     .argument = "N",
     .max = INT64_MAX,
     .commands = "decode pull",
     .help = "leave out the first N documents"},
    {.id = CLI_LIMIT_DOCUMENTS,
     .name = "limit",
     .kind = NUMBER,
     .argument = "N",
     .max = INT64_MAX,
     .commands = "decode pull",
     .help = "at most N documents (0: all)"},
    {.id = CLI_BATCH_SIZE,
     .name = "batch-size",
     .kind = NUMBER,
     .argument = "N",
     .min = 1,
     .max = INT32_MAX - 1,
     .commands = "pull",
     .help = "documents in one message (default: the server's choice)"},
    {.id = CLI_BATCH_SIZE,
     .name = "batch-size",
     .kind = NUMBER,
     .argument = "N",
     .min = 1,
     .max = INT32_MAX - 1,
     .commands = "push",
     .help = "documents in one message (default: as many as it holds)"},
    {.id = CLI_UNORDERED,
     .name = "unordered",
     .commands = "push",
     .help = "go on after a document that the server refuses"},
    {.id = CLI_SKIP_DUPLICATES,
     .name = "skip-duplicates",
     .commands = "push",
     .help = "pass by documents whose key is there already; implies --unordered"},
    {.id = CLI_WRITE_CONCERN,
     .name = "write-concern",
     .kind = TEXT,
     .argument = "W",
     .commands = "push",
     .help = "servers that must have a write: a number, majority, a tag (not the URI's w, j)"},
    {.id = CLI_DROP, .name = "drop", .commands = "push", .help = "drop the collection first"},
    {.id = CLI_JSON,
     .name = "json",
     .commands = "push",
     .help = "files hold Extended JSON: lines, documents one after another, or one array"},
    {.id = CLI_KEEP_GOING,
     .name = "keep-going",
     .commands = "decode encode",
     .help = "leave out damaged documents, say which, end with exit code 6"},
    {.id = CLI_OUTPUT,
     .name = "output",
     .letter = 'o',
     .kind = TEXT,
     .argument = "FILE",
     .commands = "decode encode pull",
     .help = "write to FILE, which appears only when it is complete"},
    {.id = CLI_FORCE,
     .name = "force",
     .commands = "decode encode pull",
     .help = "let --output replace a file that exists"},
    {.id = CLI_PORT,
     .name = "port",
     .kind = NUMBER,
     .argument = "N",
     .max = 65535,
     .commands = "serve",
     .help = "port to listen on (default 27017); 0: any free one, which is printed"},
    {.id = CLI_BIND,
     .name = "bind",
     .kind = TEXT,
     .argument = "HOST",
     .commands = "serve",
     .help = "address to listen on (default 127.0.0.1)"},
    {.id = CLI_QUIET,
     .name = "quiet",
     .letter = 'q',
     .commands = "decode encode pull push serve",
     .help = "no warnings, no progress"},
    {.id = CLI_STATS,
     .name = "stats",
     .commands = "pull push",
     .help = "say at the end what the stream cost: time, system calls, memory"},
    {.id = CLI_HELP, .name = "help", .letter = 'h', .help = "this text"},
};

static const size_t row_count = sizeof rows / sizeof rows[0];

/* True when the command takes the option: its name is one of the row's, which are separated by blanks. */
static bool takes(const cli_command *command, const option_row *row)
{
    if (row->commands == NULL) return true;
    const size_t len = strlen(command->name);
    for (const char *at = row->commands; at != NULL; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, command->name, len) == 0 && (at[len] == ' ' || at[len] == '\0')) {
            return true;
        }
    }
    return false;
}

static const option_row *row_named(const cli_command *command, const char *name, size_t len)
{
    for (size_t i = 0; i < row_count; i++) {
        if (strncmp(rows[i].name, name, len) == 0 && rows[i].name[len] == '\0' &&
            takes(command, &rows[i])) {
            return &rows[i];
        }
    }
    return NULL;
}

static const option_row *row_lettered(const cli_command *command, char letter)
{
    for (size_t i = 0; i < row_count; i++) {
        if (rows[i].letter == letter && takes(command, &rows[i])) return &rows[i];
    }
    return NULL;
}

/* ------------------------------------------------------------------ parsing */

bool cli_read_number(const char *text, uint64_t max, uint64_t *number)
{
    uint64_t sum = 0;
    if (*text == '\0') return false;
    for (; *text != '\0'; text++) {
        if (*text < '0' || *text > '9') return false;
        const uint64_t digit = (uint64_t)(*text - '0');
        if (digit > max || sum > (max - digit) / 10) return false;
        sum = sum * 10 + digit;
    }
    *number = sum;
    return true;
}

/* The argument of an option that takes a number, within the row's limits. */
static bool read_number(const option_row *row, const char *text, uint64_t *number)
{
    return cli_read_number(text, row->max, number) && *number >= row->min;
}

static const option_row *given_rival(const cli_args *args, const option_row *row)
{
    for (size_t i = 0; row->group != 0 && i < row_count; i++) {
        if (&rows[i] != row && rows[i].group == row->group && args->given[rows[i].id]) {
            return &rows[i];
        }
    }
    return NULL;
}

/* Takes in one option; text is its argument, NULL for none. */
static int take_option(cli_args *args, const option_row *row, const char *text)
{
    char escaped[CLI_ESCAPED_MAX];
    const option_row *rival = given_rival(args, row);
    if (rival != NULL) {
        return cli_usage_error(args->command, "--%s and --%s exclude each other", rival->name,
                               row->name);
    }
    args->given[row->id] = true;
    args->text[row->id] = text;
    if (text != NULL && row->kind == NUMBER && !read_number(row, text, &args->number[row->id])) {
        return cli_usage_error(args->command,
                               "--%s: not a number from %" PRIu64 " to %" PRIu64 ": %s", row->name,
                               row->min, row->max, cli_escape(bsn_str_from(text), escaped));
    }
    return CLI_OK;
}

/* Refuses --name: says which option of the command it is near to, or else which commands have one of that name. */
static int refuse_option(const cli_command *command, bsn_str name)
{
    char escaped[CLI_ESCAPED_MAX], others[64] = "";
    const char *word = cli_escape(name, escaped) + 2;
    cli_near near = cli_near_to((bsn_str){.ptr = name.ptr + 2, .len = name.len - 2});
    for (size_t i = 0; i < row_count; i++) {
        if (takes(command, &rows[i])) cli_near_try(&near, rows[i].name);
        if (strcmp(rows[i].name, word) == 0) {
            snprintf(others, sizeof others, "%s", rows[i].commands);
        }
    }
    for (char *blank = others; (blank = strchr(blank, ' ')) != NULL;) *blank = '/';
    if (others[0] != '\0') {
        return cli_usage_error(command, "unknown option %s (%s has it)", escaped, others);
    }
    if (near.name == NULL) return cli_usage_error(command, "unknown option %s", escaped);
    return cli_usage_error(command, "unknown option %s (did you mean --%s?)", escaped, near.name);
}

/* --name, --name=ARG, --name ARG. *at is the index of the word, and moves to the argument when that is a word of its own. */
static int take_long(cli_args *args, int argc, char **argv, int *at)
{
    const char *word = argv[*at] + 2;
    const size_t len = strcspn(word, "=");
    const option_row *row = row_named(args->command, word, len);
    if (row == NULL) {
        const bsn_str name = {.ptr = argv[*at], .len = len + 2};
        return refuse_option(args->command, name);
    }
    const char *text = word[len] == '=' ? word + len + 1 : NULL;
    if (row->kind == NO_ARGUMENT && text != NULL) {
        return cli_usage_error(args->command, "--%s takes no argument", row->name);
    }
    if (row->kind != NO_ARGUMENT && text == NULL) {
        if (*at + 1 == argc) {
            return cli_usage_error(args->command, "--%s needs %s", row->name, row->argument);
        }
        text = argv[++*at];
    }
    return take_option(args, row, text);
}

/* -n, -nARG, -n ARG, or several letters in one word. */
static int take_short(cli_args *args, int argc, char **argv, int *at)
{
    char escaped[CLI_ESCAPED_MAX];
    for (const char *letter = argv[*at] + 1; *letter != '\0'; letter++) {
        const option_row *row = row_lettered(args->command, *letter);
        if (row == NULL) {
            const bsn_str name = {.ptr = letter, .len = 1};
            return cli_usage_error(args->command, "unknown option -%s", cli_escape(name, escaped));
        }
        const char *text = NULL;
        if (row->kind != NO_ARGUMENT) {
            text = letter[1] != '\0' ? letter + 1 : NULL;
            if (text == NULL && *at + 1 == argc) {
                return cli_usage_error(args->command, "-%c needs %s", *letter, row->argument);
            }
            if (text == NULL) text = argv[++*at];
        }
        const int code = take_option(args, row, text);
        if (code != CLI_OK || text != NULL) return code;
    }
    return CLI_OK;
}

static int check_operands(const cli_args *args)
{
    const cli_command *command = args->command;
    if (args->given[CLI_HELP]) return CLI_OK;
    if (args->operand_count < command->operands_min) {
        return cli_usage_error(command, "%s needs %s", command->name, command->needs);
    }
    if (command->operands_max >= 0 && args->operand_count > command->operands_max) {
        char escaped[CLI_ESCAPED_MAX];
        return cli_usage_error(
            command, "%s: one too many: %s", command->name,
            cli_escape(bsn_str_from(args->operands[command->operands_max]), escaped));
    }
    return CLI_OK;
}

int cli_parse(const cli_command *command, int argc, char **argv, cli_args *args)
{
    const cli_args fresh = {.command = command, .operands = argv};
    bool options_over = false;
    *args = fresh;
    for (int i = 0; i < argc; i++) {
        char *word = argv[i];
        int code = CLI_OK;
        if (options_over || word[0] != '-' || word[1] == '\0') {
            args->operands[args->operand_count++] = word; /* never ahead of i */
        } else if (strcmp(word, "--") == 0) {
            options_over = true;
        } else if (word[1] == '-') {
            code = take_long(args, argc, argv, &i);
        } else {
            code = take_short(args, argc, argv, &i);
        }
        if (code != CLI_OK) return code;
    }
    return check_operands(args);
}

/* ------------------------------------------------------------------ help */

static void print_row(const option_row *row)
{
    char left[40], letter[5] = "    ";
    if (row->letter != 0) snprintf(letter, sizeof letter, "-%c, ", row->letter);
    snprintf(left, sizeof left, "  %s--%s %s", letter, row->name,
             row->argument != NULL ? row->argument : "");
    printf("%-26s%s\n", left, row->help);
}

void cli_print_help(const cli_command *command)
{
    printf("usage: bsonic %s [options] %s\n\n%s.\n\n", command->name, command->operands,
           command->purpose);
    for (size_t i = 0; i < row_count; i++) {
        if (takes(command, &rows[i])) print_row(&rows[i]);
    }
    if (command->notes != NULL) printf("\n%s\n", command->notes);
}
