/* SPDX-License-Identifier: Apache-2.0
 *
 * insert_bare.c -- the limit that inserting is measured against, and the ways to put a message together that clients choose from.
 */
#include "insert.h"
#include "replay.h"

#include <bsonic/wire.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { HEAD_MAX = 256, BATCH_LIMIT = 100000, PIECES = 1024, MESSAGES_MAX = 4096 };

typedef struct bare {
    int fd;
    int32_t request_id;
    uint8_t *buffer; /* BARE_COPY */
    size_t buffer_size;
} bare;

/* Messages that were built beforehand, back to back, for one job at a time. */
static struct {
    const bsn_doc *docs;
    size_t batch;
    bsn_buf bytes;
    size_t starts[MESSAGES_MAX + 1];
    size_t count;
} prebuilt;

static int connect_to(uint16_t port)
{
    const int one = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0) return -1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0) return fd;
    close(fd);
    return -1;
}

/* Writes the front of a message of `documents` bytes of documents; returns its length. */
static size_t write_head(uint8_t *head, int32_t request_id, size_t documents)
{
    bsn_out out;
    bsn_msg_writer m;
    bsn_writer w;
    bsn_out_init_fixed(&out, head, HEAD_MAX);
    bsn_msg_begin(&m, &out, request_id, 0, 0);
    bsn_msg_begin_body(&m);
    bsn_writer_init(&w, &out);
    bsn_writer_begin(&w);
    bsn_writer_string(&w, BSN_STR("insert"), BSN_STR(REPLAY_COLLECTION));
    bsn_writer_boolean(&w, BSN_STR("ordered"), true);
    bsn_writer_string(&w, BSN_STR("$db"), BSN_STR(REPLAY_DB));
    bsn_writer_end(&w);
    bsn_msg_begin_sequence(&m, BSN_STR("documents"));
    if (bsn_msg_end_ahead(&m, documents, BSN_MESSAGE_SIZE_MAX) != BSN_OK) return 0;
    return (size_t)bsn_out_len(&out);
}

static size_t sum(const bsn_doc *docs, size_t count)
{
    size_t total = 0;
    for (size_t i = 0; i < count; i++) total += docs[i].len;
    return total;
}

static bool send_all(int fd, struct iovec *iov, size_t count)
{
    while (count > 0) {
        struct msghdr message = {.msg_iov = iov, .msg_iovlen = count};
        ssize_t sent = sendmsg(fd, &message, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        while (count > 0 && (size_t)sent >= iov->iov_len) {
            sent -= (ssize_t)iov->iov_len;
            iov++;
            count--;
        }
        if (count > 0) {
            iov->iov_base = (uint8_t *)iov->iov_base + sent;
            iov->iov_len -= (size_t)sent;
        }
    }
    return true;
}

static struct iovec piece(const void *ptr, size_t len)
{
    const struct iovec iov = {(void *)(uintptr_t)ptr, len};
    return iov;
}

/* { n, ok: 1 }: the count, or 0. */
static insert_count receive_answer(const bare *b)
{
    uint8_t bytes[256];
    size_t have = 0;
    bsn_msg msg;
    bsn_value n;
    while (have < BSN_HEADER_LEN || have < bsn_load_u32(bytes)) {
        ssize_t got = recv(b->fd, bytes + have, sizeof bytes - have, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return 0;
        have += (size_t)got;
    }
    const bsn_bytes message = {bytes, have};
    if (bsn_msg_open(message, &msg, NULL) != BSN_OK ||
        bsn_find_value(msg.body, BSN_STR("n"), &n, NULL) != BSN_OK || n.type != BSN_TYPE_INT32) {
        return 0;
    }
    return (insert_count)n.as.i32;
}

/* ------------------------------------------------------------------ ways to send a message */

static bool send_iovecs(bare *b, const bsn_doc *docs, size_t count)
{
    uint8_t head[HEAD_MAX];
    struct iovec iov[PIECES];
    iov[0] = piece(head, write_head(head, ++b->request_id, sum(docs, count)));
    size_t pieces = 1;
    for (size_t i = 0; i < count; i++) {
        iov[pieces++] = piece(docs[i].ptr, docs[i].len);
        if (pieces < PIECES && i + 1 < count) continue;
        if (!send_all(b->fd, iov, pieces)) return false;
        pieces = 0;
    }
    return true;
}

static size_t copy_message(bare *b, uint8_t *to, const bsn_doc *docs, size_t count)
{
    size_t len = write_head(to, ++b->request_id, sum(docs, count));
    for (size_t i = 0; i < count; i++) {
        memcpy(to + len, docs[i].ptr, docs[i].len);
        len += docs[i].len;
    }
    return len;
}

static bool send_copy(bare *b, const bsn_doc *docs, size_t count, bool fresh)
{
    const size_t size = HEAD_MAX + sum(docs, count);
    if (b->buffer_size < size) {
        free(b->buffer);
        b->buffer = malloc(size);
        b->buffer_size = b->buffer != NULL ? size : 0;
        if (b->buffer == NULL) return false;
    }
    struct iovec iov = piece(b->buffer, copy_message(b, b->buffer, docs, count));
    const bool sent = send_all(b->fd, &iov, 1);
    if (!fresh) return sent;
    free(b->buffer);
    b->buffer = NULL;
    b->buffer_size = 0;
    return sent;
}

/* As libraries do that do not know beforehand how much is coming. */
static bool send_grown(bare *b, const bsn_doc *docs, size_t count)
{
    size_t size = 4096;
    uint8_t *buffer = malloc(size);
    if (buffer == NULL) return false;
    size_t len = write_head(buffer, ++b->request_id, sum(docs, count));
    for (size_t i = 0; i < count; i++) {
        while (size - len < docs[i].len) {
            uint8_t *grown = realloc(buffer, size * 2);
            if (grown == NULL) {
                free(buffer);
                return false;
            }
            buffer = grown;
            size *= 2;
        }
        memcpy(buffer + len, docs[i].ptr, docs[i].len);
        len += docs[i].len;
    }
    struct iovec iov = piece(buffer, len);
    const bool sent = send_all(b->fd, &iov, 1);
    free(buffer);
    return sent;
}

/* ------------------------------------------------------------------ built beforehand */

/* Documents of the message that begins with docs[0]. */
static size_t batch_of(const insert_job *job, const bsn_doc *docs, size_t left)
{
    const size_t limit = job->batch != 0 ? job->batch : BATCH_LIMIT;
    size_t count = 0, total = HEAD_MAX;
    while (count < left && count < limit && total + docs[count].len <= BSN_MESSAGE_SIZE_MAX) {
        total += docs[count++].len;
    }
    return count;
}

static bool build_beforehand(const insert_job *job)
{
    bare counter = {.fd = -1};
    if (prebuilt.docs == job->docs && prebuilt.batch == job->batch) return true;
    bsn_buf_free(&prebuilt.bytes);
    bsn_buf_init(&prebuilt.bytes, NULL);
    prebuilt.docs = job->docs;
    prebuilt.batch = job->batch;
    prebuilt.count = 0;
    for (size_t i = 0; i < job->count;) {
        const size_t count = batch_of(job, job->docs + i, job->count - i);
        if (prebuilt.count == MESSAGES_MAX ||
            bsn_buf_reserve(&prebuilt.bytes, HEAD_MAX + sum(job->docs + i, count)) != BSN_OK) {
            return false;
        }
        prebuilt.bytes.len +=
            copy_message(&counter, prebuilt.bytes.ptr + prebuilt.bytes.len, job->docs + i, count);
        prebuilt.starts[++prebuilt.count] = prebuilt.bytes.len;
        i += count;
    }
    return true;
}

void insert_bare_release(void)
{
    bsn_buf_free(&prebuilt.bytes);
    prebuilt.docs = NULL;
}

static insert_count insert_prebuilt(const bare *b)
{
    insert_count inserted = 0;
    for (size_t i = 0; i < prebuilt.count; i++) {
        struct iovec iov = piece(prebuilt.bytes.ptr + prebuilt.starts[i],
                                 prebuilt.starts[i + 1] - prebuilt.starts[i]);
        if (!send_all(b->fd, &iov, 1)) return 0;
        inserted += receive_answer(b);
    }
    return inserted;
}

static insert_count insert_gathered(bare *b, const insert_job *job, bare_gathering gathering)
{
    insert_count inserted = 0;
    for (size_t i = 0; i < job->count;) {
        const bsn_doc *docs = job->docs + i;
        const size_t count = batch_of(job, docs, job->count - i);
        const bool sent = gathering == BARE_IOVECS ? send_iovecs(b, docs, count)
                          : gathering == BARE_GROW
                              ? send_grown(b, docs, count)
                              : send_copy(b, docs, count, gathering == BARE_FRESH);
        if (!sent) return 0;
        inserted += receive_answer(b);
        i += count;
    }
    return inserted;
}

insert_count insert_bare(const insert_job *job, bare_gathering gathering)
{
    bare b = {.fd = connect_to(job->port)};
    insert_count inserted = 0;
    if (b.fd < 0) return 0;
    if (gathering == BARE_PREBUILT && !build_beforehand(job)) { /* in the first round only */
        close(b.fd);
        return 0;
    }
    for (unsigned pass = 0; pass < job->passes; pass++) {
        inserted +=
            gathering == BARE_PREBUILT ? insert_prebuilt(&b) : insert_gathered(&b, job, gathering);
    }
    free(b.buffer);
    close(b.fd);
    return inserted;
}
