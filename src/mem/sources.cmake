# SPDX-License-Identifier: Apache-2.0
bsonic_sources(
    alloc.c
    arena.c
    buf.c
    out.c
    out_pool.c
    pool.c
)
