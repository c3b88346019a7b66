# SPDX-License-Identifier: Apache-2.0
bsonic_sources(
    transport_listen.c
    transport_tcp.c
    uri.c
    uri_options.c
)
