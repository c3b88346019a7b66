/* SPDX-License-Identifier: Apache-2.0
 *
 * datasets.c -- makes the documents that datasets.h describes.
 */
#include "datasets.h"

#include "random.h"

#include <math.h>
#include <string.h>

#define SEED 20120312u
#define SCHEMA_FIELDS 24

const char *const dataset_names[] = {"seedc",  "seedu",    "mixc",     "keys100", "arr1000",
                                     "bigstr", "bigascii", "bits1000", NULL};

/* ------------------------------------------------------------------ text */

static size_t ascii_text(random_state *random, char *text, size_t len)
{
    static const char letters[] = "etaoin shrdlu cmfwyp vbgkqjxz ETAOINSHRDLU 0123456789,.-_/";
    for (size_t i = 0; i < len; i++) text[i] = letters[random_below(random, sizeof letters - 1)];
    return len;
}

/* Two-, three- and four-byte sequences in equal shares, at most `len` bytes of them. */
static size_t unicode_text(random_state *random, char *text, size_t len)
{
    static const char *const sequences[] = {
        "\xC3\xA9",     "\xD0\x96",         "\xCE\xBB",         "\xE2\x82\xAC",    "\xE6\x97\xA5",
        "\xE0\xA4\x95", "\xF0\x9F\x98\x80", "\xF0\x9D\x84\x9E", "\xF0\x90\x8D\x88"};
    size_t used = 0;
    while (used + 4 <= len) {
        const char *sequence = sequences[random_below(random, 9)];
        size_t sequence_len = strlen(sequence);
        memcpy(text + used, sequence, sequence_len);
        used += sequence_len;
    }
    while (used < len) text[used++] = '.';
    return used;
}

static bsn_str key_text(random_state *random, char *key, uint32_t least, uint32_t most)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    bsn_str str = {key, random_between(random, least, most)};
    for (size_t i = 0; i < str.len; i++) key[i] = letters[random_below(random, sizeof letters - 1)];
    return str;
}

static bsn_oid random_oid(random_state *random)
{
    bsn_oid oid;
    for (size_t i = 0; i < sizeof oid.bytes; i++) oid.bytes[i] = (uint8_t)random_below(random, 256);
    return oid;
}

/* A decimal with up to six significant digits, as measurements and prices have. */
static double short_decimal(random_state *random)
{
    static const double scales[] = {1, 10, 100, 1000, 10000};
    return (double)random_below(random, 1000000) / scales[random_below(random, 5)];
}

/* ------------------------------------------------------------------ seedc, seedu */

/* The schema is drawn once, from the seed alone, so that every document has the same keys. */
static bsn_str schema_key(size_t field, char *key)
{
    random_state random = {SEED + 7919u * field};
    return key_text(&random, key, 3, 18);
}

static void schema_number(bsn_writer *w, random_state *random, bsn_str key, size_t field)
{
    switch (field % 6) {
    case 0: bsn_writer_int32(w, key, (int32_t)random_below(random, 1000000)); break;
    case 1: bsn_writer_double(w, key, short_decimal(random)); break;
    case 2: bsn_writer_int64(w, key, (int64_t)(random_u64(random) >> 20)); break;
    case 3:
        bsn_writer_date(w, key, 1300000000000 + (int64_t)random_below(random, 1000000000));
        break;
    case 4: bsn_writer_boolean(w, key, random_below(random, 2) == 1); break;
    default: bsn_writer_double(w, key, (double)random_below(random, 1000)); break;
    }
}

/* Field 0 is the _id, every fourth field from 3 on a number, date or boolean, the other 17 are strings. */
static void write_seed_document(bsn_writer *w, size_t index, size_t schema_count, bool unicode)
{
    random_state random = {SEED + index % schema_count * 1000003u};
    random_state id_random = {SEED ^ (index * 2654435761u)};
    char key[32], text[64];
    bsn_oid oid = random_oid(&id_random);

    bsn_writer_begin(w);
    bsn_writer_oid(w, BSN_STR("_id"), &oid);
    for (size_t field = 1; field < SCHEMA_FIELDS; field++) {
        bsn_str name = schema_key(field, key);
        if (field % 4 == 3) {
            schema_number(w, &random, name, field / 4);
            continue;
        }
        size_t len = random_between(&random, 8, 60);
        bool wide = unicode && random_below(&random, 4) == 0;
        len = wide ? unicode_text(&random, text, len) : ascii_text(&random, text, len);
        bsn_writer_string(w, name, (bsn_str){text, len});
    }
    bsn_writer_end(w);
}

/* ------------------------------------------------------------------ mixc */

static void write_mixed_value(bsn_writer *w, random_state *random, bsn_str key)
{
    char text[64];
    switch (random_below(random, 16)) {
    case 0: bsn_writer_int32(w, key, (int32_t)random_u64(random)); break;
    case 1: bsn_writer_int64(w, key, (int64_t)random_u64(random)); break;
    case 2: bsn_writer_double(w, key, short_decimal(random)); break;
    case 3: bsn_writer_boolean(w, key, random_below(random, 2) == 1); break;
    case 4: bsn_writer_null(w, key); break;
    case 5: bsn_writer_date(w, key, (int64_t)(random_u64(random) >> 23)); break;
    case 6: {
        bsn_oid oid = random_oid(random);
        bsn_writer_oid(w, key, &oid);
        break;
    }
    case 7: {
        uint8_t bytes[40];
        size_t len = random_below(random, sizeof bytes + 1);
        for (size_t i = 0; i < len; i++) bytes[i] = (uint8_t)random_below(random, 256);
        bsn_writer_binary(w, key, BSN_SUBTYPE_GENERIC, (bsn_bytes){bytes, len});
        break;
    }
    case 8: bsn_writer_timestamp(w, key, (bsn_timestamp){random_below(random, 1u << 31), 1}); break;
    case 9: bsn_writer_double(w, key, (double)(random_u64(random) >> 11) * 0x1p-53); break;
    default:
        bsn_writer_string(w, key,
                          (bsn_str){text, ascii_text(random, text, random_below(random, 51))});
        break;
    }
}

static void write_mixed_document(bsn_writer *w, size_t index)
{
    random_state random = {SEED * 31u + index * 1000003u};
    char key[32];
    bsn_writer_begin(w);
    for (size_t field = 0; field < SCHEMA_FIELDS; field++) {
        write_mixed_value(w, &random, key_text(&random, key, 3, 24));
    }
    bsn_writer_end(w);
}

/* ------------------------------------------------------------------ keys100, arr1000, bits1000, bigstr, bigascii */

static void write_keys_document(bsn_writer *w, size_t index)
{
    random_state random = {SEED * 37u + index};
    random_state schema = {SEED * 41u};
    char key[48];
    bsn_writer_begin(w);
    for (size_t field = 0; field < 100; field++) {
        bsn_writer_int32(w, key_text(&schema, key, 40, 40), (int32_t)random_u64(&random));
    }
    bsn_writer_end(w);
}

static void write_array_document(bsn_writer *w, size_t index)
{
    random_state random = {SEED * 43u + index};
    bsn_writer_begin(w);
    bsn_writer_begin_array(w, BSN_STR("ints"));
    for (size_t i = 0; i < 1000; i++)
        bsn_writer_int32(w, BSN_STR(""), (int32_t)random_below(&random, 1000000));
    bsn_writer_end(w);
    bsn_writer_begin_array(w, BSN_STR("doubles"));
    for (size_t i = 0; i < 1000; i++) bsn_writer_double(w, BSN_STR(""), short_decimal(&random));
    bsn_writer_end(w);
    bsn_writer_end(w);
}

/* Any finite double is as likely as any other: 16 or 17 digits, and exponents. */
static double random_double(random_state *random)
{
    double value;
    do {
        const uint64_t bits = random_u64(random);
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return value;
}

static void write_bits_document(bsn_writer *w, size_t index)
{
    random_state random = {SEED * 53u + index};
    bsn_writer_begin(w);
    bsn_writer_begin_array(w, BSN_STR("doubles"));
    for (size_t i = 0; i < 1000; i++) bsn_writer_double(w, BSN_STR(""), random_double(&random));
    bsn_writer_end(w);
    bsn_writer_end(w);
}

static void write_long_strings(bsn_writer *w, size_t index, bool unicode)
{
    static char text[64 * 1024];
    random_state random = {SEED * 47u + index};
    char key[16];
    bsn_writer_begin(w);
    for (size_t field = 0; field < 16; field++) {
        size_t len = unicode && field % 2 == 1 ? unicode_text(&random, text, sizeof text)
                                               : ascii_text(&random, text, sizeof text);
        bsn_writer_string(w, key_text(&random, key, 8, 8), (bsn_str){text, len});
    }
    bsn_writer_end(w);
}

static void write_string_document(bsn_writer *w, size_t index)
{
    write_long_strings(w, index, true);
}

static void write_ascii_document(bsn_writer *w, size_t index)
{
    write_long_strings(w, index, false);
}

/* ------------------------------------------------------------------ the list */

typedef struct dataset {
    const char *name;
    size_t count;
    void (*write)(bsn_writer *w, size_t index);
} dataset;

enum { SEED_COUNT = 10000 };

static void write_seedc(bsn_writer *w, size_t index)
{
    write_seed_document(w, index, SEED_COUNT, false);
}

static void write_seedu(bsn_writer *w, size_t index)
{
    write_seed_document(w, index, SEED_COUNT, true);
}

static const dataset datasets[] = {
    {"seedc", SEED_COUNT, write_seedc},    {"seedu", SEED_COUNT, write_seedu},
    {"mixc", 10000, write_mixed_document}, {"keys100", 100, write_keys_document},
    {"arr1000", 20, write_array_document}, {"bits1000", 20, write_bits_document},
    {"bigstr", 2, write_string_document},  {"bigascii", 1, write_ascii_document},
};

static const dataset *find_dataset(const char *name)
{
    for (size_t i = 0; i < sizeof datasets / sizeof *datasets; i++) {
        if (strcmp(datasets[i].name, name) == 0) return &datasets[i];
    }
    return NULL;
}

size_t dataset_default_count(const char *name)
{
    const dataset *set = find_dataset(name);
    return set == NULL ? 0 : set->count;
}

bool dataset_append(const char *name, size_t count, bsn_buf *buf)
{
    return dataset_append_from(name, 0, count, buf);
}

bool dataset_append_from(const char *name, size_t first, size_t count, bsn_buf *buf)
{
    const dataset *set = find_dataset(name);
    bsn_out out;
    bsn_writer writer;
    if (set == NULL) return false;
    bsn_out_init_buf(&out, buf);
    bsn_writer_init(&writer, &out);
    for (size_t i = 0; i < count; i++) set->write(&writer, first + i);
    bsn_status status = bsn_writer_status(&writer);
    bsn_out_free(&out);
    return status == BSN_OK;
}
