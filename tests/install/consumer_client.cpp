// SPDX-License-Identifier: Apache-2.0
//
// consumer_client.cpp -- a C++11 program over an installed bsonic-client.
#include <bsonic/client.h>
#include <bsonic/io.h>

int main()
{
    bsn_client *client = nullptr;
    bsn_error err;
    const bsn_status status =
        bsn_client_open(BSN_STR("mongodb://localhost:0x/db"), nullptr, &client, &err);
    bsn_client_free(client); // NULL, or a client that knows why
    return status == BSN_E_URI && err.detail != nullptr ? 0 : 1;
}
