/* SPDX-License-Identifier: Apache-2.0
 *
 * consumer_client.c -- the smallest program over an installed bsonic-client: takes a connection string apart.
 */
#include <bsonic/uri.h>

int main(void)
{
    bsn_uri uri;
    if (bsn_uri_parse(BSN_STR("mongodb://localhost/db"), NULL, NULL, NULL, &uri, NULL) != BSN_OK) {
        return 1;
    }
    bsn_uri_free(&uri);
    return 0;
}
