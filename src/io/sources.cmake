# SPDX-License-Identifier: Apache-2.0
bsonic_sources(
    input.c
    output.c
    system.c
    window.c
)
