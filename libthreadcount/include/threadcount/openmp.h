/* SPDX-License-Identifier: MIT */
/*
 * openmp.h - let the OpenMP runtime of *this* file follow the governor.
 *
 * Header-only on purpose: a program may hold several OpenMP runtimes, and the
 * thread count (the nthreads-var ICV) belongs to the calling thread. Inlined here,
 * omp_set_num_threads() is the one that the parallel region below the call was
 * compiled for. In a file that is compiled without OpenMP all this does nothing.
 */
#ifndef THREADCOUNT_OPENMP_H
#define THREADCOUNT_OPENMP_H

#include <threadcount/threadcount.h>

#ifdef _OPENMP
#include <omp.h>
#include <stdlib.h>
/* OpenMP 4.5 */
#if _OPENMP >= 201511
#define THREADCOUNT_OMP_KNOWS_PLACES 1
#endif
/* OpenMP 5.0; libgomp has it without saying so. */
#if _OPENMP >= 201811 || (defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 9)
#define THREADCOUNT_OMP_CAN_RELEASE 1
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

#ifdef _OPENMP

/*
 * The number that the calling thread was last told, 0 for nothing yet. Weak: one variable for all
 * files of a program or shared object, so that they do not undo each other's work. Not one for a
 * program and its libraries: they may have runtimes of their own.
 */
__attribute__((weak, visibility("hidden"))) __thread int threadcount_omp_applied;

/*
 * The calling thread's teams sleep as soon as libgomp's do. Those of libomp spin for 200 ms after a
 * region, on CPUs that are somebody else's by then if the program waits for its turn. A choice of
 * the user or the program stays.
 */
static inline void threadcount_omp_sleep_soon(void) {
#ifdef KMP_VERSION_MAJOR
        const int spin_ms = 7, default_ms = 200;

        if (kmp_get_blocktime() == default_ms && getenv("KMP_BLOCKTIME") == NULL &&
            getenv("OMP_WAIT_POLICY") == NULL && getenv("KMP_LIBRARY") == NULL)
                kmp_set_blocktime(spin_ms);
#endif
}

/*
 * The CPUs to which a runtime that binds its threads (OMP_PROC_BIND, OMP_PLACES) will bind them.
 * CPU n is bit n % 64 of word n / 64 of `words`. CPUs that do not fit are left out. It has bound
 * the first thread by now, and the others are not there yet. Returns how many words there are; 0:
 * it does not bind, or is older than OpenMP 4.5 and does not tell.
 */
static inline uint32_t threadcount_omp_places(uint64_t *words, uint32_t n) {
        uint32_t used = 0;
#ifdef THREADCOUNT_OMP_KNOWS_PLACES
        int place, i, cpus;

        if (omp_get_proc_bind() == omp_proc_bind_false)
                return 0;
        for (place = 0; place < omp_get_num_places(); place++) {
                int *ids;

                cpus = omp_get_place_num_procs(place);
                ids = cpus > 0 ? (int *)malloc((size_t)cpus * sizeof(*ids)) : NULL;
                if (ids == NULL)
                        continue;
                omp_get_place_proc_ids(place, ids);
                for (i = 0; i < cpus; i++) {
                        const uint32_t word = (uint32_t)ids[i] / 64;

                        if (ids[i] < 0 || word >= n)
                                continue;
                        for (; used <= word; used++)
                                words[used] = 0;
                        words[word] |= (uint64_t)1 << (ids[i] % 64);
                }
                free(ids);
        }
#else
        (void)words;
        (void)n;
#endif
        return used;
}

/*
 * Opens the process's handle (threadcount_open_default). The program then never uses more threads
 * than it would without a governor: omp_get_max_threads(), which has OMP_NUM_THREADS and the CPU
 * affinity in it. A forked child has what its parent would use. Call it before the first region. A
 * program whose runtime binds its threads (threadcount_omp_places()) is left alone unless
 * THREADCOUNT is set to adapt, start-only or keep. A smaller team would be bound to the same first
 * places as that of everybody else. Returns 0 or a negative errno; ignoring it is fine. MT-Safe.
 */
static inline int threadcount_omp_open(void) {
        threadcount_options options = THREADCOUNT_OPTIONS_INIT;
        uint64_t places[8192 / 64];

        options.affinity_words = threadcount_omp_places(places, sizeof(places) / sizeof(*places));
        options.affinity = places;
        options.max_threads = (uint32_t)omp_get_max_threads();
        /* A forked child has its parent's number, which was the governor's and not its own. */
        if (threadcount_omp_applied != 0 && omp_get_max_threads() == threadcount_omp_applied &&
            threadcount_default() != NULL)
                options.max_threads = threadcount_ungoverned(threadcount_default());
        return threadcount_open_default(&options, NULL);
}

/*
 * Sets the team size of the parallel regions that the calling thread starts next, to what `ask`
 * answers. The function `ask` is threadcount_share for threadcount_omp_update(), and
 * threadcount_region_begin for threadcount_omp_begin(). Give it threadcount_threads where threads
 * start regions only one after the other. Inside a parallel region (of one thread too) it does
 * nothing, and `ask` is not called. Calls omp_set_num_threads() only when the governor's number has
 * changed. A program's own choice in between therefore stays, and a program without a governor runs
 * as if this call were not there. What another shared object sets by this adapter in the same
 * runtime counts as such a choice. A thread that runs regions of both may therefore have a team by
 * the other one's number, until the governor's number changes again.
 *
 * Threads that a smaller team no longer needs spin for a while before they sleep. This takes 7 ms
 * under libgomp, and 200 ms under libomp (7 ms with THREADCOUNT_CLASS=batch, unless KMP_BLOCKTIME
 * or OMP_WAIT_POLICY is set). Under OMP_WAIT_POLICY=active they spin for ever. With
 * THREADCOUNT_SHRINK=release they are ended at once, by omp_pause_resource_all(omp_pause_hard):
 * threadprivate data goes with them, and so does all that the runtime knows of other threads of the
 * program. It is for programs with one master and without such data.
 *
 * Returns the team size in force (>= 1). MT-Safe. Cost: that of `ask`.
 */
static inline int threadcount_omp_follow(threadcount_handle *handle,
                                         uint32_t (*ask)(threadcount_handle *handle)) {
        int threads;

        /* Not omp_in_parallel(): that is false in a team of one. */
        if (handle == NULL || omp_get_level() > 0)
                return omp_get_max_threads();
        if (threadcount_omp_applied == 0) {
                threadcount_omp_applied = (int)threadcount_ungoverned(handle);
                if (threadcount_takes_turns(handle))
                        threadcount_omp_sleep_soon();
        }
        threads = (int)ask(handle);
        if (threads != threadcount_omp_applied) {
#ifdef THREADCOUNT_OMP_CAN_RELEASE
                /* libgomp ends the calling thread's team in either way, libomp only in this one. */
                if (threads < threadcount_omp_applied && threadcount_releases(handle)) {
                        omp_pause_resource_all(omp_pause_hard);
                        if (threadcount_takes_turns(handle))
                                threadcount_omp_sleep_soon();
                }
#endif
                omp_set_num_threads(threads);
                threadcount_omp_applied = threads;
        }
        return omp_get_max_threads();
}

#else /* compiled without OpenMP: regions have one thread */

static inline uint32_t threadcount_omp_places(uint64_t *words, uint32_t n) {
        (void)words;
        (void)n;
        return 0;
}

static inline void threadcount_omp_sleep_soon(void) {}

static inline int threadcount_omp_open(void) { return 0; }

static inline int threadcount_omp_follow(threadcount_handle *handle,
                                         uint32_t (*ask)(threadcount_handle *handle)) {
        (void)handle;
        (void)ask;
        return 1;
}

#endif

/*
 * In front of each region: sets the team size of the parallel regions that the calling thread
 * starts next. Threads that start regions at the same time share the number: see
 * threadcount_share(). All else, and what it returns, is as threadcount_omp_follow() says.
 */
static inline int threadcount_omp_update(threadcount_handle *handle) {
        return threadcount_omp_follow(handle, threadcount_share);
}

/*
 * The same where threadcount_omp_end() follows behind the region: threadcount_region_begin() tells
 * what that is good for.
 */
static inline int threadcount_omp_begin(threadcount_handle *handle) {
        return threadcount_omp_follow(handle, threadcount_region_begin);
}

/*
 * The region that the calling thread has begun by threadcount_omp_begin() is over. Its team was
 * that which is in force: where it was not (num_threads, say), call threadcount_region_end()
 * itself. Inside a parallel region it does nothing. MT-Safe. Cost: that of
 * threadcount_region_end().
 */
static inline void threadcount_omp_end(threadcount_handle *handle) {
#ifdef _OPENMP
        if (omp_get_level() == 0)
                threadcount_region_end(handle, (uint32_t)omp_get_max_threads());
#else
        (void)handle;
#endif
}

#ifdef __cplusplus
}
#endif

#endif /* THREADCOUNT_OPENMP_H */
