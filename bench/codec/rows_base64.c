/* SPDX-License-Identifier: Apache-2.0
 *
 * rows_base64.c -- base64 both ways, against the byte loop that is the kernels' reference: libbson keeps its own to itself.
 *
 * The bytes are those of a set's documents, in pieces of 64, which is about an encrypted value, and in one piece.
 */
#define VEC_BYTES 0
#include "codec/rows.h"

#include "simd/k_base64.h"
#include "simd/simd.h"

#include <stdlib.h>
#include <string.h>

#define SHORT_LEN ((size_t)64)

typedef struct coding {
    size_t piece_len; /* of bytes; of the last piece perhaps less */
    uint8_t *text; /* of all pieces, each one's at a multiple of the text length of a whole one */
    uint8_t *made; /* room for either side's work */
} coding;

typedef void encode_function(const uint8_t *p, size_t n, uint8_t *out);
typedef bool decode_function(const uint8_t *p, size_t n, uint8_t *out, size_t *len);

/* A sum over what was made of each piece: its last eight bytes, which are made last and by their own ways. */
static uint64_t sum_of(const uint8_t *made, size_t len)
{
    return len + (len < 8 ? made[0] : bsn_load_u64(made + len - 8));
}

static uint64_t encode(const bench_set *set, encode_function *function)
{
    const coding *work = set->prepared;
    uint64_t sum = 0;
    for (size_t at = 0; at < set->bytes.len; at += work->piece_len) {
        const size_t left = set->bytes.len - at;
        const size_t len = left < work->piece_len ? left : work->piece_len;
        function(set->bytes.ptr + at, len, work->made);
        sum += sum_of(work->made, bsni_base64_text_len(len));
    }
    return sum;
}

static uint64_t decode(const bench_set *set, decode_function *function)
{
    const coding *work = set->prepared;
    const uint8_t *text = work->text;
    uint64_t sum = 0;
    for (size_t at = 0; at < set->bytes.len; at += work->piece_len) {
        const size_t left = set->bytes.len - at;
        const size_t text_len =
            bsni_base64_text_len(left < work->piece_len ? left : work->piece_len);
        size_t len;
        if (!function(text, text_len, work->made, &len)) return 0;
        sum += sum_of(work->made, len);
        text += text_len;
    }
    return sum;
}

static uint64_t encode_ours(void *set)
{
    return encode(set, bsni_kernels()->base64_enc);
}

static uint64_t encode_bytes(void *set)
{
    return encode(set, base64_enc_ref);
}

static uint64_t decode_ours(void *set)
{
    return decode(set, bsni_kernels()->base64_dec);
}

static uint64_t decode_bytes(void *set)
{
    return decode(set, base64_dec_ref);
}

/* ------------------------------------------------------------------ preparing */

/* Prints all pieces our way, and reads them back both ways. */
static void check_pieces(const bench_set *set, const coding *work)
{
    uint8_t *text = work->text;
    for (size_t at = 0; at < set->bytes.len; at += work->piece_len) {
        const size_t left = set->bytes.len - at;
        const size_t len = left < work->piece_len ? left : work->piece_len;
        const size_t text_len = bsni_base64_text_len(len);
        const uint8_t *bytes = set->bytes.ptr + at;
        size_t back = 0;
        bsni_base64_encode(bytes, len, text);
        base64_enc_ref(bytes, len, work->made);
        if (memcmp(text, work->made, text_len) != 0) bench_fail(set, "base64 differs");
        if (!bsni_base64_decode(text, text_len, work->made, &back) || back != len ||
            memcmp(bytes, work->made, len) != 0)
            bench_fail(set, "base64 does not come back");
        if (!base64_dec_ref(text, text_len, work->made, &back) || back != len ||
            memcmp(bytes, work->made, len) != 0)
            bench_fail(set, "base64 does not come back from the byte loop");
        text += text_len;
    }
}

static size_t prepare(bench_set *set, size_t piece_len, size_t *bytes)
{
    coding *work = bench_alloc(1, sizeof *work);
    const size_t pieces = (set->bytes.len + piece_len - 1) / piece_len;
    work->piece_len = piece_len;
    work->text = bench_alloc(pieces, bsni_base64_text_len(piece_len));
    work->made = bench_alloc(1, bsni_base64_text_len(piece_len));
    check_pieces(set, work);
    set->prepared = work;
    *bytes = set->bytes.len;
    return pieces;
}

static size_t prepare_short(bench_set *set, size_t *bytes)
{
    return prepare(set, SHORT_LEN, bytes);
}

static size_t prepare_long(bench_set *set, size_t *bytes)
{
    return prepare(set, set->bytes.len, bytes);
}

static void release(bench_set *set)
{
    coding *work = set->prepared;
    free(work->text);
    free(work->made);
    free(work);
}

const bench_job bench_base64_enc_short = {.name = "base64 out, 64",
                                          .unit = "piece",
                                          .prepare = prepare_short,
                                          .release = release,
                                          .ours = encode_ours,
                                          .theirs = encode_bytes,
                                          .whole = true};
const bench_job bench_base64_dec_short = {.name = "base64 in, 64",
                                          .unit = "piece",
                                          .prepare = prepare_short,
                                          .release = release,
                                          .ours = decode_ours,
                                          .theirs = decode_bytes,
                                          .whole = true};
const bench_job bench_base64_enc_long = {.name = "base64 out",
                                         .unit = "piece",
                                         .prepare = prepare_long,
                                         .release = release,
                                         .ours = encode_ours,
                                         .theirs = encode_bytes,
                                         .whole = true};
const bench_job bench_base64_dec_long = {.name = "base64 in",
                                         .unit = "piece",
                                         .prepare = prepare_long,
                                         .release = release,
                                         .ours = decode_ours,
                                         .theirs = decode_bytes,
                                         .whole = true};
