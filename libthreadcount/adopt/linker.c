/* SPDX-License-Identifier: MIT */
/* dlopen() and dlclose() of the program come by here. */
#define _GNU_SOURCE
#include "linker.h"
#include "objects.h"
#include "preload.h"

#include <dlfcn.h>

#pragma weak dlsym
#pragma weak dlvsym
#pragma weak dlerror

#define EXPORT __attribute__((visibility("default")))

_Atomic(unsigned) adopt_unloads = 1;
static atomic_bool has_loaded;
static atomic_bool has_loaded_for_all;

bool is_there_a_linker(void) { return dlsym != NULL && dlerror != NULL; }

void forget_linker_error(void) {
        if (dlerror != NULL)
                (void)dlerror();
}

void* linker_symbol(void* where, const char* name, const char* version) {
        void* symbol = NULL;
        if (version == NULL && dlsym != NULL)
                symbol = dlsym(where, name);
        else if (version != NULL && dlvsym != NULL)
                symbol = dlvsym(where, name, version);
        if (symbol == NULL)
                forget_linker_error();
        return symbol != NULL && !is_our_own(symbol) ? symbol : NULL;
}

/* The function of the next object that has it, which may be another one that is preloaded. */
static void* next_one(const char* name, _Atomic(void*)* place) {
        void* real = atomic_load_explicit(place, memory_order_relaxed);
        if (real == NULL) {
                real = linker_symbol(RTLD_NEXT, name, NULL);
                if (real == NULL && symbols_of_others(name, NULL, &real) == 0)
                        return NULL;
                atomic_store_explicit(place, real, memory_order_relaxed);
        }
        return real;
}

static __typeof__(dlopen)* next_dlopen(void) {
        static _Atomic(void*) place;
        return (__typeof__(dlopen)*)next_one("dlopen", &place);
}

static __typeof__(dlclose)* next_dlclose(void) {
        static _Atomic(void*) place;
        return (__typeof__(dlclose)*)next_one("dlclose", &place);
}

void* really_open(const char* path, int mode) {
        __typeof__(dlopen)* real = next_dlopen();
        void* handle = real != NULL ? real(path, mode) : NULL;
        if (handle == NULL)
                forget_linker_error();
        return handle;
}

void really_close(void* handle) {
        __typeof__(dlclose)* real = next_dlclose();
        if (real != NULL)
                (void)real(handle);
}

bool has_program_loaded(void) { return atomic_load(&has_loaded); }

bool has_program_loaded_for_all(void) { return atomic_load(&has_loaded_for_all); }

/*
 * The last moment at which nobody can hold the lock: what a region would open later is loaded now.
 * The real one looks beside the object that the call returns to, so it is jumped to: nothing may be
 * left to do after it.
 */
EXPORT void* dlopen(const char* path, int mode) {
        if ((mode & RTLD_GLOBAL) != 0)
                atomic_store(&has_loaded_for_all, true);
        adopt_load(!atomic_exchange(&has_loaded, true));
        __typeof__(dlopen)* real = next_dlopen();
        return real != NULL ? real(path, mode) : NULL;
}

/*
 * Other code may be loaded where this has been. Twice: another thread may load some before this one
 * goes on, and destructors may begin regions.
 */
EXPORT int dlclose(void* handle) {
        __typeof__(dlclose)* real = next_dlclose();
        atomic_fetch_add(&adopt_unloads, 1);
        const int result = real != NULL ? real(handle) : -1;
        atomic_fetch_add(&adopt_unloads, 1);
        return result;
}
