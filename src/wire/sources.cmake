# SPDX-License-Identifier: Apache-2.0
bsonic_sources(
    checksum.c
    collect.c
    envelope.c
    fields.c
    legacy.c
    message.c
)
