/* SPDX-License-Identifier: Apache-2.0
 *
 * fuzz_wire_cuts.c -- property: a reply that arrives in pieces, cut anywhere, gives the same documents, the same end or the same
 * fault at the same offset, and the same fields of its own, as one that is there at once. What the envelope asks for next is
 * never more than its promise. Tried are: one byte at a time, random pieces, and one cut at every place.
 *
 *     | a reply ... | seed of the cuts | longest piece | largest document | storage of the fields |
 *                     4 bytes            1 byte          1 byte             1 byte
 *
 * Write errors are handed out when the seed is odd.
 */
#include "support.h"

#include "support/digest.h"

#include <bsonic/wire.h>

/* Up to EVERY_CUT_MAX each place is tried for one cut; behind that only the others are. */
enum { OPTION_COUNT = 7, STORAGE_MAX = 255 * 4, NEED_MAX = 512, EVERY_CUT_MAX = 512 };

/* What a walk over a reply came to. */
typedef struct outcome {
    bsn_envelope_event
        event;       /* END, FAULT, or MORE: the bytes were at their end before the message was */
    uint64_t digest; /* of the documents */
    uint64_t document_count;
    bsn_status status;
    uint64_t offset;
    int64_t cursor_id;
    int32_t code;
    bool ok;
    uint64_t fields_digest;
} outcome;

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u; /* Numerical Recipes' generator: any will do */
    return *seed >> 8;
}

/* Hands the envelope the bytes from `from` on, in a block of their exact size, until it wants more or is done. Returns the
 * bytes used. */
static size_t feed(bsn_envelope *env, bsn_bytes seen, size_t doc_size_max, outcome *result)
{
    uint8_t *block = malloc(seen.len);
    MUST(block != NULL || seen.len == 0);
    if (seen.len != 0) memcpy(block, seen.ptr, seen.len);
    bsn_bytes src = {block, seen.len};
    bsn_doc doc;
    do {
        result->event = bsn_envelope_next(env, &src, &doc);
        MUST(src.len <= seen.len && src.ptr + src.len == block + seen.len);
        if (result->event != BSN_ENVELOPE_DOC) break;
        MUST(doc.ptr >= block && doc.ptr + doc.len <= src.ptr && doc.len <= doc_size_max);
        result->digest = digest_mix(result->digest, doc.ptr, doc.len);
        result->document_count++;
    } while (true);
    if (result->event == BSN_ENVELOPE_MORE) {
        const size_t need = bsn_envelope_need(env);
        MUST(need > src.len && need <= (doc_size_max > NEED_MAX ? doc_size_max : NEED_MAX));
        MUST(bsn_envelope_left(env, src.len) <= BSN_MESSAGE_SIZE_MAX);
    }
    free(block);
    return seen.len - src.len;
}

/* How much comes next, of what is left. */
typedef struct cutting {
    size_t first; /* bytes of the first piece; 0: as the others */
    size_t most;  /* the others are of 1 to this many bytes, at random; 0: all that is left */
} cutting;

static size_t cut(const cutting *how, uint32_t *seed, size_t there, size_t left)
{
    size_t more = left;
    if (there == 0 && how->first != 0) {
        more = how->first;
    } else if (how->most != 0) {
        more = next_random(seed) % how->most + 1;
    }
    return more < left ? more : left;
}

/* Walks the reply as it is cut. */
static outcome walk(bsn_bytes reply, const uint8_t *options, cutting how)
{
    uint8_t storage[STORAGE_MAX];
    const bsn_envelope_options chosen = {
        .any_response_to = true,
        .write_errors = (options[0] & 1) != 0,
        .doc_size_max = (size_t)options[5] * 16 + BSN_DOC_SIZE_MIN,
        .storage = storage,
        .storage_size = (size_t)options[6] * 4,
    };
    uint32_t seed;
    memcpy(&seed, options, sizeof seed);
    bsn_envelope env;
    bsn_envelope_init(&env, &chosen);
    outcome result = {.event = BSN_ENVELOPE_MORE};
    size_t used = 0;
    size_t there = 0;
    while (result.event == BSN_ENVELOPE_MORE && there < reply.len) {
        there += cut(&how, &seed, there, reply.len - there);
        const bsn_bytes seen = {reply.ptr + used, there - used};
        used += feed(&env, seen, chosen.doc_size_max, &result);
    }
    bsn_error err = {0};
    bsn_doc fields;
    result.status = bsn_envelope_error(&env, &err);
    MUST((result.status != BSN_OK) == (result.event == BSN_ENVELOPE_FAULT));
    result.offset = result.status != BSN_OK ? err.offset : 0;
    if (result.event != BSN_ENVELOPE_END) return result;
    MUST(env.document_count == result.document_count);
    result.cursor_id = env.cursor_id;
    result.code = env.code;
    result.ok = env.ok;
    if (bsn_envelope_reply(&env, &fields))
        result.fields_digest = digest_mix(1, fields.ptr, fields.len);
    return result;
}

static void check_same(const outcome *a, const outcome *b)
{
    MUST(a->event == b->event);
    MUST(a->digest == b->digest);
    MUST(a->document_count == b->document_count);
    MUST(a->status == b->status);
    MUST(a->offset == b->offset);
    MUST(a->cursor_id == b->cursor_id);
    MUST(a->code == b->code);
    MUST(a->ok == b->ok);
    MUST(a->fields_digest == b->fields_digest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input;
    if (!fuzz_input_open(&input, data, size, OPTION_COUNT)) return 0;
    const outcome whole = walk(input.bytes, input.options, (cutting){.most = 0});
    const outcome bytewise = walk(input.bytes, input.options, (cutting){.most = 1});
    const outcome pieces =
        walk(input.bytes, input.options, (cutting){.most = (size_t)input.options[4] + 1});
    check_same(&whole, &bytewise);
    check_same(&whole, &pieces);
    for (size_t at = 1; at < input.bytes.len && at < EVERY_CUT_MAX; at++) {
        const outcome halves = walk(input.bytes, input.options, (cutting){.first = at});
        check_same(&whole, &halves);
    }
    fuzz_input_close(&input);
    return 0;
}
