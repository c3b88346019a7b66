/* SPDX-License-Identifier: Apache-2.0
 *
 * replay.c -- the server that replay.h describes.
 */
#define _GNU_SOURCE /* sched_setaffinity */
#include "replay.h"

#include <bsonic/wire.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PEERS_MAX = 8, REQUEST_MAX = 256 * 1024, CURSOR_ID = 7 };

typedef struct peer {
    int fd;
    unsigned answered;  /* getMores since the last find */
    size_t insert_left; /* bytes of the insert that is passing by; 0: none is */
    size_t skip;        /* of them, bytes of the document at hand */
    int32_t insert_id;
    int32_t insert_count;
    size_t len;
    uint8_t request[REQUEST_MAX];
} peer;

bool replay_build(bsn_buf *buf, const char *batch, const bsn_doc *docs, size_t count,
                  int64_t cursor_id)
{
    bsn_out out;
    bsn_writer w;
    bsn_msg_writer m;
    bsn_out_init_buf(&out, buf);
    bsn_msg_begin(&m, &out, 1, 0, 0);
    bsn_msg_begin_body(&m);
    bsn_writer_init(&w, &out);
    bsn_writer_begin(&w);
    bsn_writer_begin_document(&w, BSN_STR("cursor"));
    bsn_writer_begin_array(&w, bsn_str_from(batch));
    for (size_t i = 0; i < count; i++) bsn_writer_document(&w, BSN_STR(""), docs[i]);
    bsn_writer_end(&w);
    bsn_writer_int64(&w, BSN_STR("id"), cursor_id);
    bsn_writer_string(&w, BSN_STR("ns"), BSN_STR(REPLAY_DB "." REPLAY_COLLECTION));
    bsn_writer_end(&w);
    bsn_writer_double(&w, BSN_STR("ok"), 1);
    bsn_writer_end(&w);
    bool sound = bsn_writer_status(&w) == BSN_OK && bsn_msg_end(&m, BSN_MESSAGE_SIZE_MAX) == BSN_OK;
    bsn_out_free(&out);
    return sound;
}

/* ------------------------------------------------------------------ the hello */

static void write_hello(bsn_out *out)
{
    bsn_writer w;
    bsn_writer_init(&w, out);
    bsn_writer_begin(&w);
    bsn_writer_boolean(&w, BSN_STR("helloOk"), true);
    bsn_writer_boolean(&w, BSN_STR("ismaster"), true);
    bsn_writer_int32(&w, BSN_STR("maxBsonObjectSize"), 16 * 1024 * 1024);
    bsn_writer_int32(&w, BSN_STR("maxMessageSizeBytes"), BSN_MESSAGE_SIZE_MAX);
    bsn_writer_int32(&w, BSN_STR("maxWriteBatchSize"), 100000);
    bsn_writer_int32(&w, BSN_STR("minWireVersion"), 0);
    bsn_writer_int32(&w, BSN_STR("maxWireVersion"), 21);
    bsn_writer_double(&w, BSN_STR("ok"), 1);
    bsn_writer_end(&w);
}

static bool send_all(int fd, const uint8_t *ptr, size_t len)
{
    while (len > 0) {
        ssize_t sent = send(fd, ptr, len, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return false;
        ptr += sent;
        len -= (size_t)sent;
    }
    return true;
}

/* Answers in the opcode that was asked in; any command but find and getMore gets the hello. */
static bool answer_hello(const peer *p, const bsn_header *request)
{
    uint8_t storage[1024];
    bsn_out out;
    bsn_msg_writer m;
    bsn_bytes reply;
    bsn_out_init_fixed(&out, storage, sizeof storage);
    if (request->opcode == BSN_OP_QUERY) {
        bsn_msg_begin_reply(&m, &out, 1, request->request_id, (int32_t)BSN_REPLY_AWAIT_CAPABLE);
    } else {
        bsn_msg_begin(&m, &out, 1, request->request_id, 0);
        bsn_msg_begin_body(&m);
    }
    write_hello(&out);
    return bsn_msg_end(&m, sizeof storage) == BSN_OK && bsn_out_view(&out, &reply) &&
           send_all(p->fd, reply.ptr, reply.len);
}

/* ------------------------------------------------------------------ requests */

/* Sends a reply that was built beforehand, with a header of its own. */
static bool send_reply(const peer *p, bsn_bytes reply, int32_t response_to)
{
    uint8_t bytes[BSN_HEADER_LEN];
    bsn_header header = {reply.len, 1, response_to, BSN_OP_MSG};
    bsn_header_write(&header, bytes);
    struct iovec iov[2] = {
        {bytes, sizeof bytes},
        {(void *)(uintptr_t)(reply.ptr + sizeof bytes), reply.len - sizeof bytes}};
    struct msghdr message = {.msg_iov = iov, .msg_iovlen = 2};
    ssize_t sent = sendmsg(p->fd, &message, MSG_NOSIGNAL);
    if (sent < (ssize_t)sizeof bytes) return false;
    return send_all(p->fd, reply.ptr + sent, reply.len - (size_t)sent);
}

static bool answer(peer *p, const replay_plan *plan, bsn_bytes message)
{
    bsn_header header;
    bsn_msg msg;
    bsn_iter it;
    if (bsn_header_read(message, REQUEST_MAX, &header, NULL) != BSN_OK) return false;
    if (header.opcode == BSN_OP_QUERY) return answer_hello(p, &header);
    if (bsn_msg_open(message, &msg, NULL) != BSN_OK) return false;
    bsn_iter_init(&it, msg.body);
    if (!bsn_iter_next(&it)) return false;
    if (bsn_iter_key_is(&it, BSN_STR("find"))) {
        p->answered = 0;
        return send_reply(p, plan->first, header.request_id);
    }
    if (bsn_iter_key_is(&it, BSN_STR("getMore"))) {
        p->answered++;
        return send_reply(p, p->answered < plan->more_count ? plan->more : plan->last,
                          header.request_id);
    }
    return answer_hello(p, &header);
}

/* ------------------------------------------------------------------ inserts */

/* header 16 | flags 4 | 00 | body | 01 | size 4 | "documents" 00 | documents: the length of all in front of the documents. 0: this is
 * not the beginning of an insert, or not all of it is there. */
static size_t insert_head(bsn_bytes there)
{
    static const uint8_t insert[] = {2, 'i', 'n', 's', 'e', 'r', 't', 0};
    if (there.len < 29 || bsn_load_i32(there.ptr + 12) != BSN_OP_MSG ||
        memcmp(there.ptr + 25, insert, 4) != 0) {
        return 0;
    }
    const size_t head = 21 + (size_t)bsn_load_u32(there.ptr + 21) + 15;
    return there.len >= head ? head : 0;
}

static bool answer_insert(const peer *p)
{
    uint8_t storage[128];
    bsn_out out;
    bsn_msg_writer m;
    bsn_writer w;
    bsn_bytes reply;
    bsn_out_init_fixed(&out, storage, sizeof storage);
    bsn_msg_begin(&m, &out, 1, p->insert_id, 0);
    bsn_msg_begin_body(&m);
    bsn_writer_init(&w, &out);
    bsn_writer_begin(&w);
    bsn_writer_int32(&w, BSN_STR("n"), p->insert_count);
    bsn_writer_double(&w, BSN_STR("ok"), 1);
    bsn_writer_end(&w);
    return bsn_msg_end(&m, sizeof storage) == BSN_OK && bsn_out_view(&out, &reply) &&
           send_all(p->fd, reply.ptr, reply.len);
}

/* Passes by what is there of an insert's documents, from one length field to the next. Returns the bytes used. */
static size_t pass_documents(peer *p, const uint8_t *ptr, size_t len)
{
    size_t used = 0;
    while (p->insert_left > 0) {
        if (p->skip == 0) {
            if (len - used < 4) break;
            p->skip = bsn_load_u32(ptr + used);
            if (p->skip > p->insert_left) p->skip = p->insert_left;
            p->insert_count++;
        }
        const size_t part = p->skip < len - used ? p->skip : len - used;
        if (part == 0) break;
        p->skip -= part;
        p->insert_left -= part;
        used += part;
    }
    return used;
}

/* ------------------------------------------------------------------ connections */

/* Uses up what it can of the bytes that are there, and sets *used. False: the peer is of no more use. */
static bool take_request(peer *p, const replay_plan *plan, bsn_bytes there, size_t *used)
{
    *used = 0;
    if (p->insert_left > 0) {
        *used = pass_documents(p, there.ptr, there.len);
        return p->insert_left > 0 || answer_insert(p);
    }
    if (there.len < 4) return true;
    const size_t len = bsn_load_u32(there.ptr);
    const size_t head = insert_head(there);
    if (head > 0 && head < len) {
        p->insert_left = len - head;
        p->insert_id = bsn_load_i32(there.ptr + 4);
        p->insert_count = 0;
        p->skip = 0;
        *used = head;
        return true;
    }
    if (len > there.len) return true;
    *used = len;
    return answer(p, plan, (bsn_bytes){there.ptr, len});
}

/* Receives what is there and answers every complete request. False: the peer has gone. */
static bool serve_peer(peer *p, const replay_plan *plan)
{
    ssize_t got = recv(p->fd, p->request + p->len, sizeof p->request - p->len, 0);
    if (got < 0 && errno == EINTR) return true;
    if (got <= 0) return false;
    p->len += (size_t)got;
    size_t at = 0, used;
    do {
        const bsn_bytes there = {p->request + at, p->len - at};
        if (!take_request(p, plan, there, &used)) return false;
        at += used;
    } while (used > 0 && at < p->len);
    p->len -= at;
    memmove(p->request, p->request + at, p->len);
    return p->len < sizeof p->request;
}

static void accept_peer(int listener, peer *peers)
{
    int one = 1;
    int fd = accept(listener, NULL, NULL);
    if (fd < 0) return;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    for (size_t i = 0; i < PEERS_MAX; i++) {
        if (peers[i].fd >= 0) continue;
        peers[i].fd = fd;
        peers[i].len = 0;
        peers[i].insert_left = 0;
        return;
    }
    close(fd);
}

static void serve(int listener, const replay_plan *plan)
{
    static peer peers[PEERS_MAX];
    for (size_t i = 0; i < PEERS_MAX; i++) peers[i].fd = -1;
    for (;;) {
        struct pollfd fds[PEERS_MAX + 1];
        fds[PEERS_MAX] = (struct pollfd){listener, POLLIN, 0};
        for (size_t i = 0; i < PEERS_MAX; i++) fds[i] = (struct pollfd){peers[i].fd, POLLIN, 0};
        if (poll(fds, PEERS_MAX + 1, -1) < 0 && errno != EINTR) return;
        for (size_t i = 0; i < PEERS_MAX; i++) {
            if (fds[i].revents == 0 || serve_peer(&peers[i], plan)) continue;
            close(peers[i].fd);
            peers[i].fd = -1;
        }
        if (fds[PEERS_MAX].revents != 0) accept_peer(listener, peers);
    }
}

/* ------------------------------------------------------------------ process */

static int listen_anywhere(uint16_t *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (fd < 0) return -1;
    if (bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, PEERS_MAX) != 0 ||
        getsockname(fd, (struct sockaddr *)&address, &len) != 0) {
        close(fd);
        return -1;
    }
    *port = ntohs(address.sin_port);
    return fd;
}

pid_t replay_start(const replay_plan *plan, int core, uint16_t *port)
{
    int listener = listen_anywhere(port);
    if (listener < 0) return -1;
    pid_t pid = fork();
    if (pid == 0) {
        cpu_set_t set;
        CPU_ZERO(&set);
        CPU_SET((unsigned)core, &set);
        sched_setaffinity(0, sizeof set,
                          &set); /* where that fails the figures are noisier, not wrong */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(listener, plan);
        _exit(1);
    }
    close(listener);
    return pid;
}

void replay_stop(pid_t pid)
{
    if (pid <= 0) return;
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}
