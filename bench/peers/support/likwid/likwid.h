/* SPDX-License-Identifier: MIT
 *
 * The part of likwid that a peer uses to place its threads. The machine has one socket, and a core
 * for each allowed CPU, in the order of cpu_of_worker().
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
        int threadId, coreId, packageId, apicId;
} HWThread;

typedef struct {
        int numSockets, numCoresPerSocket, numHWThreads;
        HWThread* threadPool;
} CpuTopology, *CpuTopology_t;

static inline int topology_init(void) { return 0; }
static inline void topology_finalize(void) {}
CpuTopology_t get_cpuTopology(void);

#ifdef __cplusplus
}
#endif
