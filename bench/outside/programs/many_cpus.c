/* SPDX-License-Identifier: MIT
 *
 * LD_PRELOAD=many_cpus.so MANY_CPUS=64: the C library says that a program may use CPUs 0 to 63, and
 * binds no thread. For programs on made-up machines.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

int sched_getaffinity(pid_t thread, size_t size, cpu_set_t* cpus) {
        const char* text = getenv("MANY_CPUS");
        const size_t count = text == NULL ? 1 : strtoul(text, NULL, 10);
        size_t cpu;
        (void)thread;
        CPU_ZERO_S(size, cpus);
        for (cpu = 0; cpu < count && cpu < 8 * size; cpu++)
                CPU_SET_S(cpu, size, cpus);
        return 0;
}

int sched_setaffinity(pid_t thread, size_t size, const cpu_set_t* cpus) {
        (void)thread;
        (void)size;
        (void)cpus;
        return 0;
}

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t* cpus) {
        (void)thread;
        return sched_getaffinity(0, size, cpus);
}
