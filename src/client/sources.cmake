# SPDX-License-Identifier: Apache-2.0
bsonic_sources(
    bulk.c
    client.c
    command.c
    conn.c
    insert.c
    insert_answer.c
    insert_result.c
    transport_listen.c
    transport_resolve.c
    transport_tcp.c
    uri.c
    uri_options.c
)
