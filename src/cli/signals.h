/* SPDX-License-Identifier: Apache-2.0
 *
 * signals.h -- what a signal must not leave behind.
 */
#ifndef CLI_SIGNALS_H
#define CLI_SIGNALS_H

/* Has this file removed when a signal from outside ends the program (SIGINT, SIGXFSZ and all between; SIGKILL cannot be seen);
 * NULL: none any more. The program then ends by that signal, as it would have. Paths of 4 KiB and more are not watched. */
void cli_unlink_on_signal(const char *path);

#endif
