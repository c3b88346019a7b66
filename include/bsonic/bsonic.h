/* SPDX-License-Identifier: Apache-2.0
 *
 * bsonic.h -- the codec library's public interface in one include. Five minutes to know your way:
 *
 *   Spans      bsn_bytes and bsn_str are pointer and length; nothing relies on a terminator.             base.h
 *   Values     bsn_value is a tagged union of the 21 types.                                              types.h
 *   Reading    bsn_doc is a borrowed document, bsn_iter walks it in place, bsn_find looks one key up.    doc.h
 *   Getting    bsn_get_* are strict about the type, bsn_as_* coerce where nothing is lost.               get.h
 *   Trust      bsn_validate checks a document from end to end, by level.                                 validate.h
 *   Output     bsn_out is the one sink: pooled blocks for writev, a growing buffer, or fixed storage.    mem.h
 *   Writing    bsn_writer appends elements and nests containers into a bsn_out.                          write.h
 *              bsn_put_* append inline, with keys that are checked once.                                 put.h
 *   Text       bsn_json_print writes a document as Extended JSON into a bsn_out.                         json.h
 *              bsn_json_parse and bsn_json_parser read it, one document or streams.                      json_parse.h
 *   Repetition bsn_shape foresees the keys of documents that are alike.                                  shape.h
 *   Messages   bsn_msg_open and bsn_msg_begin, bsn_envelope for replies that are still arriving.         wire.h
 *
 * Errors are values: a bsn_status (0 is success), and a bsn_error with the place. Iterators and writers are sticky: let the
 * loop run bare and ask once at the end. Nothing here does I/O, reads a clock or the locale, keeps global state, aborts or
 * prints; memory comes from the bsn_alloc that the caller passes, and reading needs none.
 */
#ifndef BSONIC_BSONIC_H
#define BSONIC_BSONIC_H

#include <bsonic/base.h>
#include <bsonic/doc.h>
#include <bsonic/get.h>
#include <bsonic/json.h>
#include <bsonic/json_parse.h>
#include <bsonic/mem.h>
#include <bsonic/put.h>
#include <bsonic/shape.h>
#include <bsonic/types.h>
#include <bsonic/validate.h>
#include <bsonic/wire.h>
#include <bsonic/write.h>

#endif
