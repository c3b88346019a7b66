/* SPDX-License-Identifier: Apache-2.0
 *
 * fixture.c -- see fixture.h.
 */
#include "serve/fixture.h"

#include <bsonic/detail/le.h>
#include <bsonic/json.h>
#include <bsonic/json_parse.h>
#include <bsonic/validate.h>
#include <bsonic/wire.h>

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define REQUEST_ID 4711

static void note_told(void *ctx, bsn_str subject, const char *text)
{
    fixture *const f = ctx;
    snprintf(f->told, sizeof f->told, "%.*s: %s", (int)subject.len, subject.ptr, text);
}

void fixture_open(fixture *f)
{
    memset(f, 0, sizeof *f);
    snprintf(f->folder, sizeof f->folder, "/tmp/bsonic-serve-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(f->folder));
    counting_alloc_init(&f->counter);
    serve_state_init(&f->state, &f->counter.alloc);
    f->notice.tell = note_told;
    f->notice.ctx = f;
    bsn_pool_init(&f->pool, &f->counter.alloc, SIZE_MAX);
    bsn_out_init_pool(&f->out, &f->pool, 4096);
    bsn_buf_init(&f->request, &f->counter.alloc);
    bsn_buf_init(&f->reply, &f->counter.alloc);
}

/* ------------------------------------------------------------------ files */

static void remove_tree(const char *path)
{
    DIR *dir = opendir(path);
    const struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        char inside[FIXTURE_PATH_MAX];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        if (unlink(inside) != 0) remove_tree(inside);
    }
    if (dir != NULL) closedir(dir);
    rmdir(path);
}

void fixture_close(fixture *f)
{
    serve_feed_free(&f->feed);
    bsn_out_free(&f->out);
    bsn_pool_free(&f->pool);
    bsn_buf_free(&f->request);
    bsn_buf_free(&f->reply);
    serve_state_free(&f->state);
    remove_tree(f->folder);
    counting_alloc_finish(&f->counter);
}

const char *fixture_path(const fixture *f, const char *name)
{
    static char path[FIXTURE_PATH_MAX];
    const int len = snprintf(path, sizeof path, "%s/%s", f->folder, name);
    ck_assert(len > 0 && (size_t)len < sizeof path);
    if (name[0] == '\0') path[len - 1] = '\0';
    return path;
}

static void make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        ck_assert(mkdir(path, 0700) == 0 || errno == EEXIST);
        *slash = '/';
    }
}

void fixture_write(fixture *f, const char *name, const void *bytes, size_t len)
{
    char path[FIXTURE_PATH_MAX];
    snprintf(path, sizeof path, "%s", fixture_path(f, name));
    make_folders(path);
    FILE *file = fopen(path, "wb");
    ck_assert_ptr_nonnull(file);
    if (len > 0) ck_assert_uint_eq(fwrite(bytes, 1, len, file), len);
    ck_assert_int_eq(fclose(file), 0);
}

/* ------------------------------------------------------------------ Extended JSON */

/* The text with double quotes in place of its single ones, and with `$db` as its last field unless db is NULL. */
static size_t complete_json(const char *json, const char *db, char *text, size_t cap)
{
    const size_t len = strlen(json);
    ck_assert(len >= 2 && json[len - 1] == '}' && len < cap);
    for (size_t i = 0; i <= len; i++) text[i] = json[i] == '\'' ? '"' : json[i];
    if (db == NULL) return len;
    const char *comma = strchr(json, ':') != NULL ? "," : "";
    const int more = snprintf(text + len - 1, cap - len + 1, "%s\"$db\":\"%s\"}", comma, db);
    ck_assert(more > 0 && len - 1 + (size_t)more < cap);
    return len - 1 + (size_t)more;
}

static void append_json(bsn_buf *buf, const char *json, const char *db)
{
    char text[2048];
    bsn_out out;
    bsn_error err;
    const bsn_str whole = {text, complete_json(json, db, text, sizeof text)};
    bsn_out_init_buf(&out, buf);
    if (bsn_json_parse(whole, NULL, &out, &err) != BSN_OK)
        ck_abort_msg("%s at %u of %s", err.detail, (unsigned)err.offset, text);
    bsn_out_free(&out);
}

static void fail_with(const char *command, bsn_doc got, const char *wanted)
{
    const bsn_json_options canonical = {.form = BSN_JSON_CANONICAL};
    char text[4096];
    bsn_out out;
    bsn_out_init_fixed(&out, (uint8_t *)text, sizeof text);
    const bsn_status status = bsn_json_print(got, &canonical, &out, NULL);
    const int len = status == BSN_OK ? (int)bsn_out_len(&out) : 0;
    ck_abort_msg("%s\ngave   %.*s\nwanted %s", command, len, text, wanted);
}

void fixture_write_json(fixture *f, const char *name, const char *const *documents)
{
    bsn_buf all;
    bsn_buf_init(&all, &f->counter.alloc);
    for (; *documents != NULL; documents++) append_json(&all, *documents, NULL);
    fixture_write(f, name, all.ptr, all.len);
    bsn_buf_free(&all);
}

void fixture_write_numbers(fixture *f, const char *name, int32_t count)
{
    static const uint8_t one[25] = {25,   0,   0, 0, 0x10, '_', 'i', 'd', 0, 0, 0, 0, 0,
                                    0x12, 'n', 0, 0, 0,    0,   0,   0,   0, 0, 0, 0};
    uint8_t *all = malloc((size_t)count * sizeof one + 1);
    ck_assert_ptr_nonnull(all);
    for (int32_t i = 0; i < count; i++) {
        uint8_t *const doc = all + (size_t)i * sizeof one;
        memcpy(doc, one, sizeof one);
        bsn_store_i32(doc + 9, i);
        bsn_store_i64(doc + 16, i);
    }
    fixture_write(f, name, all, (size_t)count * sizeof one);
    free(all);
}

bsn_status fixture_add(fixture *f, const char *name)
{
    f->told[0] = '\0';
    return serve_catalog_add(&f->state.catalog, fixture_path(f, name), &f->notice, f->subject,
                             &f->err);
}

/* ------------------------------------------------------------------ questions */

static void take_output(fixture *f)
{
    bsn_iovec iov[16];
    size_t count;
    while ((count = bsn_out_iovecs(&f->out, iov, 16)) > 0) {
        uint64_t sent = 0;
        for (size_t i = 0; i < count; i++) {
            const bsn_bytes piece = {iov[i].ptr, iov[i].len};
            ck_assert_int_eq(bsn_buf_append(&f->reply, piece), BSN_OK);
            sent += iov[i].len;
        }
        bsn_out_sent(&f->out, sent);
    }
}

serve_outcome fixture_send(fixture *f, bsn_bytes message)
{
    const serve_peer peer = {.id = 17, .address = BSN_STR("127.0.0.1:40000")};
    f->reply.len = 0;
    bsn_out_clear(&f->out);
    const serve_outcome outcome =
        serve_answer(&f->state, &peer, message, &f->out, &f->feed, &f->err);
    if (outcome != SERVE_REPLY) {
        ck_assert_uint_eq(bsn_out_unsent(&f->out), 0);
        ck_assert(!f->feed.active);
        return outcome;
    }
    take_output(f);
    while (f->feed.active) { /* in small portions, as a slow client would have it */
        bsn_error err;
        const bsn_status status = serve_feed_fill(&f->feed, &f->state.window, &f->out, 1000, &err);
        if (status != BSN_OK) {
            f->err = err;
            serve_feed_free(&f->feed);
            return SERVE_CLOSE;
        }
        take_output(f);
    }
    return SERVE_REPLY;
}

static void put_request(fixture *f, const char *db, const char *command)
{
    const uint8_t head[BSN_HEADER_LEN + 5] = {0};
    const bsn_bytes front = {head, sizeof head};
    bsn_header header = {.request_id = REQUEST_ID, .opcode = BSN_OP_MSG};
    f->request.len = 0;
    ck_assert_int_eq(bsn_buf_append(&f->request, front), BSN_OK);
    append_json(&f->request, command, db);
    header.len = f->request.len;
    bsn_header_write(&header, f->request.ptr);
}

bsn_doc fixture_ask(fixture *f, const char *db, const char *command)
{
    bsn_msg msg;
    bsn_error err;
    put_request(f, db, command);
    ck_assert_msg(fixture_send(f, bsn_buf_view(&f->request)) == SERVE_REPLY, "no reply to %s",
                  command);
    const bsn_status status = bsn_msg_open(bsn_buf_view(&f->reply), &msg, &err);
    ck_assert_msg(status == BSN_OK, "reply to %s: status %d at %u of %zu", command, (int)status,
                  (unsigned)err.offset, f->reply.len);
    ck_assert_int_eq(msg.header.response_to, REQUEST_ID);
    ck_assert_uint_eq(msg.flags, 0);
    ck_assert_msg(bsn_validate(bsn_doc_bytes(msg.body), NULL, NULL, &err) == BSN_OK,
                  "reply to %s: unsound at %u", command, (unsigned)err.offset);
    return msg.body;
}

void fixture_expect(fixture *f, const char *db, const char *command, const char *reply)
{
    const bsn_doc got = fixture_ask(f, db, command);
    bsn_buf wanted;
    bsn_buf_init(&wanted, &f->counter.alloc);
    append_json(&wanted, reply, NULL);
    if (!bsn_bytes_equal(bsn_doc_bytes(got), bsn_buf_view(&wanted))) {
        fail_with(command, got, reply);
    }
    bsn_buf_free(&wanted);
}

bsn_value fixture_field(bsn_doc doc, const char *path)
{
    bsn_value value = {.type = BSN_TYPE_DOCUMENT};
    value.as.doc = doc;
    while (*path != '\0') {
        const bsn_str key = {path, strcspn(path, ".")};
        bsn_value inside;
        ck_assert(value.type == BSN_TYPE_DOCUMENT || value.type == BSN_TYPE_ARRAY);
        ck_assert_msg(bsn_find_value(value.as.doc, key, &inside, NULL) == BSN_OK, "no %s", path);
        value = inside;
        path += key.len;
        if (*path == '.') path++;
    }
    return value;
}

size_t fixture_size(bsn_doc doc)
{
    bsn_iter it;
    size_t count = 0;
    bsn_iter_init(&it, doc);
    while (bsn_iter_next(&it)) count++;
    return count;
}

bsn_str fixture_refused(fixture *f, const char *db, const char *command, int32_t code)
{
    const bsn_doc got = fixture_ask(f, db, command);
    const bsn_value ok = fixture_field(got, "ok");
    ck_assert_msg(ok.type == BSN_TYPE_DOUBLE && ok.as.f64 == 0.0, "%s", command);
    const bsn_value found = fixture_field(got, "code");
    ck_assert_msg(found.type == BSN_TYPE_INT32 && found.as.i32 == code, "%s: code %d", command,
                  (int)found.as.i32);
    ck_assert_int_eq(fixture_field(got, "codeName").type, BSN_TYPE_STRING);
    ck_assert_uint_eq(fixture_size(got), 4);
    const bsn_value text = fixture_field(got, "errmsg");
    ck_assert_int_eq(text.type, BSN_TYPE_STRING);
    ck_assert(bsn_utf8_valid(text.as.str, NULL));
    return text.as.str;
}
