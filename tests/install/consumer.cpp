// SPDX-License-Identifier: Apache-2.0
//
// consumer.cpp -- a C++11 program over an installed bsonic: reads text, walks and validates, appends, prints.
#include <bsonic/bsonic.h>

#include <cstdint>
#include <cstring>
#include <string>

namespace {

const bsn_key seen = BSN_KEY("seen");

std::string text_of(bsn_doc doc)
{
    bsn_buf buf;
    bsn_out out;
    bsn_json_options canonical = {};
    canonical.form = BSN_JSON_CANONICAL;
    bsn_buf_init(&buf, nullptr);
    bsn_out_init_buf(&out, &buf);
    std::string text;
    bsn_bytes view;
    if (bsn_json_print(doc, &canonical, &out, nullptr) == BSN_OK && bsn_out_view(&out, &view))
        text.assign(reinterpret_cast<const char *>(view.ptr), view.len);
    bsn_out_free(&out);
    bsn_buf_free(&buf);
    return text;
}

int64_t sum_of(bsn_doc doc)
{
    int64_t sum = 0;
    bsn_iter it;
    bsn_iter_init(&it, doc);
    while (bsn_iter_next(&it)) {
        if (bsn_iter_type(&it) == BSN_TYPE_INT32) sum += bsn_iter_value(&it).as.i32;
    }
    return bsn_iter_error(&it, nullptr) == BSN_OK ? sum : -1;
}

// The document of the text, with one field more, written into storage of the caller's.
bool add_field(bsn_str text, uint8_t *storage, std::size_t size, bsn_doc *doc)
{
    bsn_json_parser parser;
    bsn_doc read;
    bsn_out out;
    bsn_writer writer;
    bsn_iter it;
    bsn_json_parser_init(&parser, nullptr);
    bsn_json_parser_feed(&parser, text);
    bsn_json_parser_finish(&parser);
    bsn_out_init_fixed(&out, storage, size);
    bsn_writer_init(&writer, &out);
    const bool is_there = bsn_json_parser_next(&parser, &read) &&
                          bsn_validate(bsn_doc_bytes(read), nullptr, nullptr, nullptr) == BSN_OK;
    if (is_there) {
        bsn_writer_begin(&writer);
        for (bsn_iter_init(&it, read); bsn_iter_next(&it);)
            bsn_writer_raw(&writer, bsn_iter_key(&it), bsn_iter_type(&it), bsn_iter_raw(&it));
        bsn_put_boolean(&writer, &seen, true);
        bsn_writer_end(&writer);
    }
    bsn_json_parser_free(&parser);
    return is_there && bsn_writer_doc(&writer, doc) == BSN_OK;
}

} // namespace

int main()
{
    uint8_t storage[256];
    bsn_doc doc;
    if (!add_field(BSN_STR("{\"a\": 40, \"b\": 2}"), storage, sizeof storage, &doc)) return 1;
    if (sum_of(doc) != 42) return 2;
    const std::string expected =
        "{\"a\":{\"$numberInt\":\"40\"},\"b\":{\"$numberInt\":\"2\"},\"seen\":true}";
    return text_of(doc) == expected ? 0 : 3;
}
