/* SPDX-License-Identifier: MIT */
/*
 * What gcc calls to begin a region, before it reaches libgomp: only the moment changes.
 *
 * Nested regions and those of one thread (`if` that is false) begin at once, as do all of a runtime
 * that is not libgomp.
 */
#include "callers.h"
#include "preload.h"

#define EXPORT __attribute__((visibility("default")))

typedef void region(void* data);

enum { MOST_STARTS = 16 };

/* Where a region goes. */
struct route {
        const void* function; /* its code */
        enum entry entry;
        struct runtime* runtime;
        void* real;
};

/* Of the calling thread. */
struct regions {
        struct route last;          /* most threads begin the same region again and again */
        unsigned depth;             /* of those that have come by here and not ended      */
        unsigned team;              /* of the outermost one                               */
        threadcount_handle* handle; /* NULL: its end is not to be told                    */
        unsigned start_count;       /* of these, begun by an entry that ends in _start    */
        struct runtime* starts[MOST_STARTS]; /* where they are to end                     */
};

static _Thread_local struct regions mine __attribute__((tls_model("initial-exec")));

/* As threadcount_omp_places() of <threadcount/openmp.h>, by functions that are there since gcc 6.
 */
static uint32_t find_places(const struct object* object, uint64_t* words) {
        enum { MOST_IDS = 1024 };
        int (*get_proc_bind)(void) = (int (*)(void))object_symbol(object, "omp_get_proc_bind");
        int (*get_num_places)(void) = (int (*)(void))object_symbol(object, "omp_get_num_places");
        int (*get_num_procs)(int) = (int (*)(int))object_symbol(object, "omp_get_place_num_procs");
        void (*get_proc_ids)(int, int*) =
                (void (*)(int, int*))object_symbol(object, "omp_get_place_proc_ids");
        int ids[MOST_IDS];
        uint32_t used = 0;
        if (get_proc_bind == NULL || get_num_places == NULL || get_num_procs == NULL ||
            get_proc_ids == NULL || get_proc_bind() == 0)
                return 0;
        for (int place = 0; place < get_num_places(); place++) {
                const int count = get_num_procs(place);
                if (count < 1 || count > MOST_IDS)
                        continue;
                get_proc_ids(place, ids);
                for (int i = 0; i < count; i++) {
                        const unsigned word = (unsigned)ids[i] / 64;
                        if (ids[i] < 0 || word >= ADOPT_PLACE_WORDS)
                                continue;
                        words[word] |= UINT64_C(1) << (ids[i] % 64);
                        used = word < used ? used : word + 1;
                }
        }
        return used;
}

/* Apart, since this takes some stack, once. */
static __attribute__((noinline)) bool open_for(const struct runtime* runtime, unsigned max) {
        uint64_t places[ADOPT_PLACE_WORDS] = {0};
        const uint32_t words = find_places(&runtime->object, places);
        return adopt_open(max, places, words);
}

/* As libgomp counts a clause: 0 is none. */
static void begin_outermost(struct runtime* runtime, unsigned clause) {
        mine.handle = NULL;
        if (runtime == NULL || !runtime->is_libgomp || clause == 1 || !is_outside())
                return;
        const int width = runtime->get_max_threads();
        const unsigned max = width > 0 ? (unsigned)width : 1;
        mine.team = clause != 0 ? clause : max;
        if (atomic_load_explicit(&adopt_state, memory_order_acquire) == ADOPT_OPEN ||
            open_for(runtime, mine.team > max ? mine.team : max))
                mine.handle = adopt_enter(mine.team);
}

static __attribute__((noinline)) void find_route(enum entry entry, const void* function,
                                                 const void* caller) {
        struct runtime* runtime = runtime_of(entry, function, caller);
        mine.last = (struct route){is_remembered(function) ? function : NULL, entry, runtime,
                                   entry_of(runtime, entry)};
}

/* Returns the runtime's entry. */
static inline __attribute__((always_inline)) void* begin(enum entry entry, const void* function,
                                                         const void* caller, unsigned clause) {
        if (mine.last.function != function || mine.last.entry != entry)
                find_route(entry, function, caller);
        void* real = mine.last.real;
        if (mine.depth++ == 0 &&
            atomic_load_explicit(&adopt_state, memory_order_relaxed) != ADOPT_DOWN)
                begin_outermost(mine.last.runtime, clause);
        return real;
}

static inline __attribute__((always_inline)) void end(void) {
        if (--mine.depth > 0 || mine.handle == NULL)
                return;
        threadcount_handle* handle = mine.handle;
        mine.handle = NULL;
        adopt_leave(handle, mine.team);
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
        remember_start(mine.last.runtime);                                                         \
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
        struct runtime* runtime = has_start && mine.start_count <= MOST_STARTS
                                          ? mine.starts[mine.start_count - 1]
                                          : runtime_of(ENTRY_GOMP_parallel_end, caller, caller);
        void (*real)(void) = (void (*)(void))entry_of(runtime, ENTRY_GOMP_parallel_end);
        if (real != NULL)
                real();
        if (!has_start)
                return;
        mine.start_count--;
        end();
}
