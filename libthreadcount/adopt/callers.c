/* SPDX-License-Identifier: MIT */
/* From a region's code to its runtime, without a lock: a child of fork() may begin one as well. */
#define _GNU_SOURCE
#include "callers.h"
#include "symbols.h"

#include <dlfcn.h>
#include <errno.h>

/* Before glibc 2.34 they are there only in programs that load libdl. */
#pragma weak dlopen
#pragma weak dlsym
#pragma weak dlvsym
#pragma weak dlerror

enum { RUNTIMES = 64, SLOTS = 1024, PROBES = 16 };

/*
 * Code, or the dynamic section of an object. The answer tells how often objects had been unloaded
 * when it was found. It is void when that has changed, and then the slot may have another key.
 */
struct slot {
        _Atomic(uintptr_t) key; /* 0: free */
        _Atomic(uint64_t) answer;
};

struct found {
        _Atomic(const void*) dynamic; /* NULL: free                    */
        atomic_bool is_ready;
        struct runtime runtime;
};

static struct slot slots[SLOTS];
static struct found found[RUNTIMES];

_Atomic(unsigned) adopt_unloads = 1;

static const char* const names[] = {
#define ADOPT_NAME(name) #name,
        ADOPT_ENTRIES(ADOPT_NAME) ADOPT_COUNTS(ADOPT_NAME)
#undef ADOPT_NAME
};

static struct slot* slot_of(uintptr_t key, unsigned probe) {
        const uint64_t hash = (key >> 4) * UINT64_C(0x9e3779b97f4a7c15) >> 32;
        return &slots[(hash + probe) % SLOTS];
}

/* The count of unloads, then the number of the runtime, then whether the object keeps data. */
static uint64_t packed(struct target target, unsigned unloads) {
        const struct found* one =
                (const void*)((const char*)target.runtime - offsetof(struct found, runtime));
        return (uint64_t)unloads << 32 | (uint64_t)(one - found) << 1 | target.keeps_data;
}

static bool is_valid(uint64_t answer, unsigned unloads) { return answer >> 32 == unloads; }

static struct target known(const void* what) {
        struct target target = {NULL, false};
        const uintptr_t key = (uintptr_t)what;
        const unsigned unloads = unloads_so_far();
        for (unsigned probe = 0; probe < PROBES; probe++) {
                struct slot* slot = slot_of(key, probe);
                const uintptr_t other = atomic_load_explicit(&slot->key, memory_order_relaxed);
                if (other == 0)
                        break;
                if (other != key)
                        continue;
                /* acquire: the runtime was written before, and another key of the slot as well */
                const uint64_t answer = atomic_load_explicit(&slot->answer, memory_order_acquire);
                if (is_valid(answer, unloads) &&
                    atomic_load_explicit(&slot->key, memory_order_relaxed) == key) {
                        target.runtime = &found[(uint32_t)answer >> 1].runtime;
                        target.keeps_data = (answer & 1) != 0;
                }
                break;
        }
        return target;
}

/* Where all slots are taken it is looked for every time. */
static void remember(const void* what, struct target target, unsigned unloads) {
        const uintptr_t key = (uintptr_t)what;
        for (unsigned probe = 0; probe < PROBES; probe++) {
                struct slot* slot = slot_of(key, probe);
                uintptr_t other = atomic_load_explicit(&slot->key, memory_order_relaxed);
                const uint64_t answer = atomic_load_explicit(&slot->answer, memory_order_relaxed);
                if (other != key && other != 0 && is_valid(answer, unloads))
                        continue;
                if (other == key || atomic_compare_exchange_strong(&slot->key, &other, key)) {
                        atomic_store_explicit(&slot->answer, packed(target, unloads),
                                              memory_order_release);
                        return;
                }
        }
}

static bool is_our_own(const void* symbol) {
        struct object own;
        struct object other;
        return object_at(&slots, &own) && object_at(symbol, &other) && own.dynamic == other.dynamic;
}

/* A message that nobody waits for must not be found by somebody who asks later. */
static void* found_by_linker(void* symbol) {
        if (symbol == NULL && dlerror != NULL)
                (void)dlerror();
        return symbol != NULL && !is_our_own(symbol) ? symbol : NULL;
}

static void* seen_from(void* where, const char* name, const char* version) {
        if (version != NULL)
                return dlvsym != NULL ? found_by_linker(dlvsym(where, name, version)) : NULL;
        return dlsym != NULL ? found_by_linker(dlsym(where, name)) : NULL;
}

/* Of the next object that has it, which may be another one that is preloaded. */
static int really_close(void* handle) {
        static _Atomic(void*) place;
        void* real = atomic_load_explicit(&place, memory_order_relaxed);
        if (real == NULL) {
                real = seen_from(RTLD_NEXT, "dlclose", NULL);
                if (real == NULL && symbols_of_others("dlclose", NULL, &real) == 0)
                        return -1;
                atomic_store_explicit(&place, real, memory_order_relaxed);
        }
        return ((__typeof__(dlclose)*)real)(handle);
}

/*
 * Other code may be loaded where this has been. Twice: another thread may load some before this one
 * goes on, and destructors may begin regions.
 */
__attribute__((visibility("default"))) int dlclose(void* handle) {
        atomic_fetch_add(&adopt_unloads, 1);
        const int result = really_close(handle);
        atomic_fetch_add(&adopt_unloads, 1);
        return result;
}

static void* seen_by(const struct object* object, const char* name, const char* version) {
        if (dlopen == NULL || dlsym == NULL || object->name[0] == '\0')
                return NULL;
        void* handle = dlopen(object->name, RTLD_LAZY | RTLD_NOLOAD);
        if (handle == NULL)
                return found_by_linker(NULL);
        void* symbol = seen_from(handle, name, version);
        (void)really_close(handle); /* others hold it as well */
        return symbol;
}

/*
 * The linker is asked only where it matters, for the sake of its lock: not where the program has
 * started with a runtime, which all see first, nor where there is only one. Where it may not be
 * asked, what the object names itself is most likely right. The runtimes of gcc and clang have the
 * same names in versions of their own.
 */
static void* bound(enum entry entry, const struct object* object, bool* ret_is_sure) {
        const char* version = NULL;
        (void)(object->dynamic != NULL && object_refers_to(object, names[entry], &version));
        void* symbol = symbol_of_start(names[entry], version);
        void* first = NULL;
        *ret_is_sure = true;
        if (symbol != NULL || symbols_of_others(names[entry], version, &first) < 2)
                return symbol != NULL ? symbol : first;
        if (may_use_linker()) {
                symbol = seen_from(RTLD_NEXT, names[entry], version);
                if (symbol == NULL)
                        symbol = seen_by(object, names[entry], version);
        } else {
                *ret_is_sure = false;
                if (object->dynamic != NULL)
                        symbol = symbol_of_needed(object, names[entry], version);
        }
        return symbol != NULL ? symbol : first;
}

/*
 * Its threads would not survive that it is unloaded, nor would what is kept of it here. False: it
 * may be, and nothing of it is to be kept.
 */
static bool stays(const struct object* object) {
        if (object->name[0] == '\0' || dlopen == NULL || is_of_start(object))
                return true;
        if (!may_use_linker())
                return false;
        if (dlopen(object->name, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) == NULL)
                (void)found_by_linker(NULL);
        return true;
}

/* The name of a file counts: the runtimes of clang and Intel have libgomp's entries as well. */
static void fill(struct runtime* runtime, const struct object* object) {
        runtime->object = *object;
        for (unsigned i = 0; i < sizeof(runtime->entries) / sizeof(runtime->entries[0]); i++)
                atomic_store_explicit(&runtime->entries[i], NULL, memory_order_relaxed);
        runtime->get_level = (int (*)(void))object_symbol(object, "omp_get_level");
        runtime->get_max_threads = (int (*)(void))object_symbol(object, "omp_get_max_threads");
        runtime->set_num_threads = (void (*)(int))object_symbol(object, "omp_set_num_threads");
        runtime->is_libgomp = object_is_called(object, "libgomp") && runtime->get_level != NULL &&
                              runtime->get_max_threads != NULL && runtime->set_num_threads != NULL;
}

/* Two threads may look at the same one at once, and then write the same. One that may be unloaded
 * is not ready: it is looked at again each time. */
static struct runtime* runtime_in(const struct object* object, bool* ret_stays) {
        for (unsigned i = 0; i < RUNTIMES; i++) {
                struct found* one = &found[i];
                const void* other = NULL;
                if (!atomic_compare_exchange_strong(&one->dynamic, &other, object->dynamic) &&
                    other != object->dynamic)
                        continue;
                *ret_stays = atomic_load_explicit(&one->is_ready, memory_order_acquire);
                if (*ret_stays)
                        return &one->runtime;
                fill(&one->runtime, object);
                *ret_stays = stays(object);
                if (*ret_stays)
                        atomic_store_explicit(&one->is_ready, true, memory_order_release);
                return &one->runtime;
        }
        *ret_stays = false;
        return NULL;
}

/*
 * Variables of threads are lost with the threads that a smaller team does not need, and new ones
 * are zero. Those of OpenBLAS are read within the call that has written them, by the same thread.
 * Code that is in no object, as made at run time, may have any.
 */
static bool keeps_data(const struct object* object) {
        return object->dynamic == NULL ||
               (object->has_thread_data && object_symbol(object, "openblas_get_parallel") == NULL &&
                object_symbol(object, "openblas_get_parallel64_") == NULL);
}

/*
 * Who calls as the last thing of a function jumps, and the call returns to somebody else: who does
 * not know the name at all. Then it was the only one that does, if there is only one.
 */
static void look_behind(enum entry entry, struct object* object) {
        const char* version = NULL;
        struct object first;
        if (!object_refers_to(object, names[entry], &version) &&
            objects_that_refer_to(names[entry], &first) == 1)
                *object = first;
}

static struct target look_up(enum entry entry, const void* function, const void* caller) {
        struct object object = {.name = ""};
        struct object runtime_object;
        const unsigned unloads = unloads_so_far();
        if (!object_at(function, &object))
                (void)object_at(caller, &object);
        else if (function == caller)
                look_behind(entry, &object);
        struct target target = {NULL, false};
        if (object.dynamic != NULL)
                target = known(object.dynamic);
        if (target.runtime == NULL) {
                bool is_sure = false;
                bool is_to_stay = false;
                const void* symbol = bound(entry, &object, &is_sure);
                target.keeps_data = keeps_data(&object);
                if (symbol == NULL || !object_at(symbol, &runtime_object))
                        return target;
                target.runtime = runtime_in(&runtime_object, &is_to_stay);
                if (!is_to_stay || !is_sure)
                        return target;
                if (object.dynamic != NULL)
                        remember(object.dynamic, target, unloads);
        }
        remember(function, target, unloads);
        return target;
}

struct target target_of(enum entry entry, const void* function, const void* caller) {
        struct target target = known(function);
        if (target.runtime == NULL) {
                const int error = errno;
                target = look_up(entry, function, caller);
                errno = error;
        }
        return target;
}

bool is_remembered(const void* function) { return known(function).runtime != NULL; }

void* entry_of(struct runtime* runtime, enum entry entry) {
        void* symbol = NULL;
        if (runtime == NULL)
                return symbols_of_others(names[entry], NULL, &symbol) > 0 ? symbol : NULL;
        symbol = atomic_load_explicit(&runtime->entries[entry], memory_order_relaxed);
        if (symbol == NULL) {
                symbol = object_symbol(&runtime->object, names[entry]);
                if (symbol == NULL)
                        (void)symbols_of_others(names[entry], NULL, &symbol);
                atomic_store_explicit(&runtime->entries[entry], symbol, memory_order_relaxed);
        }
        return symbol;
}

bool is_outside(const struct runtime* runtime) {
        if (runtime->get_level() > 0)
                return false;
        for (unsigned i = 0; i < RUNTIMES; i++) {
                struct found* one = &found[i];
                if (atomic_load_explicit(&one->dynamic, memory_order_relaxed) == NULL)
                        return true;
                if (&one->runtime != runtime &&
                    atomic_load_explicit(&one->is_ready, memory_order_acquire) &&
                    one->runtime.is_libgomp && one->runtime.get_level() > 0)
                        return false;
        }
        return true;
}
