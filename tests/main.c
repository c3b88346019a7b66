/* SPDX-License-Identifier: Apache-2.0
 *
 * main.c -- runs the suites of suites.h: all of them, or those named on the command line. `--list` names them.
 * BSONIC_TIER=scalar in the environment makes every suite run with the kernels of that tier.
 * Exit code: 0 all passed, 1 a test failed, 2 no such suite or tier.
 */
#include "suites.h"

#include "simd/dispatch.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct suite_entry {
    const char *name;
    Suite *(*make)(void);
} suite_entry;

static const suite_entry entries[] = {
#define ENTRY(layer, name) {#name, name##_suite},
    TESTS_SUITES(ENTRY)
#undef ENTRY
};

static const size_t entry_count = sizeof entries / sizeof entries[0];

static const suite_entry *entry_named(const char *name)
{
    for (size_t i = 0; i < entry_count; i++) {
        if (strcmp(entries[i].name, name) == 0) return &entries[i];
    }
    return NULL;
}

static int list_suites(void)
{
    for (size_t i = 0; i < entry_count; i++) puts(entries[i].name);
    return 0;
}

static bool force_tier(void)
{
    const char *tier = getenv("BSONIC_TIER");
    if (tier == NULL || bsni_tier_force(tier)) return true;
    fprintf(stderr, "no tier is called %s here\n", tier);
    return false;
}

int main(int argc, char **argv)
{
    if (!force_tier()) return 2;
    if (argc == 2 && strcmp(argv[1], "--list") == 0) return list_suites();
    SRunner *runner = srunner_create(NULL);
    for (size_t i = 0; argc == 1 && i < entry_count; i++)
        srunner_add_suite(runner, entries[i].make());
    for (int i = 1; i < argc; i++) {
        const suite_entry *entry = entry_named(argv[i]);
        if (entry == NULL) {
            fprintf(stderr, "no suite is called %s (--list names them)\n", argv[i]);
            srunner_free(runner);
            return 2;
        }
        srunner_add_suite(runner, entry->make());
    }
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? 0 : 1;
}
