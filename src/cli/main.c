/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c -- bsonic <command> [options] [operands]: finds the command, reads its options, runs it.
 */
#include "cli/command.h"
#include "cli/near.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char place_notes[] =
    "Without FILE, or for FILE -, standard input is read. Nothing is said of sound files.\n"
    "Documents count from 1, bytes from 0.\n"
    "Exit codes: 0 all sound; 1 malformed input; 2 usage; 3 file or system; 5 memory, depth\n"
    "or size.";

static const char decode_notes[] =
    "Without FILE, or for FILE -, standard input is read. Text goes to standard output, one\n"
    "line a document. Relaxed text reads back equal by value; 5 may come back as another\n"
    "width of integer. Canonical and legacy text reads back byte for byte, but for\n"
    "documents that look like wrappers, of which the number is told at the end.\n"
    "--keep-going cannot go on behind a document whose length is damaged.\n"
    "Exit codes: 0 done; 1 malformed input, what came before it is written; 2 usage; 3 file\n"
    "or system; 5 memory, depth or size; 6 done with damaged documents left out\n"
    "(--keep-going).";

static const char encode_notes[] =
    "Without FILE, or for FILE -, standard input is read. The text is documents of Extended\n"
    "JSON, lines or one after another, or one array of them; BSON goes to standard output,\n"
    "unless that is a terminal. An integer beyond 64 bits becomes the nearest double, as\n"
    "the specification says. --keep-going goes on at the line after a fault, but not inside\n"
    "an array. Documents, lines and columns count from 1, bytes from 0; a column is a byte\n"
    "of its line.\n"
    "Exit codes: 0 done; 1 malformed input, what came before it is written; 2 usage; 3 file\n"
    "or system; 5 memory, depth or size; 6 done with faulty documents left out\n"
    "(--keep-going).";

static const char pull_notes[] =
    "URI is mongodb://host:port/database?options; NS is database.collection, or the\n"
    "collection alone when the URI names the database. Not in this version: authentication,\n"
    "TLS, mongodb+srv, whole databases.\n"
    "Exit codes: 0 done; 1 damaged document; 2 usage; 3 file or system; 4 network or\n"
    "server; 5 memory, depth or size.";

static const char push_notes[] =
    "URI is mongodb://host:port/database?options; NS is database.collection, or the\n"
    "collection alone when the URI names the database. Without FILE, or for FILE -,\n"
    "standard input is read. Documents go as they are; one without _id gets one. Of the\n"
    "URI's options w, journal and wtimeoutMS say when a write counts. Not in this version:\n"
    "dump directories, authentication, TLS, mongodb+srv.\n"
    "Exit codes: 0 all inserted; 1 malformed input, what came before it is inserted;\n"
    "2 usage; 3 file or system; 4 network or server, documents that it refused; 5 memory,\n"
    "depth, or a document larger than the server takes.";

static const char serve_notes[] =
    "FILE is served as dump.<its name>, DIR/coll.bson as dump.coll, DIR/db/coll.bson as\n"
    "db.coll. The first line on standard output is \"listening on ADDRESS:PORT\". Files are\n"
    "read where they lie, and must not change. Documents are found by _id or one after the\n"
    "other.\n"
    "Exit codes: 1 a file that is not BSON; 2 usage, one namespace twice; 3 file, address\n"
    "or system; 4 host name not resolved; 5 memory; 128 + N when signal N has ended it.";

/* The commands, in the order of help. */
static const cli_command commands[] = {
    {"decode", "[FILE...]", "Print BSON files as text, one line a document", decode_notes, NULL, 0,
     -1, cmd_decode},
    {"encode", "[FILE...]", "Write files of Extended JSON as BSON", encode_notes, NULL, 0, -1,
     cmd_encode},
    {"validate", "[FILE...]", "Check BSON files and name the first fault", place_notes, NULL, 0, -1,
     cmd_validate},
    {"pull", "URI NS", "Stream a collection out of a server", pull_notes,
     "the URI of a server, and NS: database.collection", 2, 2, cmd_pull},
    {"push", "URI NS [FILE...]", "Stream files of BSON or Extended JSON into a collection",
     push_notes, "the URI of a server, and NS: database.collection", 2, -1, cmd_push},
    {"serve", "FILE...|DIR", "Answer drivers and shells out of BSON files, read-only", serve_notes,
     "the files to serve, or the folder of a dump", 1, -1, cmd_serve},
    {"version", "", "Say what this is", NULL, NULL, 0, 0, cmd_version},
};

static const size_t command_count = sizeof commands / sizeof commands[0];

static const cli_command *command_named(const char *name)
{
    for (size_t i = 0; i < command_count; i++) {
        if (strcmp(commands[i].name, name) == 0) return &commands[i];
    }
    return NULL;
}

static void print_usage(FILE *to)
{
    fputs("usage: bsonic <command> [options] [operands]\n\n", to);
    for (size_t i = 0; i < command_count; i++) {
        fprintf(to, "  %-10s%s\n", commands[i].name, commands[i].purpose);
    }
    fputs("\nbsonic help <command>, or bsonic <command> --help, says more. Also: -h, --help, -V, "
          "--version.\n",
          to);
}

/* What stdio has kept goes out now; a full disk shows here. */
static int finish_stdout(int code)
{
    if (fflush(stdout) == 0 && !ferror(stdout)) return code;
    bsn_error err = {.status = BSN_E_IO, .os_error = errno};
    const int failed = cli_report(BSN_STR("standard output"), &err);
    return code == CLI_OK ? failed : code;
}

static int run_command(const cli_command *command, int argc, char **argv)
{
    cli_args args;
    const int code = cli_parse(command, argc, argv, &args);
    if (code != CLI_OK) return code;
    if (args.given[CLI_HELP]) {
        cli_print_help(command);
        return CLI_OK;
    }
    return command->run(&args);
}

/* Refuses a word that is no command: says which one it is near to, or how the file of that name is read. */
static void refuse_command(const char *name)
{
    static const char *const others[] = {"help", "--help", "--version"};
    char escaped[CLI_ESCAPED_MAX];
    cli_near near = cli_near_to(bsn_str_from(name));
    for (size_t i = 0; i < command_count; i++) cli_near_try(&near, commands[i].name);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) cli_near_try(&near, others[i]);
    cli_escape(bsn_str_from(name), escaped);
    if (near.name != NULL) {
        cli_usage_error(NULL, "no such command: %s (did you mean %s?)", escaped, near.name);
    } else if (name[0] != '-' && access(name, F_OK) == 0) {
        cli_usage_error(NULL, "no such command: %s (to print that file: bsonic decode %s)", escaped,
                        escaped);
    } else {
        cli_usage_error(NULL, "no such %s: %s", name[0] == '-' ? "option" : "command", escaped);
    }
}

static const cli_command *find_command(const char *name)
{
    const cli_command *command = command_named(name);
    if (command == NULL) refuse_command(name);
    return command;
}

static bool is_one_of(const char *word, const char *one, const char *other)
{
    return strcmp(word, one) == 0 || strcmp(word, other) == 0;
}

/* bsonic help [command] */
static int run_help(int argc, char **argv)
{
    char escaped[CLI_ESCAPED_MAX];
    if (argc > 1) {
        return cli_usage_error(NULL, "help: one too many: %s",
                               cli_escape(bsn_str_from(argv[1]), escaped));
    }
    if (argc == 0 || is_one_of(argv[0], "-h", "--help")) {
        print_usage(stdout);
        return CLI_OK;
    }
    const cli_command *command = find_command(argv[0]);
    if (command == NULL) return CLI_USAGE;
    cli_print_help(command);
    return CLI_OK;
}

static int run(int argc, char **argv)
{
    if (argc < 2) {
        print_usage(stderr);
        return CLI_USAGE;
    }
    const char *name = argv[1];
    if (is_one_of(name, "-h", "--help")) return run_help(0, NULL);
    if (strcmp(name, "help") == 0) return run_help(argc - 2, argv + 2);
    if (is_one_of(name, "-V", "--version")) name = "version";
    const cli_command *command = find_command(name);
    return command != NULL ? run_command(command, argc - 2, argv + 2) : CLI_USAGE;
}

/* A program may be started without standard streams. Then the next file that is opened would take such a descriptor's place:
 * messages would go into the output. Each gets one that nothing can be done with: standard input cannot be read from, the others
 * cannot be written to, and say so as a closed one would. */
static bool fill_standard_streams(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0) continue;
        /* The lowest that is free, and those below are not. */
        if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd) return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    if (!fill_standard_streams()) return CLI_SYSTEM;
    return finish_stdout(run(argc, argv));
}
