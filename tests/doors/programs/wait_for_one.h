/* SPDX-License-Identifier: MIT */
#include <omp.h>
#include <unistd.h>

/* All threads of the region but one wait 50 ms for that one. Returns how many there were. */
static int wait_for_one(void) {
        int team = 0;
#pragma omp parallel reduction(+ : team)
        {
                team += 1;
                if (omp_get_thread_num() == 0)
                        usleep(50000);
        }
        return team;
}
