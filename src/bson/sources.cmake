# SPDX-License-Identifier: Apache-2.0
bsonic_sources(
    path.c
    types.c
)
