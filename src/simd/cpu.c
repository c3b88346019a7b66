/* SPDX-License-Identifier: Apache-2.0
 *
 * cpu.c -- asks the CPU. The lists are those of the flags in sources.cmake.
 */
#include "simd/cpu.h"

#if (defined(__x86_64__) || defined(__i386__)) && !defined(BSONIC_SIMD_PORTABLE)

bool bsni_cpu_runs_v128(void)
{
    return __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("sse4.1") &&
           __builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt") &&
           __builtin_cpu_supports("pclmul");
}

bool bsni_cpu_runs_v256(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
           __builtin_cpu_supports("pclmul");
}

bool bsni_cpu_runs_v256vl(void)
{
    return bsni_cpu_runs_v256() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
}

#else

/* Here a tier is built only where every CPU runs it: NEON, or simde in plain C. */
bool bsni_cpu_runs_v128(void)
{
    return true;
}

bool bsni_cpu_runs_v256(void)
{
    return true;
}

#endif
