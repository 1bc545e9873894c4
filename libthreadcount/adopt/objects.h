/* SPDX-License-Identifier: MIT */
/*
 * objects.h - what the dynamic linker has loaded, read without its help.
 *
 * All functions are MT-Safe, and take no memory.
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
        bool has_thread_data; /* variables that each thread has for itself (PT_TLS) */
};

/* The object that has this address. False: none has, as with code that was made at run time. */
bool object_at(const void* address, struct object* ret_object);

/* Does this object itself have this address? */
bool is_our_own(const void* address);

/*
 * The number of objects with code that refers to a symbol of this name, and the first of them. 0:
 * `ret_first` is not written.
 */
unsigned objects_that_refer_to(const char* name, struct object* ret_first);

/* Likewise, of those that this object needs itself. */
unsigned needed_that_refer_to(const struct object* object, const char* name,
                              struct object* ret_first);

/*
 * The number of objects but this one that define the name in this version; NULL: in the default
 * one. Writes the symbol of the first of them in the order of loading, unless there is none.
 */
unsigned symbols_of_others(const char* name, const char* version, void** ret_first);

/* All that is loaded by now is what the program started with, and stays. Called at the start. */
void remember_start_objects(void);

/*
 * The symbol of the first of these that has the name, but for this object. All of the program sees
 * it.
 */
void* symbol_of_start(const char* name, const char* version);

/* The symbol that is defined by this object, or by one of those that it needs. NULL: nothing. */
void* symbol_of_needed(const struct object* object, const char* name, const char* version);

/*
 * May the calling thread ask the linker, as far as one can tell (see linker.h)? On the program's
 * first thread, where nothing has been loaded since the start, and where nothing has for a tenth of
 * a second. Makes a system call.
 */
bool may_use_linker(void);

/*
 * A name in the first folder in which this object looks for others (DT_RUNPATH, which begins with
 * $ORIGIN). False: there is none, or the path is longer than `size`.
 */
bool path_beside_us(const char* name, char* ret_path, size_t size);

/* Does the last part of the object's path contain this? */
bool object_is_called(const struct object* object, const char* part);

#endif
