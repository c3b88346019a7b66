/* SPDX-License-Identifier: Apache-2.0
 *
 * cmd_push.c -- bsonic push: streams files of BSON or Extended JSON into a collection of a server.
 *
 *   file ──read──► window: documents checked, and added where they lie ──sendmsg──► server
 *                  all of them are answered for before the window is filled again
 *
 * Documents made of text are gathered in a block of the same size; one that is larger is sent from where it was made.
 */
#include "cli/command.h"
#include "cli/memory.h"
#include "cli/progress.h"
#include "cli/remote.h"
#include "cli/source.h"
#include "cli/text.h"

#include <bsonic/client.h>
#include <bsonic/io.h>
#include <bsonic/validate.h>
#include <bsonic/write.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* A message holds at most what is in the window: two thousand documents of a kilobyte. */
#define WINDOW_SIZE ((size_t)2 * 1024 * 1024)

/* A pipe gives less at a time: what comes within this time goes into the same message. */
#define LINGER_MS 5

#define NAMESPACE_NOT_FOUND 26

/* A stream at work. */
typedef struct pusher {
    const cli_args *args;
    cli_remote remote;
    bsn_insert_options options;
    bsn_bulk bulk;
    bool bulk_opened;
    uint8_t concern[512]; /* what --write-concern says, as a document */
    bsn_json_parse_options text_options;
    uint8_t *
        gathered; /* documents of text that wait: WINDOW_SIZE bytes, or NULL when none are expected */
    size_t gathered_len;
    bsn_str file;        /* that is read now, for messages */
    uint64_t file_start; /* the result's index of its first document */
    size_t told;         /* errors of the result that have been reported */
    cli_progress progress;
    uint64_t documents; /* read and found sound, in all files */
    uint64_t bytes;
    uint64_t reads;
} pusher;

/* ------------------------------------------------------------------ before anything is sent */

/* Files that are not there are found before the collection is touched. */
static int check_file(const pusher *p, const char *path)
{
    struct stat about;
    char escaped[CLI_ESCAPED_MAX];
    if (cli_source_is_standard_input(path)) return CLI_OK;
    if (stat(path, &about) != 0) {
        const bsn_error err = {.status = BSN_E_IO, .os_error = errno};
        return cli_report(bsn_str_from(path), &err);
    }
    if (!S_ISDIR(about.st_mode)) return CLI_OK;
    return cli_usage_error(p->args->command, "%s: dump directories are not part of this version",
                           cli_escape(bsn_str_from(path), escaped));
}

static int check_files(const pusher *p)
{
    int code = CLI_OK;
    for (int i = 2; i < p->args->operand_count && code == CLI_OK; i++) {
        code = check_file(p, p->args->operands[i]);
    }
    return code;
}

/* NS that is forgotten makes a namespace of the file, and the command waits for standard input. */
static int check_namespace(const pusher *p)
{
    struct stat about;
    char escaped[CLI_ESCAPED_MAX];
    const char *ns = p->args->operands[1];
    if (p->args->operand_count > 2 || stat(ns, &about) != 0 || !S_ISREG(about.st_mode)) {
        return CLI_OK;
    }
    return cli_usage_error(p->args->command,
                           "%s is a file; the collection goes in front of it (or - behind it, to "
                           "read standard input)",
                           cli_escape(bsn_str_from(ns), escaped));
}

/* Makes { w: .. } of --write-concern. */
static int read_concern(pusher *p)
{
    const char *text = p->args->text[CLI_WRITE_CONCERN];
    bsn_out out;
    bsn_writer w;
    uint64_t number;
    if (text == NULL) return CLI_OK;
    const bool is_number = cli_read_number(text, INT32_MAX, &number); /* of servers; else a name */
    if (is_number && number == 0) {
        return cli_usage_error(p->args->command,
                               "--write-concern 0 asks for no answer; push waits for one");
    }
    if (text[0] == '\0' || text[0] == '-') {
        return cli_usage_error(p->args->command,
                               "--write-concern is a number of servers, or a name");
    }
    bsn_out_init_fixed(&out, p->concern, sizeof p->concern);
    bsn_writer_init(&w, &out);
    bsn_writer_begin(&w);
    if (is_number) {
        bsn_writer_int32(&w, BSN_STR("w"), (int32_t)number);
    } else {
        bsn_writer_string(&w, BSN_STR("w"), bsn_str_from(text));
    }
    bsn_writer_end(&w);
    if (bsn_writer_doc(&w, &p->options.write_concern) == BSN_OK) return CLI_OK;
    return cli_usage_error(p->args->command, "--write-concern is too long a name");
}

static int read_options(pusher *p)
{
    const cli_args *args = p->args;
    const int code = cli_text_options(args, &p->text_options);
    if (code != CLI_OK) return code;
    if (!args->given[CLI_JSON] &&
        (args->given[CLI_LEGACY] || args->given[CLI_BIG_INT] || args->given[CLI_SUB_MS])) {
        return cli_usage_error(args->command, "--legacy, --big-int and --sub-ms go with --json");
    }
    p->options.ignore_duplicates = args->given[CLI_SKIP_DUPLICATES];
    p->options.unordered = args->given[CLI_UNORDERED] || p->options.ignore_duplicates;
    p->options.batch_max = (uint32_t)args->number[CLI_BATCH_SIZE];
    return read_concern(p);
}

/* ------------------------------------------------------------------ words */

/* An exit code for what a document failed of. */
static int code_of(const bsn_write_error *error)
{
    return error->status == BSN_E_SERVER ? CLI_NETWORK : cli_exit_code(error->status);
}

static void tell_error(const pusher *p, const bsn_write_error *error)
{
    char file[CLI_ESCAPED_MAX], message[CLI_ESCAPED_MAX];
    cli_escape(p->file, file);
    cli_escape(error->message, message);
    const uint64_t number = error->index - p->file_start + 1;
    if (error->status == BSN_E_SERVER) {
        cli_say("%s: document %" PRIu64 ": write error %" PRId32 " (%s)", file, number, error->code,
                message);
    } else {
        cli_say("%s: document %" PRIu64 ": not sent: %s", file, number, message);
    }
}

/* Says which documents have failed since the last time. Called before the next file begins, so all of them are of this one. */
static void tell_errors(pusher *p)
{
    const bsn_insert_result *result = bsn_bulk_result(&p->bulk);
    if (p->told < result->error_count) cli_progress_clear(&p->progress);
    for (; p->told < result->error_count; p->told++) tell_error(p, &result->errors[p->told]);
}

/* True when *err, which ended the stream, is the failure of a document in order, and not one of the connection after it. */
static bool is_of_document(const pusher *p, const bsn_error *err)
{
    const bsn_insert_result *result = bsn_bulk_result(&p->bulk);
    if (p->options.unordered || result->failed == 0) return false;
    const bsn_write_error *first = &result->errors[0];
    return err->status == first->status &&
           err->offset == (first->code > 0 ? (uint64_t)first->code : 0);
}

/* The stream is over before its end: the first document that failed in order, the whole command, or the connection. */
static int tell_end(pusher *p)
{
    const bsn_insert_result *result = bsn_bulk_result(&p->bulk);
    bsn_error err = {0};
    char name[CLI_ESCAPED_MAX];
    cli_progress_clear(&p->progress);
    if (bsn_bulk_finish(&p->bulk, &err) == BSN_OK) return CLI_OK; /* cannot be */
    const uint64_t unknown =
        result->documents - result->inserted - result->failed - result->duplicates;
    cli_escape(p->remote.name, name);
    if (is_of_document(p, &err)) {
        cli_say("%s: stopped at the first document that failed; --unordered goes on", name);
        return code_of(&result->errors[0]);
    }
    const int code = cli_remote_report(&p->remote, &err);
    if (unknown > 0) {
        cli_say("%s: of the last %" PRIu64 " document%s sent any part may have been inserted", name,
                unknown, cli_s(unknown));
    }
    return code;
}

/* What the server has answered so far, in one line. */
static void print_summary(const pusher *p)
{
    const bsn_insert_result *result = bsn_bulk_result(&p->bulk);
    char name[CLI_ESCAPED_MAX], duplicates[64] = "", failed[64] = "";
    if (result->duplicates > 0) {
        snprintf(duplicates, sizeof duplicates, ", %" PRIu64 " duplicate%s passed by",
                 result->duplicates, cli_s(result->duplicates));
    }
    if (result->failed > 0) snprintf(failed, sizeof failed, ", %" PRIu64 " failed", result->failed);
    cli_say("%s: %" PRIu64 " document%s inserted%s%s", cli_escape(p->remote.name, name),
            result->inserted, cli_s(result->inserted), duplicates, failed);
}

static void print_stats(const pusher *p)
{
    const cli_traffic traffic = {.documents = p->documents,
                                 .bytes = p->bytes,
                                 .file_calls = p->reads,
                                 .file_verb = "read",
                                 .warming_up = "up to the first answer"};
    cli_remote_print_cost(&p->remote, &traffic);
}

/* What is to be said at the end about documents that failed on the way. */
static int verdict(const pusher *p, int code)
{
    const bsn_insert_result *result = bsn_bulk_result(&p->bulk);
    char name[CLI_ESCAPED_MAX], message[CLI_ESCAPED_MAX];
    cli_escape(p->remote.name, name);
    if (result->failed > result->error_count) {
        const uint64_t untold = result->failed - result->error_count;
        cli_say("%s: %" PRIu64 " more document%s failed", name, untold, cli_s(untold));
    }
    if (result->concern_errors > 0) {
        cli_say("%s: inserted, but not as safely as asked for: %s (code %" PRId32 ")", name,
                cli_escape(result->concern_message, message), result->concern_code);
    }
    if (code != CLI_OK) return code;
    if (result->failed > 0) return code_of(&result->errors[0]);
    return result->concern_errors > 0 ? CLI_NETWORK : CLI_OK;
}

/* ------------------------------------------------------------------ streaming */

/* Sends what waits; then nothing refers to the window any more. */
static int flush(pusher *p)
{
    const bsn_status status = bsn_bulk_flush(&p->bulk);
    tell_errors(p);
    if (status != BSN_OK) return tell_end(p);
    cli_remote_note_warm(&p->remote);
    cli_progress_tick(&p->progress, p->documents, p->bytes);
    return CLI_OK;
}

/* A document that cannot be sent is told when all before it have been answered for. */
static int refuse_document(pusher *p, const cli_source *source, bsn_doc doc, const bsn_error *err)
{
    const int code = flush(p);
    if (code != CLI_OK) return code;
    cli_progress_clear(&p->progress);
    return cli_source_report(source, doc, err);
}

/* Adds a document, which lives until the next flush. */
static int add_document(pusher *p, bsn_doc doc)
{
    p->documents++;
    p->bytes += doc.len;
    if (bsn_bulk_add(&p->bulk, doc) == BSN_OK) return CLI_OK;
    tell_errors(p);
    return tell_end(p);
}

static int push_document(pusher *p, const cli_source *source, bsn_doc doc)
{
    static const bsn_validate_options structure = {.level = BSN_LEVEL_STRUCTURE};
    bsn_error err = {0};
    if (bsn_validate(bsn_doc_bytes(doc), &structure, NULL, &err) != BSN_OK) {
        return refuse_document(p, source, doc, &err);
    }
    const int code = add_document(p, doc);
    if (code != CLI_OK) return code;
    return bsn_input_ready(&source->in) ? CLI_OK : flush(p);
}

static int push_documents(pusher *p, cli_source *source)
{
    bsn_doc doc;
    while (cli_source_next(source, &doc)) {
        const int code = push_document(p, source, doc);
        if (code != CLI_OK) return code;
    }
    const int code = flush(p);
    if (code != CLI_OK) return code;
    if (bsn_input_error(&source->in, NULL) != BSN_OK) cli_progress_clear(&p->progress);
    return cli_source_end(source);
}

static const bsn_input_options input_options = {.window_size = WINDOW_SIZE, .linger_ms = LINGER_MS};

static int push_bson(pusher *p, const char *path)
{
    cli_source source;
    int code = cli_source_open(&source, path, &input_options);
    p->file = source.name;
    p->file_start = bsn_bulk_result(&p->bulk)->documents;
    if (code == CLI_OK) code = push_documents(p, &source);
    p->reads += bsn_input_reads(&source.in);
    cli_source_close(&source);
    return code;
}

/* ------------------------------------------------------------------ text */

/* What has been gathered goes, and its room is free again. */
static int flush_gathered(pusher *p)
{
    p->gathered_len = 0;
    return flush(p);
}

/* Adds a document that lives until the next one: a copy of it, or itself when it is large, and then it is sent at once. */
static int gather_document(pusher *p, bsn_doc doc)
{
    if (doc.len > WINDOW_SIZE - p->gathered_len) {
        const int code = flush_gathered(p);
        if (code != CLI_OK) return code;
    }
    if (doc.len > WINDOW_SIZE) {
        const int code = add_document(p, doc);
        return code != CLI_OK ? code : flush_gathered(p);
    }
    uint8_t *copy = p->gathered + p->gathered_len;
    memcpy(copy, doc.ptr, doc.len);
    p->gathered_len += doc.len;
    doc.ptr = copy;
    return add_document(p, doc);
}

/* All documents of what has been read. A fault is told when all before it have been answered for. */
static int push_text_piece(pusher *p, cli_text *text)
{
    bsn_doc doc;
    while (cli_text_next(text, &doc)) {
        const int code = gather_document(p, doc);
        if (code != CLI_OK) return code;
    }
    const int code = flush_gathered(p);
    if (code != CLI_OK || !cli_text_failed(text)) return code;
    cli_progress_clear(&p->progress);
    return cli_text_report(text);
}

static int push_text(pusher *p, const char *path)
{
    cli_text text;
    int code = cli_text_open(&text, path, &p->text_options, &input_options);
    p->file = text.name;
    p->file_start = bsn_bulk_result(&p->bulk)->documents;
    while (code == CLI_OK && cli_text_fill(&text)) code = push_text_piece(p, &text);
    if (code == CLI_OK) code = cli_text_end(&text);
    p->reads += bsn_input_reads(&text.in);
    cli_text_close(&text);
    return code;
}

static int take_gathering_room(pusher *p)
{
    const bsn_error err = {.status = BSN_E_NOMEM};
    p->gathered = bsn_alloc_resize(cli_memory(), NULL, 0, WINDOW_SIZE);
    return p->gathered != NULL ? CLI_OK : cli_report(BSN_STR("push"), &err);
}

static int push_files(pusher *p)
{
    int count, code = CLI_OK;
    char *const *files = cli_source_files(p->args, 2, &count);
    cli_progress_start(&p->progress, p->args->given[CLI_QUIET]);
    if (p->args->given[CLI_JSON]) code = take_gathering_room(p);
    for (int i = 0; i < count && code == CLI_OK; i++) {
        code = p->args->given[CLI_JSON] ? push_text(p, files[i]) : push_bson(p, files[i]);
    }
    cli_progress_clear(&p->progress);
    return code;
}

/* ------------------------------------------------------------------ the command */

/* True when a refused drop means that there was nothing to drop. Not every server gives a code. */
static bool means_not_there(const bsn_error *err, bsn_str message)
{
    static const char words[] = "ns not found";
    if (err->status != BSN_E_SERVER) return false;
    if (err->offset == NAMESPACE_NOT_FOUND) return true;
    for (size_t i = 0; err->offset == 0 && i + sizeof words - 1 <= message.len; i++) {
        if (memcmp(message.ptr + i, words, sizeof words - 1) == 0) return true;
    }
    return false;
}

static int drop_collection(pusher *p)
{
    uint8_t storage[1024];
    bsn_out out;
    bsn_writer w;
    bsn_doc command, reply;
    bsn_error err = {0};
    bsn_out_init_fixed(&out, storage, sizeof storage);
    bsn_writer_init(&w, &out);
    bsn_writer_begin(&w);
    bsn_writer_string(&w, BSN_STR("drop"), p->remote.collection);
    bsn_writer_end(&w);
    if (bsn_writer_doc(&w, &command) != BSN_OK) {
        return cli_usage_error(p->args->command, "a collection's name cannot be that long");
    }
    const bsn_status status =
        bsn_client_command(p->remote.client, p->remote.db, command, &reply, &err);
    if (status == BSN_OK || means_not_there(&err, bsn_client_message(p->remote.client)))
        return CLI_OK;
    return cli_remote_report(&p->remote, &err);
}

static int push(pusher *p)
{
    bsn_error err = {0};
    int code = cli_remote_read(&p->remote, p->args);
    if (code == CLI_OK) code = read_options(p);
    if (code == CLI_OK) code = check_namespace(p);
    if (code == CLI_OK) code = check_files(p);
    if (code == CLI_OK) code = cli_remote_open(&p->remote);
    if (code != CLI_OK) return code;
    p->bulk_opened = true;
    if (bsn_client_bulk(p->remote.client, p->remote.db, p->remote.collection, &p->options, &p->bulk,
                        &err) != BSN_OK) {
        const int told = cli_remote_report(&p->remote, &err);
        /* No server has been asked for that yet. */
        return err.status == BSN_E_UNSUPPORTED ? CLI_USAGE : told;
    }
    if (p->args->given[CLI_DROP]) code = drop_collection(p);
    if (code != CLI_OK) return code;
    cli_remote_start(&p->remote);
    code = verdict(p, push_files(p));
    if (!p->args->given[CLI_QUIET]) print_summary(p);
    if (p->args->given[CLI_STATS]) print_stats(p);
    return code;
}

int cmd_push(const cli_args *args)
{
    pusher p = {.args = args};
    const int code = push(&p);
    if (p.bulk_opened) bsn_bulk_free(&p.bulk);
    bsn_alloc_resize(cli_memory(), p.gathered, p.gathered != NULL ? WINDOW_SIZE : 0, 0);
    cli_remote_close(&p.remote);
    return code;
}
