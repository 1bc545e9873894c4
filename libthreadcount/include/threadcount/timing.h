/* SPDX-License-Identifier: MIT */
/*
 * timing.h - the article's stop watch around parallel regions (see article.h).
 *
 * One stop watch for the process: use it from one thread at a time. Needs no OpenMP. Behind
 * set_thread_count() it also tells the governor that a region has ended: threadcount_timer_stop().
 */
#ifndef THREADCOUNT_TIMING_H
#define THREADCOUNT_TIMING_H

#include <threadcount/threadcount.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Starts the stop watch; a running one starts again from zero. */
static inline void start_timer(void) { threadcount_timer_start(); }

/* Stops it. Returns the seconds since start_timer(), 0 if it was not running. */
static inline double stop_timer(void) { return (double)threadcount_timer_stop() * 1e-9; }

/* The sum of all that stop_timer() returned, in seconds. */
static inline double total_timer(void) { return (double)threadcount_timer_total_ns() * 1e-9; }

#ifdef __cplusplus
}
#endif

#endif /* THREADCOUNT_TIMING_H */
