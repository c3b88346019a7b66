/* SPDX-License-Identifier: Apache-2.0
 *
 * transport_resolve.h -- the addresses behind a host's name, for the files that connect and listen.
 */
#ifndef BSNI_TRANSPORT_RESOLVE_H
#define BSNI_TRANSPORT_RESOLVE_H

#include <bsonic/base.h>

struct addrinfo;

/* Looks up a host (name or numeric, no brackets) and a port for streams; flags as of getaddrinfo. freeaddrinfo the list.
 * Errors   BSN_E_RESOLVE, with libc's words as detail; BSN_E_IO, BSN_E_NOMEM. */
bsn_status bsni_resolve(bsn_str host, uint16_t port, int flags, struct addrinfo **list,
                        bsn_error *err);

#endif
