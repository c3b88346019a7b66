/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_version.c -- bsonic version: what this is and what it was built with.
 */
#include "cli/command.h"

#include <bsonic/base.h>

#include <stdio.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

int cmd_version(const cli_args *args)
{
    (void)args;
    printf("bsonic %s\n", BSONIC_VERSION_TEXT);
    printf("libraries: libbsonic %s, libbsonic-client %s, built in\n", BSONIC_VERSION_TEXT,
           BSONIC_VERSION_TEXT);
    printf("compiler: %s\n", COMPILER);
    printf("tier: %s\n", bsn_tier());
    return CLI_OK;
}
