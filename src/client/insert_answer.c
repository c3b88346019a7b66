/* SPDX-License-Identifier: Apache-2.0
 *
 * insert_answer.c -- what a server says of the documents of a message: its write errors as they come, and the rest, which must agree.
 */
#include "client/conn_state.h"
#include "client/insert.h"
#include "client/insert_result.h"

#include <bsonic/get.h>

#define DUPLICATE_KEY 11000

/* A failure as servers describe one. */
typedef struct told_error {
    int64_t index; /* -1: not told */
    int32_t code;
    bsn_str message;
} told_error;

static bsn_status read_error(bsn_doc doc, told_error *told, bsn_error *err)
{
    bsn_iter it;
    const told_error nothing = {.index = -1, .message = {.ptr = "", .len = 0}};
    *told = nothing;
    bsn_iter_init(&it, doc);
    while (bsn_iter_next(&it)) {
        if (bsn_iter_key_is(&it, BSN_STR("index"))) {
            if (bsn_as_int64(&it, &told->index) != BSN_OK) told->index = -1;
        } else if (bsn_iter_key_is(&it, BSN_STR("code"))) {
            if (bsn_as_int32(&it, &told->code) != BSN_OK) told->code = 0;
        } else if (bsn_iter_key_is(&it, BSN_STR("errmsg"))) {
            const bsn_str none = {.ptr = "", .len = 0};
            if (bsn_get_string(&it, &told->message) != BSN_OK) told->message = none;
        }
    }
    return bsn_iter_error(&it, err);
}

static size_t batch_count(const conn_insert *insert)
{
    return insert->batch_end - insert->batch_start;
}

bsn_status bsni_insert_take_error(conn_insert *insert, bsn_doc doc, bsn_error *err)
{
    const bsn_insert_options *o = &insert->order.options;
    told_error told;
    const bsn_status status = read_error(doc, &told, err);
    if (status != BSN_OK) return status;
    if (told.index < 0 || (uint64_t)told.index >= batch_count(insert)) {
        return bsn_error_set(err, BSN_E_PROTOCOL, 0, "write error of no document that was sent");
    }
    if (insert->error_count == (o->unordered ? batch_count(insert) : 1)) {
        return bsn_error_set(err, BSN_E_PROTOCOL, 0, "more write errors than there can be");
    }
    insert->error_count++;
    insert->first_error = (size_t)told.index; /* in order: the only one */
    if (o->ignore_duplicates && told.code == DUPLICATE_KEY) {
        insert->order.result->duplicates++;
        return BSN_OK;
    }
    const bsn_write_error error = {.index = insert->base + insert->batch_start + (size_t)told.index,
                                   .status = BSN_E_SERVER,
                                   .code = told.code,
                                   .message = told.message};
    bsni_insert_note_failure(insert, &error);
    return BSN_OK;
}

/* Documents of the message that must have been inserted, as its errors tell. */
static size_t sound_count(const conn_insert *insert)
{
    if (insert->error_count > 0 && !insert->order.options.unordered) return insert->first_error;
    return batch_count(insert) - insert->error_count;
}

/* An answer too long for the room it has may have lost this part: better a warning too many than a loss in silence. */
static void take_concern(const bsn_conn *conn)
{
    bsn_value value;
    told_error told;
    bsn_insert_result *result = conn->insert->order.result;
    if (bsn_find_value(conn->reply, BSN_STR("writeConcernError"), &value, NULL) == BSN_OK &&
        value.type == BSN_TYPE_DOCUMENT && read_error(value.as.doc, &told, NULL) == BSN_OK) {
        bsni_result_add_concern(result, told.code, told.message);
    } else if (conn->env.partial) {
        bsni_result_add_concern(result, 0, BSN_STR("unknown: the answer was too long to keep"));
    }
}

const char *bsni_insert_take_reply(bsn_conn *conn)
{
    conn_insert *insert = conn->insert;
    bsn_iter it;
    int64_t n;
    if (conn->env.has_cursor) return "answer to insert with a cursor";
    if (!conn->has_reply || bsn_find(conn->reply, BSN_STR("n"), &it, NULL) != BSN_OK ||
        bsn_as_int64(&it, &n) != BSN_OK) {
        return "answer to insert without a count";
    }
    /* Some servers count what they have refused too, so more than the sound ones is no contradiction. */
    const size_t sound = sound_count(insert);
    if (n < 0 || (uint64_t)n > batch_count(insert)) return "more inserted than was sent";
    if ((uint64_t)n < sound) return "fewer inserted than were sent, and no error says why";
    insert->order.result->inserted += sound;
    insert->order.result->batches++;
    take_concern(conn);
    insert->batch_start = insert->batch_end;
    return NULL;
}
