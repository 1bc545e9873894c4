/* SPDX-License-Identifier: MIT */
/* Threads that begin regions at the same time, from the first one on. Prints the sum of teams. */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>

enum { MASTERS = 4, REGIONS = 100 };

static void* begin_regions(void* data) {
        long sum = 0;
        for (int i = 0; i < REGIONS; i++) {
                int team = 0;
#pragma omp parallel num_threads(2) reduction(+ : team)
                team += 1;
                sum += team;
        }
        *(long*)data = sum;
        return NULL;
}

int main(void) {
        pthread_t threads[MASTERS];
        long sums[MASTERS];
        long all = 0;
        for (int i = 0; i < MASTERS; i++)
                if (pthread_create(&threads[i], NULL, begin_regions, &sums[i]) != 0)
                        return 2;
        for (int i = 0; i < MASTERS; i++) {
                (void)pthread_join(threads[i], NULL);
                all += sums[i];
        }
        printf("%ld\n", all);
        return 0;
}
