# SPDX-License-Identifier: Apache-2.0
bsonic_sources(
    date.c
    escape.c
    number_exact.c
    number_print.c
    number_read.c
    number_tables.c
    parse.c
    parse_common.c
    parse_doc.c
    parse_keys.c
    parse_legacy.c
    parse_place.c
    parse_stream.c
    parse_string.c
    parse_usual.c
    parse_wrapper.c
    print.c
    print_shape.c
    print_value.c
    style.c
)
bsonic_wide_sources(parse.c parse_common_wide.c)
bsonic_wide_sources(print.c print_wide.c)
