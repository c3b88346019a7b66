/* SPDX-License-Identifier: Apache-2.0
 *
 * oracle.c -- see oracle.h. All places are offsets from the start of the outermost document.
 */
#include "support/oracle.h"

#include <stdint.h>

typedef struct judge {
    const uint8_t *bytes;
    bool utf8;
    size_t depth_max;
    verdict
        first; /* the fault at the lowest offset so far; of two at one offset the one noted first */
} judge;

static void note(judge *j, bsn_status status, size_t offset)
{
    if (j->first.status != BSN_OK && j->first.offset <= offset) return;
    j->first.status = status;
    j->first.offset = offset;
}

static bool sound(const judge *j)
{
    return j->first.status == BSN_OK;
}

static int64_t int32_at(const judge *j, size_t at)
{
    int64_t x = 0;
    for (size_t i = 4; i > 0; i--) x = x * 256 + j->bytes[at + i - 1];
    return x < 0x80000000 ? x : x - 0x100000000;
}

/* Notes the first ill-formed sequence of [at, end): decodes by arithmetic. */
static void judge_text(judge *j, size_t at, size_t end)
{
    if (!j->utf8) return;
    while (at < end) {
        const uint8_t lead = j->bytes[at];
        const size_t len = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        uint32_t point = len == 1 ? lead : lead & (0x7Fu >> len);
        bool ok = (lead < 0x80 || lead >= 0xC0) && lead < 0xF8 && len <= end - at;
        for (size_t i = 1; ok && i < len; i++) {
            ok = j->bytes[at + i] >> 6 == 2;
            point = point << 6 | (j->bytes[at + i] & 0x3F);
        }
        const uint32_t least = len == 1 ? 0 : len == 2 ? 0x80 : len == 3 ? 0x800 : 0x10000;
        ok = ok && point >= least && point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
        if (!ok) {
            note(j, BSN_E_UTF8, at);
            return;
        }
        at += len;
    }
}

/* A cstring at `at` in a container whose last byte is at `end`; one past its 0x00. */
static size_t judge_cstring(judge *j, size_t at, size_t end)
{
    size_t zero = at;
    while (zero < end && j->bytes[zero] != 0) zero++;
    judge_text(j, at, zero);
    if (zero == end) note(j, j->bytes[end] == 0 ? BSN_E_CSTRING : BSN_E_TERMINATOR, end);
    return zero + 1;
}

/* An int32 length field; 0 with a fault noted when it is not there or out of [least, most]. */
static int64_t judge_length(judge *j, size_t at, size_t end, int64_t least, int64_t most)
{
    if (end - at < 4) {
        note(j, BSN_E_SHORT, at);
        return 0;
    }
    const int64_t len = int32_at(j, at);
    if (len >= least && len <= most) return len;
    note(j, BSN_E_LENGTH, at);
    return 0;
}

static void judge_string(judge *j, size_t at, size_t len)
{
    judge_text(j, at, at + len - 1);
    if (j->bytes[at + len - 1] != 0) note(j, BSN_E_TERMINATOR, at + len - 1);
}

/* Recursive, as the shape that it judges is: a second opinion should be formed in another way than the first. */
/* NOLINTBEGIN(misc-no-recursion) */

static void judge_container(judge *j, size_t at, size_t len, size_t depth);

/* The value of an element at `at`; one past it, when it is sound. */
static size_t judge_value(judge *j, uint8_t type, size_t at, size_t end, size_t depth)
{
    static const uint8_t fixed[] = {[0x01] = 8, [0x07] = 12, [0x08] = 1, [0x09] = 8,
                                    [0x10] = 4, [0x11] = 8,  [0x12] = 8, [0x13] = 16};
    const int64_t room = (int64_t)(end - at);
    int64_t len, total;
    switch (type) {
    case 0x02:
    case 0x0D:
    case 0x0E:
        len = judge_length(j, at, end, 1, room - 4);
        if (len != 0) judge_string(j, at + 4, (size_t)len);
        return at + 4 + (size_t)len;
    case 0x03:
    case 0x04:
        len = judge_length(j, at, end, 5, room);
        if (len != 0) judge_container(j, at, (size_t)len, depth + 1);
        return at + (size_t)len;
    case 0x05:
        len = judge_length(j, at, end, 0, room - 5);
        if (!sound(j)) return at;
        if (j->bytes[at + 4] == 2 && len < 4) note(j, BSN_E_BINARY, at);
        if (j->bytes[at + 4] == 2 && len >= 4 && int32_at(j, at + 5) != len - 4)
            note(j, BSN_E_BINARY, at + 5);
        return at + 5 + (size_t)len;
    case 0x0B: at = judge_cstring(j, at, end); return at <= end ? judge_cstring(j, at, end) : at;
    case 0x0C:
        len = judge_length(j, at, end, 1, room - 4);
        if (len == 0) return at;
        if (len + 16 > room) note(j, BSN_E_SHORT, at);
        judge_string(j, at + 4, (size_t)len);
        return at + 16 + (size_t)len;
    case 0x0F:
        total = judge_length(j, at, end, 14, room);
        if (total == 0) return at;
        len = judge_length(j, at + 4, at + (size_t)total, 1, total - 13);
        if (len == 0) return at;
        judge_string(j, at + 8, (size_t)len);
        if (8 + len + int32_at(j, at + 8 + (size_t)len) != total) note(j, BSN_E_CODE_SCOPE, at);
        if (sound(j))
            judge_container(j, at + 8 + (size_t)len, (size_t)(total - 8 - len), depth + 1);
        return at + (size_t)total;
    default: break;
    }
    const size_t size = type < sizeof fixed ? fixed[type] : 0;
    if (size > end - at) {
        note(j, BSN_E_SHORT, at);
    } else if (type == 0x08 && j->bytes[at] > 1) {
        note(j, BSN_E_BOOLEAN, at);
    }
    return at + size;
}

static bool is_type(uint8_t type)
{
    return (type >= 0x01 && type <= 0x13) || type == 0x7F || type == 0xFF;
}

/* A container of checked length, `depth` deep. */
static void judge_container(judge *j, size_t at, size_t len, size_t depth)
{
    const size_t end = at + len - 1;
    if (depth > j->depth_max) {
        note(j, BSN_E_DEPTH, at);
        return;
    }
    at += 4;
    while (at < end && sound(j)) {
        const uint8_t type = j->bytes[at];
        const size_t value = judge_cstring(j, at + 1, end);
        if (!is_type(type))
            note(j, BSN_E_TYPE, at);
        else if (value <= end)
            at = judge_value(j, type, value, end, depth);
    }
    if (j->bytes[end] != 0) note(j, BSN_E_TERMINATOR, end);
}

/* NOLINTEND(misc-no-recursion) */

verdict oracle_judge(bsn_bytes bytes, bool utf8, size_t depth_max)
{
    judge j = {.bytes = bytes.ptr, .utf8 = utf8, .depth_max = depth_max};
    const size_t len = (size_t)judge_length(&j, 0, bytes.len, 5, INT32_MAX);
    if (!sound(&j)) return j.first;
    if (len > bytes.len) {
        note(&j, BSN_E_SHORT, 0);
        return j.first;
    }
    if (bytes.ptr[len - 1] != 0) note(&j, BSN_E_TERMINATOR, len - 1);
    if (len < bytes.len) note(&j, BSN_E_TRAILING, len);
    if (sound(&j)) judge_container(&j, 0, len, 1);
    return j.first;
}
