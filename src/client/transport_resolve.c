/* SPDX-License-Identifier: Apache-2.0
 *
 * transport_resolve.c -- libc's lookup of names, its errors as ours.
 */
#include "client/transport_resolve.h"

#include "io/os.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#define HOST_MAX 255 /* bytes of a host name in the DNS */

bsn_status bsni_resolve(bsn_str host, uint16_t port, int flags, struct addrinfo **list,
                        bsn_error *err)
{
    char name[HOST_MAX + 1], service[sizeof "65535"];
    const struct addrinfo hints = {
        .ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM, .ai_flags = flags};
    if (host.len > HOST_MAX) {
        return bsn_error_set(err, BSN_E_RESOLVE, 0, "longer than a host name can be");
    }
    memcpy(name, host.ptr, host.len);
    name[host.len] = '\0';
    snprintf(service, sizeof service, "%u", (unsigned)port);
    const int code = getaddrinfo(name, service, &hints, list);
    if (code == 0) return BSN_OK;
    if (code == EAI_SYSTEM) return bsni_os_error(err, errno, NULL);
    return bsn_error_set(err, code == EAI_MEMORY ? BSN_E_NOMEM : BSN_E_RESOLVE, 0,
                         gai_strerror(code));
}
