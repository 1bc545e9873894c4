/* SPDX-License-Identifier: MIT */
/*
 * promise.h - which team a region may have so that a program that has counted its threads is right.
 *
 * A program learns its number of threads by asking, by setting it, or from a team that it sees.
 * The answer stays true until the program asks again. A number may change where the program asks
 * for it. It may also change at a region, if the program has neither asked for nor set a number.
 *
 * One for each thread and runtime, as the number itself. All zero at first. The functions are pure:
 * they know no runtime and make no call. Numbers are threads, >= 1. A grant of 0 sets no limit.
 *
 * Around each call the caller does two things. Before it, promise_see() is told what the runtime
 * has now. After it, the runtime is set to `size`, where that is another number.
 */
#ifndef THREADCOUNT_ADOPT_PROMISE_H
#define THREADCOUNT_ADOPT_PROMISE_H

#include <stdbool.h>

enum promise_made {
        PROMISE_NOTHING, /* the program knows no number: each region may have another one  */
        PROMISE_ANSWER,  /* it has asked: the number may change when it asks again         */
        PROMISE_KEPT,    /* it keeps data in threads: no change                            */
        PROMISE_SET      /* it has set the number: likewise. Other threads have their own  */
};

struct promise {
        unsigned width; /* what the program would have by itself; 0: nothing was seen yet */
        unsigned size;  /* what its next region without a clause has                      */
        enum promise_made made;
};

/* The runtime has this number now. Another one than it was left with has been set by somebody. */
void promise_see(struct promise* promise, unsigned now);

/* The program sets the number. A number that is its last answer is an echo, and binds nobody. */
void promise_set(struct promise* promise, unsigned number);

/* From now on the number changes only where the program sets it. */
void promise_keep(struct promise* promise);

/*
 * Another thread of the program has been answered this number, which is the same for all of them
 * until they set their own. A thread that knows none has it from now on.
 */
void promise_share(struct promise* promise, unsigned answer);

/* No region and no answer changes the number. */
bool promise_is_for_good(const struct promise* promise);

/* Does the answer to the program's question depend on the grant? */
bool promise_answers_by_grant(const struct promise* promise);

/* The program asks for the number. Returns the answer, which is `size`. */
unsigned promise_ask(struct promise* promise, unsigned grant);

/* Does the team of a region with this clause depend on the grant? A clause of 0 is none. */
bool promise_begins_by_grant(const struct promise* promise, unsigned clause);

/* An outermost region begins. Returns its team. */
unsigned promise_begin(struct promise* promise, unsigned clause, unsigned grant);

#endif
