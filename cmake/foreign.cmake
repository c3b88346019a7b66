# SPDX-License-Identifier: Apache-2.0
#
# Toolchain: another machine, or another libc, by the compilers that Debian packages. BSONIC_MACHINE says which:
#
#   aarch64, s390x   programs are run by qemu's user mode
#   i686             32-bit x86; an x86-64 kernel runs its programs, their loader has to be named
#   musl             this machine with musl for its libc
#   mingw            Windows; compiled, not run
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES BSONIC_MACHINE)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${BSONIC_MACHINE})
set(foreign_triplet ${BSONIC_MACHINE}-linux-gnu)
set(foreign_root /usr/${foreign_triplet})
if(BSONIC_MACHINE STREQUAL mingw)
    set(CMAKE_SYSTEM_NAME Windows)
    set(foreign_triplet x86_64-w64-mingw32)
    set(foreign_root /usr/${foreign_triplet})
elseif(BSONIC_MACHINE STREQUAL musl)
    set(foreign_triplet musl)
    set(foreign_root /usr/lib/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-musl)
elseif(BSONIC_MACHINE STREQUAL i686)
    set(CMAKE_CROSSCOMPILING_EMULATOR ${foreign_root}/lib/ld-linux.so.2 --library-path ${foreign_root}/lib)
else()
    set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${BSONIC_MACHINE} -L ${foreign_root})
endif()
if(BSONIC_MACHINE MATCHES "^(musl|mingw)$")
    set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_HOST_SYSTEM_PROCESSOR})
endif()
set(CMAKE_C_COMPILER ${foreign_triplet}-gcc)

# simde is nothing but headers, the same everywhere: the host's serve. A link leads to them alone, since the folder that they
# lie in is full of the host's own.
if(EXISTS /usr/include/simde)
    set(foreign_include ${CMAKE_BINARY_DIR}/foreign-include)
    file(MAKE_DIRECTORY ${foreign_include})
    file(CREATE_LINK /usr/include/simde ${foreign_include}/simde SYMBOLIC)
    set(CMAKE_C_FLAGS_INIT "-isystem ${foreign_include}")
endif()

set(CMAKE_FIND_ROOT_PATH ${foreign_root})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
