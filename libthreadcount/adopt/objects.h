/* SPDX-License-Identifier: MIT */
/*
 * objects.h - what the dynamic linker has loaded, read without its help.
 *
 * All functions are MT-Safe, take no memory, and make no system call.
 */
#ifndef THREADCOUNT_ADOPT_OBJECTS_H
#define THREADCOUNT_ADOPT_OBJECTS_H

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A loaded object. `dynamic` tells it from all others while it is loaded. */
struct object {
        uintptr_t base;
        const char* name; /* the path that it was loaded by; "": the program itself */
        const ElfW(Dyn) * dynamic;
};

/* The object that has this address. False: none has, as with code that was made at run time. */
bool object_at(const void* address, struct object* ret_object);

/*
 * What an object defines under this name, in the version that is the default; NULL: nothing. Does
 * not look at the objects that it needs, and knows no indirect functions.
 */
void* object_symbol(const struct object* object, const char* name);

/* The first object behind this one, in the order of loading, that defines the name; NULL: none. */
void* symbol_of_others(const char* name);

/*
 * A name in the first folder in which this object looks for others (DT_RUNPATH, which begins with
 * $ORIGIN). False: there is none, or the path is longer than `size`.
 */
bool path_beside_us(const char* name, char* ret_path, size_t size);

/* Does the last part of the object's path contain this? */
bool object_is_called(const struct object* object, const char* part);

#endif
