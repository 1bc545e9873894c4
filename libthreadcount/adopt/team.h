/* SPDX-License-Identifier: MIT */
/*
 * team.h - chooses the team of the calling thread's next region, and tells the runtime and the
 * library.
 *
 * All that is here is for outermost regions of libgomp, and for calls outside of regions. MT-Safe.
 */
#ifndef THREADCOUNT_ADOPT_TEAM_H
#define THREADCOUNT_ADOPT_TEAM_H

#include "callers.h"
#include "preload.h"

#include <stdint.h>

/*
 * A region with this clause, 0: none, is about to begin. The runtime is told which team it has,
 * where that is not what the program has chosen. NULL: nothing is to be told at its end.
 */
threadcount_handle* team_begin(struct target target, unsigned clause, unsigned* ret_team);

/* The program asks how many threads its next region has: the answer, which comes true. */
int team_ask(struct target target);

/* The program is about to set that number. */
void team_set(struct target target, int64_t number);

#endif
