# SPDX-License-Identifier: Apache-2.0
bsonic_sources(
    date.c
    escape.c
    number_exact.c
    number_print.c
    number_read.c
    number_tables.c
    print.c
    print_value.c
    style.c
)
