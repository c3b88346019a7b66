/* SPDX-License-Identifier: Apache-2.0
 *
 * check.c -- see check.h. Prints what Check prints: a summary line, and a line for each failure.
 */
#include "check.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct fixture {
    plain_fixture *before, *after;
} fixture;

typedef struct planned_test {
    const plain_test *test;
    int first, end; /* the values of _i */
} planned_test;

struct TCase {
    TCase *next;
    const char *name;
    fixture each, all;
    planned_test *tests;
    size_t count;
};

struct Suite {
    Suite *next;
    const char *name;
    TCase *first, **last;
};

struct SRunner {
    Suite *first, **last;
    int checks, failures;
};

/* What runs now: where a failed assertion goes, and what its line names. */
static jmp_buf end_of_test;
static const char *running_case;
static const char *running_test;
static int running_index;

static void *must_get(void *old, size_t len)
{
    void *memory = realloc(old, len);
    if (memory == NULL) abort();
    return memory;
}

Suite *suite_create(const char *name)
{
    Suite *suite = must_get(NULL, sizeof *suite);
    *suite = (Suite){.name = name, .last = &suite->first};
    return suite;
}

TCase *tcase_create(const char *name)
{
    TCase *tests = must_get(NULL, sizeof *tests);
    *tests = (TCase){.name = name};
    return tests;
}

void suite_add_tcase(Suite *suite, TCase *tests)
{
    *suite->last = tests;
    suite->last = &tests->next;
}

void tcase_add_loop_test(TCase *tests, const plain_test *test, int first, int end)
{
    tests->tests = must_get(tests->tests, (tests->count + 1) * sizeof *tests->tests);
    tests->tests[tests->count++] = (planned_test){test, first, end};
}

/* A second pair would be lost. */
static void set_fixture(fixture *to, plain_fixture *before, plain_fixture *after)
{
    if (to->before != NULL || to->after != NULL) abort();
    *to = (fixture){before, after};
}

void tcase_add_checked_fixture(TCase *tests, plain_fixture *before, plain_fixture *after)
{
    set_fixture(&tests->each, before, after);
}

void tcase_add_unchecked_fixture(TCase *tests, plain_fixture *first, plain_fixture *last)
{
    set_fixture(&tests->all, first, last);
}

void tcase_set_timeout(TCase *tests, double seconds)
{
    (void)tests;
    (void)seconds;
}

SRunner *srunner_create(Suite *suite)
{
    SRunner *runner = must_get(NULL, sizeof *runner);
    *runner = (SRunner){.last = &runner->first};
    if (suite != NULL) srunner_add_suite(runner, suite);
    return runner;
}

void srunner_add_suite(SRunner *runner, Suite *suite)
{
    *runner->last = suite;
    runner->last = &suite->next;
}

/* False when an assertion of the part failed. What it held stays behind, as it does in Check. */
static bool passes(const fixture *around, const plain_test *test, int index)
{
    running_test = test->name;
    running_index = index;
    if (setjmp(end_of_test) != 0) return false;
    if (around->before != NULL) around->before();
    if (test->run != NULL) test->run(index);
    if (around->after != NULL) around->after();
    return true;
}

/* One half of what stands around a whole case; it counts as a test only when it fails. */
static bool ran(SRunner *runner, plain_fixture *half)
{
    const plain_test nothing = {"(fixture)", NULL};
    if (passes(&(fixture){half, NULL}, &nothing, 0)) return true;
    runner->checks++;
    runner->failures++;
    return false;
}

static void run_case(SRunner *runner, const TCase *tests)
{
    running_case = tests->name;
    if (!ran(runner, tests->all.before)) return;
    for (size_t i = 0; i < tests->count; i++) {
        const planned_test *planned = &tests->tests[i];
        for (int index = planned->first; index < planned->end; index++) {
            runner->checks++;
            if (!passes(&tests->each, planned->test, index)) runner->failures++;
        }
    }
    ran(runner, tests->all.after);
}

void srunner_run_all(SRunner *runner, enum print_output mode)
{
    (void)mode;
    for (const Suite *suite = runner->first; suite != NULL; suite = suite->next) {
        printf("Running suite(s): %s\n", suite->name);
        fflush(stdout);
        for (const TCase *tests = suite->first; tests != NULL; tests = tests->next) {
            run_case(runner, tests);
        }
    }
    const int passed = runner->checks - runner->failures;
    printf("%d%%: Checks: %d, Failures: %d, Errors: 0\n",
           runner->checks == 0 ? 100 : 100 * passed / runner->checks, runner->checks,
           runner->failures);
    fflush(stdout);
}

int srunner_ntests_failed(const SRunner *runner)
{
    return runner->failures;
}

static void free_suite(Suite *suite)
{
    for (TCase *tests = suite->first; tests != NULL;) {
        TCase *next = tests->next;
        free(tests->tests);
        free(tests);
        tests = next;
    }
    free(suite);
}

void srunner_free(SRunner *runner)
{
    for (Suite *suite = runner->first; suite != NULL;) {
        Suite *next = suite->next;
        free_suite(suite);
        suite = next;
    }
    free(runner);
}

_Noreturn void plain_fail(const char *file, int line, const char *format, ...)
{
    printf("%s:%d:F:%s:%s:%d: ", file, line, running_case, running_test, running_index);
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
    longjmp(end_of_test, 1);
}

void plain_int(const char *file, int line, const char *text, bool holds, intmax_t a, intmax_t b)
{
    if (!holds) plain_fail(file, line, "%s: %" PRIdMAX ", %" PRIdMAX, text, a, b);
}

void plain_uint(const char *file, int line, const char *text, bool holds, uintmax_t a, uintmax_t b)
{
    if (!holds) plain_fail(file, line, "%s: %" PRIuMAX ", %" PRIuMAX, text, a, b);
}

/* Two strings that are NULL are not equal either. */
void plain_str(const char *file, int line, const char *text, bool equal, const char *a,
               const char *b)
{
    const bool both = a != NULL && b != NULL;
    if (both && (strcmp(a, b) == 0) == equal) return;
    plain_fail(file, line, "%s: \"%s\", \"%s\"", text, a == NULL ? "(null)" : a,
               b == NULL ? "(null)" : b);
}

void plain_mem(const char *file, int line, const char *text, bool equal, const void *a,
               const void *b, size_t len)
{
    if ((len == 0 || memcmp(a, b, len) == 0) == equal) return;
    plain_fail(file, line, "%s, %zu bytes", text, len);
}
