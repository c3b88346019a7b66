/* SPDX-License-Identifier: Apache-2.0
 *
 * first_document.c -- writes a document, walks it, looks a value up, prints it: the example of README.
 */
/* example begins */
#include <bsonic/bsonic.h>

#include <stdio.h>

int main(void)
{
    /* Write {name: "Ada", born: 1815} into storage of our own: nothing is allocated. */
    uint8_t storage[256];
    bsn_out out;
    bsn_writer writer;
    bsn_out_init_fixed(&out, storage, sizeof storage);
    bsn_writer_init(&writer, &out);
    bsn_writer_begin(&writer);
    bsn_writer_string(&writer, BSN_STR("name"), BSN_STR("Ada"));
    bsn_writer_int32(&writer, BSN_STR("born"), 1815);
    bsn_writer_end(&writer);
    bsn_doc doc;
    if (bsn_writer_doc(&writer, &doc) != BSN_OK) return 1;

    /* Walk it where it lies. Errors stick, so the loop stays bare and one question at its end is enough. */
    bsn_iter it;
    bsn_iter_init(&it, doc);
    while (bsn_iter_next(&it)) {
        const bsn_str key = bsn_iter_key(&it);
        printf("%.*s: %s\n", (int)key.len, key.ptr, bsn_type_name((uint8_t)bsn_iter_type(&it)));
    }
    bsn_error err;
    if (bsn_iter_error(&it, &err) != BSN_OK) return 1;

    /* Look one key up. */
    bsn_value born;
    if (bsn_find_value(doc, BSN_STR("born"), &born, &err) != BSN_OK) return 1;
    printf("%d\n", (int)born.as.i32);

    /* Print it as relaxed Extended JSON. */
    char room[256];
    bsn_out json;
    bsn_bytes text;
    bsn_out_init_fixed(&json, room, sizeof room);
    if (bsn_json_print(doc, NULL, &json, &err) != BSN_OK) return 1;
    if (!bsn_out_view(&json, &text)) return 1;
    printf("%.*s\n", (int)text.len, (const char *)text.ptr);
    return 0;
}
/* example ends */
