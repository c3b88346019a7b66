/* SPDX-License-Identifier: Apache-2.0
 *
 * signals.c -- removes a half-written file when a signal ends the program, then lets the signal do its work.
 */
#include "cli/signals.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

/* Those that end a program by default and come from outside: from people, other programs, timers, the limits of ulimit. What
 * a fault of the program's own raises (SIGSEGV, SIGABRT) is left to debuggers. */
static const int ending[] = {SIGINT,  SIGTERM, SIGHUP,    SIGPIPE, SIGQUIT, SIGALRM,
                             SIGUSR1, SIGUSR2, SIGVTALRM, SIGPROF, SIGXCPU, SIGXFSZ};

/* A copy, so that the handler never reads memory that has been freed. */
static char watched[4096];
static volatile sig_atomic_t watching;

/* unlink and raise may be called here (POSIX, signal concepts); SA_RESETHAND has put the default action back. */
static void remove_and_end(int signal_number)
{
    if (watching) unlink(watched);
    raise(signal_number);
}

/* A signal that somebody has set to be ignored (nohup does) stays ignored. */
static void watch(int signal_number)
{
    struct sigaction before, action = {0};
    if (sigaction(signal_number, NULL, &before) != 0 || before.sa_handler != SIG_DFL) return;
    action.sa_handler = remove_and_end;
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

static sigset_t before_hold;

void cli_hold_signals(void)
{
    sigset_t held;
    sigemptyset(&held);
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) sigaddset(&held, ending[i]);
    pthread_sigmask(SIG_BLOCK, &held, &before_hold);
}

void cli_release_signals(void)
{
    pthread_sigmask(SIG_SETMASK, &before_hold, NULL);
}

void cli_unlink_on_signal(const char *path)
{
    watching = 0;
    if (path == NULL || strlen(path) >= sizeof watched) return;
    memcpy(watched, path, strlen(path) + 1);
    watching = 1;
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) watch(ending[i]);
}
