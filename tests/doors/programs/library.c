/* SPDX-License-Identifier: MIT */
/* A library with regions, which is linked to one runtime or another, and loaded late. */
#include <omp.h>

int library_team(int threads);
int library_team(int threads) {
        int team = 0;
        if (threads > 0)
                omp_set_num_threads(threads);
#pragma omp parallel reduction(+ : team)
        team += 1;
        return team;
}
