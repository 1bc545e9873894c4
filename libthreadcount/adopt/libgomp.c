/* SPDX-License-Identifier: MIT */
/*
 * The calls of gcc's code that begin a region, before they reach libgomp.
 *
 * Nested regions and those of one thread (`if` that is false) begin at once, as do all of a runtime
 * that is not libgomp.
 */
#include "callers.h"
#include "linker.h"
#include "preload.h"
#include "team.h"

#define EXPORT __attribute__((visibility("default")))

typedef void region(void* data);

enum { MOST_STARTS = 16 };

/* The way of a region to its runtime. */
struct route {
        const void* function; /* its code */
        enum entry entry;
        unsigned unloads; /* when it was looked up */
        struct target target;
        void* real;
};

/* The regions of the calling thread. */
struct regions {
        struct route last; /* most threads begin the same region again and again */
        unsigned depth;    /* of those that have come by here and not ended      */
        struct team outermost;
        unsigned start_count; /* of these, begun by an entry that ends in _start          */
        struct runtime* starts[MOST_STARTS]; /* where they are to end                     */
};

static _Thread_local struct regions mine __attribute__((tls_model("initial-exec")));

/* `clause` as libgomp counts it: 0 is none. All calls are inlined, which saves 3 ns a region. */
__attribute__((flatten)) static void begin_outermost(unsigned clause) {
        const struct target target = mine.last.target;
        mine.outermost.handle = NULL;
        mine.outermost.is_crowded = false;
        if (target.runtime != NULL && target.runtime->is_libgomp && clause != 1 &&
            is_outside(target.runtime))
                team_begin(target, clause, &mine.outermost);
}

static __attribute__((noinline)) void find_route(enum entry entry, const void* function,
                                                 const void* caller) {
        const unsigned unloads = unloads_so_far();
        const struct target target = target_of(entry, function, caller);
        mine.last = (struct route){target.is_sure ? function : NULL, entry, unloads, target,
                                   entry_of(target.runtime, entry)};
}

/* Returns the runtime's entry. */
static inline __attribute__((always_inline)) void* begin(enum entry entry, const void* function,
                                                         const void* caller, unsigned clause) {
        if (mine.last.function != function || mine.last.entry != entry ||
            mine.last.unloads != unloads_so_far())
                find_route(entry, function, caller);
        void* real = mine.last.real;
        if (mine.depth++ == 0 && adopt_is_up())
                begin_outermost(clause);
        return real;
}

static inline __attribute__((always_inline)) void end(void) {
        if (--mine.depth > 0 || (mine.outermost.handle == NULL && !mine.outermost.is_crowded))
                return;
        team_end(&mine.outermost);
        mine.outermost.handle = NULL;
        mine.outermost.is_crowded = false;
}

/* The address that the call returns to is that of the exported function's caller. */
#define BEGIN(name)                                                                                \
        __typeof__(name)* real = (__typeof__(name)*)begin(                                         \
                ENTRY_##name, (const void*)function, __builtin_return_address(0), num_threads)

/* Nobody has it: one thread does all of it. */
#define WHOLE(name, ...)                                                                           \
        BEGIN(name);                                                                               \
        if (real != NULL)                                                                          \
                real(function, data, num_threads, __VA_ARGS__);                                    \
        else                                                                                       \
                function(data);                                                                    \
        end()

#define LOOP(name)                                                                                 \
        EXPORT void name(region* function, void* data, unsigned num_threads, long start,           \
                         long stop, long step, long chunk, unsigned flags);                        \
        void name(region* function, void* data, unsigned num_threads, long start, long stop,       \
                  long step, long chunk, unsigned flags) {                                         \
                WHOLE(name, start, stop, step, chunk, flags);                                      \
        }

#define RUNTIME_LOOP(name)                                                                         \
        EXPORT void name(region* function, void* data, unsigned num_threads, long start,           \
                         long stop, long step, unsigned flags);                                    \
        void name(region* function, void* data, unsigned num_threads, long start, long stop,       \
                  long step, unsigned flags) {                                                     \
                WHOLE(name, start, stop, step, flags);                                             \
        }

EXPORT void GOMP_parallel(region* function, void* data, unsigned num_threads, unsigned flags);
void GOMP_parallel(region* function, void* data, unsigned num_threads, unsigned flags) {
        WHOLE(GOMP_parallel, flags);
}

EXPORT unsigned GOMP_parallel_reductions(region* function, void* data, unsigned num_threads,
                                         unsigned flags);
unsigned GOMP_parallel_reductions(region* function, void* data, unsigned num_threads,
                                  unsigned flags) {
        unsigned team = 1;
        BEGIN(GOMP_parallel_reductions);
        if (real != NULL)
                team = real(function, data, num_threads, flags);
        else
                function(data);
        end();
        return team;
}

EXPORT void GOMP_parallel_sections(region* function, void* data, unsigned num_threads,
                                   unsigned count, unsigned flags);
void GOMP_parallel_sections(region* function, void* data, unsigned num_threads, unsigned count,
                            unsigned flags) {
        WHOLE(GOMP_parallel_sections, count, flags);
}

LOOP(GOMP_parallel_loop_static)
LOOP(GOMP_parallel_loop_dynamic)
LOOP(GOMP_parallel_loop_guided)
LOOP(GOMP_parallel_loop_nonmonotonic_dynamic)
LOOP(GOMP_parallel_loop_nonmonotonic_guided)
RUNTIME_LOOP(GOMP_parallel_loop_runtime)
RUNTIME_LOOP(GOMP_parallel_loop_nonmonotonic_runtime)
RUNTIME_LOOP(GOMP_parallel_loop_maybe_nonmonotonic_runtime)

/*
 * gcc before 4.9: the caller runs the region's code itself, between a call that begins it and one
 * that ends it, which says nothing of what it ends.
 */
static void remember_start(struct runtime* runtime) {
        if (mine.start_count < MOST_STARTS)
                mine.starts[mine.start_count] = runtime;
        mine.start_count++;
}

#define START(name, ...)                                                                           \
        BEGIN(name);                                                                               \
        remember_start(mine.last.target.runtime);                                                  \
        if (real != NULL)                                                                          \
        real(function, data, num_threads, ##__VA_ARGS__)

#define LOOP_START(name)                                                                           \
        EXPORT void name(region* function, void* data, unsigned num_threads, long start,           \
                         long stop, long step, long chunk);                                        \
        void name(region* function, void* data, unsigned num_threads, long start, long stop,       \
                  long step, long chunk) {                                                         \
                START(name, start, stop, step, chunk);                                             \
        }

EXPORT void GOMP_parallel_start(region* function, void* data, unsigned num_threads);
void GOMP_parallel_start(region* function, void* data, unsigned num_threads) {
        START(GOMP_parallel_start);
}

EXPORT void GOMP_parallel_sections_start(region* function, void* data, unsigned num_threads,
                                         unsigned count);
void GOMP_parallel_sections_start(region* function, void* data, unsigned num_threads,
                                  unsigned count) {
        START(GOMP_parallel_sections_start, count);
}

LOOP_START(GOMP_parallel_loop_static_start)
LOOP_START(GOMP_parallel_loop_dynamic_start)
LOOP_START(GOMP_parallel_loop_guided_start)

EXPORT void GOMP_parallel_loop_runtime_start(region* function, void* data, unsigned num_threads,
                                             long start, long stop, long step);
void GOMP_parallel_loop_runtime_start(region* function, void* data, unsigned num_threads,
                                      long start, long stop, long step) {
        START(GOMP_parallel_loop_runtime_start, start, stop, step);
}

EXPORT void GOMP_parallel_end(void);
void GOMP_parallel_end(void) {
        const void* caller = __builtin_return_address(0);
        const bool has_start = mine.start_count > 0;
        struct runtime* runtime =
                has_start && mine.start_count <= MOST_STARTS
                        ? mine.starts[mine.start_count - 1]
                        : target_of(ENTRY_GOMP_parallel_end, caller, caller).runtime;
        void (*real)(void) = (void (*)(void))entry_of(runtime, ENTRY_GOMP_parallel_end);
        if (real != NULL)
                real();
        if (!has_start)
                return;
        mine.start_count--;
        end();
}
