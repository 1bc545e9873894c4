/* SPDX-License-Identifier: MIT */
/*
 * A plugin that finds the functions of OpenMP by their names, as one does that is to run without
 * them as well. Compiled with OpenMP it has regions, and a runtime beside it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>

int library_team(int threads);
int library_max(void);

static void* found(const char* name) { return dlsym(RTLD_DEFAULT, name); }

/* How many threads there are, and 100 times the sum of their numbers; -1: nobody knows. */
int library_team(int threads) {
        void (*set_num_threads)(int) = NULL;
        int (*get_num_threads)(void) = NULL;
        int (*get_thread_num)(void) = NULL;
        int sum = 0;
        *(void**)&set_num_threads = found("omp_set_num_threads");
        *(void**)&get_num_threads = found("omp_get_num_threads");
        *(void**)&get_thread_num = found("omp_get_thread_num");
        if (set_num_threads == NULL)
                return -1;
        if (threads > 0)
                set_num_threads(threads);
        if (get_num_threads == NULL || get_thread_num == NULL)
                return -2;
#ifdef _OPENMP
#pragma omp parallel reduction(+ : sum)
#endif
        sum += 100 * get_thread_num() + (get_thread_num() == 0 ? get_num_threads() : 0);
        return sum;
}

int library_max(void) {
        int (*get_max_threads)(void) = NULL;
        *(void**)&get_max_threads = found("omp_get_max_threads");
        return get_max_threads != NULL ? get_max_threads() : -1;
}
