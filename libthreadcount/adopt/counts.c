/* SPDX-License-Identifier: MIT */
/*
 * The numbers of threads that a program asks for and sets, before it reaches libgomp. In adopt.so
 * only: a call that comes by here may reach another runtime than without it, since a function found
 * by dlsym() or left by a jump does not tell which object calls it.
 *
 * Questions and settings inside of regions go to the runtime as they are.
 */
#include "callers.h"
#include "preload.h"
#include "team.h"

#define EXPORT __attribute__((visibility("default")))

const bool adopt_has_counts = true;

/* A question, or a number that is set. `real`: the entry of the same name. */
struct call {
        struct target target;
        void* real;
        bool is_ours; /* of libgomp, outside of regions, in a program whose teams follow */
};

static inline __attribute__((always_inline)) struct call called(enum entry entry,
                                                                const void* caller) {
        struct call call = {target_of(entry, caller, caller), NULL, false};
        call.real = entry_of(call.target.runtime, entry);
        call.is_ours = adopt_is_up() && adopt_adapts() && call.target.runtime != NULL &&
                       call.target.runtime->is_libgomp && is_outside(call.target.runtime);
        return call;
}

#define CALL(name) const struct call call = called(ENTRY_##name, __builtin_return_address(0))

#define MAX_THREADS(name)                                                                          \
        EXPORT int name(void);                                                                     \
        int name(void) {                                                                           \
                CALL(name);                                                                        \
                if (call.is_ours)                                                                  \
                        return team_ask(call.target);                                              \
                return call.real != NULL ? ((__typeof__(name)*)call.real)() : 1;                   \
        }

#define SET_THREADS(name, type, number)                                                            \
        EXPORT void name(type value);                                                              \
        void name(type value) {                                                                    \
                CALL(name);                                                                        \
                if (call.is_ours)                                                                  \
                        team_set(call.target, number);                                             \
                if (call.real != NULL)                                                             \
                        ((__typeof__(name)*)call.real)(value);                                     \
        }

MAX_THREADS(omp_get_max_threads)
MAX_THREADS(omp_get_max_threads_)
SET_THREADS(omp_set_num_threads, int, value)
SET_THREADS(omp_set_num_threads_, const int32_t*, *value)
SET_THREADS(omp_set_num_threads_8_, const int64_t*, *value)
