/* SPDX-License-Identifier: Apache-2.0
 *
 * script.c -- the scripted peer.
 */
#include "support/script.h"

#include <check.h>
#include <string.h>

void script_init(script *s)
{
    memset(s, 0, sizeof *s);
    s->receive_step = s->send_step = s->received_max = s->sent_max = SIZE_MAX;
    s->failure = BSN_E_CLOSED;
}

void script_reply(script *s, bsn_bytes reply)
{
    ck_assert_uint_lt(s->reply_count, SCRIPT_REPLIES_MAX);
    s->replies[s->reply_count++] = reply;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The first `count` messages' length; what is not there yet counts none. */
static size_t messages(const script *s, size_t *count)
{
    size_t at = 0;
    *count = 0;
    while (s->sent_len - at >= 16) {
        const size_t len = bsn_load_u32(s->sent + at);
        ck_assert_uint_ge(len, 16);
        if (len > s->sent_len - at) break;
        at += len;
        ++*count;
    }
    return at;
}

size_t script_request_count(const script *s)
{
    size_t count;
    messages(s, &count);
    return count;
}

bsn_bytes script_request(const script *s, size_t n)
{
    size_t at = 0;
    ck_assert_uint_lt(n, script_request_count(s));
    for (; n > 0; n--) at += bsn_load_u32(s->sent + at);
    const bsn_bytes message = {.ptr = s->sent + at, .len = bsn_load_u32(s->sent + at)};
    return message;
}

static bsn_status script_receive(void *ctx, uint8_t *ptr, size_t cap, int32_t timeout_ms,
                                 size_t *len, bsn_error *err)
{
    script *s = ctx;
    ck_assert_uint_gt(cap, 0);
    ck_assert_uint_eq(s->closes, 0);
    s->receives++;
    s->timeout_ms = timeout_ms;
    if (s->received >= s->received_max) return bsn_error_set(err, s->failure, 0, NULL);
    while (s->reply < s->reply_count && s->reply_at == s->replies[s->reply].len) {
        s->reply++;
        s->reply_at = 0;
    }
    if (s->reply >= s->reply_count || script_request_count(s) <= s->reply) {
        return bsn_error_set(err, BSN_E_TIMEOUT, 0, NULL);
    }
    const bsn_bytes reply = s->replies[s->reply];
    size_t give = smaller(reply.len - s->reply_at, smaller(cap, s->receive_step));
    give = smaller(give, s->received_max - s->received);
    memcpy(ptr, reply.ptr + s->reply_at, give);
    s->reply_at += give;
    s->received += give;
    *len = give;
    return BSN_OK;
}

static bsn_status script_send(void *ctx, const bsn_iovec *iov, size_t count, int32_t timeout_ms,
                              size_t *len, bsn_error *err)
{
    script *s = ctx;
    ck_assert_uint_gt(count, 0);
    ck_assert_uint_eq(s->closes, 0);
    s->sends++;
    s->timeout_ms = timeout_ms;
    if (s->sent_len >= s->sent_max) return bsn_error_set(err, s->failure, 0, NULL);
    size_t left = smaller(s->send_step, s->sent_max - s->sent_len);
    *len = 0;
    for (size_t i = 0; i < count && left > 0; i++) {
        const size_t take = smaller(iov[i].len, left);
        ck_assert_uint_le(take, sizeof s->sent - s->sent_len);
        memcpy(s->sent + s->sent_len, iov[i].ptr, take);
        s->sent_len += take;
        *len += take;
        left -= take;
    }
    ck_assert_uint_gt(*len, 0);
    return BSN_OK;
}

static void script_close(void *ctx)
{
    script *s = ctx;
    s->closes++;
}

static const bsni_transport_ops script_ops = {
    .receive = script_receive, .send = script_send, .close = script_close};

bsni_transport script_transport(script *s)
{
    const bsni_transport t = {.ops = &script_ops, .ctx = s};
    return t;
}
