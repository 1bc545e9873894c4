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

/* A region that has begun. */
struct team {
        threadcount_handle* handle; /* NULL: no lease is told of its end */
        unsigned threads;
        bool is_crowded;         /* its threads do not spin: see doze.h */
        struct runtime* runtime; /* then: of the region                 */
};

/*
 * A region with this clause, 0: none, is about to begin. The runtime is told which team it has,
 * where that is not what the program has chosen.
 */
void team_begin(struct target target, unsigned clause, struct team* ret_team);

/* It is over; its handle is not NULL, or it is crowded. */
void team_end(const struct team* team);

/* The program asks how many threads its next region has: the answer, which comes true. */
int team_ask(struct target target);

/* The program is about to set that number. */
void team_set(struct target target, int64_t number);

#endif
