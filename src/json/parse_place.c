/* SPDX-License-Identifier: Apache-2.0
 *
 * parse_place.c -- where the parser is: windows, blanks, lines, and errors that tell their place.
 *
 * Lines are counted when somebody wants to know: at an error, and where text is left behind that has line feeds between tokens. Text
 * without them, which has one document a line, is not looked at twice.
 */
#include "json/parser.h"

void bsni_parse_set_window(bsn_json_parser *j, const uint8_t *text, size_t len, uint64_t offset)
{
    static const uint8_t nothing[1];
    j->window = len == 0 ? nothing : text;
    j->cur = j->window;
    j->line_from = j->window;
    j->end = j->window + len;
    j->safe = len > BSNI_WINDOW_MARGIN ? j->end - BSNI_WINDOW_MARGIN : j->window;
    j->window_offset = offset;
}

void bsni_parse_show_tail(bsn_json_parser *j)
{
    const size_t left = (size_t)(j->end - j->cur);
    const uint64_t offset = j->window_offset + (size_t)(j->cur - j->window);
    if (j->has_newlines) bsni_parse_count_lines(j, j->cur);
    memcpy(j->tail, j->cur, left);
    memset(j->tail + left, 0, sizeof j->tail - left);
    bsni_parse_set_window(j, j->tail, left, offset);
    j->window = j->cur = j->line_from = j->tail;
    j->end = j->safe = j->tail + left;
}

/* Line and offset of its first byte at `upto`, which is at line_from or behind. */
static void find_line(const bsn_json_parser *j, const uint8_t *upto, uint64_t *line,
                      uint64_t *line_start)
{
    const uint8_t *p = j->line_from;
    *line = j->line;
    *line_start = j->line_start;
    while (p < upto) {
        const uint8_t *feed = memchr(p, '\n', (size_t)(upto - p));
        if (feed == NULL) return;
        p = feed + 1;
        ++*line;
        *line_start = j->window_offset + (size_t)(p - j->window);
    }
}

void bsni_parse_count_lines(bsn_json_parser *j, const uint8_t *upto)
{
    find_line(j, upto, &j->line, &j->line_start);
    j->line_from = upto;
    j->has_newlines = false;
}

/* Fails at an offset of the line that `at` is on. */
static void set_error_on_line(bsn_json_parser *j, bsn_status status, const uint8_t *at,
                              uint64_t offset, const char *detail)
{
    uint64_t line, line_start;
    find_line(j, at, &line, &line_start);
    (void)bsn_error_set(&j->err, status, offset, detail);
    j->err.line = line > UINT32_MAX ? UINT32_MAX : (uint32_t)line;
    j->err.column =
        offset - line_start >= UINT32_MAX ? UINT32_MAX : (uint32_t)(offset - line_start) + 1;
}

void bsni_parse_set_error(bsn_json_parser *j, bsn_status status, const uint8_t *at,
                          const char *detail)
{
    set_error_on_line(j, status, at, bsni_parse_offset(j, at), detail);
}

bsni_token bsni_parse_fail_before(bsn_json_parser *j, bsn_status status, uint64_t offset,
                                  const char *detail)
{
    set_error_on_line(j, status, j->cur, offset, detail);
    return TOKEN_FAILED;
}

bsni_token bsni_parse_short(bsn_json_parser *j, const char *detail)
{
    if (!j->is_last) return TOKEN_MORE;
    return bsni_parse_fail(j, BSN_E_SHORT, j->end, detail);
}

const uint8_t *bsni_parse_blanks(bsn_json_parser *j, const uint8_t *p)
{
    const uint8_t *end = j->end;
    for (; p < end && *p <= ' '; p++) {
        if (*p == '\n') {
            j->has_newlines = true;
        } else if (*p != ' ' && *p != '\r' && *p != '\t') {
            break;
        }
    }
    return p;
}
