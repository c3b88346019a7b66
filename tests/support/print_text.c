/* SPDX-License-Identifier: Apache-2.0
 *
 * print_text.c -- see print_text.h.
 */
#include "support/print_text.h"

#include "support/exact_copy.h"
#include "support/expect.h"
#include "support/hex.h"

printed print_document(bsn_doc doc, const bsn_json_options *options)
{
    printed p = {.text = {"", 0}};
    bsn_out out;
    bsn_bytes view = {NULL, 0};
    bsn_buf_init(&p.buf, NULL);
    bsn_out_init_buf(&out, &p.buf);
    p.status = bsn_json_print(doc, options, &out, &p.err);
    EXPECT(bsn_out_view(&out, &view), "no view of the text");
    if (p.status != BSN_OK) {
        EXPECT(p.err.status == p.status, "the status is not that of the error");
        EXPECT(view.len == 0, "the text was not taken back");
    } else {
        p.text.ptr = (const char *)view.ptr;
        p.text.len = view.len;
    }
    bsn_out_free(&out);
    return p;
}

printed print_bytes(bsn_bytes bytes, bsn_json_form form)
{
    const bsn_json_options options = {.form = form};
    uint8_t *block = exact_copy(bytes.ptr, bytes.len);
    const bsn_bytes copy = {block, bytes.len};
    printed p = {.text = {"", 0}};
    bsn_doc doc;
    p.status = bsn_doc_open(copy, &doc, &p.err);
    if (p.status == BSN_OK) p = print_document(doc, &options);
    free(block);
    return p;
}

printed print_hex(const char *hex, bsn_json_form form)
{
    hex_bytes bytes = hex_read(hex);
    const printed p = print_bytes(hex_span(&bytes), form);
    hex_free(&bytes);
    return p;
}

void printed_free(printed *p)
{
    bsn_buf_free(&p->buf);
}
