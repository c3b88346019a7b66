# SPDX-License-Identifier: Apache-2.0
#
# What tests share. Paths are relative to tests/.
set(TESTS_SUPPORT_SOURCES
    client/dialog.c
    client/insert_dialog.c
    client/replies.c
    support/build.c
    support/counting_alloc.c
    support/failing_alloc.c
    support/fill_doc.c
    support/full_walk.c
    support/guard_page.c
    support/heap_doc.c
    support/hex.c
    support/json_text.c
    support/number_plain.c
    support/oracle.c
    support/refusals.c
    support/rewrite.c
    support/script.c
    support/parse_text.c
    support/random_doc.c
    support/print_text.c
    support/skip.c
    wire/reply_samples.c
    wire/reply_walk.c
)
