/* SPDX-License-Identifier: Apache-2.0
 *
 * envelope.c -- walks a reply as it arrives and hands out the documents of its batch.
 *
 *   HEADER ─► FLAGS ─► SECTION ─► BODY ─► TYPE ─► KEY ─► VALUE ─► SKIP ─► TYPE ...          level 1: the body
 *      └────► REPLY_HEAD ──────────┘       ▲              ├─► CSTRINGS ──► TYPE ...
 *                                          │              ├─► NAMESPACE ─► TYPE ...
 *                                          └── container ─┤                                 level 2: the cursor document
 *                     SECTION ─► CHECKSUM ─► ENDED        └─► DOCUMENT ──► TYPE ...         level 3: the batch, or the
 *                                                                                           body's array writeErrors
 *
 * A state says what stands next in the bytes. A step looks at them and either uses them up and goes on, or leaves them and says
 * how many it needs together. No step looks at more than it uses up or than it asked for, so where the bytes are cut cannot
 * matter. What is not needed together (keys, strings, containers passed by) is used up as it comes.
 *
 * `ends[level]` is the offset behind the container of that level, known and checked when it was entered; `room` is what its
 * elements may still fill. Every length is compared with that before it is believed.
 */
#include "base/debug.h"
#include "wire/collect.h"
#include "wire/fields.h"
#include "wire/message.h"

#include <bsonic/detail/iter.h>
#include <bsonic/detail/len.h>
#include <bsonic/detail/word.h>

#include <string.h>

enum state {
    AT_HEADER,
    AT_FLAGS,
    AT_REPLY_HEAD,
    AT_SECTION,
    AT_BODY,
    AT_TYPE,
    AT_KEY,
    AT_VALUE,
    AT_SKIP,
    AT_CSTRINGS,
    AT_NAMESPACE,
    AT_DOCUMENT,
    AT_CHECKSUM,
    ENDED,
    FAULTED
};

enum level { LEVEL_SECTIONS, LEVEL_BODY, LEVEL_CURSOR, LEVEL_BATCH };

/* ------------------------------------------------------------------ the words of a step */

/* Every step returns true to go on at once; false when it needs more bytes, or there is a fault. */

static bool fault(bsn_envelope *env, bsn_status status, uint64_t offset, const char *detail)
{
    env->state = FAULTED;
    env->status = status;
    env->fault_offset = offset;
    env->detail = detail;
    return false;
}

/* True when `len` bytes lie together at src. */
static bool have(bsn_envelope *env, const bsn_bytes *src, size_t len)
{
    if (src->len >= len) return true;
    env->need = len;
    return false;
}

static void consume(bsn_envelope *env, bsn_bytes *src, size_t len)
{
    const bsn_bytes used = {src->ptr, len};
    if (len == 0) return; /* src->ptr may be NULL */
    if (env->rolling) env->crc = bsn_crc32c(env->crc, used);
    env->offset += len;
    src->ptr += len;
    src->len -= len;
}

/* Bytes that the elements of the current container may still fill: up to its final 0x00. */
static size_t room(const bsn_envelope *env)
{
    return (size_t)(env->ends[env->level] - 1 - env->offset);
}

/* ------------------------------------------------------------------ header, flags, sections */

static bool step_header(bsn_envelope *env, bsn_bytes *src)
{
    bsn_error err;
    if (!have(env, src, BSN_HEADER_LEN)) return false;
    const bsn_status status = bsn_header_read(*src, env->options.size_max, &env->header, &err);
    if (status != BSN_OK) return fault(env, status, err.offset, err.detail);
    if (!env->options.any_response_to && env->header.response_to != env->options.response_to) {
        return fault(env, BSN_E_PROTOCOL, 8, "responseTo is not the request's id");
    }
    env->rolling = true; /* until the flags tell whether a checksum ends the message */
    consume(env, src, BSN_HEADER_LEN);
    if (env->header.opcode == BSN_OP_MSG) {
        if (env->header.len < BSN_HEADER_LEN + 4) {
            return fault(env, BSN_E_PROTOCOL, BSN_HEADER_LEN, "no room for the flags");
        }
        env->state = AT_FLAGS;
        return true;
    }
    if (env->header.opcode == BSN_OP_REPLY) {
        if (env->header.len < BSN_HEADER_LEN + BSN_REPLY_HEAD_LEN) {
            return fault(env, BSN_E_PROTOCOL, BSN_HEADER_LEN, "a reply's head has 20 bytes");
        }
        env->state = AT_REPLY_HEAD;
        return true;
    }
    if (env->header.opcode == BSN_OP_COMPRESSED) {
        return fault(env, BSN_E_UNSUPPORTED, 12, "a compressed reply is not walked as it comes");
    }
    return fault(env, BSN_E_PROTOCOL, 12, "not the opcode of a reply");
}

static bool step_flags(bsn_envelope *env, bsn_bytes *src)
{
    bsn_error err;
    if (!have(env, src, 4)) return false;
    env->flags = bsn_load_u32(src->ptr);
    const bsn_status status = bsni_msg_check_flags(env->flags, &err);
    if (status != BSN_OK) return fault(env, status, err.offset, err.detail);
    consume(env, src, 4);
    env->rolling = (env->flags & BSN_MSG_CHECKSUM) != 0;
    env->ends[LEVEL_SECTIONS] = env->header.len;
    if (env->rolling) {
        if (env->header.len < BSN_HEADER_LEN + 8) {
            return fault(env, BSN_E_PROTOCOL, env->offset, "no room for the checksum");
        }
        env->ends[LEVEL_SECTIONS] -= 4;
    }
    env->state = AT_SECTION;
    return true;
}

/* The head of OP_REPLY counts its documents: the answer to a command is one. */
static bool step_reply_head(bsn_envelope *env, bsn_bytes *src)
{
    if (!have(env, src, BSN_REPLY_HEAD_LEN)) return false;
    env->flags = bsn_load_u32(src->ptr);
    if (bsn_load_i32(src->ptr + 16) != 1) {
        return fault(env, BSN_E_PROTOCOL, env->offset + 16, "not a reply of one document");
    }
    env->rolling = false;
    env->ends[LEVEL_SECTIONS] = env->header.len;
    consume(env, src, BSN_REPLY_HEAD_LEN);
    env->state = AT_BODY;
    return true;
}

static bool step_section(bsn_envelope *env, bsn_bytes *src)
{
    if (env->offset == env->ends[LEVEL_SECTIONS]) {
        if (!env->has_body) return fault(env, BSN_E_PROTOCOL, env->offset, "no body");
        env->state = env->rolling ? AT_CHECKSUM : ENDED;
        return true;
    }
    if (env->has_body && env->header.opcode == BSN_OP_REPLY) {
        return fault(env, BSN_E_PROTOCOL, env->offset, "bytes after the reply's document");
    }
    if (!have(env, src, 1)) return false;
    switch (src->ptr[0]) {
    case 0:
        if (env->has_body) return fault(env, BSN_E_PROTOCOL, env->offset, "two bodies");
        consume(env, src, 1);
        env->state = AT_BODY;
        return true;
    case 1: return fault(env, BSN_E_PROTOCOL, env->offset, "a document sequence in a reply");
    default: return fault(env, BSN_E_PROTOCOL, env->offset, "unknown kind of section");
    }
}

static bool step_body(bsn_envelope *env, bsn_bytes *src)
{
    const uint64_t left = env->ends[LEVEL_SECTIONS] - env->offset;
    size_t len = 0;
    if (left < 4) return fault(env, BSN_E_PROTOCOL, env->offset, "no room for the body");
    if (!have(env, src, 4)) return false;
    if (!bsn_len_from_i32(bsn_load_i32(src->ptr), BSN_DOC_SIZE_MIN, &len) || len > left) {
        return fault(env, BSN_E_PROTOCOL, env->offset,
                     "the body's length does not fit the message");
    }
    env->has_body = true;
    env->level = LEVEL_BODY;
    env->ends[LEVEL_BODY] = env->offset + len;
    consume(env, src, 4);
    env->state = AT_TYPE;
    return true;
}

static bool step_checksum(bsn_envelope *env, bsn_bytes *src)
{
    if (!have(env, src, 4)) return false;
    if (bsn_load_u32(src->ptr) != env->crc) {
        return fault(env, BSN_E_CHECKSUM, env->offset, "CRC-32C of the message");
    }
    env->rolling = false;
    consume(env, src, 4);
    env->state = ENDED;
    return true;
}

/* ------------------------------------------------------------------ elements */

/* The final 0x00 of the current container: back to what encloses it. */
static bool end_container(bsn_envelope *env, bsn_bytes *src)
{
    if (src->ptr[0] != 0) {
        return fault(env, BSN_E_TERMINATOR, env->offset, "last byte of a document is not 0");
    }
    consume(env, src, 1);
    if (env->in_write_errors) {
        env->in_write_errors = false;
        env->level = LEVEL_BODY;
    } else {
        env->level--;
    }
    if (env->level > LEVEL_SECTIONS) {
        env->state = AT_TYPE;
        return true;
    }
    bsni_collect_finish(env);
    env->state = AT_SECTION;
    return true;
}

static bool step_type(bsn_envelope *env, bsn_bytes *src)
{
    if (!have(env, src, 1)) return false;
    if (room(env) == 0) return end_container(env, src);
    env->type = src->ptr[0];
    if (!bsn_type_known(env->type)) return fault(env, BSN_E_TYPE, env->offset, NULL);
    if (env->level == LEVEL_BATCH && env->type != BSN_TYPE_DOCUMENT) {
        return fault(env, BSN_E_PROTOCOL, env->offset,
                     "a batch holds something else than documents");
    }
    bsni_collect_begin(env, env->level == LEVEL_BODY);
    bsni_collect(env, src->ptr, 1);
    consume(env, src, 1);
    env->key_len = 0;
    env->state = AT_KEY;
    return true;
}

/* Uses up text as far as its 0x00, which goes too. True at the end; false when more bytes are needed, or none may come. */
static bool pass_cstring(bsn_envelope *env, bsn_bytes *src, bool remember)
{
    const size_t allowed = room(env);
    const size_t seen = src->len < allowed ? src->len : allowed;
    const uint8_t *const zero = seen == 0 ? NULL : memchr(src->ptr, 0, seen);
    const size_t len = zero == NULL ? seen : (size_t)(zero - src->ptr);
    if (remember) {
        const size_t free_bytes = sizeof env->key - env->key_len;
        const size_t kept = len < free_bytes ? len : free_bytes;
        if (kept > 0) memcpy(env->key + env->key_len, src->ptr, kept);
        env->key_len = (uint8_t)(env->key_len + kept);
    }
    const size_t used = zero == NULL ? seen : len + 1;
    if (used > 0) bsni_collect(env, src->ptr, used);
    consume(env, src, used);
    if (zero != NULL) return true;
    if (seen == allowed) {
        return fault(env, BSN_E_CSTRING, env->offset, "runs into the document's final 0");
    }
    env->need = 1;
    return false;
}

static bool step_key(bsn_envelope *env, bsn_bytes *src)
{
    if (!pass_cstring(env, src, true)) return false;
    bsni_collect_key_done(env);
    env->state = env->level == LEVEL_BATCH ? AT_DOCUMENT : AT_VALUE;
    return true;
}

static bool end_value(bsn_envelope *env)
{
    bsni_collect_end(env);
    env->state = AT_TYPE;
    return true;
}

/* True at the array whose documents are handed out on request. */
static bool at_write_errors(const bsn_envelope *env)
{
    return env->options.write_errors && env->level == LEVEL_BODY &&
           bsni_key_is(env, BSN_STR("writeErrors"));
}

/* ------------------------------------------------------------------ values by shape */

static bool step_namespace(bsn_envelope *env, bsn_bytes *src)
{
    const size_t len = env->skip;
    if (!have(env, src, len)) return false;
    if (src->ptr[len - 1] != 0) {
        return fault(env, BSN_E_TERMINATOR, env->offset + len - 1, NULL);
    }
    env->ns_len = (uint32_t)(len - 5);
    memcpy(env->ns, src->ptr + 4, len - 4);
    consume(env, src, len);
    return end_value(env);
}

static bool enter(bsn_envelope *env, bsn_bytes *src, size_t len)
{
    if (at_write_errors(env)) {
        env->has_write_errors = true;
        env->in_write_errors = true;
        env->level = LEVEL_BATCH;
    } else if (env->level == LEVEL_BODY) {
        env->has_cursor = true;
        env->level = LEVEL_CURSOR;
    } else {
        env->has_batch = true;
        env->level = LEVEL_BATCH;
    }
    env->ends[env->level] = env->offset + len;
    consume(env, src, 4);
    env->state = AT_TYPE;
    return true;
}

/* Passes by `len` bytes, then `after` more; the last of the first part is 0x00 if zero_last. */
static bool begin_skip(bsn_envelope *env, size_t len, bool zero_last, size_t after)
{
    bsni_collect_value(env, len + after);
    env->skip = len;
    env->zero_last = zero_last;
    env->skip_after = after;
    env->state = AT_SKIP;
    return true;
}

static bool step_skip(bsn_envelope *env, bsn_bytes *src)
{
    const size_t len = src->len < env->skip ? src->len : env->skip;
    const bool whole = len == env->skip;
    if (whole && len > 0 && env->zero_last && src->ptr[len - 1] != 0) {
        return fault(env, BSN_E_TERMINATOR, env->offset + len - 1, NULL);
    }
    if (len > 0) bsni_collect(env, src->ptr, len);
    consume(env, src, len);
    env->skip -= len;
    if (!whole) {
        env->need = 1;
        return false;
    }
    env->skip = env->skip_after;
    env->skip_after = 0;
    env->zero_last = false;
    return env->skip > 0 || end_value(env);
}

static bool step_cstrings(bsn_envelope *env, bsn_bytes *src)
{
    if (!pass_cstring(env, src, false)) return false;
    env->cstrings--;
    return env->cstrings > 0 || end_value(env);
}

static bool fixed_value(bsn_envelope *env, bsn_bytes *src, size_t len)
{
    if (len > room(env)) return fault(env, BSN_E_SHORT, env->offset, NULL);
    if (!have(env, src, len)) return false;
    if (env->type == BSN_TYPE_BOOLEAN && src->ptr[0] > 1) {
        return fault(env, BSN_E_BOOLEAN, env->offset, NULL);
    }
    if (env->level == LEVEL_BODY) {
        bsni_note_outcome(env, src->ptr);
    } else {
        const char *const detail = bsni_note_cursor_id(env, src->ptr);
        if (detail != NULL) return fault(env, BSN_E_PROTOCOL, env->offset, detail);
    }
    bsni_collect_value(env, len);
    if (len > 0) bsni_collect(env, src->ptr, len);
    consume(env, src, len);
    return end_value(env);
}

/* A length field of 4 bytes, at least `least`, with `extra` bytes beside what it counts, all within the container. */
static bool value_length(bsn_envelope *env, const bsn_bytes *src, int32_t least, size_t extra,
                         size_t *len)
{
    const size_t left = room(env);
    if (left < 4 || left < extra) return fault(env, BSN_E_SHORT, env->offset, NULL);
    if (!have(env, src, 4)) return false;
    if (!bsn_len_from_i32(bsn_load_i32(src->ptr), least, len) || *len > left - extra) {
        return fault(env, BSN_E_LENGTH, env->offset, NULL);
    }
    return true;
}

static bool string_value(bsn_envelope *env, bsn_bytes *src, size_t after)
{
    size_t len;
    if (!value_length(env, src, 1, 4 + after, &len)) return false;
    if (env->level == LEVEL_CURSOR && bsni_key_is(env, BSN_STR("ns"))) {
        if (len > BSN_NS_MAX + 1) {
            return fault(env, BSN_E_PROTOCOL, env->offset, "namespace is too long");
        }
        env->skip = 4 + len;
        env->state = AT_NAMESPACE;
        return true;
    }
    return begin_skip(env, 4 + len, true, after);
}

static bool container_value(bsn_envelope *env, bsn_bytes *src)
{
    size_t len;
    if (!value_length(env, src, BSN_DOC_SIZE_MIN, 0, &len)) return false;
    if (env->level == LEVEL_BODY && bsni_key_is(env, BSN_STR("cursor")))
        return enter(env, src, len);
    if (at_write_errors(env)) return enter(env, src, len);
    if (env->level == LEVEL_CURSOR && env->type == BSN_TYPE_ARRAY &&
        (bsni_key_is(env, BSN_STR("firstBatch")) || bsni_key_is(env, BSN_STR("nextBatch")))) {
        return enter(env, src, len);
    }
    return begin_skip(env, len, true, 0);
}

static bool other_value(bsn_envelope *env, bsn_bytes *src)
{
    size_t len;
    switch (env->type) {
    case BSN_TYPE_REGEX:
        env->cstrings = 2;
        env->state = AT_CSTRINGS;
        return true;
    case BSN_TYPE_DBPOINTER: return string_value(env, src, sizeof(bsn_oid));
    case BSN_TYPE_CODE_SCOPE:
        /* The total counts itself: with an empty text and an empty scope it is 14. */
        if (!value_length(env, src, 14, 0, &len)) return false;
        return begin_skip(env, len, true, 0);
    default: return fixed_value(env, src, 0); /* MinKey, MaxKey */
    }
}

static bool step_value(bsn_envelope *env, bsn_bytes *src)
{
    const uint8_t step = bsn_type_step(env->type);
    size_t len;
    const char *const detail = bsni_check_shape(env, env->level == LEVEL_CURSOR);
    if (detail != NULL) return fault(env, BSN_E_PROTOCOL, env->offset, detail);
    if (step <= 16) return fixed_value(env, src, step);
    switch (step) {
    case BSN_STEP_STRING: return string_value(env, src, 0);
    case BSN_STEP_DOCUMENT: return container_value(env, src);
    case BSN_STEP_BINARY:
        if (!value_length(env, src, 0, 5, &len)) return false;
        return begin_skip(env, 5 + len, false, 0);
    case BSN_STEP_BOOLEAN: return fixed_value(env, src, 1);
    default: return other_value(env, src);
    }
}

/* ------------------------------------------------------------------ documents of the batch */

static void hand_out(bsn_envelope *env, const uint8_t *ptr, size_t len, bsn_doc *doc)
{
    doc->ptr = ptr;
    doc->len = len;
    env->document_count++;
    env->state = AT_TYPE;
}

/* The common case, an element of the batch that is there as a whole and sound, in one go. False, and nothing has changed, for
 * everything else: the steps look at it again and judge. */
static bool take_whole_element(bsn_envelope *env, bsn_bytes *src, bsn_doc *doc)
{
    const uint8_t *const element = src->ptr;
    if (src->len < 16 || element[0] != BSN_TYPE_DOCUMENT) return false;
    const uint64_t zeros = bsn_word_zeros(bsn_load_u64(element + 1));
    if (zeros == 0) return false;
    const size_t head = 2 + (size_t)bsn_word_first(zeros); /* at most 9: four bytes follow */
    const size_t len = bsn_load_u32(element + head);
    const size_t left = room(env);
    if (len < BSN_DOC_SIZE_MIN || len > env->options.doc_size_max) return false;
    if (len > src->len - head || left < head || len > left - head) return false;
    if (element[head + len - 1] != 0) return false;
    consume(env, src, head + len);
    hand_out(env, element + head, len, doc);
    return true;
}

/* True with a document. */
static bool step_document(bsn_envelope *env, bsn_bytes *src, bsn_doc *doc)
{
    const uint8_t *const ptr = src->ptr;
    size_t len;
    if (!value_length(env, src, BSN_DOC_SIZE_MIN, 0, &len)) return false;
    if (len > env->options.doc_size_max) {
        return fault(env, BSN_E_LIMIT, env->offset, "document is larger than allowed");
    }
    if (!have(env, src, len)) return false;
    if (ptr[len - 1] != 0) return fault(env, BSN_E_TERMINATOR, env->offset + len - 1, NULL);
    consume(env, src, len);
    hand_out(env, ptr, len, doc);
    return true;
}

/* ------------------------------------------------------------------ interface */

void bsn_envelope_init(bsn_envelope *env, const bsn_envelope_options *options)
{
    memset(env, 0, sizeof *env);
    env->options = *options;
    if (options->size_max == 0) env->options.size_max = BSN_MESSAGE_SIZE_MAX;
    if (options->doc_size_max == 0) env->options.doc_size_max = BSN_WIRE_DOC_SIZE_MAX;
    bsni_collect_init(env);
    env->state = AT_HEADER;
}

static bool step(bsn_envelope *env, bsn_bytes *src)
{
    switch ((enum state)env->state) {
    case AT_HEADER: return step_header(env, src);
    case AT_FLAGS: return step_flags(env, src);
    case AT_REPLY_HEAD: return step_reply_head(env, src);
    case AT_SECTION: return step_section(env, src);
    case AT_BODY: return step_body(env, src);
    case AT_TYPE: return step_type(env, src);
    case AT_KEY: return step_key(env, src);
    case AT_VALUE: return step_value(env, src);
    case AT_SKIP: return step_skip(env, src);
    case AT_CSTRINGS: return step_cstrings(env, src);
    case AT_NAMESPACE: return step_namespace(env, src);
    case AT_CHECKSUM: return step_checksum(env, src);
    case AT_DOCUMENT:
    case ENDED:
    case FAULTED: break;
    }
    BSN_ASSERT(false);
    return false;
}

/* An OP_REPLY can say by its flags that the document is about a failure; those documents have no `ok`. */
static bsn_envelope_event end(bsn_envelope *env)
{
    if (env->header.opcode == BSN_OP_REPLY &&
        (env->flags & (BSN_REPLY_CURSOR_NOT_FOUND | BSN_REPLY_QUERY_FAILURE)) != 0) {
        env->ok = false;
    }
    return BSN_ENVELOPE_END;
}

bsn_envelope_event bsn_envelope_next(bsn_envelope *env, bsn_bytes *src, bsn_doc *doc)
{
    for (;;) {
        bool going = false;
        switch (env->state) {
        case ENDED: return end(env);
        case FAULTED: return BSN_ENVELOPE_FAULT;
        case AT_DOCUMENT:
            if (step_document(env, src, doc)) return BSN_ENVELOPE_DOC;
            break;
        case AT_TYPE:
            if (env->level == LEVEL_BATCH && take_whole_element(env, src, doc)) {
                return BSN_ENVELOPE_DOC;
            }
            going = step_type(env, src);
            break;
        default: going = step(env, src); break;
        }
        if (!going && env->state != FAULTED) return BSN_ENVELOPE_MORE;
    }
}

size_t bsn_envelope_left(const bsn_envelope *env, size_t held)
{
    const uint64_t left = env->header.len > env->offset ? env->header.len - env->offset : 0;
    return left > held ? (size_t)left - held : 0;
}

bsn_status bsn_envelope_error(const bsn_envelope *env, bsn_error *err)
{
    if (env->status == BSN_OK) return BSN_OK;
    return bsn_error_set(err, env->status, env->fault_offset, env->detail);
}

bool bsn_envelope_reply(const bsn_envelope *env, bsn_doc *doc)
{
    if (env->options.storage == NULL || env->state != ENDED) return false;
    doc->ptr = env->options.storage;
    doc->len = env->reply_len;
    return true;
}
