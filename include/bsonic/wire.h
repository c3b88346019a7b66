/* SPDX-License-Identifier: Apache-2.0
 *
 * wire.h -- the wire protocol as pure functions on bytes: headers, OP_MSG both ways, the hello over OP_QUERY and its OP_REPLY,
 * and the walker that hands a reply's documents out while it is still arriving. No I/O, no clock, nothing allocated.
 *
 *   message = int32 messageLength | int32 requestID | int32 responseTo | int32 opCode | what the opcode says
 *
 *   OP_MSG   uint32 flags, sections, [uint32 CRC-32C]
 *            section kind 0:  00 document                                        the body, exactly one
 *            section kind 1:  01 int32 size | cstring identifier | documents     a document sequence; size counts itself on
 *   OP_QUERY int32 flags, cstring "db.coll", int32 skip, int32 numberToReturn, document, [document]
 *   OP_REPLY int32 flags, int64 cursorID, int32 startingFrom, int32 numberReturned, documents
 *
 * Safety   Sizes are checked before anything is believed; nothing outside the given span is read.
 * Errors   BSN_E_PROTOCOL for what breaks the protocol's own framing; faults of the BSON inside keep their own codes, so that
 *          a damaged document can be told from a damaged connection. Offsets count from the message's first byte.
 * Memory   Everything that is read is a view on the caller's bytes.
 */
#ifndef BSONIC_WIRE_H
#define BSONIC_WIRE_H

#include <bsonic/doc.h>
#include <bsonic/mem.h>
#include <bsonic/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ------------------------------------------------------------------ header */

/* Bytes of a message header. */
#define BSN_HEADER_LEN 16

/* The largest message, header included, until a server has told its own limit. */
#define BSN_MESSAGE_SIZE_MAX 48000000

/* The largest document that a server sends or takes: 16 MiB, and 16 KiB for what it adds by itself. */
#define BSN_WIRE_DOC_SIZE_MAX (16 * 1024 * 1024 + 16 * 1024)

typedef enum bsn_opcode {
    BSN_OP_REPLY = 1,
    BSN_OP_UPDATE = 2001,
    BSN_OP_INSERT = 2002,
    BSN_OP_QUERY = 2004,
    BSN_OP_GET_MORE = 2005,
    BSN_OP_DELETE = 2006,
    BSN_OP_KILL_CURSORS = 2007,
    BSN_OP_COMPRESSED = 2012,
    BSN_OP_MSG = 2013
} bsn_opcode;

/* The name of an opcode ("OP_MSG"): static; NULL for numbers that are none, the retired 1000, 2003, 2010, 2011 among them. */
BSN_API const char *bsn_opcode_name(int32_t opcode);

typedef struct bsn_header {
    size_t len; /* of the whole message, these 16 bytes included */
    int32_t request_id;
    int32_t response_to;
    int32_t opcode; /* one of bsn_opcode once bsn_header_read has returned BSN_OK */
} bsn_header;

/* Reads the header at the start of `bytes`, which may run on past it or end with it.
 *
 * Returns  BSN_OK with *header set. *header is also set with BSN_E_PROTOCOL about the opcode, so that the number can be shown.
 * Errors   BSN_E_SHORT     fewer than 16 bytes                                   offset 0
 *          BSN_E_PROTOCOL  messageLength below 16, or above size_max             offset 0    e.g. 0F 00 00 00 ...
 *                          an opcode that bsn_opcode_name does not know          offset 12
 */
BSN_API BSN_MUST_CHECK bsn_status bsn_header_read(bsn_bytes bytes, size_t size_max, bsn_header *header, bsn_error *err);

/* Writes a header to bytes[0..16). len is at most 2^31-1. */
BSN_API void bsn_header_write(const bsn_header *header, uint8_t bytes[BSN_HEADER_LEN]);

/* ------------------------------------------------------------------ checksum */

/* CRC-32C (Castagnoli) of `bytes`, going on from `crc`, which is 0 at the start: "123456789" gives E3069283.
 * A message's checksum covers everything from the header on, without the four bytes of the checksum itself. [RFC 3720 B.4] */
BSN_API uint32_t bsn_crc32c(uint32_t crc, bsn_bytes bytes);

/* ------------------------------------------------------------------ OP_MSG, reading a whole message */

/* Flag bits of OP_MSG. Of the others, 0 to 15 are required to be understood (so: an error), 16 to 31 are ignored. */
#define BSN_MSG_CHECKSUM ((uint32_t)1 << 0)     /* four bytes of CRC-32C end the message */
#define BSN_MSG_MORE_TO_COME ((uint32_t)1 << 1) /* request: no reply is wanted; reply: another one follows by itself */
#define BSN_MSG_EXHAUST_ALLOWED ((uint32_t)1 << 16) /* request: the reply may have BSN_MSG_MORE_TO_COME */

/* Document sequences that one message may hold. No command has more than two. */
#define BSN_MSG_SEQUENCES_MAX 16

/* A message that bsn_msg_open has checked. */
typedef struct bsn_msg {
    bsn_header header;
    uint32_t flags;
    uint32_t checksum; /* as sent; only with BSN_MSG_CHECKSUM */
    bsn_doc body;
    bsn_bytes sections; /* all sections, checksum stripped; for bsn_section_take */
    uint32_t sequence_count;
} bsn_msg;

/* One section. */
typedef struct bsn_section {
    uint8_t kind;        /* 0 or 1 */
    bsn_str identifier;  /* kind 1; empty for kind 0 */
    bsn_bytes documents; /* back to back, for bsn_doc_take; of kind 0 the one */
} bsn_section;

/* Opens an OP_MSG that is there as a whole: the span is the message, no more and no less.
 *
 * Checks   header, flags, the sections' sizes and order (any), exactly one body, the frame of every document, identifiers
 *          unique and not a key of the body too. Not the checksum: bsn_msg_verify does that. Not the elements.
 * Returns  BSN_OK with *msg set; any other status leaves *msg alone.
 * Errors   BSN_E_SHORT     the span is shorter than messageLength says
 *          BSN_E_TRAILING  the span is longer
 *          BSN_E_PROTOCOL  another opcode (offset 12); unknown required flag (16); unknown section kind, no body, two bodies, a
 *                          size that does not fit, an identifier twice or without an end, over BSN_MSG_SEQUENCES_MAX sequences
 *          and what bsn_doc_take and bsn_iter_next report of the documents and the body's keys.
 */
BSN_API BSN_MUST_CHECK bsn_status bsn_msg_open(bsn_bytes message, bsn_msg *msg, bsn_error *err);

/* Checks the checksum of a message that bsn_msg_open has passed; true as well when it has none. */
BSN_API bool bsn_msg_verify(bsn_bytes message, const bsn_msg *msg);

/* Takes the section at the start of *src, and *src past it. Start with msg->sections; the end is src->len == 0.
 * Checks and errors as bsn_msg_open has them for one section; offsets count from src->ptr. */
BSN_API BSN_MUST_CHECK bsn_status bsn_section_take(bsn_bytes *src, bsn_section *section, bsn_error *err);

/* The documents of the sequence with this identifier. False when the message has none. */
BSN_API bool bsn_msg_find_sequence(const bsn_msg *msg, bsn_str identifier, bsn_bytes *documents);

/* ------------------------------------------------------------------ writing messages */

/* A message being written to a bsn_out: header first, its length patched at the end. Documents go in between, straight to the
 * same output, with a bsn_writer or by reference.
 *
 *   bsn_msg_writer m;
 *   bsn_msg_begin(&m, &out, request_id, 0, 0);
 *   bsn_msg_begin_body(&m);
 *   bsn_writer_init(&w, &out); bsn_writer_begin(&w); ... bsn_writer_end(&w);
 *   bsn_msg_begin_sequence(&m, BSN_STR("documents"));
 *   bsn_msg_document(&m, doc); ...
 *   status = bsn_msg_end(&m, BSN_MESSAGE_SIZE_MAX);
 *
 * Errors stick in the output (bsn_out_status) or here; bsn_msg_end reports the first. */
typedef struct bsn_msg_writer {
    /* private */
    bsn_out *out;
    bsn_out_mark start;    /* the header's length slot */
    bsn_out_mark sequence; /* size slot of the open sequence */
    bsn_status status;
    bool in_sequence;
} bsn_msg_writer;

/* Begins an OP_MSG. response_to is 0 in requests. flags: BSN_MSG_MORE_TO_COME, BSN_MSG_EXHAUST_ALLOWED; a checksum is not
 * written (BSN_MSG_CHECKSUM is BSN_E_UNSUPPORTED). */
BSN_API void bsn_msg_begin(bsn_msg_writer *m, bsn_out *out, int32_t request_id, int32_t response_to, uint32_t flags);

/* Begins the kind-0 section: the caller writes one document next. */
BSN_API void bsn_msg_begin_body(bsn_msg_writer *m);

/* Begins a kind-1 section, ending an open one. BSN_E_KEY_NUL when the identifier holds U+0000. */
BSN_API void bsn_msg_begin_sequence(bsn_msg_writer *m, bsn_str identifier);

/* Adds a document from where it lies: by reference when the output can and it is large (bsn_out_append_ref: then it must live
 * until the message is sent), else copied. */
BSN_API void bsn_msg_document(bsn_msg_writer *m, bsn_doc doc);

/* Begins an OP_QUERY that carries a command, as a hello may: flags (4 is secondaryOk), ns "admin.$cmd", skip 0, numberToReturn
 * -1. The caller writes the command's document next. BSN_E_KEY_NUL when ns holds U+0000. */
BSN_API void bsn_msg_begin_query(bsn_msg_writer *m, bsn_out *out, int32_t request_id, int32_t flags, bsn_str ns);

/* Begins an OP_REPLY of one document with cursor 0, the answer to such a query: the caller writes the document next. */
BSN_API void bsn_msg_begin_reply(bsn_msg_writer *m, bsn_out *out, int32_t request_id, int32_t response_to,
                                 int32_t flags);

/* Ends the message: ends an open sequence and patches the lengths.
 *
 * Returns  BSN_OK, and the message is complete in the output.
 * Errors   the first that stuck here or in the output; BSN_E_SIZE when the message is longer than size_max. What then lies in
 *          the output from bsn_msg_begin on is undefined: take a mark before, and roll back.
 */
BSN_API BSN_MUST_CHECK bsn_status bsn_msg_end(bsn_msg_writer *m, size_t size_max);

/* Ends a message whose open sequence goes on behind the output: `len` bytes of documents that the caller sends right after it from
 * where they lie. They count in the lengths and against size_max. BSN_E_STATE when no sequence is open; else as bsn_msg_end. */
BSN_API BSN_MUST_CHECK bsn_status bsn_msg_end_ahead(bsn_msg_writer *m, size_t len, size_t size_max);

/* Bytes of the message so far: to begin another before it passes a limit. */
BSN_API uint64_t bsn_msg_len(const bsn_msg_writer *m);

/* ------------------------------------------------------------------ legacy opcodes, reading */

/* An OP_QUERY. Only the one that carries a command is of use: ns "db.$cmd". */
typedef struct bsn_query {
    bsn_header header;
    int32_t flags;
    bsn_str ns;
    int32_t skip;
    int32_t return_count;
    bsn_doc query;
    bsn_doc fields; /* ptr NULL when absent */
} bsn_query;

/* Opens an OP_QUERY that is there as a whole. Errors as bsn_msg_open: BSN_E_SHORT, BSN_E_TRAILING, BSN_E_PROTOCOL (opcode, flags 0
 * and 8 to 31 set, a namespace without an end, bytes after the documents), and bsn_doc_take's. */
BSN_API BSN_MUST_CHECK bsn_status bsn_query_open(bsn_bytes message, bsn_query *query, bsn_error *err);

/* Bytes of OP_REPLY between its header and its documents: flags, cursorID, startingFrom, numberReturned. */
#define BSN_REPLY_HEAD_LEN 20

/* Flags of OP_REPLY. */
#define BSN_REPLY_CURSOR_NOT_FOUND ((uint32_t)1 << 0)
#define BSN_REPLY_QUERY_FAILURE ((uint32_t)1 << 1) /* one document with $err and code */
#define BSN_REPLY_AWAIT_CAPABLE ((uint32_t)1 << 3)

/* An OP_REPLY. */
typedef struct bsn_reply {
    bsn_header header;
    uint32_t flags;
    int64_t cursor_id;
    int32_t starting_from;
    uint32_t document_count; /* agrees with what is there */
    bsn_bytes documents;     /* back to back, for bsn_doc_take */
} bsn_reply;

/* Opens an OP_REPLY that is there as a whole. Errors as bsn_query_open; BSN_E_PROTOCOL also when count and bytes disagree. */
BSN_API BSN_MUST_CHECK bsn_status bsn_reply_open(bsn_bytes message, bsn_reply *reply, bsn_error *err);

/* ------------------------------------------------------------------ envelope: a reply's documents as they come */

/* Room for a namespace: a database name of 63 bytes, a dot, a collection name of 255. */
#define BSN_NS_MAX 319

/* What bsn_envelope_next found. */
typedef enum bsn_envelope_event {
    BSN_ENVELOPE_MORE = 0, /* it needs more bytes: bsn_envelope_need */
    BSN_ENVELOPE_DOC,      /* a document of the batch */
    BSN_ENVELOPE_END,      /* the message is over and sound; *src starts behind it */
    BSN_ENVELOPE_FAULT     /* bsn_envelope_error; the connection is of no more use */
} bsn_envelope_event;

/* What a reply is measured against. All zero but response_to is a sound choice. */
typedef struct bsn_envelope_options {
    size_t size_max;      /* largest message; 0: BSN_MESSAGE_SIZE_MAX */
    size_t doc_size_max;  /* largest document in a batch; 0: BSN_WIRE_DOC_SIZE_MAX. Larger: BSN_E_LIMIT */
    int32_t response_to;  /* what the reply's responseTo must be */
    bool any_response_to; /* true: whatever it is */
    bool write_errors;    /* hand out what the body's array `writeErrors` holds, as documents of a batch are */
    uint8_t *storage;     /* where the reply's own fields are collected, see bsn_envelope_reply; NULL: they are not */
    size_t storage_size;  /* 4 KiB is plenty for a cursor's replies */
} bsn_envelope_options;

/* Walks one reply, OP_MSG or an OP_REPLY of one document, in pieces: the state between them is all in here, so the bytes may be
 * cut anywhere, and every cut gives the same documents, the same end, the same fault at the same offset.
 *
 *   body = { cursor: { firstBatch | nextBatch: [ document, ... ], id: int64, ns: string, ... }, ok: 1, ... }
 *
 * Fields may come in any order. Documents of the batch are handed out as they become complete, before the rest of the message
 * is known; every other field is passed by, whatever its size, without being held. Fields that other commands answer with are
 * passed by and collected likewise, so this reads any command's reply.
 *
 *   bsn_envelope_init(&env, &options);
 *   for (;;) {
 *       switch (bsn_envelope_next(&env, &src, &doc)) {
 *       case BSN_ENVELOPE_DOC: use(doc); break;
 *       case BSN_ENVELOPE_MORE: move src to the front of the window (or into a block of at least bsn_envelope_need bytes, when
 *                               that is more than the window holds), receive behind it, set src; break;
 *       case BSN_ENVELOPE_END: return env.ok ? go_on(env.cursor_id) : server_error(bsn_envelope_reply(&env));
 *       case BSN_ENVELOPE_FAULT: return bsn_envelope_error(&env, &err);
 *       }
 *   }
 *
 * Checks   header, responseTo, flags, exactly one body and no document sequence; every length against what encloses it; the frame
 *          of each document handed out; the checksum, when there is one, rolling along. Elements inside documents are the
 *          reader's to check; so are the insides of fields passed by, of which the frame is checked.
 *          A cursor, batch, id or ns (and writeErrors, with the option) that comes twice, or of a wrong type, is BSN_E_PROTOCOL.
 * Memory   about 600 bytes, in the caller's storage. A document lives as long as the bytes that *src pointed to.
 */
typedef struct bsn_envelope {
    bsn_header header; /* set once 16 bytes are there */
    uint32_t flags;    /* of OP_MSG: BSN_MSG_MORE_TO_COME says that another reply follows; of OP_REPLY: BSN_REPLY_* */

    bool has_cursor; /* a cursor document was there; has_id, has_batch alike */
    bool has_batch;
    bool has_id;
    bool has_write_errors;   /* with the option: the array was there */
    bool in_write_errors;    /* with the option: the document just handed out is one of them */
    bool ok;                 /* at the end: the command succeeded */
    bool partial;            /* the collected fields are not all of the reply's, or one is cut: storage was full */
    int32_t code;            /* the server's error code, 0 when it gave none */
    int64_t cursor_id;       /* 0: the cursor is at its end */
    uint64_t document_count; /* handed out so far */
    uint32_t ns_len;         /* 0 when the reply gave none */
    char ns[BSN_NS_MAX + 1];

    /* private */
    bsn_envelope_options options;
    bsn_status status;
    const char *detail;
    uint64_t fault_offset;
    uint64_t offset;  /* bytes of the message consumed so far */
    uint64_t ends[4]; /* offset behind: the sections, the body, the cursor document, the batch */
    size_t need;
    size_t skip;          /* bytes of a value still to be passed by, */
    size_t skip_after;    /* and of its second part */
    size_t reply_len;     /* of the collected elements, length field included */
    size_t element_start; /* where the element being collected began */
    size_t cut_start;     /* where the text being cut began, its length field; 0: none is */
    uint32_t crc;
    uint8_t state;
    uint8_t level; /* index into ends */
    uint8_t type;  /* of the current element */
    uint8_t key_len;
    uint8_t cstrings; /* of a regular expression, still to be passed by */
    bool zero_last;   /* what is passed by must end in 0x00 */
    bool collecting;
    bool reserved; /* the element is one of those that half of the storage is for */
    bool has_body;
    bool has_ok;
    bool rolling;
    char key[24];
} bsn_envelope;

/* Stands before the first byte of a reply. *options is copied; the storage it names must outlive the envelope. */
BSN_API void bsn_envelope_init(bsn_envelope *env, const bsn_envelope_options *options);

/* Goes on with the bytes of *src, which begin where the last call left *src, and moves *src past what it used up.
 *
 * Returns  BSN_ENVELOPE_DOC with *doc set; BSN_ENVELOPE_MORE with *src at the bytes that must be there again next time, in front of
 *          new ones; BSN_ENVELOPE_END; BSN_ENVELOPE_FAULT. The last two stay what they are on further calls.
 * Cost     a few nanoseconds a document; skipped bytes cost nothing but their checksum.
 */
BSN_API BSN_MUST_CHECK bsn_envelope_event bsn_envelope_next(bsn_envelope *env, bsn_bytes *src, bsn_doc *doc);

/* After BSN_ENVELOPE_MORE: how many bytes, from src->ptr on, the next step needs together: more than src->len. It is the size
 * of a document whose length field is known and checked, at most doc_size_max; otherwise at most 512. */
static inline size_t bsn_envelope_need(const bsn_envelope *env)
{
    return env->need;
}

/* After BSN_ENVELOPE_MORE: how many bytes of this message are still to come, as far as the header has told; 0 before that. A host
 * that must not read into the next message asks for no more than this. `held` is src->len. */
BSN_API size_t bsn_envelope_left(const bsn_envelope *env, size_t held);

/* BSN_OK, or the fault and its offset in the message. */
BSN_API bsn_status bsn_envelope_error(const bsn_envelope *env, bsn_error *err);

/* After BSN_ENVELOPE_END: the reply's own top-level fields as a document, all but `cursor` (and writeErrors, when they are handed
 * out), as they were sent, in their order: ok, errmsg, code, codeName, errorLabels, or what a hello answers with. Lies in
 * options.storage.
 *
 * When the storage is too small for all, env->partial is true: fields are left out whole; ok, code, codeName, errmsg, errorLabels,
 * n and writeConcernError find room first (half of the storage is theirs alone), and a text of them that is still too long is cut.
 * Returns  false when there is no storage (or less than 64 bytes of it), or no end yet.
 */
BSN_API bool bsn_envelope_reply(const bsn_envelope *env, bsn_doc *doc);

#ifdef __cplusplus
}
#endif
#endif
