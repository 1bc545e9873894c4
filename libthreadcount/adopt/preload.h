/* SPDX-License-Identifier: MIT */
/*
 * preload.h - when this object does something, and libthreadcount, which it opens only then.
 *
 * The object is preloaded into all programs of a tree, most of which never begin a region. At their
 * start it reads one variable. It does nothing unless THREADCOUNT_ADOPT=keep is set, nor in a
 * program that has loaded libthreadcount itself. It prints nothing, installs no handler, starts no
 * thread, and keeps errno.
 */
#ifndef THREADCOUNT_ADOPT_PRELOAD_H
#define THREADCOUNT_ADOPT_PRELOAD_H

#include <stdatomic.h>
#include <stdbool.h>
#include <threadcount/threadcount.h>

enum adopt_state {
        ADOPT_DOWN,    /* regions begin as if nobody were in between                      */
        ADOPT_ARMED,   /* nothing has been opened                                         */
        ADOPT_OPENING, /* a thread does; regions of others begin as they would            */
        ADOPT_OPEN
};

extern _Atomic(enum adopt_state) adopt_state;

/*
 * The calling thread is about to begin an outermost region of `team` threads, >= 1, in a program
 * that would use `max`. Waits for the program's turn where threadcount_region_enter() does, and at
 * the first call for the first grant, 20 ms at most. NULL: nothing is to be told at its end.
 */
threadcount_handle* adopt_enter(unsigned team, unsigned max);

/* That region is over. */
void adopt_leave(threadcount_handle* handle, unsigned team);

#endif
