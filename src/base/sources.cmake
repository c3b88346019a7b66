# SPDX-License-Identifier: Apache-2.0
bsonic_sources(
    base64.c
    status.c
)
