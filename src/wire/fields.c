/* SPDX-License-Identifier: Apache-2.0
 *
 * fields.c -- the fields of a reply that mean something to the walker: ok, code and writeErrors of the body; id, ns and the batch of
 * the cursor.
 */
#include "wire/fields.h"

#include "base/whole.h"
#include "wire/collect.h"

#include <bsonic/detail/iter.h>
#include <bsonic/detail/le.h>

/* Any number that is an integer. */
static bool load_integer(uint8_t type, const uint8_t *value, int64_t *integer)
{
    switch (type) {
    case BSN_TYPE_INT64: *integer = bsn_load_i64(value); return true;
    case BSN_TYPE_INT32: *integer = bsn_load_i32(value); return true;
    case BSN_TYPE_DOUBLE: return bsni_whole_double(bsn_load_f64(value), integer);
    default: return false;
    }
}

/* The truth of `ok`: a number other than 0, or true. */
static bool load_truth(uint8_t type, const uint8_t *value)
{
    switch (type) {
    case BSN_TYPE_DOUBLE: return bsn_load_f64(value) != 0.0;
    case BSN_TYPE_INT32: return bsn_load_i32(value) != 0;
    case BSN_TYPE_INT64: return bsn_load_i64(value) != 0;
    case BSN_TYPE_BOOLEAN: return value[0] != 0;
    default: return false;
    }
}

void bsni_note_outcome(bsn_envelope *env, const uint8_t *value)
{
    int64_t number;
    if (bsni_key_is(env, BSN_STR("ok")) && !env->has_ok) {
        env->has_ok = true;
        env->ok = load_truth(env->type, value);
    }
    if (bsni_key_is(env, BSN_STR("code")) && env->code == 0 &&
        load_integer(env->type, value, &number) && number >= INT32_MIN && number <= INT32_MAX) {
        env->code = (int32_t)number;
    }
}

const char *bsni_note_cursor_id(bsn_envelope *env, const uint8_t *value)
{
    if (!bsni_key_is(env, BSN_STR("id"))) return NULL;
    if (env->has_id) return "two cursor ids";
    if (!load_integer(env->type, value, &env->cursor_id)) return "cursor id is not an integer";
    env->has_id = true;
    return NULL;
}

static const char *check_cursor_field(const bsn_envelope *env)
{
    if (bsni_key_is(env, BSN_STR("firstBatch")) || bsni_key_is(env, BSN_STR("nextBatch"))) {
        if (env->has_batch) return "two batches";
        if (env->type != BSN_TYPE_ARRAY) return "batch is not an array";
    } else if (bsni_key_is(env, BSN_STR("id"))) {
        if (bsn_type_step(env->type) > 16) return "cursor id is not an integer";
    } else if (bsni_key_is(env, BSN_STR("ns"))) {
        if (env->ns_len != 0) return "two namespaces";
        if (env->type != BSN_TYPE_STRING) return "namespace is not a string";
    }
    return NULL;
}

const char *bsni_check_shape(const bsn_envelope *env, bool in_cursor)
{
    if (in_cursor) return check_cursor_field(env);
    if (env->options.write_errors && bsni_key_is(env, BSN_STR("writeErrors"))) {
        if (env->has_write_errors) return "two lists of write errors";
        return env->type == BSN_TYPE_ARRAY ? NULL : "writeErrors is not an array";
    }
    if (!bsni_key_is(env, BSN_STR("cursor"))) return NULL;
    if (env->has_cursor) return "two cursors";
    return env->type == BSN_TYPE_DOCUMENT ? NULL : "cursor is not a document";
}
