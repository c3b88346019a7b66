/* SPDX-License-Identifier: Apache-2.0
 *
 * full_walk.c -- see full_walk.h.
 */
#include "support/full_walk.h"

#include "support/digest.h"
#include "support/must.h"

#include "bson/iter.h"

#include <stdlib.h>

static uint64_t mix_str(uint64_t digest, bsn_str str)
{
    return digest_mix(digest, str.ptr, str.len);
}

/* One case a type: the members of the union that are set, and no other. */
static uint64_t mix_value(uint64_t digest, const bsn_value *value)
{
    digest = digest_mix(digest, &value->type, sizeof value->type);
    switch (value->type) {
    case BSN_TYPE_DOUBLE: return digest_mix(digest, &value->as.f64, sizeof value->as.f64);
    case BSN_TYPE_STRING:
    case BSN_TYPE_CODE:
    case BSN_TYPE_SYMBOL: return mix_str(digest, value->as.str);
    case BSN_TYPE_DOCUMENT:
    case BSN_TYPE_ARRAY: return digest_mix(digest, value->as.doc.ptr, value->as.doc.len);
    case BSN_TYPE_BINARY:
        digest = digest_mix(digest, &value->subtype, sizeof value->subtype);
        return digest_mix(digest, value->as.binary.ptr, value->as.binary.len);
    case BSN_TYPE_OID: return digest_mix(digest, &value->as.oid, sizeof value->as.oid);
    case BSN_TYPE_BOOLEAN: return digest_mix(digest, &value->as.boolean, sizeof value->as.boolean);
    case BSN_TYPE_DATE: return digest_mix(digest, &value->as.date, sizeof value->as.date);
    case BSN_TYPE_REGEX:
        digest = mix_str(digest, value->as.regex.pattern);
        return mix_str(digest, value->as.regex.options);
    case BSN_TYPE_DBPOINTER:
        digest = mix_str(digest, value->as.dbpointer.ns);
        return digest_mix(digest, &value->as.dbpointer.oid, sizeof value->as.dbpointer.oid);
    case BSN_TYPE_CODE_SCOPE:
        digest = mix_str(digest, value->as.code_scope.code);
        return digest_mix(digest, value->as.code_scope.scope.ptr, value->as.code_scope.scope.len);
    case BSN_TYPE_INT32: return digest_mix(digest, &value->as.i32, sizeof value->as.i32);
    case BSN_TYPE_TIMESTAMP:
        return digest_mix(digest, &value->as.timestamp, sizeof value->as.timestamp);
    case BSN_TYPE_INT64: return digest_mix(digest, &value->as.i64, sizeof value->as.i64);
    case BSN_TYPE_DECIMAL128:
        return digest_mix(digest, &value->as.decimal, sizeof value->as.decimal);
    case BSN_TYPE_NONE:
    case BSN_TYPE_UNDEFINED:
    case BSN_TYPE_NULL:
    case BSN_TYPE_MAXKEY:
    case BSN_TYPE_MINKEY: break;
    }
    return digest;
}

static bool take_step(bsn_iter *it, full_walk_way way)
{
    switch (way) {
    case FULL_WALK_OUT_OF_LINE: return bsn_iter_step(it);
    case FULL_WALK_SLOW: return bsn_iter_next_slow(it);
    case FULL_WALK_JUDGED: return bsni_iter_next_judged(it);
    case FULL_WALK_INLINE:
    case FULL_WALK_WAYS: break;
    }
    return bsn_iter_next(it);
}

static uint64_t mix_element(uint64_t digest, const bsn_iter *it)
{
    const bsn_value value = bsn_iter_value(it);
    const uint64_t offset = bsn_iter_offset(it);
    digest = digest_mix(digest, &offset, sizeof offset);
    digest = mix_str(digest, bsn_iter_key(it));
    return mix_value(digest, &value);
}

/* After the end or a fault every question has an answer, and the walk stays ended. */
static void check_ended(bsn_iter it, full_walk_way way)
{
    const bsn_status status = bsn_iter_error(&it, NULL);
    bsn_iter child;
    MUST(!take_step(&it, way));
    MUST(!take_step(&it, way));
    MUST(!bsn_iter_enter(&it, &child));
    MUST(bsn_iter_error(&it, NULL) == status);
    MUST(bsn_iter_type(&it) == BSN_TYPE_NONE);
    MUST(bsn_iter_value(&it).type == BSN_TYPE_NONE);
    MUST(bsn_iter_key(&it).len == 0);
}

bsn_status full_walk(bsn_doc doc, full_walk_way way, uint16_t depth_max, uint64_t *digest,
                     bsn_error *err)
{
    bsn_iter *stack = malloc(((size_t)depth_max + 1) * sizeof *stack);
    MUST(stack != NULL);
    uint64_t sum = 0xCBF29CE484222325u;
    size_t top = 0;
    bsn_status status = BSN_OK;
    bsn_iter_init(&stack[0], doc);
    bsn_iter_set_depth_max(&stack[0], depth_max);
    for (;;) {
        if (take_step(&stack[top], way)) {
            sum = mix_element(sum, &stack[top]);
            if (bsn_iter_enter(&stack[top], &stack[top + 1])) {
                sum = digest_mix(sum, "{", 1);
                top++;
                continue;
            }
        }
        status = bsn_iter_error(&stack[top], err);
        if (status == BSN_OK && bsn_iter_type(&stack[top]) != BSN_TYPE_NONE) continue;
        check_ended(stack[top], way);
        if (status != BSN_OK || top == 0) break;
        sum = digest_mix(sum, "}", 1);
        top--;
    }
    free(stack);
    if (digest != NULL) *digest = sum;
    return status;
}

bsn_status full_walk_bytes(bsn_bytes bytes, full_walk_way way, uint16_t depth_max, bsn_error *err)
{
    bsn_doc doc;
    const bsn_status status = bsn_doc_open(bytes, &doc, err);
    return status == BSN_OK ? full_walk(doc, way, depth_max, NULL, err) : status;
}
