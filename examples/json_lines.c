/* SPDX-License-Identifier: Apache-2.0
 *
 * json_lines.c -- lines of Extended JSON that come in pieces: each becomes a document, one value of it is looked up, the document is
 * printed in canonical form; a line at fault is told with its place and passed by.
 */
#include <bsonic/bsonic.h>

#include <stdio.h>

/* As if read from a file or a socket: the pieces end wherever they like. */
static const char *const pieces[] = {
    "{\"_id\": 1, \"order\": {\"lines\": [{\"total\": 12.5}, {\"total\": {\"$number",
    "Decimal\": \"1.20\"}}]}}\n{\"_id\": 2, \"order\": nothing}\n{\"_id\":",
    " {\"$oid\": \"5d505646cf6d4fe581014ab2\"}}\n",
};

static void tell(const char *what, const bsn_error *err)
{
    char text[BSN_ERROR_TEXT_MAX];
    printf("%s: line %u, column %u (byte %llu): %s\n", what, (unsigned)err->line,
           (unsigned)err->column, (unsigned long long)err->offset, bsn_error_text(err, text));
}

static bool print(bsn_doc doc)
{
    const bsn_json_options canonical = {.form = BSN_JSON_CANONICAL};
    char room[512];
    bsn_out out;
    bsn_bytes text;
    bsn_error err;
    bsn_out_init_fixed(&out, room, sizeof room);
    if (bsn_json_print(doc, &canonical, &out, &err) != BSN_OK) return false;
    if (!bsn_out_view(&out, &text)) return false;
    printf("  %.*s\n", (int)text.len, (const char *)text.ptr);
    return true;
}

static bool use(bsn_doc doc)
{
    bsn_iter it;
    bsn_error err;
    const bsn_status status = bsn_find_path(doc, BSN_STR("order.lines.1.total"), &it, &err);
    if (status == BSN_OK) {
        printf("the second total is a %s\n", bsn_type_name((uint8_t)bsn_iter_type(&it)));
    } else if (status == BSN_E_NOT_FOUND) {
        printf("no second total\n");
    } else {
        return false; /* cannot be: the parser makes sound documents */
    }
    return print(doc);
}

/* Every document of what has been fed. A fault ends the stream, unless it goes on behind the line. */
static bool use_all(bsn_json_parser *parser)
{
    bsn_doc doc;
    bsn_error err;
    for (;;) {
        while (bsn_json_parser_next(parser, &doc)) {
            if (!use(doc)) return false;
        }
        if (bsn_json_parser_status(parser, &err) == BSN_OK) return true; /* more is needed */
        tell("input", &err);
        if (!bsn_json_parser_skip_line(parser)) return false;
    }
}

int main(void)
{
    bsn_json_parser parser;
    bool is_sound = true;
    bsn_json_parser_init(&parser, NULL);
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0] && is_sound; i++) {
        bsn_json_parser_feed(&parser, bsn_str_from(pieces[i]));
        is_sound = use_all(&parser);
    }
    bsn_json_parser_finish(&parser);
    is_sound = is_sound && use_all(&parser);
    bsn_json_parser_free(&parser);
    return is_sound ? 0 : 1;
}
