/* SPDX-License-Identifier: MIT */
/*
 * doze.h - makes the threads of libgomp that wait for others sleep instead of spinning.
 *
 * libgomp itself does that while it has more threads than CPUs (GOMP_SPINCOUNT in its manual).
 * Therefore threads are added: one of this object's own begins a region, whose threads sleep, and
 * stay until no crowded region has begun for a moment. With OMP_WAIT_POLICY=passive and a
 * GOMP_SPINCOUNT, as `governorctl run` sets them, threads spin where there is room, and otherwise
 * do not spin at all; without these they spin some 100 times.
 */
#ifndef THREADCOUNT_ADOPT_DOZE_H
#define THREADCOUNT_ADOPT_DOZE_H

#include "callers.h"

#include <stdbool.h>

/* The calling thread sleeps for about so many ms. No place at which it is cancelled. */
void sleep_for(long ms);

/* The CPUs that libgomp counts when it is loaded. Called at the start. */
void remember_start_cpus(void);

/*
 * As many threads more as the team has make it more than the CPUs that libgomp counts: a team that
 * is smaller cannot be made to sleep.
 */
bool is_large_enough(unsigned team);

/*
 * The user says how many threads there may be, or how large they are, or has libgomp print them.
 */
bool are_threads_the_users(void);

/*
 * May it be tried in this process? Not where a limit of memory may keep libgomp from a thread,
 * since that ends the program, and not where the user has set the number or size of threads, or has
 * libgomp print them. Called once, before the rest.
 */
bool may_doze(void);

/*
 * The calling thread is about to begin a region of `team` threads, >= 2, in a crowd. From a
 * moment later on they sleep, until for a quarter of a second there has been no such region.
 * dozing_end() is to be called when it is over. MT-Safe, keeps errno. Cost: a few locked
 * instructions, and the first time the start of threads. False: they spin, now and later, and
 * nothing is to be called.
 */
bool dozing_begin(struct runtime* runtime, unsigned team);
void dozing_end(struct runtime* runtime);

#endif
