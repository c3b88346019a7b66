# SPDX-License-Identifier: Apache-2.0
#
# bsonic_flags: what every file of this project is compiled with. It is linked as $<BUILD_INTERFACE:bsonic_flags> (or to
# things that are not installed), so none of it reaches a user of the libraries.
add_library(bsonic_flags INTERFACE)
target_compile_features(bsonic_flags INTERFACE c_std_11)
target_include_directories(bsonic_flags INTERFACE ${PROJECT_SOURCE_DIR}/src)

set(bsonic_gnu_like $<C_COMPILER_ID:GNU,Clang,AppleClang>)
set(bsonic_warnings
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wvla -Wundef -Wcast-qual -Wcast-align -Wpointer-arith -Wwrite-strings
    -Wformat=2 -Wimplicit-fallthrough -Wdouble-promotion
    -Wno-psabi # simde's vector types change the calling convention only of functions that are inlined
)
set(bsonic_warnings_c
    -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition -Werror=implicit-function-declaration
    -Werror=incompatible-pointer-types -Werror=int-conversion)
set(bsonic_warnings_gcc -Wlogical-op -Wduplicated-cond -Wjump-misses-init)
target_compile_options(bsonic_flags INTERFACE
    $<${bsonic_gnu_like}:${bsonic_warnings};$<$<COMPILE_LANGUAGE:C>:${bsonic_warnings_c}>>
    $<$<AND:$<COMPILE_LANGUAGE:C>,$<C_COMPILER_ID:GNU>>:${bsonic_warnings_gcc}>
    $<$<AND:${bsonic_gnu_like},$<BOOL:${BSONIC_WERROR}>>:-Werror>)

# BSN_ASSERT of src/base/debug.h is live in debug and fuzz builds.
target_compile_definitions(bsonic_flags INTERFACE
    $<$<OR:$<CONFIG:Debug>,$<BOOL:${BSONIC_FUZZ}>>:BSONIC_ASSERT>)

# What the client and the binary call themselves.
target_compile_definitions(bsonic_flags INTERFACE BSONIC_VERSION_TEXT="${PROJECT_VERSION}")

# POSIX names (clocks, sockets, positional reads) are asked for once, here, since -std=c11 hides them.
target_compile_definitions(bsonic_flags INTERFACE _POSIX_C_SOURCE=200809L _FILE_OFFSET_BITS=64)

if(BSONIC_SANITIZE)
    set(bsonic_sanitize -fsanitize=${BSONIC_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(bsonic_flags INTERFACE ${bsonic_sanitize})
    target_link_options(bsonic_flags INTERFACE ${bsonic_sanitize})
endif()

# Coverage for libFuzzer in everything; the fuzz targets alone link its main. AFL++'s compiler adds its own by itself.
if(BSONIC_FUZZ AND NOT BSONIC_AFL AND CMAKE_C_COMPILER_ID MATCHES Clang)
    target_compile_options(bsonic_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
