/* SPDX-License-Identifier: MIT */
/* A library that waits, while it is being loaded, for a thread that begins regions, for a while. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void* begin_regions(void* data) {
        for (int i = 0; i < 100; i++) {
                int team = 0;
#pragma omp parallel reduction(+ : team)
                team += 1;
                *(int*)data += team;
                if (i == 50)
                        (void)usleep(300000);
        }
        return NULL;
}

__attribute__((constructor)) static void construct(void) {
        pthread_t thread;
        int sum = 0;
        if (pthread_create(&thread, NULL, begin_regions, &sum) == 0)
                (void)pthread_join(thread, NULL);
        printf("%d in the constructor\n", sum);
}

int library_team(int threads);
int library_team(int threads) { return threads; }
