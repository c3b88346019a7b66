/* SPDX-License-Identifier: Apache-2.0
 *
 * test_output.c -- output by writev: partial and failing writes, and files that appear only when they are whole.
 */
#include "io/os.h"
#include "suites.h"
#include "support/failing_alloc.h"

#include <bsonic/io.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A folder of its own for each test, with a file name in it. */
typedef struct place {
    char folder[64];
    char path[96];
} place;

static void make_place(place *p)
{
    snprintf(p->folder, sizeof p->folder, "/tmp/bsonic-output-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(p->folder));
    snprintf(p->path, sizeof p->path, "%s/out", p->folder);
}

static int count_files(const place *p)
{
    int count = 0;
    DIR *folder = opendir(p->folder);
    ck_assert_ptr_nonnull(folder);
    while (readdir(folder) != NULL) count++;
    closedir(folder);
    return count - 2; /* . and .. */
}

static void remove_place(const place *p)
{
    unlink(p->path);
    ck_assert_int_eq(rmdir(p->folder), 0); /* nothing else is left there */
}

static void put_file(const place *p, const char *text)
{
    FILE *file = fopen(p->path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static void expect_file(const place *p, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(p->path, "r");
    ck_assert_ptr_nonnull(file);
    const size_t len = fread(found, 1, sizeof found - 1, file);
    fclose(file);
    found[len] = '\0';
    ck_assert_str_eq(found, text);
}

static bsn_status write_text(bsn_output *to, const char *text, bsn_error *err)
{
    bsn_out out;
    char room[64];
    bsn_out_init_fixed(&out, room, sizeof room);
    bsn_out_append(&out, text, strlen(text));
    const bsn_status status = bsn_output_flush(to, &out, err);
    bsn_out_free(&out);
    return status;
}

START_TEST(a_file_appears_at_commit_and_not_before)
{
    place p;
    bsn_output to;
    bsn_error err;
    make_place(&p);
    ck_assert_int_eq(bsn_output_open(&to, p.path, NULL, &err), BSN_OK);
    ck_assert_ptr_nonnull(bsn_output_temporary(&to));
    ck_assert_int_eq(access(bsn_output_temporary(&to), F_OK), 0);
    ck_assert_int_eq(write_text(&to, "one ", &err), BSN_OK);
    ck_assert_int_eq(write_text(&to, "two", &err), BSN_OK);
    ck_assert_int_ne(access(p.path, F_OK), 0);
    ck_assert_int_eq(bsn_output_commit(&to, &err), BSN_OK);
    ck_assert_ptr_null(bsn_output_temporary(&to));
    expect_file(&p, "one two");
    ck_assert_uint_eq(bsn_output_bytes(&to), 7);
    ck_assert_uint_eq(bsn_output_writes(&to), 2);
    bsn_output_free(&to);
    ck_assert_int_eq(count_files(&p), 1);
    remove_place(&p);
}
END_TEST

START_TEST(a_file_has_the_mode_that_the_mask_leaves)
{
    place p;
    bsn_output to;
    bsn_error err;
    struct stat about;
    make_place(&p);
    const mode_t mask = umask(027);
    ck_assert_int_eq(bsn_output_open(&to, p.path, NULL, &err), BSN_OK);
    ck_assert_int_eq(bsn_output_commit(&to, &err), BSN_OK);
    umask(mask);
    bsn_output_free(&to);
    ck_assert_int_eq(stat(p.path, &about), 0);
    ck_assert_uint_eq(about.st_mode & 0777, 0640);
    remove_place(&p);
}
END_TEST

START_TEST(a_file_without_commit_leaves_nothing)
{
    place p;
    bsn_output to;
    bsn_error err;
    make_place(&p);
    ck_assert_int_eq(bsn_output_open(&to, p.path, NULL, &err), BSN_OK);
    ck_assert_int_eq(write_text(&to, "half", &err), BSN_OK);
    ck_assert_int_eq(count_files(&p), 1);
    bsn_output_free(&to);
    ck_assert_int_eq(count_files(&p), 0);
    remove_place(&p);
}
END_TEST

START_TEST(a_file_that_exists_is_replaced_only_when_told)
{
    const bsn_output_options replace = {.replace = true};
    place p;
    bsn_output to;
    bsn_error err;
    make_place(&p);
    put_file(&p, "old");
    ck_assert_int_eq(bsn_output_open(&to, p.path, NULL, &err), BSN_E_IO);
    ck_assert_int_eq(err.os_error, EEXIST);
    bsn_output_free(&to);
    expect_file(&p, "old");

    ck_assert_int_eq(bsn_output_open(&to, p.path, &replace, &err), BSN_OK);
    ck_assert_int_eq(write_text(&to, "new", &err), BSN_OK);
    expect_file(&p, "old");
    ck_assert_int_eq(bsn_output_commit(&to, &err), BSN_OK);
    expect_file(&p, "new");
    bsn_output_free(&to);
    ck_assert_int_eq(count_files(&p), 1);
    remove_place(&p);
}
END_TEST

START_TEST(a_link_stays_and_its_file_is_replaced)
{
    place p;
    char link_path[128];
    struct stat about;
    const bsn_output_options replace = {.replace = true};
    make_place(&p);
    put_file(&p, "old");
    snprintf(link_path, sizeof link_path, "%s/link", p.folder);
    ck_assert_int_eq(symlink("out", link_path), 0);
    for (int round = 0; round < 2; round++) {
        bsn_output to;
        bsn_error err = {0};
        const bsn_status status =
            bsn_output_open(&to, link_path, round == 1 ? &replace : NULL, &err);
        if (round == 0) {
            ck_assert_int_eq(status, BSN_E_IO);
            ck_assert_int_eq(err.os_error, EEXIST);
        } else {
            ck_assert_int_eq(status, BSN_OK);
            ck_assert_int_eq(write_text(&to, "new", &err), BSN_OK);
            ck_assert_int_eq(bsn_output_commit(&to, &err), BSN_OK);
        }
        bsn_output_free(&to);
        ck_assert_int_eq(lstat(link_path, &about), 0);
        ck_assert(S_ISLNK(about.st_mode));
        expect_file(&p, round == 0 ? "old" : "new");
    }
    unlink(link_path);
    remove_place(&p);
}
END_TEST

START_TEST(a_file_that_comes_meanwhile_is_not_replaced)
{
    place p;
    bsn_output to;
    bsn_error err;
    make_place(&p);
    ck_assert_int_eq(bsn_output_open(&to, p.path, NULL, &err), BSN_OK);
    put_file(&p, "theirs");
    ck_assert_int_eq(bsn_output_commit(&to, &err), BSN_E_IO);
    ck_assert_int_eq(err.os_error, EEXIST);
    bsn_output_free(&to);
    expect_file(&p, "theirs");
    ck_assert_int_eq(count_files(&p), 1);
    remove_place(&p);
}
END_TEST

static int refuse_link(const char *from, const char *to)
{
    (void)from;
    (void)to;
    errno = EPERM;
    return -1;
}

static int refuse_rename(const char *from, const char *to)
{
    (void)from;
    (void)to;
    errno = EXDEV;
    return -1;
}

static int refuse_close(int fd)
{
    close(fd);
    errno = EDQUOT;
    return -1;
}

START_TEST(without_hard_links_a_rename_does_it)
{
    place p;
    bsn_output to;
    bsn_error err;
    bsni_calls calls = bsni_system_calls;
    calls.link = refuse_link;
    make_place(&p);
    ck_assert_int_eq(bsn_output_open(&to, p.path, NULL, &err), BSN_OK);
    to.calls = &calls;
    ck_assert_int_eq(write_text(&to, "text", &err), BSN_OK);
    ck_assert_int_eq(bsn_output_commit(&to, &err), BSN_OK);
    bsn_output_free(&to);
    expect_file(&p, "text");
    remove_place(&p);
}
END_TEST

START_TEST(failures_at_the_end_are_reported_and_leave_nothing)
{
    bsni_calls bad_close = bsni_system_calls, bad_rename = bsni_system_calls;
    bad_close.close = refuse_close;
    bad_rename.link = refuse_link;
    bad_rename.rename = refuse_rename;
    const struct {
        const bsni_calls *calls;
        int os_error;
    } rows[] = {{&bad_close, EDQUOT}, {&bad_rename, EXDEV}};
    for (size_t i = 0; i < 2; i++) {
        place p;
        bsn_output to;
        bsn_error err;
        make_place(&p);
        ck_assert_int_eq(bsn_output_open(&to, p.path, NULL, &err), BSN_OK);
        to.calls = rows[i].calls;
        ck_assert_int_eq(bsn_output_commit(&to, &err), BSN_E_IO);
        ck_assert_int_eq(err.os_error, rows[i].os_error);
        bsn_output_free(&to);
        ck_assert_int_eq(count_files(&p), 0);
        remove_place(&p);
    }
}
END_TEST

START_TEST(places_that_cannot_be_written_are_told)
{
    bsn_output to;
    bsn_error err;
    ck_assert_int_eq(bsn_output_open(&to, "/nowhere/at/all", NULL, &err), BSN_E_IO);
    ck_assert_int_eq(err.os_error, ENOENT);
    bsn_output_free(&to);
    ck_assert_int_eq(bsn_output_open(&to, "/", NULL, &err), BSN_E_IO);
    ck_assert_int_eq(err.os_error, EISDIR);
    bsn_output_free(&to);
}
END_TEST

START_TEST(a_full_device_is_told_and_a_device_is_written_in_place)
{
    bsn_output to;
    bsn_error err = {0};
    if (access("/dev/full", W_OK) == 0) {
        ck_assert_int_eq(bsn_output_open(&to, "/dev/full", NULL, &err), BSN_OK);
        ck_assert_ptr_null(bsn_output_temporary(&to));
        ck_assert_int_eq(write_text(&to, "text", &err), BSN_E_IO);
        ck_assert_int_eq(err.os_error, ENOSPC);
        bsn_output_free(&to);
    }
    ck_assert_int_eq(bsn_output_open(&to, "/dev/null", NULL, &err), BSN_OK);
    ck_assert_int_eq(write_text(&to, "text", &err), BSN_OK);
    ck_assert_int_eq(bsn_output_commit(&to, &err), BSN_OK);
    bsn_output_free(&to);
    ck_assert_int_eq(access("/dev/null", F_OK), 0);
}
END_TEST

/* A writev that takes one byte more each time, between interruptions; after `give_up` bytes it fails. */
static char taken[256];
static size_t taken_len;
static int calls_made;
static size_t give_up;

static ssize_t reluctant_writev(int fd, const struct iovec *iov, int count)
{
    (void)fd;
    const int call = calls_made++;
    const size_t want = (size_t)call / 3 + 1;
    ck_assert_int_ge(count, 1);
    ck_assert_int_le(count, 64);
    if (taken_len >= give_up) {
        errno = ENOSPC;
        return -1;
    }
    if (call % 3 != 2) {
        errno = call % 3 == 0 ? EINTR : EAGAIN;
        return -1;
    }
    size_t done = 0;
    for (int i = 0; i < count && done < want; i++) {
        size_t len = iov[i].iov_len;
        if (len > want - done) len = want - done;
        memcpy(taken + taken_len, iov[i].iov_base, len);
        taken_len += len;
        done += len;
    }
    return (ssize_t)done;
}

START_TEST(partial_and_interrupted_writes_go_on_where_they_stopped)
{
    static const char text[] = "the quick brown fox jumps over the lazy dog";
    bsni_calls calls = bsni_system_calls;
    calls.writev = reluctant_writev;
    bsn_output to;
    bsn_error err = {0};
    bsn_pool pool;
    bsn_out out;
    bsn_pool_init(&pool, NULL, SIZE_MAX);
    bsn_out_init_pool(&out, &pool, 1024);
    ck_assert_int_eq(bsn_output_open(&to, "/dev/null", NULL, &err), BSN_OK);
    to.calls = &calls;
    for (int round = 0; round < 2; round++) {
        taken_len = 0;
        calls_made = 0;
        give_up = round == 0 ? SIZE_MAX : 10;
        bsn_out_append(&out, text, sizeof text - 1);
        const bsn_status status = bsn_output_flush(&to, &out, &err);
        ck_assert_int_eq(status, round == 0 ? BSN_OK : BSN_E_IO);
        ck_assert_int_eq(memcmp(taken, text, taken_len), 0);
        ck_assert_uint_eq(bsn_out_unsent(&out), sizeof text - 1 - taken_len);
    }
    ck_assert_uint_eq(taken_len, 10); /* 1 + 2 + 3 + 4 */
    ck_assert_int_eq(err.os_error, ENOSPC);
    bsn_out_free(&out);
    bsn_pool_free(&pool);
    bsn_output_free(&to);
}
END_TEST

START_TEST(refused_memory_is_reported_and_leaves_nothing)
{
    place p;
    failing_alloc failing;
    make_place(&p);
    failing_alloc_init(&failing);
    bsn_status status;
    do {
        const bsn_output_options options = {.alloc = &failing.alloc};
        bsn_output to;
        status = bsn_output_open(&to, p.path, &options, NULL);
        ck_assert_int_eq(status, failing_alloc_refused(&failing) ? BSN_E_NOMEM : BSN_OK);
        bsn_output_free(&to);
        ck_assert_int_eq(count_files(&p), 0);
    } while (failing_alloc_again(&failing));
    ck_assert_int_eq(status, BSN_OK);
    remove_place(&p);
}
END_TEST

START_TEST(the_clock_goes_on_and_entropy_is_not_twice_the_same)
{
    uint8_t a[16], b[16];
    char text[BSN_OS_TEXT_MAX];
    const uint64_t before = bsn_clock_monotonic_ns();
    ck_assert_uint_ge(bsn_clock_monotonic_ns(), before);
    ck_assert_int_gt(bsn_clock_utc_ms(), 1700000000000); /* 2023 is over */
    ck_assert_int_eq(bsn_entropy(a, sizeof a, NULL), BSN_OK);
    ck_assert_int_eq(bsn_entropy(b, sizeof b, NULL), BSN_OK);
    ck_assert_int_ne(memcmp(a, b, sizeof a), 0);
    ck_assert_uint_gt(strlen(bsn_os_text(ENOENT, text)), 0);
    ck_assert_uint_gt(strlen(bsn_os_text(123456, text)), 0);
}
END_TEST

Suite *output_suite(void)
{
    Suite *suite = suite_create("output");
    TCase *tcase = tcase_create("output");
    tcase_add_test(tcase, a_file_appears_at_commit_and_not_before);
    tcase_add_test(tcase, a_file_has_the_mode_that_the_mask_leaves);
    tcase_add_test(tcase, a_file_without_commit_leaves_nothing);
    tcase_add_test(tcase, a_file_that_exists_is_replaced_only_when_told);
    tcase_add_test(tcase, a_link_stays_and_its_file_is_replaced);
    tcase_add_test(tcase, a_file_that_comes_meanwhile_is_not_replaced);
    tcase_add_test(tcase, without_hard_links_a_rename_does_it);
    tcase_add_test(tcase, failures_at_the_end_are_reported_and_leave_nothing);
    tcase_add_test(tcase, places_that_cannot_be_written_are_told);
    tcase_add_test(tcase, a_full_device_is_told_and_a_device_is_written_in_place);
    tcase_add_test(tcase, partial_and_interrupted_writes_go_on_where_they_stopped);
    tcase_add_test(tcase, refused_memory_is_reported_and_leaves_nothing);
    tcase_add_test(tcase, the_clock_goes_on_and_entropy_is_not_twice_the_same);
    suite_add_tcase(suite, tcase);
    return suite;
}
