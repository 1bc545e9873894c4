/* SPDX-License-Identifier: MIT */
/*
 * callers.h - which OpenMP runtime a region would have reached if nobody had been in between.
 *
 * The answer is not the same for all callers. A Python wheel brings a runtime of its own, which
 * only its objects see. What the whole program has seen since its start comes first, as it does for
 * the dynamic linker. Otherwise the object of the region tells: it uses other functions of OpenMP,
 * and what the linker has bound them to is read. An object without such uses is looked up as the
 * linker would do it now.
 */
#ifndef THREADCOUNT_ADOPT_CALLERS_H
#define THREADCOUNT_ADOPT_CALLERS_H

#include "objects.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* All that begins or ends an outermost region in libgomp 4.2 to 14. */
#define ADOPT_ENTRIES(X)                                                                           \
        X(GOMP_parallel)                                                                           \
        X(GOMP_parallel_reductions)                                                                \
        X(GOMP_parallel_sections)                                                                  \
        X(GOMP_parallel_loop_static)                                                               \
        X(GOMP_parallel_loop_dynamic)                                                              \
        X(GOMP_parallel_loop_guided)                                                               \
        X(GOMP_parallel_loop_runtime)                                                              \
        X(GOMP_parallel_loop_nonmonotonic_dynamic)                                                 \
        X(GOMP_parallel_loop_nonmonotonic_guided)                                                  \
        X(GOMP_parallel_loop_nonmonotonic_runtime)                                                 \
        X(GOMP_parallel_loop_maybe_nonmonotonic_runtime)                                           \
        X(GOMP_parallel_start)                                                                     \
        X(GOMP_parallel_sections_start)                                                            \
        X(GOMP_parallel_loop_static_start)                                                         \
        X(GOMP_parallel_loop_dynamic_start)                                                        \
        X(GOMP_parallel_loop_guided_start)                                                         \
        X(GOMP_parallel_loop_runtime_start)                                                        \
        X(GOMP_parallel_end)

/*
 * The functions that ask and set a program's number of threads; those that end in _ are Fortran's.
 */
#define ADOPT_COUNTS(X)                                                                            \
        X(omp_get_max_threads)                                                                     \
        X(omp_get_max_threads_)                                                                    \
        X(omp_set_num_threads)                                                                     \
        X(omp_set_num_threads_)                                                                    \
        X(omp_set_num_threads_8_)

enum entry {
#define ADOPT_ENTRY(name) ENTRY_##name,
        ADOPT_ENTRIES(ADOPT_ENTRY) ADOPT_COUNTS(ADOPT_ENTRY)
#undef ADOPT_ENTRY
                ENTRY_COUNT
};

/* Constant once it can be seen, but for `answered` and `entries`. Never freed. */
struct runtime {
        struct object object;
        bool is_libgomp;              /* and all that follows is there               */
        int (*get_level)(void);       /* of the calling thread; 0: in no region      */
        int (*get_max_threads)(void); /* of its next region without a clause         */
        void (*set_num_threads)(int);
        atomic_uint answered; /* to the program's threads: see team.c */
        _Atomic(void*) entries[ENTRY_COUNT];
};

/* The runtime that a call goes to, and what is known of the object that makes it. */
struct target {
        struct runtime* runtime; /* NULL: there is none                                     */
        bool keeps_data;         /* the object may have data in threads from region to region */
        bool is_sure;            /* it is the same until something is unloaded                */
};

/*
 * The target of a region. `function` is its code, which is in the object that has the region, and
 * `caller` is where the call returns to. A call without such code gives `caller` for both. MT-Safe,
 * errno stays as it is. Cost: some 2 ns, and some us for each new `function`.
 */
struct target target_of(enum entry entry, const void* function, const void* caller);

/*
 * The entry of this runtime, or of any where it has none or is NULL. NULL: nobody has it. MT-Safe.
 * errno stays as it is.
 */
void* entry_of(struct runtime* runtime, enum entry entry);

/* Is the calling thread outside of the regions of this runtime, which is a libgomp, and of all
 * others that were seen so far? MT-Safe. */
bool is_outside(const struct runtime* runtime);

#endif
