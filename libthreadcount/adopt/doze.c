/* SPDX-License-Identifier: MIT */
/* Threads that do nothing but be there. */
#define _GNU_SOURCE
#include "doze.h"
#include "linker.h"
#include "room.h"
#include "symbols.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

typedef void begin_region(void (*function)(void*), void* data, unsigned num_threads,
                          unsigned flags);

enum bed_state { AWAKE, STARTING, HELPED, SPINS };

/* A runtime whose threads may be made to sleep. A child of fork(), in which nobody does, finds all
 * of it 0. */
struct bed {
        _Atomic(struct runtime*) runtime; /* NULL: free                                      */
        _Atomic(enum bed_state) state;    /* HELPED: a thread of ours makes them sleep       */
        atomic_uint narrowest;            /* team that was crowded; 0: none                  */
        atomic_uint regions;              /* crowded ones that have not ended                */
        atomic_bool is_used;              /* such a region has begun since it looked last    */
        unsigned cpus;                    /* that the runtime counts; written before HELPED  */
        char path[4096];                  /* of the runtime; likewise                        */
};

/* A program rarely sees a second runtime. One without a place spins. */
enum { BEDS = 4 };
enum { LOOK_ms = 40, PATIENCE_ms = 1000 };

static struct bed* beds; /* constant after may_doze() */
static atomic_uint cpus_at_start;
static _Thread_local bool is_helper __attribute__((tls_model("initial-exec")));

/* Found where libgomp has been: this object is linked to nothing. */
static struct {
        __typeof__(pthread_create)* create;
        __typeof__(pthread_join)* join;
        __typeof__(pthread_detach)* detach;
} pthreads;

/* One region of the helper. */
struct stay {
        struct bed* bed;
        unsigned threads;
        atomic_uint arrived;  /* of `threads`                   */
        enum bed_state state; /* that it leaves when it is over */
};

void sleep_for(long ms) {
        static atomic_uint nobody_wakes;
        const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
        (void)syscall(SYS_futex, &nobody_wakes, FUTEX_WAIT_PRIVATE, 0, &time, NULL, 0);
}

static bool is_limited(int resource) {
        struct rlimit limit;
        return syscall(SYS_prlimit64, 0, resource, NULL, &limit) != 0 ||
               limit.rlim_cur != RLIM_INFINITY;
}

void remember_start_cpus(void) { atomic_store(&cpus_at_start, cpus_now()); }

/* See threads_beside(). */
bool is_large_enough(unsigned team) { return 2 * team >= atomic_load(&cpus_at_start) + 2; }

bool are_threads_the_users(void) {
        static const char* const kVariables[] = {"OMP_DISPLAY_AFFINITY", "OMP_THREAD_LIMIT",
                                                 "OMP_STACKSIZE", "GOMP_STACKSIZE"};
        for (unsigned i = 0; i < sizeof(kVariables) / sizeof(kVariables[0]); i++)
                if (getenv(kVariables[i]) != NULL)
                        return true;
        return false;
}

bool may_doze(void) {
        const size_t size = BEDS * sizeof(*beds);
        if (are_threads_the_users() || is_limited(RLIMIT_AS) || is_limited(RLIMIT_DATA))
                return false;
        const long memory = syscall(SYS_mmap, NULL, size, PROT_READ | PROT_WRITE,
                                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0L);
        if (memory == -1)
                return false;
        if (syscall(SYS_madvise, memory, size, MADV_WIPEONFORK) != 0) {
                (void)syscall(SYS_munmap, memory, size);
                return false;
        }
        beds = (struct bed*)memory;
        return true;
}

static bool find_pthreads(void) {
        void* create = NULL;
        void* join = NULL;
        void* detach = NULL;
        if (symbols_of_others("pthread_create", NULL, &create) == 0 ||
            symbols_of_others("pthread_join", NULL, &join) == 0 ||
            symbols_of_others("pthread_detach", NULL, &detach) == 0)
                return false;
        pthreads.create = (__typeof__(pthreads.create))create;
        pthreads.join = (__typeof__(pthreads.join))join;
        pthreads.detach = (__typeof__(pthreads.detach))detach;
        return true;
}

static void* wait_for_the_others(void* data) {
        atomic_uint* is_over = data;
        while (atomic_load(is_over) == 0)
                (void)syscall(SYS_futex, is_over, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
        return NULL;
}

/* libgomp ends the program where it gets no thread. Therefore twice as many are tried first. */
static bool can_start(unsigned needed) {
        const unsigned count = 2 * needed;
        pthread_t tried[count];
        atomic_uint is_over = 0;
        unsigned started = 0;
        while (started < count &&
               pthreads.create(&tried[started], NULL, wait_for_the_others, &is_over) == 0)
                started++;
        atomic_store(&is_over, 1);
        (void)syscall(SYS_futex, &is_over, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
        for (unsigned i = 0; i < started; i++)
                (void)pthreads.join(tried[i], NULL);
        return started == count;
}

static bool have_all_arrived(struct stay* stay) {
        for (int waited = 0; atomic_load(&stay->arrived) < stay->threads; waited++) {
                if (waited == PATIENCE_ms)
                        return false;
                sleep_for(1);
        }
        return true;
}

/* So many threads of ours, beside a team of so many, are one more than the runtime counts CPUs. The
 * first thread of a region counts as one of the program's. */
static unsigned threads_beside(const struct bed* bed) {
        const unsigned team = atomic_load(&bed->narrowest);
        return team < bed->cpus ? bed->cpus - team + 2 : 2;
}

/* Until more threads are wanted, or nobody needs them. The other threads of the region wait for its
 * end in libgomp, asleep. */
static void stay_here(void* data) {
        struct stay* stay = data;
        struct bed* bed = stay->bed;
        atomic_fetch_add(&stay->arrived, 1);
        if (!is_helper)
                return;
        stay->state = have_all_arrived(stay) ? HELPED : SPINS;
        while (stay->state == HELPED && threads_beside(bed) == stay->threads) {
                sleep_for(LOOK_ms);
                if (!atomic_exchange(&bed->is_used, false) && atomic_load(&bed->regions) == 0)
                        stay->state = AWAKE;
        }
}

/*
 * The runtime is never unloaded any more: the helper returns there. Nor is libgcc, without which
 * threads of the runtime could not end.
 */
static begin_region* keep_loaded(const struct bed* bed) {
        const struct object* object = &atomic_load(&bed->runtime)->object;
        struct object now;
        if (really_open("libgcc_s.so.1", RTLD_NOW | RTLD_NODELETE) == NULL ||
            really_open(bed->path, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) == NULL ||
            !object_at(object->dynamic, &now) || now.base != object->base)
                return NULL;
        return (begin_region*)object_symbol(&now, "GOMP_parallel");
}

/* The runtime ends the threads of the helper's regions when the helper ends. */
static void* help(void* data) {
        struct stay stay = {.bed = data, .state = HELPED};
        begin_region* begin = keep_loaded(stay.bed);
        is_helper = true;
        if (begin == NULL)
                stay.state = SPINS;
        while (stay.state == HELPED) {
                stay.threads = threads_beside(stay.bed);
                atomic_store(&stay.arrived, 0);
                if (stay.threads <= atomic_load(&stay.bed->narrowest) &&
                    can_start(stay.threads - 1))
                        begin(stay_here, &stay, stay.threads, 0);
                else
                        stay.state = SPINS;
        }
        atomic_store(&stay.bed->state, stay.state);
        return NULL;
}

/* No signal of the program is the helper's to handle. Two are the library's own. */
static bool start_helper(struct bed* bed) {
        enum { FIRST_OF_LIBC = 32, SIGNALS = 64 };
        const uint64_t all = ~(UINT64_C(3) << (FIRST_OF_LIBC - 1));
        uint64_t before = 0;
        pthread_t helper;
        if (!find_pthreads() ||
            syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &before, SIGNALS / 8) != 0)
                return false;
        const bool is_started = pthreads.create(&helper, NULL, help, bed) == 0;
        (void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, SIGNALS / 8);
        return is_started && pthreads.detach(helper) == 0;
}

static struct bed* bed_of(struct runtime* runtime) {
        for (unsigned i = 0; beds != NULL && i < BEDS; i++) {
                struct runtime* other = NULL;
                if (atomic_compare_exchange_strong(&beds[i].runtime, &other, runtime) ||
                    other == runtime)
                        return &beds[i];
        }
        return NULL;
}

/*
 * The calling thread is about to begin a region. False: it cannot be told what the runtime counts,
 * or a team is not as large as it says.
 */
static bool look_at(const struct runtime* runtime, struct bed* bed) {
        int (*get_num_procs)(void) =
                (int (*)(void))object_symbol(&runtime->object, "omp_get_num_procs");
        int (*get_dynamic)(void) =
                (int (*)(void))object_symbol(&runtime->object, "omp_get_dynamic");
        const size_t length = strlen(runtime->object.name) + 1;
        if (get_num_procs == NULL || get_dynamic == NULL || get_dynamic() != 0 ||
            length > sizeof(bed->path))
                return false;
        /* With places its first thread is bound before anybody can count. */
        const unsigned counted = (unsigned)get_num_procs();
        const unsigned at_start = atomic_load(&cpus_at_start);
        bed->cpus = counted > at_start ? counted : at_start;
        memcpy(bed->path, runtime->object.name, length);
        return true;
}

/* Of the teams that are to sleep, the smallest needs most threads of ours. */
static void note_team(struct bed* bed, unsigned team) {
        unsigned narrowest = atomic_load(&bed->narrowest);
        while ((narrowest == 0 || team < narrowest) &&
               !atomic_compare_exchange_weak(&bed->narrowest, &narrowest, team)) {
        }
}

static enum bed_state make_sleep(struct runtime* runtime, struct bed* bed, unsigned team) {
        enum bed_state state = AWAKE;
        note_team(bed, team);
        if (atomic_compare_exchange_strong(&bed->state, &state, STARTING)) {
                const bool is_possible = look_at(runtime, bed);
                atomic_store(&bed->state, is_possible ? HELPED : SPINS);
                if (is_possible && !start_helper(bed))
                        atomic_store(&bed->state, SPINS);
        }
        return atomic_load(&bed->state);
}

bool dozing_begin(struct runtime* runtime, unsigned team) {
        const int error = errno;
        struct bed* bed = bed_of(runtime);
        if (bed == NULL)
                return false;
        atomic_fetch_add(&bed->regions, 1);
        atomic_store_explicit(&bed->is_used, true, memory_order_relaxed);
        const bool sleeps = make_sleep(runtime, bed, team) != SPINS;
        if (!sleeps)
                atomic_fetch_sub(&bed->regions, 1);
        errno = error;
        return sleeps;
}

/* A child of fork() that ends its parent's region has begun none. */
void dozing_end(struct runtime* runtime) {
        struct bed* bed = bed_of(runtime);
        if (bed != NULL && atomic_load(&bed->regions) > 0)
                atomic_fetch_sub(&bed->regions, 1);
}
