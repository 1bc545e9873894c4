/* SPDX-License-Identifier: MIT */
/*
 * lane.h - what the copies of the thread pool in one process know of the calling thread.
 *
 * For the pool alone (threadcount/pool.hpp), which is a static library. A program and a library
 * that it loads may both have it, and tell each other's lanes by this. Never removed or changed: a
 * pool that needs another layout gets another variable.
 */
#ifndef THREADCOUNT_LANE_H
#define THREADCOUNT_LANE_H

#include <threadcount/threadcount.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The role of a thread for one pool: one of its lanes, or a guest. */
struct threadcount_lane {
        const void *pool;                     /* an address that no other pool has */
        const struct threadcount_lane *outer; /* of the pool whose task uses this one; or NULL */
};

/*
 * The role of the calling thread for the pool whose task it is in; NULL: it is in none. It points
 * into the thread's stack. Cost: two memory reads.
 */
THREADCOUNT_EXPORT extern __thread const struct threadcount_lane *threadcount_this_lane
        __attribute__((tls_model("initial-exec")));

/* A task of a pool that a thread runs which is no lane of that pool, nor a guest. */
struct threadcount_visit {
        const void *pool;                      /* as above */
        const struct threadcount_visit *outer; /* whose task runs this one; or NULL */
        int is_awaited;                        /* 1: the pool's stop() waits for it */
};

/* The innermost such task of the calling thread; NULL: there is none. As above. */
THREADCOUNT_EXPORT extern __thread const struct threadcount_visit *threadcount_this_visit
        __attribute__((tls_model("initial-exec")));

#ifdef __cplusplus
}
#endif

#endif /* THREADCOUNT_LANE_H */
