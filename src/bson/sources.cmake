# SPDX-License-Identifier: Apache-2.0
bsonic_sources(
    array_index.c
    decimal128.c
    doc.c
    element.c
    get.c
    iter.c
    key.c
    lookup.c
    path.c
    oid.c
    types.c
    validate.c
    write.c
    write_raw.c
    write_value.c
)
