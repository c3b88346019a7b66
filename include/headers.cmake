# SPDX-License-Identifier: Apache-2.0
#
# The public headers, relative to this folder. Each must compile alone, as C11 and as C++11; a test sees to it.
set(BSONIC_HEADERS
    bsonic/base.h
    bsonic/bsonic.h
    bsonic/detail/iter.h
    bsonic/detail/key.h
    bsonic/detail/le.h
    bsonic/detail/len.h
    bsonic/detail/word.h
    bsonic/doc.h
    bsonic/get.h
    bsonic/json.h
    bsonic/json_parse.h
    bsonic/mem.h
    bsonic/types.h
    bsonic/validate.h
    bsonic/wire.h
    bsonic/write.h
)
set(BSONIC_CLIENT_HEADERS
    bsonic/client.h
    bsonic/conn.h
    bsonic/io.h
    bsonic/uri.h
)
