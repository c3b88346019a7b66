/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_serve.c -- bsonic serve: answers drivers and shells out of .bson files and dumps, until a signal ends it.
 *
 * "listening on ADDRESS:PORT" is the one line on stdout, and comes once connections are taken. SIGINT, SIGTERM and SIGHUP end it
 * in order: exit code 128 + the signal's number.
 */
#include "cli/command.h"
#include "cli/memory.h"
#include "cli/source.h"
#include "serve/server.h"

#include <bsonic/io.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_PORT 27017

/* Collections that are named at the start. */
#define TOLD_MAX 4

/* ------------------------------------------------------------------ signals */

static int wake_pipe[2] = {-1, -1};
static volatile sig_atomic_t ended_by;

/* A full pipe has something to read already, which is all that is wanted. */
static void wake_up(int signal_number)
{
    const int before = errno;
    const char byte = 0;
    ended_by = signal_number;
    if (write(wake_pipe[1], &byte, 1) < 0) errno = before;
    errno = before;
}

static bool catch_signals(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    /* That nobody reads the notices any more is no reason to end. */
    sigaction(SIGPIPE, &ignore, NULL);
    if (pipe(wake_pipe) != 0) return false;
    for (int i = 0; i < 2; i++) {
        fcntl(wake_pipe[i], F_SETFD, FD_CLOEXEC);
        fcntl(wake_pipe[i], F_SETFL, O_NONBLOCK);
    }
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) {
        struct sigaction before, action = {.sa_handler = wake_up};
        /* One that somebody has set to be ignored (nohup does) stays ignored. */
        if (sigaction(ending[i], NULL, &before) != 0 || before.sa_handler == SIG_IGN) continue;
        sigemptyset(&action.sa_mask);
        sigaction(ending[i], &action, NULL);
    }
    return true;
}

/* Each collection that is asked for holds a descriptor, as each connection does: take as many as the system lets us. */
static void raise_descriptor_limit(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == limit.rlim_max) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit); /* refused: then it stays as it was */
}

/* ------------------------------------------------------------------ messages */

static void say_notice(void *ctx, bsn_str subject, const char *text)
{
    char escaped[CLI_ESCAPED_MAX];
    const bool *const quiet = ctx;
    if (!*quiet) cli_say("%s: %s", cli_escape(subject, escaped), text);
}

#define ADDRESS_MAX 300 /* a host's name, brackets, a port */

static const char *address_of(const char *host, uint16_t port, char text[ADDRESS_MAX])
{
    const bool is_ipv6 = strchr(host, ':') != NULL;
    snprintf(text, ADDRESS_MAX, "%s%.255s%s:%u", is_ipv6 ? "[" : "", host, is_ipv6 ? "]" : "",
             (unsigned)port);
    return text;
}

static int announce(const char *host, uint16_t port)
{
    char text[BSN_OS_TEXT_MAX], address[ADDRESS_MAX];
    printf("listening on %s\n", address_of(host, port, address));
    if (fflush(stdout) == 0) return CLI_OK;
    cli_say("standard output: %s", bsn_os_text(errno, text));
    return CLI_SYSTEM;
}

/* The names that a client has to ask for: some of them, when there are many. */
static void tell_collections(const serve_catalog *catalog)
{
    char escaped[CLI_ESCAPED_MAX];
    for (size_t i = 0; i < catalog->count && i < TOLD_MAX; i++) {
        cli_say("serving %s", cli_escape(serve_collection_ns(catalog->items[i]), escaped));
    }
    const size_t untold = catalog->count > TOLD_MAX ? catalog->count - TOLD_MAX : 0;
    if (untold > 0) cli_say("serving %zu more collection%s", untold, cli_s(untold));
    if (catalog->count == 0) cli_say("serving no collection");
}

/* ------------------------------------------------------------------ the command */

/* A file that is named for serving must begin as BSON: else nobody would find out before asking for it. What is damaged further on
 * is told to those who come to it. */
static int check_file(const char *path)
{
    struct stat about;
    cli_source source;
    bsn_doc doc;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return CLI_OK; /* told in other words */
    int code = cli_source_open(&source, path, NULL);
    if (code == CLI_OK && !cli_source_next(&source, &doc)) code = cli_source_end(&source);
    cli_source_close(&source);
    return code;
}

static int add_operand(serve_state *state, const cli_args *args, const char *path,
                       const serve_notice *notice)
{
    char subject[SERVE_NS_MAX + 1], escaped[CLI_ESCAPED_MAX];
    bsn_error err = {0};
    const int code = check_file(path);
    if (code != CLI_OK) return code;
    const bsn_status status = serve_catalog_add(&state->catalog, path, notice, subject, &err);
    if (status == BSN_OK) return CLI_OK;
    if (status == BSN_E_VALUE) {
        return cli_usage_error(args->command, "%s: %s", cli_escape(bsn_str_from(subject), escaped),
                               err.detail);
    }
    return cli_report(bsn_str_from(subject[0] != '\0' ? subject : path), &err);
}

static int run_server(serve_state *state, const char *host, uint16_t port,
                      const serve_notice *notice)
{
    serve_server server;
    bsn_error err = {0};
    bsn_status status = serve_server_open(&server, state, bsn_str_from(host), port, notice, &err);
    int code = CLI_OK;
    if (status == BSN_OK) {
        code = announce(host, state->port);
        if (code == CLI_OK) status = serve_server_run(&server, wake_pipe[0], &err);
    }
    serve_server_close(&server);
    if (status != BSN_OK) {
        char address[ADDRESS_MAX];
        code = cli_report(bsn_str_from(address_of(host, port, address)), &err);
    }
    if (code != CLI_OK) return code;
    return 128 + (int)ended_by;
}

int cmd_serve(const cli_args *args)
{
    const char *host = args->given[CLI_BIND] ? args->text[CLI_BIND] : "127.0.0.1";
    const uint16_t port = args->given[CLI_PORT] ? (uint16_t)args->number[CLI_PORT] : DEFAULT_PORT;
    bool quiet = args->given[CLI_QUIET];
    const serve_notice notice = {.tell = say_notice, .ctx = &quiet};
    char text[BSN_OS_TEXT_MAX];
    serve_state state;
    int code = CLI_OK;
    if (host[0] == '\0') return cli_usage_error(args->command, "--bind needs an address");
    if (!catch_signals()) {
        cli_say("a pipe: %s", bsn_os_text(errno, text));
        return CLI_SYSTEM;
    }
    raise_descriptor_limit();
    serve_state_init(&state, cli_memory());
    state.host = host;
    for (int i = 0; i < args->operand_count && code == CLI_OK; i++) {
        code = add_operand(&state, args, args->operands[i], &notice);
    }
    if (code == CLI_OK && !quiet) tell_collections(&state.catalog);
    if (code == CLI_OK) code = run_server(&state, host, port, &notice);
    serve_state_free(&state);
    close(wake_pipe[0]);
    close(wake_pipe[1]);
    return code;
}
