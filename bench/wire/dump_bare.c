/* SPDX-License-Identifier: Apache-2.0
 *
 * dump_bare.c -- the limit that clients are measured against: receive and walk, nothing else.
 *
 * It trusts the replay server: the batch is the first thing in the reply's body, so documents begin at a known place.
 *
 *   header 16 | flags 4 | 00 | length 4 | 03 "cursor" 00 | length 4 | 04 "firstBatch" 00 | length 4 | 03 "0" 00 document ...
 */
#include "dump.h"
#include "replay.h"

#include <bsonic/wire.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

bool dump_walk(bsn_doc doc, uint64_t *checksum)
{
    bsn_iter it;
    uint64_t sum = 0;
    bsn_iter_init(&it, doc);
    while (bsn_iter_next(&it)) sum += it.type + (uint64_t)it.key_len * 256;
    *checksum += sum;
    return bsn_iter_error(&it, NULL) == BSN_OK;
}

typedef struct bare {
    int fd;
    uint8_t *buffer;
    size_t cap;
    size_t begin; /* buffer[begin..end) has come and is not used up */
    size_t end;
    dump_result result;
} bare;

static int connect_to(const bare_options *options)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(options->port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0) return -1;
    if (options->receive_buffer != 0) {
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &options->receive_buffer,
                   sizeof options->receive_buffer);
    }
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Receives more behind what is there, moving that to the front first when room runs out. */
static bool receive_more(bare *b)
{
    if (b->end == b->cap) {
        memmove(b->buffer, b->buffer + b->begin, b->end - b->begin);
        b->end -= b->begin;
        b->begin = 0;
    }
    ssize_t got = recv(b->fd, b->buffer + b->end, b->cap - b->end, 0);
    if (got <= 0) return got < 0 && errno == EINTR;
    b->end += (size_t)got;
    return true;
}

static bool have(bare *b, size_t len)
{
    while (b->end - b->begin < len) {
        if (len > b->cap || !receive_more(b)) return false;
    }
    return true;
}

static bool send_command(const bare *b, int32_t request_id, const char *command)
{
    uint8_t storage[512];
    bsn_out out;
    bsn_msg_writer m;
    bsn_writer w;
    bsn_bytes request;
    bsn_out_init_fixed(&out, storage, sizeof storage);
    bsn_msg_begin(&m, &out, request_id, 0, 0);
    bsn_msg_begin_body(&m);
    bsn_writer_init(&w, &out);
    bsn_writer_begin(&w);
    if (strcmp(command, "find") == 0) {
        bsn_writer_string(&w, BSN_STR("find"), BSN_STR(REPLAY_COLLECTION));
    } else {
        bsn_writer_int64(&w, BSN_STR("getMore"), 7);
        bsn_writer_string(&w, BSN_STR("collection"), BSN_STR(REPLAY_COLLECTION));
    }
    bsn_writer_string(&w, BSN_STR("$db"), BSN_STR(REPLAY_DB));
    bsn_writer_end(&w);
    if (bsn_msg_end(&m, sizeof storage) != BSN_OK || !bsn_out_view(&out, &request)) return false;
    return send(b->fd, request.ptr, request.len, MSG_NOSIGNAL) == (ssize_t)request.len;
}

/* Walks the documents of one reply whose front of `prefix` bytes is known. Sets *more to whether the cursor goes on. */
static bool take_reply(bare *b, size_t prefix, bool *more)
{
    if (!have(b, prefix)) return false;
    size_t left = bsn_load_u32(b->buffer + b->begin) - prefix;
    size_t batch = bsn_load_u32(b->buffer + b->begin + prefix - 4) - 4;
    b->begin += prefix;
    left -= batch;
    while (batch > 1) {
        size_t key = 1;
        if (!have(b, 16)) return false;
        const uint8_t *element = b->buffer + b->begin;
        while (element[key] != 0) key++;
        size_t len = bsn_load_u32(element + key + 1);
        if (!have(b, key + 1 + len)) return false;
        bsn_doc doc = {b->buffer + b->begin + key + 1, len};
        if (!dump_walk(doc, &b->result.checksum)) return false;
        b->result.documents++;
        b->begin += key + 1 + len;
        batch -= key + 1 + len;
    }
    /* The array's 00, then id: 12 "id" 00 int64. */
    if (!have(b, batch + left)) return false;
    *more = bsn_load_i64(b->buffer + b->begin + batch + 4) != 0;
    b->begin += batch + left;
    return true;
}

/* Makes room for the whole message, which has to be there before the first document is looked at. */
static bool take_whole(bare *b, const bare_options *options)
{
    uint8_t length[4];
    if (recv(b->fd, length, sizeof length, MSG_PEEK | MSG_WAITALL) != (ssize_t)sizeof length)
        return false;
    size_t len = bsn_load_u32(length);
    if (options->buffering == BARE_ALLOCATE || b->cap < len) {
        free(b->buffer);
        b->buffer = malloc(len);
        if (b->buffer == NULL) return false;
        b->cap = len;
    }
    b->begin = b->end = 0;
    while (b->end < len) {
        ssize_t got = recv(b->fd, b->buffer + b->end, len - b->end, 0);
        if (got <= 0) return false;
        b->end += (size_t)got;
    }
    return true;
}

static bool dump(bare *b, const bare_options *options)
{
    static const size_t first_prefix = 16 + 4 + 1 + 4 + 8 + 4 + 12 + 4;
    static const size_t next_prefix = 16 + 4 + 1 + 4 + 8 + 4 + 11 + 4;
    bool more = true;
    for (int32_t request = 1; more; request++) {
        if (!send_command(b, request, request == 1 ? "find" : "getMore")) return false;
        if (options->buffering != BARE_WINDOW && !take_whole(b, options)) return false;
        if (!take_reply(b, request == 1 ? first_prefix : next_prefix, &more)) return false;
    }
    return true;
}

dump_result dump_bare(const bare_options *options)
{
    bare b = {.fd = connect_to(options)};
    if (b.fd < 0) return b.result;
    if (options->buffering == BARE_WINDOW) {
        b.cap = options->window_size;
        b.buffer = malloc(b.cap);
    }
    b.result.sound = (b.buffer != NULL || b.cap == 0) && dump(&b, options);
    free(b.buffer);
    close(b.fd);
    return b.result;
}
