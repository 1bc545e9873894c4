/* SPDX-License-Identifier: MIT */
/*
 * openmp.h - let the OpenMP runtime of *this* file follow the governor.
 *
 * Header-only on purpose: a program may hold several OpenMP runtimes, and the
 * thread count (the nthreads-var ICV) belongs to the calling thread. Inlined here,
 * omp_set_num_threads() is the one that the parallel region below the call was
 * compiled for.
 */
#ifndef THREADCOUNT_OPENMP_H
#define THREADCOUNT_OPENMP_H

#include <omp.h>

#include <threadcount/threadcount.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Opens the process's handle (threadcount_open_default) so that the program never
 * uses more threads than it would without a governor: omp_get_max_threads(), which
 * has OMP_NUM_THREADS and the CPU affinity in it. Call it before the first region.
 * Returns 0 or a negative errno; ignoring it is fine. MT-Safe.
 */
static inline int threadcount_omp_open(void) {
        threadcount_options options = THREADCOUNT_OPTIONS_INIT;

        options.max_threads = (uint32_t)omp_get_max_threads();
        return threadcount_open_default(&options, NULL);
}

/*
 * Sets the team size of the parallel regions that the calling thread starts next.
 * Inside a parallel region it does nothing. Calls omp_set_num_threads() only when the
 * governor's number has changed, so a program's own choice in between stays, and a
 * program without a governor runs as if this call were not there.
 * Returns the team size in force (>= 1). MT-Safe. Cost: that of threadcount_threads().
 */
static inline int threadcount_omp_update(threadcount_handle* handle) {
        static __thread int applied; /* what this thread was last told; 0: nothing yet */
        int threads;

        if (handle == NULL || omp_in_parallel())
                return omp_get_max_threads();
        if (applied == 0)
                applied = omp_get_max_threads();
        threads = (int)threadcount_threads(handle);
        if (threads != applied) {
                omp_set_num_threads(threads);
                applied = threads;
        }
        return omp_get_max_threads();
}

#ifdef __cplusplus
}
#endif

#endif /* THREADCOUNT_OPENMP_H */
