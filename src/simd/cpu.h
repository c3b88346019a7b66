/* SPDX-License-Identifier: Apache-2.0
 *
 * cpu.h -- what this CPU can run: one question for each tier, about every instruction set that its file is compiled for.
 */
#ifndef BSNI_CPU_H
#define BSNI_CPU_H

#include <stdbool.h>

bool bsni_cpu_runs_v128(void);
bool bsni_cpu_runs_v256(void);
bool bsni_cpu_runs_v256vl(void);

#endif
