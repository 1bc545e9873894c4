/* SPDX-License-Identifier: MIT */
/*
 * Each thread of the team binds itself to a CPU of its own. Prints how many threads the process has
 * at most in regions later.
 *
 *   pins         in the first region
 *   pins before  likewise, and the first thread before it
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

static cpu_set_t open_cpus;

/* To the CPU of this number among those that the process may use. */
static void pin(int number) {
        cpu_set_t one;
        CPU_ZERO(&one);
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
                if (CPU_ISSET(cpu, &open_cpus) && number-- == 0)
                        CPU_SET(cpu, &one);
        (void)sched_setaffinity(0, sizeof(one), &one);
}

static int threads(void) {
        int count = -2; /* . and .. */
        DIR* tasks = opendir("/proc/self/task");
        while (tasks != NULL && readdir(tasks) != NULL)
                count++;
        if (tasks != NULL)
                closedir(tasks);
        return count;
}

int main(int argc, char** argv) {
        int most = 0;
        (void)argv;
        (void)sched_getaffinity(0, sizeof(open_cpus), &open_cpus);
        const int team = CPU_COUNT(&open_cpus);
        if (argc > 1)
                pin(0);
#pragma omp parallel num_threads(team)
        pin(omp_get_thread_num());
        for (int i = 0; i < 100; i++) {
#pragma omp parallel num_threads(team)
                if (omp_get_thread_num() == 0)
                        usleep(5000);
                const int now = threads();
                most = now > most ? now : most;
        }
        printf("%s threads\n", most == team ? "its own" : "more");
        return 0;
}
