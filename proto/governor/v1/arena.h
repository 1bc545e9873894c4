/* SPDX-License-Identifier: MIT */
/*
 * arena.h - the memory that the governor shares with its clients: layout, version 1.
 *
 * Plain C without dependencies. All numbers are in the byte order of the machine, all
 * offsets and sizes in bytes. Memory comes in pairs of memfds, which a client gets together
 * with the number of its slot:
 *
 *   grants    written by the governor, read by clients: a governor_grant_header, then slots.
 *             Sealed SHRINK, GROW, FUTURE_WRITE and SEAL: whoever has the descriptor can
 *             map it for reading only, and can neither change nor shorten it.
 *   reports   a governor_report_slot for each slot, the first at offset 0; written by
 *             clients, read by the governor. Sealed SHRINK, GROW and SEAL. All clients of
 *             one pair run as one user, and each can write all of it: nobody,
 *             neither the governor nor a client, may rely on what it says.
 *
 * BEFORE MAPPING a client checks the seals of both (a file that shrinks would kill it by
 * SIGBUS), reads the header with pread(), checks each of its fields as told there, and goes
 * by that copy from then on. A header that fails is no grant: the client runs on its own.
 *
 * A GRANT SLOT starts with its word (see below). Behind it are two buffers, each a
 * governor_grant_reason and a set of CPUs; the one that counts is number (epoch & 1). CPU n
 * is bit n % 64 of word n / 64 of the set, numbered as the kernel does.
 *
 *   The governor, which is the only writer, makes a new grant like this:
 *     1. a release fence;
 *     2. relaxed stores into the buffer that does not count;
 *     3. a release store of the word, with the next epoch.
 *   A reader takes reason and set that belong together like this:
 *     1. an acquire load of the word;
 *     2. relaxed loads from the buffer of its epoch;
 *     3. an acquire fence, and a relaxed load of the word: if it is another one, all over
 *        again, three times at most. Then it keeps what it had and tries at its next call.
 *   So a reader never waits, and one whose governor was killed between any two
 *   instructions reads the last whole grant. Who wants only threads or flags loads the word.
 *
 * NONSENSE that a reader may meet, from a governor that is newer or broken:
 *     epoch 0 or 0 threads      nothing is granted (yet): it goes on with what it had, and after
 *                               a second without a first grant as without a governor
 *     more threads than CPUs    they are capped by the client's own maximum
 *     unknown flags             ignored
 *     unknown limit             "another reason"
 *     CPUs that it may not use  left out; nothing left: the set says nothing
 *
 * THE HEARTBEAT is counted up every 500 ms, whatever else happens. Unchanged for 2 s by the
 * client's own clock: the governor is gone or hangs, and the grant ages.
 */
#ifndef GOVERNOR_V1_ARENA_H
#define GOVERNOR_V1_ARENA_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define GOVERNOR_ARENA_MAGIC   UINT64_C(0x414e455241564f47) /* "GOVARENA", little endian */
#define GOVERNOR_ARENA_VERSION 1u /* another one: nothing but magic and version is known */

/* What a client need not believe: a memfd above 1 GiB, a CPU above 65,535. */
#define GOVERNOR_ARENA_SIZE_MAX      (UINT64_C(1) << 30)
#define GOVERNOR_ARENA_SET_WORDS_MAX 1024u

/* Slots, and what different processes write, start at multiples of this. */
#define GOVERNOR_ARENA_LINE 64u

/* A report slot has these fields at least; behind them report_slot_size says what there is. */
#define GOVERNOR_REPORT_SLOT_SIZE_MIN 320u

/*
 * At offset 0 of the grants. Constant but for the heartbeat. Sizes may be larger than this
 * version needs: a newer governor appends fields, an older client does not look at them. A newer
 * client writes only those of its report slot that report_slot_size has room for.
 */
struct governor_grant_header {
        uint64_t magic;            /* GOVERNOR_ARENA_MAGIC                                 */
        uint32_t version;          /* GOVERNOR_ARENA_VERSION                               */
        uint32_t slot_count;       /* 1 ..; of grants and reports alike                    */
        uint64_t size;             /* of the grants: what fstat() says, <= SIZE_MAX        */
        uint64_t slots_offset;     /* of slot 0: behind the header, multiple of LINE       */
        uint32_t slot_size;        /* multiple of LINE; all slots end within size          */
        uint32_t buffers_offset;   /* of buffer 0 in a slot: behind its word, mult. of 8   */
        uint32_t buffer_size;      /* multiple of 8; both buffers end within their slot    */
        uint32_t set_offset;       /* of the set in a buffer: behind the reason, mult. of 8*/
        uint32_t set_words;        /* 64-bit words of a set: 1 .. SET_WORDS_MAX            */
        uint32_t report_slot_size; /* >= REPORT_SLOT_SIZE_MIN, multiple of LINE            */
        uint64_t report_size;      /* of the reports: what fstat() says, <= SIZE_MAX       */
        uint64_t heartbeat;        /* >= 1; relaxed; on a line of its own                  */
        uint64_t unused[7];        /* 0                                                    */
};

/*
 * The word, of grants and reports alike:
 *   bits 63..32  epoch: of a grant, which counts up with each in this slot, also from one
 *                client of the slot to the next; 2 follows on 0xffffffff, 0 is before the
 *                first. In a report: of the grant that its region goes by.
 *   bits 31..8   threads: granted, or of the present or last region's team
 *   bits 7..0    flags; those that are not named are 0
 */
#define GOVERNOR_WORD_THREADS_MAX 0xffffffu

#define GOVERNOR_GRANT_CROWDED  0x01u /* other teams run beside: see Hello.sleeps           */
#define GOVERNOR_GRANT_PARKED   0x02u /* do not begin an outermost region; wait            */
#define GOVERNOR_GRANT_RELEASED 0x04u /* governed no more; threads and set are the last    */
#define GOVERNOR_GRANT_SHARED   0x08u /* others may be using the CPUs of the set           */

#define GOVERNOR_REPORT_IN_REGION 0x01u
#define GOVERNOR_REPORT_WAITS     0x02u /* it is parked, in front of a region */

/* At the start of each buffer of a grant slot. CPUs unless said otherwise. */
struct governor_grant_reason {
        uint32_t limit;       /* enum governor_grant_limit of reasons.h              */
        uint32_t cpus;        /* distributed                                         */
        uint32_t foreign;     /* of these, left to programs that are not governed    */
        uint32_t reserved;    /* of these, kept free for programs that come and go   */
        uint32_t rigid;       /* of these, charged to rigid holders above their share*/
        uint32_t programs;    /* that share the rest                                 */
        uint32_t accounts;    /* that these programs belong to                       */
        uint32_t share;       /* its fair share, when handovers are over             */
        uint32_t bound;       /* what the limit is about: a quota, a maximum, ...    */
        uint32_t own_foreign; /* of `foreign`, what counts against its account    */
        uint32_t unused[2];
};

/* Thread pools, the sum over all of the program; all 0: it has none. */
struct governor_pool_report {
        uint64_t lanes;    /* threads that run tasks, or may one day   */
        uint64_t active;   /* of these, may run tasks now              */
        uint64_t executed; /* tasks so far; this and the rest may wrap */
        uint64_t stolen;   /* of these, taken from another lane        */
        uint64_t parked;   /* times that a lane went to sleep          */
        uint64_t woken;    /* times that one was woken                 */
        uint64_t unused[2];
};

/*
 * One report slot. At a region's begin: regions + 1 (relaxed), then the word with IN_REGION
 * (release); at its end the word without. All other fields are relaxed, and optional.
 * A client whose welcome says that its slot is fresh writes 0 to all of it first: it may hold
 * what the client before it has reported. The governor must not write here. Who holds this memory
 * could make it wait for ever, by a write of its own from a page that never comes.
 */
struct governor_report_slot {
        uint64_t word;           /* threads: the team of the present or last region    */
        uint64_t regions;        /* begun so far, outermost ones; may wrap             */
        uint64_t progress_done;  /* work done so far, in any unit; <= total            */
        uint64_t progress_total; /* all of its work in that unit; 0: not known         */
        uint64_t unused[4];
        /*
         * Regions that have ended, by the size of their team: entry i is for
         * 2^i <= team < 2^(i+1), the last one for all above. From total_ns / count of two
         * entries one sees what more threads are worth to it. May wrap.
         */
        struct governor_region_time {
                uint64_t count;
                uint64_t total_ns;
        } region_time[16];
        struct governor_pool_report pool; /* a governor may have no room for it */
};

static_assert(offsetof(struct governor_grant_header, slots_offset) == 24, "layout");
static_assert(offsetof(struct governor_grant_header, set_words) == 48, "layout");
static_assert(offsetof(struct governor_grant_header, report_size) == 56, "layout");
static_assert(offsetof(struct governor_grant_header, heartbeat) == 64, "layout");
static_assert(sizeof(struct governor_grant_header) == 128, "layout");
static_assert(offsetof(struct governor_grant_reason, bound) == 32, "layout");
static_assert(sizeof(struct governor_grant_reason) == 48, "layout");
static_assert(offsetof(struct governor_report_slot, region_time) == 64, "layout");
static_assert(offsetof(struct governor_report_slot, pool) == GOVERNOR_REPORT_SLOT_SIZE_MIN,
              "layout");
static_assert(sizeof(struct governor_pool_report) == 64, "layout");
static_assert(sizeof(struct governor_report_slot) == 384, "layout");

/* A word of its parts; `threads` <= GOVERNOR_WORD_THREADS_MAX, `flags` <= 0xff. */
static inline uint64_t governor_word(uint32_t epoch, uint32_t threads, uint32_t flags) {
        return (uint64_t)epoch << 32 | (uint64_t)threads << 8 | flags;
}

static inline uint32_t governor_word_epoch(uint64_t word) { return (uint32_t)(word >> 32); }

static inline uint32_t governor_word_threads(uint64_t word) {
        return (uint32_t)(word >> 8) & GOVERNOR_WORD_THREADS_MAX;
}

static inline uint32_t governor_word_flags(uint64_t word) { return (uint32_t)word & 0xffu; }

/* The epoch after this one, in the other buffer: 0 is skipped, and with it 1. */
static inline uint32_t governor_next_epoch(uint32_t epoch) {
        return epoch == 0xffffffffu ? 2u : epoch + 1u;
}

#endif /* GOVERNOR_V1_ARENA_H */
