/* SPDX-License-Identifier: MIT */
/*
 * symbols.h - what a loaded object defines, and what it refers to.
 *
 * All functions are MT-Safe, take no memory, and make no system call.
 */
#ifndef THREADCOUNT_ADOPT_SYMBOLS_H
#define THREADCOUNT_ADOPT_SYMBOLS_H

#include "objects.h"

/*
 * The symbol that an object defines under this name, in the version that is the default; NULL:
 * none. Does not look at the objects that it needs, and knows no indirect functions.
 */
void* object_symbol(const struct object* object, const char* name);

/* The same in this version; NULL: in the default one. */
void* object_version(const struct object* object, const char* name, const char* version);

/*
 * Does code of an object refer to a symbol of this name, which the linker looks for? Writes in
 * which version; NULL: in any.
 */
bool object_refers_to(const struct object* object, const char* name, const char** ret_version);

/* A symbol that an object uses, and where that leads. */
struct binding {
        const char* name;
        const char* version; /* NULL: any */
        const void* address; /* in the object itself: where it was never called, or has it */
};

/*
 * Calls `visit` for each use of a function of OpenMP (omp_, GOMP_, GOACC_) in an object whose code
 * runs, until it returns true. Returns whether it has. The address is what the place that is called
 * through holds now. It is anything where the object uses the function in another way.
 */
bool visit_openmp_bindings(const struct object* object,
                           bool (*visit)(const struct binding* binding, void* data), void* data);

/* The text of the dynamic section's entry `number` of those with this tag, from 0. NULL: none. */
const char* object_text(const struct object* object, int64_t tag, unsigned number);

#endif
