/* SPDX-License-Identifier: Apache-2.0
 *
 * write.h -- builds documents straight into an output: append, nest, end. Lengths are patched in place; nothing is built twice.
 *
 *   bsn_writer w;
 *   bsn_writer_init(&w, &out);
 *   bsn_writer_begin(&w);                                  {
 *   bsn_writer_string(&w, BSN_STR("name"), BSN_STR("x"));    name: "x",
 *   bsn_writer_begin_array(&w, BSN_STR("list"));             list: [
 *   bsn_writer_int32(&w, BSN_STR(""), 1);                      1          in arrays the key is ignored: "0", "1", .. is written
 *   bsn_writer_end(&w);                                      ]
 *   bsn_writer_end(&w);                                    }
 *   if (bsn_writer_status(&w) != BSN_OK) ...
 *
 * Errors stick: after the first one every call does nothing, and bsn_writer_status reports it. BSN_E_SPACE (fixed storage is
 * full) is soft: counting goes on, and bsn_out_len tells the exact size needed. With storage of 0 bytes that is a size pass.
 *
 *   BSN_E_KEY_NUL  U+0000 in a key or a regex part
 *   BSN_E_SIZE     a string, a binary or the outermost document would pass 2^31-1 bytes. A value over 4 KiB is refused
 *                  before a byte of it is read or written; small ones may pass the limit unnoticed, until bsn_writer_end at
 *                  the latest
 *   BSN_E_DEPTH    nested deeper than BSN_DEPTH_DEFAULT, or the limit of bsn_writer_use_frames
 *   BSN_E_STATE    an element outside of a document, a document begun inside another, an end without a begin
 *   BSN_E_VALUE    a raw value or document whose bytes its type cannot have, a value of no type
 *   BSN_E_NOMEM    from the output
 *
 * Text is written as it is: whether it is UTF-8 is not checked. What lies in *out of a document that failed is undefined: take a
 * mark before, and roll back (bsn_writer_get_mark, bsn_writer_rollback). Nothing that is written may lie in *out itself.
 */
#ifndef BSONIC_WRITE_H
#define BSONIC_WRITE_H

#include <bsonic/mem.h>
#include <bsonic/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An open container. */
typedef struct bsn_writer_frame {
    /* private */
    uint64_t start;      /* bytes in the output in front of its length field */
    uint64_t index;      /* array: the next index, as text in the bytes from the lowest up; see bson/array_index.h */
    uint32_t head_len;   /* code with scope: bytes from the total length field to the scope's; else 0 */
    uint8_t digit_count; /* array: digits in index */
    uint8_t mode;        /* document or array */
} bsn_writer_frame;

/* private: the mode in which elements are appended to a document, and nothing has failed */
enum { BSN_WRITER_IN_DOCUMENT = 0 };

/* The writer's state: about 5 KiB, in the caller's storage; nothing to free. The output must outlive it. It points into itself:
 * do not copy one. */
typedef struct bsn_writer {
    /* private */
    bsn_out *out;
    bsn_writer_frame *frame; /* of the innermost open container; frames[0] when none is open */
    bsn_writer_frame *frames;
    uint32_t depth; /* open containers */
    uint32_t depth_max;
    uint8_t mode; /* what elements are added to: a document, an array, nothing; or there was an error */
    bsn_status status;
    bsn_writer_frame own_frames[BSN_DEPTH_DEFAULT];
} bsn_writer;

/* A writer at the end of what *out holds. One output takes any number of documents, one after another. */
BSN_API void bsn_writer_init(bsn_writer *w, bsn_out *out);

/* Puts open containers into frames[0..count), the caller's, which must live as long as the writer is used: so documents nest at
 * most `count` deep, more or less than BSN_DEPTH_DEFAULT. Right after bsn_writer_init. */
BSN_API void bsn_writer_use_frames(bsn_writer *w, bsn_writer_frame *frames, uint32_t count);

/* The first error of the writer or of its output; BSN_OK while there is none. */
BSN_API bsn_status bsn_writer_status(const bsn_writer *w);

/* Begins an outermost document. BSN_E_STATE inside another. */
BSN_API void bsn_writer_begin(bsn_writer *w);

/* Begin a container in the current one; one bsn_writer_end ends it, code and scope together. */
BSN_API void bsn_writer_begin_document(bsn_writer *w, bsn_str key);
BSN_API void bsn_writer_begin_array(bsn_writer *w, bsn_str key);
BSN_API void bsn_writer_begin_code_scope(bsn_writer *w, bsn_str key, bsn_str code);

/* Ends the innermost open container: writes its final 0x00 and patches its length. BSN_E_STATE when none is open. */
BSN_API void bsn_writer_end(bsn_writer *w);

/* The one document that the output holds (unsent, since its init or clear), when it lies in one piece (bsn_out_view) and
 * everything is ended.
 *
 * Errors   the sticky one; BSN_E_STATE  something is open, the output holds nothing, more or other than one document, or holds
 *          it in pieces.
 * Memory   *doc borrows from the output: it dies at the next call there.
 */
BSN_API BSN_MUST_CHECK bsn_status bsn_writer_doc(bsn_writer *w, bsn_doc *doc);

/* A place between two elements or documents, to go back to. */
typedef struct bsn_writer_mark {
    /* private */
    bsn_out_mark out;
    uint32_t depth;
    bsn_status status;
    bsn_writer_frame frame;
} bsn_writer_mark;

/* Where the writer stands; bsn_writer_rollback undoes what was written and begun since, and the writer's error if there was one
 * (the output's, such as BSN_E_NOMEM, stay). The container that was innermost at the mark must not have been ended since.
 * Nothing written after the mark may have been sent. */
BSN_API bsn_writer_mark bsn_writer_get_mark(const bsn_writer *w);
BSN_API void bsn_writer_rollback(bsn_writer *w, bsn_writer_mark mark);

/* Append one element. (On 32-bit x86 a double that is passed by value may lose the signalling mark of a NaN; bsn_writer_value
 * and bsn_writer_raw keep all bits.) In an array the key is ignored, and the next index is written in its place. */
BSN_API void bsn_writer_double(bsn_writer *w, bsn_str key, double value);
BSN_API void bsn_writer_string(bsn_writer *w, bsn_str key, bsn_str value);
BSN_API void bsn_writer_document(bsn_writer *w, bsn_str key, bsn_doc value);
BSN_API void bsn_writer_array(bsn_writer *w, bsn_str key, bsn_doc value);
BSN_API void bsn_writer_binary(bsn_writer *w, bsn_str key, uint8_t subtype, bsn_bytes value);
BSN_API void bsn_writer_undefined(bsn_writer *w, bsn_str key);
BSN_API void bsn_writer_oid(bsn_writer *w, bsn_str key, const bsn_oid *value);
BSN_API void bsn_writer_boolean(bsn_writer *w, bsn_str key, bool value);
BSN_API void bsn_writer_date(bsn_writer *w, bsn_str key, int64_t milliseconds);
BSN_API void bsn_writer_null(bsn_writer *w, bsn_str key);
/* The options are written in alphabetical order, whatever order they come in, as the BSON specification wants them (unless they
 * hold anything but ASCII: no options that have a meaning do). */
BSN_API void bsn_writer_regex(bsn_writer *w, bsn_str key, bsn_str pattern, bsn_str options);
BSN_API void bsn_writer_dbpointer(bsn_writer *w, bsn_str key, bsn_str ns, const bsn_oid *oid);
BSN_API void bsn_writer_code(bsn_writer *w, bsn_str key, bsn_str value);
BSN_API void bsn_writer_symbol(bsn_writer *w, bsn_str key, bsn_str value);
BSN_API void bsn_writer_code_scope(bsn_writer *w, bsn_str key, bsn_str code, bsn_doc scope);
BSN_API void bsn_writer_int32(bsn_writer *w, bsn_str key, int32_t value);
BSN_API void bsn_writer_timestamp(bsn_writer *w, bsn_str key, bsn_timestamp value);
BSN_API void bsn_writer_int64(bsn_writer *w, bsn_str key, int64_t value);
BSN_API void bsn_writer_decimal128(bsn_writer *w, bsn_str key, bsn_decimal128 value);
BSN_API void bsn_writer_minkey(bsn_writer *w, bsn_str key);
BSN_API void bsn_writer_maxkey(bsn_writer *w, bsn_str key);

/* Append a value of any type, as the function of that type does. BSN_E_VALUE for BSN_TYPE_NONE and unknown types. */
BSN_API void bsn_writer_value(bsn_writer *w, bsn_str key, const bsn_value *value);

/* Appends a value as it stands in another document: its type and raw bytes (bsn_iter_type, bsn_iter_raw). Its frame is checked
 * (fixed size, or length fields and terminators against raw.len, a boolean, the inner length of binary subtype 02):
 * BSN_E_VALUE. What is inside is copied as it is. */
BSN_API void bsn_writer_raw(bsn_writer *w, bsn_str key, bsn_type type, bsn_bytes raw);

/* Appends a whole document as it is, as an outermost one; its frame is checked: BSN_E_VALUE. Large ones are referenced where the
 * output can (bsn_out_append_ref): then they must live until they are sent. */
BSN_API void bsn_writer_splice(bsn_writer *w, bsn_doc doc);

#ifdef __cplusplus
}
#endif
#endif
