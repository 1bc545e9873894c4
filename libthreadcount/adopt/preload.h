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

/* Words of CPUs that a runtime may bind threads to. */
enum { ADOPT_PLACE_WORDS = 8192 / 64 };

/*
 * The first region is about to begin, in a program that would use `max` threads, bound to `places`
 * as options.affinity of threadcount_open() has them. Opens the library, once. False: it is not
 * open. MT-Safe: while one thread does, others get false, and none waits. It is opened later where
 * a thread might wait for the linker: see may_use_linker().
 */
bool adopt_open(unsigned max, const uint64_t* places, uint32_t words);

/*
 * The calling thread is about to begin an outermost region of `team` threads, >= 1; the library is
 * open. Waits for the program's turn where threadcount_region_enter() does, and for the first
 * grant, 20 ms at most. NULL: nothing is to be told at its end.
 */
threadcount_handle* adopt_enter(unsigned team);

/* That region is over. */
void adopt_leave(threadcount_handle* handle, unsigned team);

#endif
