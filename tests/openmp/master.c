/* SPDX-License-Identifier: MIT */
/*
 * A library that is written with OpenMP and uses the adapter. Built once for each runtime;
 * the test loads both into one process.
 */
#include "master.h"

#include <sys/wait.h>
#include <threadcount/openmp.h>
#include <unistd.h>

int master_open(int ungoverned) {
        static int is_open;

        /* Once: the adapter takes a number that changes later for the program's own choice. */
        if (!is_open)
                omp_set_num_threads(ungoverned);
        is_open = 1;
        return threadcount_omp_open();
}

int master_update(void) { return threadcount_omp_update(threadcount_default()); }

int master_in_turn(void) {
        return threadcount_omp_follow(threadcount_default(), threadcount_threads);
}

int master_team(void) {
        int team = 0;

#pragma omp parallel
#pragma omp single
        team = omp_get_num_threads();
        return team;
}

int master_spins_ms(void) {
#ifdef KMP_VERSION_MAJOR
        return kmp_get_blocktime();
#else
        return -1;
#endif
}

int master_nested(int inner) {
        int wrong = 0;

        omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2) reduction(+ : wrong)
        {
                int team = 0;

                omp_set_num_threads(inner);
                wrong += threadcount_omp_update(threadcount_default()) != inner;
#pragma omp parallel reduction(+ : wrong)
                {
                        wrong += threadcount_omp_update(threadcount_default()) < 1;
#pragma omp single
                        team = omp_get_num_threads();
                }
                wrong += team != inner;
                wrong += omp_get_max_threads() != inner;
        }
        return wrong;
}

int master_timed(unsigned us) {
        int outside = 0, team = 0;

        omp_set_max_active_levels(2);
        outside = threadcount_omp_begin(threadcount_default());
#pragma omp parallel
        {
                /* Would begin anew, and end, if it did anything. */
                threadcount_omp_begin(threadcount_default());
#pragma omp parallel num_threads(1)
                {
                        threadcount_omp_begin(threadcount_default());
                        threadcount_omp_end(threadcount_default());
                }
#pragma omp barrier
#pragma omp master
                {
                        team = omp_get_num_threads();
                        usleep(us);
                        threadcount_omp_begin(threadcount_default());
                        threadcount_omp_end(threadcount_default());
                }
                threadcount_omp_end(threadcount_default());
        }
        threadcount_omp_end(threadcount_default());
        return team == outside ? team : -1;
}

int master_fork_inside(int ungoverned) {
        int status = -1;

#pragma omp parallel
#pragma omp single
        {
                pid_t child = fork();

                if (child == 0) {
                        threadcount_handle* inherited = threadcount_default();
                        threadcount_handle* own = NULL;
                        int wrong = 0;

                        if (inherited != NULL && (int)threadcount_threads(inherited) != ungoverned)
                                wrong |= 1;
                        if (threadcount_open_default(NULL, &own) != 0 || own == inherited)
                                wrong |= 2;
                        if (threadcount_threads(own) < 1)
                                wrong |= 4;
                        _exit(wrong);
                }
                waitpid(child, &status, 0);
        }
        return status;
}

int master_fork_outside(void) {
        int status = -1;
        pid_t child = fork();

        if (child == 0) {
                threadcount_omp_open();
                _exit((int)threadcount_max(threadcount_default()));
        }
        waitpid(child, &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
