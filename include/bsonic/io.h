/* SPDX-License-Identifier: Apache-2.0
 *
 * io.h -- files: documents read in blocks, output written with every error looked at, the system's words, clock and entropy.
 *
 *   bsn_input in;                                       bsn_output to;
 *   bsn_input_open(&in, "dump.bson", NULL, &err)        bsn_output_open(&to, "out.json", NULL, &err)
 *   while (bsn_input_next(&in, &doc)) ...               bsn_output_flush(&to, &out, &err)      as often as wanted
 *   if (bsn_input_error(&in, &err) != BSN_OK) ...       bsn_output_commit(&to, &err)           now the file has its name
 *   bsn_input_free(&in);                                bsn_output_free(&to);
 *
 * Library  libbsonic-client; <bsonic/bsonic.h> does not include this header.
 * Threads  One thread at a time for each object. Signals are left alone: writing to a pipe without a reader may raise SIGPIPE.
 */
#ifndef BSONIC_IO_H
#define BSONIC_IO_H

#include <bsonic/doc.h>
#include <bsonic/mem.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ input */

/* How to read. All zero (or a NULL pointer to it) is the default. */
typedef struct bsn_input_options {
    size_t window_size;  /* bytes of the reused block that is read into; 0: 256 KiB; at least 1 KiB */
    size_t document_max; /* longer documents are BSN_E_LIMIT; 0: BSN_DOC_SIZE_MAX */
    /* Of a file: after a read that left room in the window, wait so long for more, and again until it is full: for who gathers
     * documents out of a pipe, which gives 64 KiB at a time. 0: do not. */
    uint32_t linger_ms;
    const bsn_alloc *alloc; /* NULL: libc */
} bsn_input_options;

/* A reused block that bytes come into at one end and leave at the other.
 *
 *   | gone | here      | room                     |
 *          ^start      ^end                       ^size
 */
typedef struct bsn_window {
    /* private */
    uint8_t *block;
    size_t size;
    size_t start;
    size_t end;
    uint8_t *small; /* the block proper, of small_size bytes */
    size_t small_size;
    bsn_buf large; /* where a document longer than that is put together */
} bsn_window;

/* Reads 1..cap bytes to ptr and sets *len; *len 0 is the end of the input, for good.
 * Returns  BSN_OK, or a status that ends the input (BSN_E_IO: set err->os_error). */
typedef bsn_status (*bsn_read_function)(void *ctx, uint8_t *ptr, size_t cap, size_t *len, bsn_error *err);

/* Documents that lie back to back, from a file or a callback, as views of a window that is used over and over:
 *
 *   file ──read──► window ──► bsn_doc views. The incomplete rest moves to the front before the next read. A document longer
 *   than the window is put together in a block that grows with what has really arrived, whatever its length field says.
 */
typedef struct bsn_input {
    /* private */
    bsn_read_function read;
    void *read_ctx;
    int fd; /* -1: none to close */
    bsn_window window;
    size_t document_max;
    uint32_t linger_ms;
    size_t given_len; /* of what was handed out last, which still lies at the window's start */
    uint64_t offset;  /* in the file, of the window's start */
    uint64_t count;
    uint64_t reads;
    bool ended; /* the file has no more bytes */
    bsn_error err;
    const struct bsni_calls *calls;
} bsn_input;

/* Opens a file; "-" or NULL is standard input, which is not closed in the end.
 *
 * Errors   BSN_E_IO  with os_error      BSN_E_NOMEM
 * Returns  any status leaves *in fit for bsn_input_free.
 */
BSN_API BSN_MUST_CHECK bsn_status bsn_input_open(bsn_input *in, const char *path, const bsn_input_options *options,
                                                 bsn_error *err);

/* The same over a callback. */
BSN_API BSN_MUST_CHECK bsn_status bsn_input_init(bsn_input *in, bsn_read_function read, void *ctx,
                                                 const bsn_input_options *options, bsn_error *err);

/* Closes what bsn_input_open opened and frees the window. */
BSN_API void bsn_input_free(bsn_input *in);

/* The next document, its frame checked. False at the end and after a fault, then and ever after.
 *
 * Memory   *doc lives until the next call on this input (longer while bsn_input_ready is true). Nothing is allocated once the
 *          window and the longest document have been seen.
 */
BSN_API BSN_MUST_CHECK bool bsn_input_next(bsn_input *in, bsn_doc *doc);

/* What is in the window behind the document handed out last; reads until that is BSN_DOC_SIZE_MIN bytes, which a document has,
 * or the input ends. Empty at the end of the input and after a fault. Lives until the next call on this input. For a look at
 * what is coming before it is taken for BSON. */
BSN_API bsn_bytes bsn_input_peek(bsn_input *in);

/* The next bytes, whatever they are: for a file that is text. What is in the window behind that which was handed out last, or as
 * much as comes at once; bsn_input_offset is then the place of the first. The last piece of all may be followed by a fault. False at
 * the end and after a fault, as bsn_input_next. A document that is asked for next begins behind them.
 *
 * Memory   *piece lives until the next call on this input. Nothing is allocated.
 */
BSN_API BSN_MUST_CHECK bool bsn_input_next_piece(bsn_input *in, bsn_bytes *piece);

/* True when the next document is in the window already: bsn_input_next will not read, and what it has handed out since it last did
 * stays where it is, in one piece without gaps. Who writes what was made of the documents before waiting for more asks this, and
 * who gathers documents to send them together. */
BSN_API bool bsn_input_ready(const bsn_input *in);

/* BSN_OK while no fault was met; else the fault. Offsets count from the document that could not be had, which begins at
 * bsn_input_offset: the frame's faults of bsn_doc_take, where BSN_E_SHORT means that the file ends inside it;
 * BSN_E_LIMIT  longer than document_max;  BSN_E_IO, BSN_E_NOMEM. */
BSN_API bsn_status bsn_input_error(const bsn_input *in, bsn_error *err);

/* Documents handed out so far. */
static inline uint64_t bsn_input_count(const bsn_input *in)
{
    return in->count;
}

/* Where in the file the document handed out last begins; after a fault the one that failed; at the end the file's length. */
static inline uint64_t bsn_input_offset(const bsn_input *in)
{
    return in->offset;
}

/* After a fault: what there is of the document that failed. */
BSN_API bsn_bytes bsn_input_rest(const bsn_input *in);

/* Calls of the read function so far. */
static inline uint64_t bsn_input_reads(const bsn_input *in)
{
    return in->reads;
}

/* ------------------------------------------------------------------ output */

/* How to write a file. All zero (or a NULL pointer to it) is the default. */
typedef struct bsn_output_options {
    /* Take place and permissions of a file that exists; else that is BSN_E_IO, os_error EEXIST. A symbolic link stays, and the
     * file that it leads to is replaced; one that leads nowhere is replaced itself. */
    bool replace;
    const bsn_alloc *alloc; /* NULL: libc */
} bsn_output_options;

/* A file that comes into being whole: written beside its place under another name, and given its own by commit. Standard output
 * and what is not a regular file (a pipe, a device) are written where they are. */
typedef struct bsn_output {
    /* private */
    int fd;
    bool owned; /* fd is ours to close */
    bool replace;
    char *path;      /* where it goes; NULL: written in place */
    char *temporary; /* where it is until then */
    size_t path_size;
    size_t temporary_size;
    uint64_t bytes;
    uint64_t writes;
    const struct bsni_calls *calls;
    const bsn_alloc *alloc;
} bsn_output;

/* Opens the output; "-" or NULL is standard output, which is not closed in the end.
 *
 * Errors   BSN_E_IO  with os_error      BSN_E_NOMEM
 * Returns  any status leaves *to fit for bsn_output_free.
 */
BSN_API BSN_MUST_CHECK bsn_status bsn_output_open(bsn_output *to, const char *path, const bsn_output_options *options,
                                                  bsn_error *err);

/* Writes everything that waits in *out, by writev, and marks it sent.
 * Errors   BSN_E_IO  with os_error; what was written is marked sent, the rest still waits. */
BSN_API BSN_MUST_CHECK bsn_status bsn_output_flush(bsn_output *to, bsn_out *out, bsn_error *err);

/* Closes the file and gives it its name. Nothing can be written after it.
 * Errors   BSN_E_IO  close failed (the last bytes may be lost), the name is taken, ..; the file is then gone. */
BSN_API BSN_MUST_CHECK bsn_status bsn_output_commit(bsn_output *to, bsn_error *err);

/* Frees. A file without its commit is removed. */
BSN_API void bsn_output_free(bsn_output *to);

/* The temporary file's path while there is one, else NULL: for a signal handler that must unlink it. */
static inline const char *bsn_output_temporary(const bsn_output *to)
{
    return to->temporary;
}

/* Bytes written, and system calls that it took. */
static inline uint64_t bsn_output_bytes(const bsn_output *to)
{
    return to->bytes;
}

static inline uint64_t bsn_output_writes(const bsn_output *to)
{
    return to->writes;
}

/* ------------------------------------------------------------------ the system */

/* Room for the text of a system's error. */
#define BSN_OS_TEXT_MAX 128

/* The system's words for bsn_error.os_error, terminated, in text[0..BSN_OS_TEXT_MAX). Returns text. */
BSN_API const char *bsn_os_text(int os_error, char text[BSN_OS_TEXT_MAX]);

/* Nanoseconds of a clock that never goes back; its zero means nothing. */
BSN_API uint64_t bsn_clock_monotonic_ns(void);

/* Milliseconds since 1970-01-01 UTC, as BSN_TYPE_DATE counts them. */
BSN_API int64_t bsn_clock_utc_ms(void);

/* Fills ptr[0..len) with bytes that nobody can guess, from the system. */
BSN_API BSN_MUST_CHECK bsn_status bsn_entropy(void *ptr, size_t len, bsn_error *err);

#ifdef __cplusplus
}
#endif
#endif
