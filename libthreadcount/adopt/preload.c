/* SPDX-License-Identifier: MIT */
/* From the start of a program to its lease. */
#define _GNU_SOURCE
#include "preload.h"
#include "doze.h"
#include "linker.h"
#include "objects.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#pragma weak pthread_setcancelstate

#define LIBRARY "libthreadcount.so.1"

_Atomic(enum adopt_state) adopt_state;
_Atomic(enum adopt_teams) adopt_teams;
static atomic_bool sleeps;

/* Is the library loaded? */
enum { NOT_YET, LOADING, LOADED, FAILED };
static atomic_int load_state;
static _Atomic(pid_t) loader; /* the process of which a thread loads it */
static _Thread_local bool is_loading __attribute__((tls_model("initial-exec"))); /* this thread */

/* The functions are constant once LOADED was seen, the rest once ADOPT_OPEN was. */
static struct {
        __typeof__(threadcount_open_default)* open_default;
        __typeof__(threadcount_region_enter)* enter;
        __typeof__(threadcount_region_begin)* begin;
        __typeof__(threadcount_region_end)* end;
        __typeof__(threadcount_idle)* idle;
        __typeof__(threadcount_keeps)* keeps;
        __typeof__(threadcount_spins)* spins;
        threadcount_options options;
        bool may_cancel; /* a thread that waits */
        uint64_t places[ADOPT_PLACE_WORDS];
} library;

static bool is_set_to(const char* variable, const char* value) {
        const char* text = getenv(variable);
        return text != NULL && strcmp(text, value) == 0;
}

static bool is_space(char letter) { return letter == ' ' || (letter >= '\t' && letter <= '\r'); }

/* Reads it as libgomp does: in letters of either case, with white space around. */
static bool is_true(const char* text) {
        static const char kTrue[] = "true";
        while (is_space(*text))
                text++;
        for (const char* letter = kTrue; *letter != '\0'; letter++, text++)
                if ((*text | 0x20) != *letter)
                        return false;
        while (is_space(*text))
                text++;
        return *text == '\0';
}

static bool is_permitted(void) {
        const char* dynamic = getenv("OMP_DYNAMIC");
        return is_set_to("THREADCOUNT_ADOPT", "adapt") || (dynamic != NULL && is_true(dynamic));
}

/* Again when it opens: the program may have taken its environment away. */
static bool is_wanted(void) {
        return is_set_to("THREADCOUNT_ADOPT", "keep") || is_set_to("THREADCOUNT_ADOPT", "adapt");
}

/*
 * Threads that a runtime binds have CPUs of their own, whatever others may use, and only the
 * outermost teams are seen.
 */
static bool is_fenced(void) {
        static const char* const kOwn[] = {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY",
                                           "OMP_NESTED", "OMP_MAX_ACTIVE_LEVELS"};
        if (!is_set_to("THREADCOUNT_ADOPT", "fenced") || are_threads_the_users())
                return false;
        for (unsigned i = 0; i < sizeof(kOwn) / sizeof(kOwn[0]); i++)
                if (getenv(kOwn[i]) != NULL)
                        return false;
        return true;
}

/*
 * No thread waits for another one that does this: a child of fork() would wait for ever. What two
 * of them find is the same. Before libc's own constructor there is no environment, and nothing is
 * decided.
 */
void adopt_arm(void) {
        static atomic_bool is_remembered;
        enum adopt_state state = ADOPT_UNARMED;
        enum adopt_teams teams = ADOPT_UNKNOWN;
        const int error = errno;
        if (atomic_load_explicit(&adopt_state, memory_order_relaxed) != state)
                return;
        const bool fenced = is_fenced();
        if (!fenced && !is_wanted())
                return;
        if (!atomic_exchange(&is_remembered, true)) {
                remember_start_objects();
                remember_start_cpus();
        }
        /* Only the first, since set_options() may have changed it meanwhile. */
        (void)atomic_compare_exchange_strong(&adopt_teams, &teams,
                                             is_permitted() ? ADOPT_ADAPTS : ADOPT_KEEPS);
        (void)atomic_compare_exchange_strong(&adopt_state, &state,
                                             fenced ? ADOPT_FENCED : ADOPT_ARMED);
        errno = error;
}

__attribute__((constructor)) static void start(void) {
        enum adopt_state state = ADOPT_UNARMED;
        adopt_arm();
        if (atomic_compare_exchange_strong(&adopt_state, &state, ADOPT_DOWN))
                remember_start_objects();
        else if (has_program_loaded()) /* before the variables could be read */
                adopt_load(true);
}

/* A program that has the library by itself follows by itself. By its path, since a sanitizer calls
 * dlopen() for us, and then looks beside itself. */
static void* open_library(void) {
        static char path[4096];
        void* theirs = really_open(LIBRARY, RTLD_LAZY | RTLD_NOLOAD);
        if (theirs == NULL)
                return path_beside_us(LIBRARY, path, sizeof(path))
                               ? really_open(path, RTLD_NOW | RTLD_LOCAL)
                               : NULL;
        really_close(theirs);
        return NULL;
}

static bool find_functions(void) {
        void* handle = open_library();
        if (handle == NULL)
                return false;
        library.open_default = (__typeof__(library.open_default))linker_symbol(
                handle, "threadcount_open_default", NULL);
        library.enter =
                (__typeof__(library.enter))linker_symbol(handle, "threadcount_region_enter", NULL);
        library.begin =
                (__typeof__(library.begin))linker_symbol(handle, "threadcount_region_begin", NULL);
        library.end =
                (__typeof__(library.end))linker_symbol(handle, "threadcount_region_end", NULL);
        library.idle = (__typeof__(library.idle))linker_symbol(handle, "threadcount_idle", NULL);
        library.keeps = (__typeof__(library.keeps))linker_symbol(handle, "threadcount_keeps", NULL);
        library.spins = (__typeof__(library.spins))linker_symbol(handle, "threadcount_spins", NULL);
        return library.open_default != NULL && library.enter != NULL && library.begin != NULL &&
               library.end != NULL && library.idle != NULL && library.keeps != NULL &&
               library.spins != NULL;
}

static void set_options(unsigned max, const uint64_t* places, uint32_t words) {
        if (words > 0 || is_set_to("THREADCOUNT", "keep"))
                atomic_store_explicit(&adopt_teams, ADOPT_KEEPS, memory_order_relaxed);
        library.options = (threadcount_options)THREADCOUNT_OPTIONS_INIT;
        library.options.max_threads = max;
        library.options.wait_ms = 20;
        library.options.keeps = !adopt_adapts();
        /* Programs that keep their teams are not cancelled there, unless the user says otherwise.
         */
        library.may_cancel = !library.options.keeps || getenv("THREADCOUNT") != NULL;
        library.options.sleeps = may_doze();
        atomic_store_explicit(&sleeps, library.options.sleeps, memory_order_relaxed);
        library.options.affinity = library.places;
        library.options.affinity_words = words < ADOPT_PLACE_WORDS ? words : ADOPT_PLACE_WORDS;
        memcpy(library.places, places, library.options.affinity_words * sizeof(*places));
}

/*
 * Another thread loads it before the caller takes the linker's lock. Not for ever: that thread may
 * wait for the lock, and the caller hold it, in a constructor of what libc has loaded by itself. In
 * a child of fork() no such thread is left.
 */
static void wait_for_loader(void) {
        enum { LONGEST_ms = 100 };
        static atomic_bool is_in_vain;
        for (int waited = 0; atomic_load_explicit(&load_state, memory_order_acquire) == LOADING &&
                             atomic_load(&loader) == getpid() && !atomic_load(&is_in_vain);
             waited++) {
                if (waited == LONGEST_ms)
                        atomic_store(&is_in_vain, true);
                else
                        sleep_for(1);
        }
}

/* What the linker calls may load something as well, as another object in front of dlopen(). */
void adopt_load(bool is_first) {
        int state = NOT_YET;
        if (is_loading || !adopt_is_up() || adopt_is_fenced())
                return;
        const int error = errno;
        if (is_first && atomic_compare_exchange_strong(&load_state, &state, LOADING)) {
                is_loading = true;
                atomic_store(&loader, getpid());
                state = is_there_a_linker() && is_wanted() && find_functions() ? LOADED : FAILED;
                /* Release: the functions were written before. */
                atomic_store_explicit(&load_state, state, memory_order_release);
                is_loading = false;
        }
        wait_for_loader();
        errno = error;
}

/* Or it will never be. The thread must not wait for the linker; before the program's first
 * dlopen(), which loads it, it does not. */
static bool is_loaded(void) {
        if (atomic_load_explicit(&load_state, memory_order_acquire) == NOT_YET &&
            !has_program_loaded() && may_use_linker())
                adopt_load(true);
        return atomic_load_explicit(&load_state, memory_order_acquire) > LOADING;
}

/* No thread waits for another one that opens it: a child of fork() would wait for ever. */
static bool open_now(unsigned max, const uint64_t* places, uint32_t words) {
        enum adopt_state state = ADOPT_ARMED;
        if (atomic_load_explicit(&adopt_state, memory_order_relaxed) != state || !is_loaded())
                return false;
        if (!atomic_compare_exchange_strong(&adopt_state, &state, ADOPT_OPENING))
                return state == ADOPT_OPEN;
        const bool is_open =
                atomic_load_explicit(&load_state, memory_order_acquire) == LOADED && is_wanted();
        set_options(max, places, words);
        /* Release: the options were written before. */
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

/*
 * OpenMP cancels no thread at a region or a question, so a program may hold a mutex there.
 * libthreadcount may, where it waits.
 */
static int forbid_cancelling(void) {
        int before = PTHREAD_CANCEL_ENABLE;
        if (library.may_cancel && pthread_setcancelstate != NULL)
                (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
        return before;
}

static void permit_cancelling(int before) {
        if (library.may_cancel && pthread_setcancelstate != NULL)
                (void)pthread_setcancelstate(before, NULL);
}

/* A child of fork() opens a handle of its own here. */
threadcount_handle* adopt_enter(unsigned team, bool keeps, bool* ret_crowded) {
        const int error = errno;
        const int before = forbid_cancelling();
        threadcount_handle* handle = NULL;
        *ret_crowded = false;
        if (library.open_default(&library.options, &handle) == 0) {
                if (keeps && team >= library.options.max_threads)
                        library.keeps(handle);
                *ret_crowded = library.enter(handle, team) > 0;
        }
        permit_cancelling(before);
        errno = error;
        return handle;
}

bool adopt_sleeps(void) { return atomic_load_explicit(&sleeps, memory_order_relaxed); }

/* A thread that comes while another one finds out, or a child of that moment, spins. */
bool adopt_may_doze(void) {
        enum { UNTRIED, TRYING, MAY, MAY_NOT };
        static atomic_int answer;
        int known = atomic_load_explicit(&answer, memory_order_acquire);
        if (known == UNTRIED && atomic_compare_exchange_strong(&answer, &known, TRYING)) {
                const int error = errno;
                known = may_doze() ? MAY : MAY_NOT;
                atomic_store_explicit(&answer, known, memory_order_release);
                errno = error;
        }
        return known == MAY;
}

/* `run` looks for this name in /proc/PID/maps. Old kernels have no such call: it stays untold. */
void adopt_tell_fence(void) {
        enum { SIZE = 4096, CLOSE_ON_EXEC = 1 };
        static atomic_bool is_told;
        const int error = errno;
        const long file = atomic_exchange(&is_told, true)
                                  ? -1
                                  : syscall(SYS_memfd_create, "threadcount-fenced", CLOSE_ON_EXEC);
        if (file >= 0) {
                const long memory = syscall(SYS_mmap, NULL, SIZE, PROT_NONE, MAP_PRIVATE, file, 0L);
                if (memory != -1)
                        (void)syscall(SYS_madvise, memory, SIZE, MADV_DONTFORK);
                (void)syscall(SYS_close, file);
        }
        errno = error;
}

void adopt_spins(threadcount_handle* handle) {
        const int error = errno;
        atomic_store_explicit(&sleeps, false, memory_order_relaxed);
        library.spins(handle);
        errno = error;
}

/*
 * A program that may use all its threads is in nobody's way. It need not know of a thread that
 * wants more.
 */
static unsigned limit(unsigned grant) { return grant < library.options.max_threads ? grant : 0; }

threadcount_handle* adopt_begin(unsigned* ret_grant) {
        const int error = errno;
        const int before = forbid_cancelling();
        threadcount_handle* handle = NULL;
        *ret_grant = 0;
        if (library.open_default(&library.options, &handle) == 0)
                *ret_grant = limit(library.begin(handle));
        permit_cancelling(before);
        errno = error;
        return handle;
}

/* A region that is forgotten, since it was none: no length of it is told. */
unsigned adopt_ask(void) {
        unsigned grant = 0;
        threadcount_handle* handle = adopt_begin(&grant);
        const int error = errno;
        if (handle != NULL) {
                library.end(NULL, 0);
                library.idle(handle);
        }
        errno = error;
        return grant;
}

/* Makes no system call, so that errno stays as it is. */
void adopt_leave(threadcount_handle* handle, unsigned team) { library.end(handle, team); }
