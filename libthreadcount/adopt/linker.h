/* SPDX-License-Identifier: MIT */
/*
 * linker.h - the dynamic linker, which this object asks, and which the program asks through it.
 *
 * It has one lock. A thread that loads an object holds it while that object's constructors run, and
 * these may wait for another thread, which must not ask the linker then. MT-Safe.
 */
#ifndef THREADCOUNT_ADOPT_LINKER_H
#define THREADCOUNT_ADOPT_LINKER_H

#include <stdatomic.h>
#include <stdbool.h>

/* It is there: before glibc 2.34 only in programs that load libdl. */
bool is_there_a_linker(void);

/* Does what dlvsym() does, or without a version dlsym(). NULL: there is none but in this object. */
void* linker_symbol(void* where, const char* name, const char* version);

/* The real dlopen() and dlclose(), without the program's knowledge. */
void* really_open(const char* path, int mode);
void really_close(void* handle);

/* Removes the message of the last question, so that later callers do not find it. */
void forget_linker_error(void);

/* Counts the calls of dlclose() and their returns. Each makes void what is known of code. */
extern _Atomic(unsigned) adopt_unloads;

static inline unsigned unloads_so_far(void) {
        return atomic_load_explicit(&adopt_unloads, memory_order_relaxed);
}

/* The program has called dlopen(): somebody may hold the lock from then on. */
bool has_program_loaded(void);
/* With RTLD_GLOBAL: what no other object names may be seen by all. */
bool has_program_loaded_for_all(void);

#endif
