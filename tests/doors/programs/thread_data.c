/* SPDX-License-Identifier: MIT */
/*
 * thread_data MILLISECONDS: a program whose threads keep data from region to region, which a
 * smaller team would lose. It knows no number of threads. Prints whether the data were kept.
 */
#define _GNU_SOURCE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int kept;
#pragma omp threadprivate(kept)

static double now_ms(void) {
        struct timespec now;
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int main(int argc, char** argv) {
        const double end_ms = now_ms() + (argc > 1 ? atof(argv[1]) : 0);
        long wrong = 0;
        int team = 0;
#pragma omp parallel reduction(+ : team)
        {
                kept = omp_get_thread_num() + 100;
                team += 1;
        }
        do {
#pragma omp parallel reduction(+ : wrong)
                wrong += kept != omp_get_thread_num() + 100;
        } while (now_ms() < end_ms);
        printf("%s, teams %d\n", wrong == 0 ? "right" : "wrong", team);
        return 0;
}
