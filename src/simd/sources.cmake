# SPDX-License-Identifier: Apache-2.0
bsonic_sources(
    dispatch.c
    tier_scalar.c
)
