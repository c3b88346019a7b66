# SPDX-License-Identifier: Apache-2.0
#
# The tiers. Flags stay with their files: simde looks at the compiler's flags, and nothing else of the library may use what a
# tier uses. tier_v128.c, tier_v256.c and tier_v256vl.c join where the compiler can make them. The CPU is asked for each of these sets in cpu.c.
bsonic_sources(
    cpu.c
    dispatch.c
    short.c
    tier_scalar.c
)

include(CheckIncludeFile)
check_include_file(simde/x86/avx2.h BSONIC_HAS_SIMDE)
set(BSONIC_TIERS)
if(NOT BSONIC_HAS_SIMDE)
    message(STATUS "simde is not installed: no vector kernels")
elseif(CMAKE_C_BYTE_ORDER STREQUAL BIG_ENDIAN)
    # simde 0.7.4 takes 16-bit lanes apart in the machine's order there, not in x86's: hex digits come out wrong.
elseif(BSONIC_SIMD_PORTABLE)
    set(BSONIC_TIERS v128 v256)
    set(BSONIC_TIER_FLAGS_v128 -DSIMDE_NO_NATIVE)
    set(BSONIC_TIER_FLAGS_v256 -DSIMDE_NO_NATIVE)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|i[3-6]86)$")
    set(BSONIC_TIERS v128 v256 v256vl)
    set(BSONIC_TIER_FLAGS_v128 -mssse3 -msse4.1 -msse4.2 -mpopcnt -mpclmul)
    set(BSONIC_TIER_FLAGS_v256 -mavx2 -mbmi -mbmi2 -mpopcnt -mpclmul)
    set(BSONIC_TIER_FLAGS_v256vl ${BSONIC_TIER_FLAGS_v256} -mavx512f -mavx512bw -mavx512vl)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64|ARM64)$")
    set(BSONIC_TIERS v128)
    set(BSONIC_TIER_FLAGS_v128)
endif()
# Loops of other layers that call no kernel for each few bytes are compiled once more where that gains something: in a file
# NAME_wide.c, which bsonic_wide_sources names, for tiers that are wide (kernels.h).
if(BSONIC_TIER_FLAGS_v256 MATCHES -mavx2)
    set(BSONIC_WIDE_FLAGS ${BSONIC_TIER_FLAGS_v256})
endif()
foreach(tier IN LISTS BSONIC_TIERS)
    bsonic_sources(tier_${tier}.c)
    set_source_files_properties(${BSONIC_LAYER_DIR}/tier_${tier}.c PROPERTIES COMPILE_OPTIONS
        "${BSONIC_TIER_FLAGS_${tier}}")
    string(TOUPPER BSONIC_HAS_${tier} define)
    set_property(SOURCE ${BSONIC_LAYER_DIR}/dispatch.c APPEND PROPERTY COMPILE_DEFINITIONS ${define})
endforeach()
if(BSONIC_SIMD_PORTABLE)
    target_compile_definitions(bsonic_flags INTERFACE BSNI_SHORT_WORDS)
    set_property(SOURCE ${BSONIC_LAYER_DIR}/cpu.c APPEND PROPERTY COMPILE_DEFINITIONS BSONIC_SIMD_PORTABLE)
endif()
