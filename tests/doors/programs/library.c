/* SPDX-License-Identifier: MIT */
/* A library with regions, which is linked to one runtime or another, and loaded late. */
#include "wait_for_one.h"

#include <omp.h>

int library_team(int threads);
int library_max(void);
int library_waits(void);
int library_numbers(void);
int library_counted(void);
void library_sets(int threads);
int library_team(int threads) {
        int team = 0;
        if (threads > 0)
                omp_set_num_threads(threads);
#pragma omp parallel reduction(+ : team)
        team += 1;
        return team;
}

int library_max(void) {
        const int most = omp_get_max_threads();
        return most > 0 ? most : 1; /* no jump, so that the caller is known */
}

int library_waits(void) { return wait_for_one(); }

/* The sum of the threads' numbers, which only the region's own runtime knows. */
int library_numbers(void) {
        int sum = 0;
#pragma omp parallel reduction(+ : sum)
        sum += omp_get_thread_num();
        return sum;
}

/* The team as its threads see it; 0: not all of a loop was done once. */
int library_counted(void) {
        enum { COUNT = 300 };
        int done[COUNT] = {0};
        int team = 0;
#pragma omp parallel
        {
#pragma omp single
                team = omp_get_num_threads();
#pragma omp for
                for (int i = 0; i < COUNT; i++)
                        __atomic_fetch_add(&done[i], 1, __ATOMIC_RELAXED);
        }
        for (int i = 0; i < COUNT; i++)
                if (done[i] != 1)
                        return 0;
        return team;
}

/* A jump, so that the call returns to the caller of this. */
void library_sets(int threads) { omp_set_num_threads(threads); }
