# SPDX-License-Identifier: Apache-2.0
#
# The options. A project that takes bsonic in with add_subdirectory gets the codec library and nothing else.
option(BUILD_SHARED_LIBS "Build shared libraries" OFF)
option(BSONIC_CLIENT "Build the client library" ${PROJECT_IS_TOP_LEVEL})
option(BSONIC_CLI "Build the binary (needs the client library)" ${PROJECT_IS_TOP_LEVEL})
option(BSONIC_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(BSONIC_PLAIN_TESTS "Build the tests with nothing but a C compiler: suites and replays over a stand-in for Check" OFF)
option(BSONIC_FUZZ "Build the fuzz targets; assertions are live" OFF)
option(BSONIC_AFL "With BSONIC_FUZZ: over AFL++ (the compiler is afl-clang-fast) instead of libFuzzer" OFF)
option(BSONIC_BENCH "Build the benches" OFF)
option(BSONIC_SIMD_PORTABLE "Build the vector tiers in plain C, for tests on machines without them" OFF)
option(BSONIC_WERROR "Treat warnings as errors" OFF)
set(BSONIC_SANITIZE "" CACHE STRING "Sanitizers for everything that is built, as -fsanitize takes them")

# The public conformance data is read where it lies, never copied in; tests that need it say "skipped" without it.
if(DEFINED ENV{BSONIC_SPEC_DIR})
    set(bsonic_spec_default $ENV{BSONIC_SPEC_DIR})
else()
    cmake_path(SET bsonic_spec_default NORMALIZE ${PROJECT_SOURCE_DIR}/../shared/spec)
endif()
set(BSONIC_SPEC_DIR ${bsonic_spec_default} CACHE PATH "Folder of the public conformance data")

if(BSONIC_CLI AND NOT BSONIC_CLIENT)
    message(FATAL_ERROR "BSONIC_CLI needs BSONIC_CLIENT")
endif()
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug or Release" FORCE)
endif()
