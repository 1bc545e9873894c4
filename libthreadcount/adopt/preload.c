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
        uint64_t places[ADOPT_PLACE_WORDS];
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
        remember_start_objects();
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

static bool find_functions(void) {
        void* handle = open_library();
        if (handle == NULL)
                return false;
        library.open_default =
                (__typeof__(library.open_default))dlsym(handle, "threadcount_open_default");
        library.enter = (__typeof__(library.enter))dlsym(handle, "threadcount_region_enter");
        library.end = (__typeof__(library.end))dlsym(handle, "threadcount_region_end");
        return library.open_default != NULL && library.enter != NULL && library.end != NULL;
}

static void set_options(unsigned max, const uint64_t* places, uint32_t words) {
        library.options = (threadcount_options)THREADCOUNT_OPTIONS_INIT;
        library.options.max_threads = max;
        library.options.wait_ms = 20;
        library.options.keeps = 1;
        library.options.affinity = library.places;
        library.options.affinity_words = words < ADOPT_PLACE_WORDS ? words : ADOPT_PLACE_WORDS;
        memcpy(library.places, places, library.options.affinity_words * sizeof(*places));
}

/* No thread waits for another one that opens it: a child of fork() would wait for ever. */
static bool open_now(unsigned max, const uint64_t* places, uint32_t words) {
        enum adopt_state state = ADOPT_ARMED;
        if (atomic_load_explicit(&adopt_state, memory_order_relaxed) != state || !may_use_linker())
                return false;
        if (!atomic_compare_exchange_strong(&adopt_state, &state, ADOPT_OPENING))
                return state == ADOPT_OPEN;
        const bool has_linker =
                dlopen != NULL && dlsym != NULL && dlclose != NULL && dlerror != NULL;
        const bool is_open = has_linker && is_wanted() && find_functions();
        set_options(max, places, words);
        if (has_linker)
                (void)dlerror(); /* a message that nobody waits for */
        /* Release: the functions were written before. */
        atomic_store_explicit(&adopt_state, is_open ? ADOPT_OPEN : ADOPT_DOWN,
                              memory_order_release);
        return is_open;
}

bool adopt_open(unsigned max, const uint64_t* places, uint32_t words) {
        const int error = errno;
        const bool is_open = open_now(max, places, words);
        errno = error;
        return is_open;
}

/* A child of fork() opens a handle of its own here. */
threadcount_handle* adopt_enter(unsigned team) {
        const int error = errno;
        threadcount_handle* handle = NULL;
        if (library.open_default(&library.options, &handle) == 0)
                library.enter(handle, team);
        errno = error;
        return handle;
}

void adopt_leave(threadcount_handle* handle, unsigned team) {
        const int error = errno;
        library.end(handle, team);
        errno = error;
}
