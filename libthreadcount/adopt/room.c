/* SPDX-License-Identifier: MIT */
/* CPU affinities, which no function of libc is asked for: old ones know other sizes of masks. */
#define _GNU_SOURCE
#include "room.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { BITS = 8 * sizeof(unsigned long), WORDS = 8192 / BITS };
/* A process with more threads is not looked at to the end. */
enum { MOST_THREADS_SEEN = 1024 };

struct cpus {
        unsigned long words[WORDS];
};

/* As the kernel writes them. */
struct entry_of_folder {
        uint64_t number;
        int64_t next;
        unsigned short size;
        unsigned char type;
        char name[];
};

/* What the calling thread has found last. */
static _Thread_local struct {
        int64_t looked_ns;     /* at its own CPUs; 0: never                */
        int64_t looked_all_ns; /* at those of all threads                  */
        int64_t regular_since_ns;
        unsigned own;      /* its CPUs                                 */
        unsigned own_then; /* those when it looked at all threads      */
        unsigned all;      /* CPUs of all threads, `enough` or fewer   */
        unsigned enough;   /* the largest team that has lacked its own */
        unsigned ticks;    /* at which it has asked, one soon after the other */
} room __attribute__((tls_model("initial-exec")));

static void add_cpus_of(unsigned thread, struct cpus* to) {
        struct cpus cpus;
        const long bytes = syscall(SYS_sched_getaffinity, thread, sizeof(cpus), &cpus);
        for (long i = 0; i < bytes / (long)sizeof(cpus.words[0]); i++)
                to->words[i] |= cpus.words[i];
}

static unsigned count_of(const struct cpus* cpus) {
        unsigned count = 0;
        for (unsigned i = 0; i < WORDS; i++)
                for (unsigned long left = cpus->words[i]; left != 0; left &= left - 1)
                        count++; /* the compiler's own function is in libgcc */
        return count;
}

unsigned cpus_now(void) {
        const int error = errno;
        struct cpus cpus = {{0}};
        add_cpus_of(0, &cpus);
        errno = error;
        return count_of(&cpus);
}

/* 0: it is none. */
static unsigned thread_called(const char* name) {
        unsigned thread = 0;
        for (; *name >= '0' && *name <= '9'; name++)
                thread = thread * 10 + (unsigned)(*name - '0');
        return thread;
}

/* Of all threads together, as far as there are not enough. */
static unsigned count_all_in(long folder, unsigned enough) {
        _Alignas(struct entry_of_folder) char entries[2048];
        struct cpus cpus = {{0}};
        unsigned count = 0;
        long bytes = 0;
        for (unsigned seen = 0; seen < MOST_THREADS_SEEN;) {
                bytes = syscall(SYS_getdents64, folder, entries, sizeof(entries));
                if (bytes <= 0)
                        break;
                for (long at = 0; at < bytes;) {
                        const struct entry_of_folder* entry =
                                (const struct entry_of_folder*)(const void*)(entries + at);
                        const unsigned thread = thread_called(entry->name);
                        at += entry->size;
                        if (thread == 0)
                                continue;
                        add_cpus_of(thread, &cpus);
                        seen++;
                }
                count = count_of(&cpus);
                if (count >= enough)
                        return enough;
        }
        return bytes < 0 ? enough : count;
}

/* Apart, since this takes some stack, rarely. */
static __attribute__((noinline)) unsigned count_all(unsigned enough) {
        const int error = errno;
        const long folder = syscall(SYS_openat, AT_FDCWD, "/proc/self/task",
                                    O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        const unsigned count = folder < 0 ? enough : count_all_in(folder, enough);
        if (folder >= 0)
                (void)syscall(SYS_close, folder);
        errno = error;
        return count;
}

static int64_t tick_ns(void) {
        struct timespec now = {0, 0};
        (void)clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
        return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Threads may be bound one after the other, which its own CPUs do not tell. */
static bool lack_all(unsigned team, int64_t now_ns) {
        enum { AGAIN_ns = 100000000 };
        if (team > room.enough || room.own != room.own_then ||
            now_ns - room.looked_all_ns >= AGAIN_ns) {
                room.enough = team > room.enough ? team : room.enough;
                room.own_then = room.own;
                room.looked_all_ns = now_ns;
                room.all = count_all(room.enough);
        }
        return room.all < team;
}

enum { REGULAR = 8 };

/* The loops with which a program begins are no more than some ticks. */
static void note_tick(int64_t now_ns, int64_t since_last_ns) {
        enum { SOON_ns = 250000000 };
        if (room.ticks >= REGULAR)
                return;
        if (since_last_ns > SOON_ns) {
                room.ticks = 0;
                room.regular_since_ns = now_ns;
        } else if (room.ticks + 1 < REGULAR || now_ns - room.regular_since_ns >= SOON_ns) {
                room.ticks++;
        }
}

bool has_become_regular(void) {
        if (room.ticks != REGULAR)
                return false;
        room.ticks++;
        return true;
}

bool lacks_cpus(unsigned team) {
        const int64_t now_ns = tick_ns();
        const bool is_first = room.looked_ns == 0;
        if (now_ns != room.looked_ns) {
                note_tick(now_ns, now_ns - room.looked_ns);
                room.looked_ns = now_ns;
                room.own = cpus_now();
        }
        return room.own < team && room.own != 0 && !is_first && lack_all(team, now_ns);
}
