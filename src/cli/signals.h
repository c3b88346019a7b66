/* SPDX-License-Identifier: Apache-2.0
 *
 * signals.h -- what a signal must not leave behind.
 */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

/* Keeps those signals waiting, so that nothing comes between the making of a file and cli_unlink_on_signal; and lets them come again. */
void cli_hold_signals(void);
void cli_release_signals(void);

/* Has this file removed when a signal from outside ends the program (SIGINT, SIGXFSZ and all between; SIGKILL cannot be seen);
 * NULL: none any more. The program then ends by that signal, as it would have. Paths of 4 KiB and more are not watched. */
void cli_unlink_on_signal(const char *path);

#endif
