/* SPDX-License-Identifier: Apache-2.0
 *
 * peak_memory.c -- preloaded into a program, writes the most memory that it had resident, in KiB, at exit to the file that
 * PEAK_MEMORY names. From /proc: what getrusage tells includes the process that the program was started from.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long peak_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *status = fopen("/proc/self/status", "r");
    if (status == NULL) return -1;
    while (fgets(line, sizeof line, status) != NULL) {
        if (strncmp(line, "VmHWM:", 6) != 0) continue;
        kib = strtol(line + 6, NULL, 10);
        break;
    }
    fclose(status);
    return kib;
}

__attribute__((destructor)) static void tell(void)
{
    const long peak = peak_kib();
    const char *path = getenv("PEAK_MEMORY");
    FILE *file = path != NULL ? fopen(path, "w") : NULL;
    if (file == NULL) return;
    fprintf(file, "%ld\n", peak);
    fclose(file);
}
