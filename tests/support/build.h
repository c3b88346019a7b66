/* SPDX-License-Identifier: Apache-2.0
 *
 * build.h -- puts bytes together for tests, lies included: nothing here knows what is right. Bounded storage on the stack.
 *
 *   build b = {.len = 0};
 *   const size_t message = build_header(&b, 7, 1, BSN_OP_MSG);
 *   build_u32(&b, 0);
 *   build_u8(&b, 0);
 *   const size_t body = build_open(&b);            {
 *   build_element(&b, 0x10, "ok");                   ok: 1
 *   build_i32(&b, 1);
 *   build_close(&b, body);                         }
 *   build_patch(&b, message);
 */
#ifndef TESTS_SUPPORT_BUILD_H
#define TESTS_SUPPORT_BUILD_H

#include <bsonic/base.h>

#define BUILD_MAX 16384

typedef struct build {
    uint8_t bytes[BUILD_MAX];
    size_t len;
} build;

/* Each fails the running test when storage is full. */
void build_raw(build *b, const void *bytes, size_t len);
void build_u8(build *b, unsigned value);
void build_u32(build *b, uint32_t value);
void build_i32(build *b, int32_t value);
void build_i64(build *b, int64_t value);
void build_f64(build *b, double value);
void build_cstring(build *b, const char *text);

/* "06 00 00 00": pairs of hex digits. */
void build_hex(build *b, const char *hex);

/* int32 length (with the 0x00), text, 0x00. */
void build_string(build *b, const char *text);

/* A type byte and a key. */
void build_element(build *b, unsigned type, const char *key);

/* Four bytes for a length that counts from itself on; returns its place. build_patch sets it to what has followed;
 * build_close adds the document's final 0x00 first. */
size_t build_open(build *b);
void build_patch(build *b, size_t place);
void build_close(build *b, size_t place);

/* A message header; its length is build_patch'ed at the end. */
size_t build_header(build *b, int32_t request_id, int32_t response_to, int32_t opcode);

/* Sets the int32 at place. */
void build_set(build *b, size_t place, int32_t value);

bsn_bytes build_view(const build *b);

#endif
