# SPDX-License-Identifier: Apache-2.0
bsonic_sources(
    status.c
)
