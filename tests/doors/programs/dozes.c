/* SPDX-License-Identifier: MIT */
/*
 * Regions in which one thread waits 50 ms for another one, which sleeps.
 *
 *   dozes            prints "spins", "sleeps" and "spins" when regions begin to do so, and ends
 *   dozes leaves     likewise "spins" and "sleeps", in a thread that ends last
 *   dozes descriptors  prints "sleeps" likewise, and "ends" when nobody has slept there for long,
 *                      without a descriptor that could be opened
 *   dozes long SECONDS  has one region
 *   dozes SECONDS    has such regions for so long, and prints how many threads they had
 */
#include "dozes.h"
#include "wait_for_one.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void* until_it_sleeps(void* data) {
        (void)data;
        until(wait_for_one, 0);
        until(wait_for_one, 1);
        return NULL;
}

int main(int argc, char** argv) {
        pthread_t thread;
        int team = 0;
        if (argc == 1) {
                (void)until_it_sleeps(NULL);
                until(wait_for_one, 0);
                return 0;
        }
        if (strcmp(argv[1], "leaves") == 0) {
                pthread_create(&thread, NULL, until_it_sleeps, NULL);
                pthread_exit(NULL);
        }
        if (strcmp(argv[1], "descriptors") == 0) {
                until(wait_for_one, 1);
                while (dup(0) >= 0) {
                }
                usleep(1500000);
                puts("ends");
                return 0;
        }
        if (strcmp(argv[1], "long") == 0) {
#pragma omp parallel
                sleep((unsigned)atoi(argv[2]));
                return 0;
        }
        for (int i = 0; i < 20 * atoi(argv[1]); i++)
                team = wait_for_one();
        printf("%d threads\n", team);
        return 0;
}
