/* SPDX-License-Identifier: Apache-2.0
 *
 * check.h -- the part of Check (libcheck.github.io) that the tests use, for machines whose package of it is not at hand: other
 * architectures under emulation, other libcs, builds that a sanitizer must see the whole of. The tests themselves do not know
 * which one they stand on.
 *
 * Everything runs in one process; a failed assertion ends its test by longjmp, as Check does without fork. Time limits are left
 * to ctest. Chosen before foreign packages because those need another architecture in dpkg's own lists, which is the
 * whole machine's business and no test's, and because the memory sanitizer and other libcs have no such package at all.
 */
#ifndef TESTS_PLAIN_CHECK_H
#define TESTS_PLAIN_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct Suite Suite;
typedef struct TCase TCase;
typedef struct SRunner SRunner;
typedef void plain_fixture(void);

typedef struct plain_test {
    const char *name;
    void (*run)(int);
} plain_test;

enum print_output { CK_ENV };

#define START_TEST(test_name)                                                \
    static void test_name##_fn(int _i);                                      \
    static const plain_test test_name##_test = {#test_name, test_name##_fn}; \
    static const plain_test *const test_name = &test_name##_test;            \
    static void test_name##_fn(int _i)                                       \
    {                                                                        \
        (void)_i;
#define END_TEST }

Suite *suite_create(const char *name);
TCase *tcase_create(const char *name);
void suite_add_tcase(Suite *suite, TCase *tests);
void tcase_add_loop_test(TCase *tests, const plain_test *test, int first, int end);
#define tcase_add_test(tests, test) tcase_add_loop_test((tests), (test), 0, 1)
/* One pair a case around each of its tests, and one around all of them. Either function may be NULL. */
void tcase_add_checked_fixture(TCase *tests, plain_fixture *before, plain_fixture *after);
void tcase_add_unchecked_fixture(TCase *tests, plain_fixture *first, plain_fixture *last);
void tcase_set_timeout(TCase *tests, double seconds);

/* A runner owns the suites that it is given. */
SRunner *srunner_create(Suite *suite);
void srunner_add_suite(SRunner *runner, Suite *suite);
void srunner_run_all(SRunner *runner, enum print_output mode);
int srunner_ntests_failed(const SRunner *runner);
void srunner_free(SRunner *runner);

/* Reports the assertion at that place and ends the test. */
_Noreturn void plain_fail(const char *file, int line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void plain_int(const char *file, int line, const char *text, bool holds, intmax_t a, intmax_t b);
void plain_uint(const char *file, int line, const char *text, bool holds, uintmax_t a, uintmax_t b);
void plain_str(const char *file, int line, const char *text, bool equal, const char *a,
               const char *b);
void plain_mem(const char *file, int line, const char *text, bool equal, const void *a,
               const void *b, size_t len);

#define ck_abort_msg(...) plain_fail(__FILE__, __LINE__, __VA_ARGS__)
#define ck_assert_msg(holds, ...) ((holds) ? (void)0 : ck_abort_msg(__VA_ARGS__))
#define ck_assert(holds) ck_assert_msg(holds, "%s", #holds)

/* Arguments are evaluated once, as in Check. */
#define PLAIN_COMPARE(type, kind, a, op, b)                                                        \
    do {                                                                                           \
        const type plain_a = (a);                                                                  \
        const type plain_b = (b);                                                                  \
        plain_##kind(__FILE__, __LINE__, #a " " #op " " #b, plain_a op plain_b, plain_a, plain_b); \
    } while (0)

#define ck_assert_int_eq(a, b) PLAIN_COMPARE(intmax_t, int, a, ==, b)
#define ck_assert_int_ne(a, b) PLAIN_COMPARE(intmax_t, int, a, !=, b)
#define ck_assert_int_lt(a, b) PLAIN_COMPARE(intmax_t, int, a, <, b)
#define ck_assert_int_le(a, b) PLAIN_COMPARE(intmax_t, int, a, <=, b)
#define ck_assert_int_gt(a, b) PLAIN_COMPARE(intmax_t, int, a, >, b)
#define ck_assert_int_ge(a, b) PLAIN_COMPARE(intmax_t, int, a, >=, b)
#define ck_assert_uint_eq(a, b) PLAIN_COMPARE(uintmax_t, uint, a, ==, b)
#define ck_assert_uint_ne(a, b) PLAIN_COMPARE(uintmax_t, uint, a, !=, b)
#define ck_assert_uint_lt(a, b) PLAIN_COMPARE(uintmax_t, uint, a, <, b)
#define ck_assert_uint_le(a, b) PLAIN_COMPARE(uintmax_t, uint, a, <=, b)
#define ck_assert_uint_gt(a, b) PLAIN_COMPARE(uintmax_t, uint, a, >, b)
#define ck_assert_uint_ge(a, b) PLAIN_COMPARE(uintmax_t, uint, a, >=, b)

#define ck_assert_str_eq(a, b) plain_str(__FILE__, __LINE__, #a " == " #b, true, a, b)
#define ck_assert_str_ne(a, b) plain_str(__FILE__, __LINE__, #a " != " #b, false, a, b)
#define ck_assert_mem_eq(a, b, len) plain_mem(__FILE__, __LINE__, #a " == " #b, true, a, b, len)
#define ck_assert_mem_ne(a, b, len) plain_mem(__FILE__, __LINE__, #a " != " #b, false, a, b, len)

#define PLAIN_PTR(a, op, b) \
    ck_assert_msg((const void *)(a)op(const void *)(b), "%s", #a " " #op " " #b)
#define ck_assert_ptr_eq(a, b) PLAIN_PTR(a, ==, b)
#define ck_assert_ptr_ne(a, b) PLAIN_PTR(a, !=, b)
#define ck_assert_ptr_null(a) PLAIN_PTR(a, ==, NULL)
#define ck_assert_ptr_nonnull(a) PLAIN_PTR(a, !=, NULL)

#endif
