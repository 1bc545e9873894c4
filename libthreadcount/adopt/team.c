/* SPDX-License-Identifier: MIT */
/* The promises that were made to a program, and the teams of its regions. */
#include "team.h"
#include "doze.h"
#include "promise.h"
#include "room.h"
#include "symbols.h"

#include <limits.h>

/*
 * The runtimes of the calling thread, which rarely sees a second one. One without a place keeps its
 * teams.
 */
enum { MOST_RUNTIMES = 4 };
struct known_runtime {
        const struct runtime* runtime; /* NULL: free */
        struct promise promise;
};

static _Thread_local struct known_runtime known_runtimes[MOST_RUNTIMES]
        __attribute__((tls_model("initial-exec")));

static struct promise* promise_for(const struct runtime* runtime) {
        for (unsigned i = 0; i < MOST_RUNTIMES; i++) {
                struct known_runtime* one = &known_runtimes[i];
                if (one->runtime == NULL)
                        one->runtime = runtime;
                if (one->runtime == runtime)
                        return &one->promise;
        }
        return NULL;
}

/*
 * runtime->answered: twice the number that was answered last, and 1 more once a thread relies on it
 * that has not asked. The number then stays, since nothing tells when that thread may change. 0:
 * nobody was answered.
 */
enum { IS_RELIED_ON = 1 };

static bool is_relied_on(unsigned answered) { return (answered & IS_RELIED_ON) != 0; }

/* A program that asks in one thread has the answer in all of them. */
static void rely_on_others(struct runtime* runtime, struct promise* promise) {
        unsigned answered = atomic_load_explicit(&runtime->answered, memory_order_relaxed);
        if (promise->made != PROMISE_NOTHING)
                return;
        while (answered != 0 && !is_relied_on(answered) &&
               !atomic_compare_exchange_weak(&runtime->answered, &answered,
                                             answered | IS_RELIED_ON)) {
        }
        if (answered != 0)
                promise_share(promise, answered / 2);
}

/*
 * Does what threadcount_omp_places() of <threadcount/openmp.h> does, by functions of gcc 6 and
 * later.
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

static bool is_open(const struct runtime* runtime, unsigned max) {
        return atomic_load_explicit(&adopt_state, memory_order_acquire) == ADOPT_OPEN ||
               open_for(runtime, max);
}

static unsigned width_of(const struct runtime* runtime) {
        const int width = runtime->get_max_threads();
        return width > 0 ? (unsigned)width : 1;
}

static void apply(const struct runtime* runtime, const struct promise* promise, unsigned now) {
        if (promise->size != now)
                runtime->set_num_threads((int)promise->size);
}

/* A team that the program has chosen. */
static void enter(struct runtime* runtime, bool keeps, struct team* team) {
        team->handle = adopt_enter(team->threads, keeps, &team->is_crowded);
        team->is_crowded = team->is_crowded && team->threads > 1;
        if (!team->is_crowded)
                return;
        team->runtime = runtime;
        team->is_crowded = adopt_sleeps() && dozing_begin(runtime, team->threads);
        if (!team->is_crowded)
                adopt_spins(team->handle);
}

static __attribute__((noinline)) void begin_as_promised(struct target target,
                                                        struct promise* promise, unsigned clause,
                                                        struct team* ret_team) {
        const unsigned now = width_of(target.runtime);
        unsigned grant = 0;
        promise_see(promise, now);
        if (clause == 0)
                rely_on_others(target.runtime, promise);
        if (clause == 0 && target.keeps_data)
                promise_keep(promise);
        if (!is_open(target.runtime, clause > promise->width ? clause : promise->width)) {
                ret_team->threads = promise_begin(promise, clause, 0);
        } else if (adopt_adapts() && promise_begins_by_grant(promise, clause)) {
                ret_team->handle = adopt_begin(&grant);
                ret_team->threads = promise_begin(promise, clause, grant);
        } else { /* what it has been promised comes first: it is told before the wait */
                ret_team->threads = promise_begin(promise, clause, 0);
                enter(target.runtime, promise_is_for_good(promise), ret_team);
        }
        apply(target.runtime, promise, now);
}

/*
 * There is no lease: only the CPUs tell. A small team spins, and its program is told to no fence:
 * it would take more threads to make it sleep than it has itself.
 */
static void begin_in_fence(struct target target, unsigned clause, struct team* ret_team) {
        static atomic_bool has_small_teams;
        const unsigned threads = clause != 0 ? clause : width_of(target.runtime);
        const bool is_large = is_large_enough(threads);
        ret_team->threads = threads;
        ret_team->runtime = target.runtime;
        if (threads > 1 && !is_large)
                atomic_store_explicit(&has_small_teams, true, memory_order_relaxed);
        ret_team->is_crowded = threads > 1 && lacks_cpus(threads) && is_large && adopt_may_doze() &&
                               dozing_begin(target.runtime, threads);
        if (has_become_regular() && adopt_may_doze() &&
            !atomic_load_explicit(&has_small_teams, memory_order_relaxed))
                adopt_tell_fence();
}

void team_begin(struct target target, unsigned clause, struct team* ret_team) {
        struct promise* promise = adopt_adapts() ? promise_for(target.runtime) : NULL;
        ret_team->handle = NULL;
        ret_team->is_crowded = false;
        if (adopt_is_fenced()) {
                begin_in_fence(target, clause, ret_team);
                return;
        }
        if (promise != NULL) {
                begin_as_promised(target, promise, clause, ret_team);
                return;
        }
        const unsigned max = width_of(target.runtime);
        ret_team->threads = clause != 0 ? clause : max;
        if (is_open(target.runtime, ret_team->threads > max ? ret_team->threads : max))
                enter(target.runtime, false, ret_team);
}

void team_end(const struct team* team) {
        if (team->handle != NULL)
                adopt_leave(team->handle, team->threads);
        if (team->is_crowded)
                dozing_end(team->runtime);
}

/* A number that the thread has set is nobody else's. */
static void answer(struct runtime* runtime, struct promise* promise, unsigned grant) {
        unsigned answered = atomic_load_explicit(&runtime->answered, memory_order_relaxed);
        do
                (void)promise_ask(promise, is_relied_on(answered) ? answered / 2 : grant);
        while (promise->made != PROMISE_SET && !is_relied_on(answered) &&
               answered != 2 * promise->size &&
               !atomic_compare_exchange_weak(&runtime->answered, &answered, 2 * promise->size));
}

/* Answers count before anything is open as well: the program may rely on them later. */
int team_ask(struct target target) {
        struct runtime* runtime = target.runtime;
        const unsigned now = width_of(runtime);
        struct promise without_place = {now, now, PROMISE_KEPT};
        struct promise* promise = promise_for(runtime);
        unsigned grant = 0;
        if (promise == NULL)
                promise = &without_place;
        promise_see(promise, now);
        if (target.keeps_data) {
                rely_on_others(runtime, promise);
                promise_keep(promise);
        }
        if (promise_answers_by_grant(promise) &&
            !is_relied_on(atomic_load_explicit(&runtime->answered, memory_order_relaxed)) &&
            is_open(runtime, promise->width) && adopt_adapts())
                grant = adopt_ask();
        answer(runtime, promise, grant);
        apply(runtime, promise, now);
        return (int)promise->size;
}

void team_set(struct target target, int64_t number) {
        struct promise* promise = promise_for(target.runtime);
        if (promise == NULL)
                return;
        promise_see(promise, width_of(target.runtime));
        promise_set(promise, number < 1 ? 1 : number > INT_MAX ? INT_MAX : (unsigned)number);
}
