/* SPDX-License-Identifier: MIT */
/*
 * article.h - the two calls of L. Akyil, "Managing Application Thread Use" (2008).
 *
 *      init_thread_count();                 once, before the first region
 *      while (iter < ITERATION) {
 *              set_thread_count();          before each region: update its team size
 *              start_timer();               <threadcount/timing.h>; see there
 *              ... parallel region ...
 *              stop_timer();
 *      }
 *
 * Both work on the process's handle (threadcount_open_default) through the OpenMP
 * runtime that this file is compiled for. Neither can fail in a way that matters:
 * without a governor the program runs as if they were not there.
 */
#ifndef THREADCOUNT_ARTICLE_H
#define THREADCOUNT_ARTICLE_H

#include <threadcount/openmp.h>

#ifdef __cplusplus
extern "C" {
#endif

/* As threadcount_omp_open(). */
static inline int init_thread_count(void) { return threadcount_omp_open(); }

/* The same as threadcount_omp_update() on the process's handle: the team size in force. */
static inline int set_thread_count(void) { return threadcount_omp_update(threadcount_default()); }

#ifdef __cplusplus
}
#endif

#endif /* THREADCOUNT_ARTICLE_H */
