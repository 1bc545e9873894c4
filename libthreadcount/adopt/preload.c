/* SPDX-License-Identifier: MIT */
/* From the start of a program to its lease. */
#define _GNU_SOURCE
#include "preload.h"
#include "objects.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Before glibc 2.34 they are there only in programs that load libdl or libpthread. */
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dlclose
#pragma weak dlerror
#pragma weak pthread_setcancelstate

#define LIBRARY "libthreadcount.so.1"

_Atomic(enum adopt_state) adopt_state;

/* Written while ADOPT_OPENING, constant once ADOPT_OPEN was seen. */
static struct {
        __typeof__(threadcount_open_default)* open_default;
        __typeof__(threadcount_region_enter)* enter;
        __typeof__(threadcount_region_end)* end;
        threadcount_options options;
} library;

static bool is_set_to(const char* variable, const char* value) {
        const char* text = getenv(variable);
        return text != NULL && strcmp(text, value) == 0;
}

/* Again when it opens: the program may have taken its environment away. */
static bool is_wanted(void) {
        return is_set_to("THREADCOUNT_ADOPT", "keep");
}

__attribute__((constructor)) static void arm(void) {
        if (is_wanted())
                atomic_store_explicit(&adopt_state, ADOPT_ARMED, memory_order_relaxed);
}

/* A program that has the library by itself follows by itself. By its path, since a sanitizer calls
 * dlopen() for us, and then looks beside itself. */
static void* open_library(void) {
        static char path[4096];
        void* theirs = dlopen(LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
        if (theirs == NULL)
                return path_beside_us(LIBRARY, path, sizeof(path))
                               ? dlopen(path, RTLD_NOW | RTLD_LOCAL)
                               : NULL;
        (void)dlclose(theirs);
        return NULL;
}

static bool find_functions(unsigned max) {
        void* handle = open_library();
        if (handle == NULL)
                return false;
        library.open_default =
                (__typeof__(library.open_default))dlsym(handle, "threadcount_open_default");
        library.enter = (__typeof__(library.enter))dlsym(handle, "threadcount_region_enter");
        library.end = (__typeof__(library.end))dlsym(handle, "threadcount_region_end");
        library.options = (threadcount_options)THREADCOUNT_OPTIONS_INIT;
        library.options.max_threads = max;
        library.options.wait_ms = 20;
        library.options.keeps = 1;
        return library.open_default != NULL && library.enter != NULL && library.end != NULL;
}

/* False for the threads that meet another one here: none of them may wait, since a child of fork()
 * would wait for ever. */
static bool open_now(unsigned max) {
        enum adopt_state state = ADOPT_ARMED;
        if (!atomic_compare_exchange_strong(&adopt_state, &state, ADOPT_OPENING))
                return state == ADOPT_OPEN;
        const bool has_linker =
                dlopen != NULL && dlsym != NULL && dlclose != NULL && dlerror != NULL;
        const bool is_open = has_linker && is_wanted() && find_functions(max);
        if (has_linker)
                (void)dlerror(); /* a message that nobody waits for */
        /* Release: the functions were written before. */
        atomic_store_explicit(&adopt_state, is_open ? ADOPT_OPEN : ADOPT_DOWN,
                              memory_order_release);
        return is_open;
}

static threadcount_handle* enter(unsigned team, unsigned max) {
        threadcount_handle* handle = NULL;
        if (atomic_load_explicit(&adopt_state, memory_order_acquire) != ADOPT_OPEN &&
            !open_now(max))
                return NULL;
        /* A child of fork() opens its own at its first region. */
        if (library.open_default(&library.options, &handle) < 0)
                return NULL;
        library.enter(handle, team);
        return handle;
}

threadcount_handle* adopt_enter(unsigned team, unsigned max) {
        const int error = errno;
        threadcount_handle* handle = enter(team, max);
        errno = error;
        return handle;
}

void adopt_leave(threadcount_handle* handle, unsigned team) {
        const int error = errno;
        library.end(handle, team);
        errno = error;
}
