/* SPDX-License-Identifier: MIT */
/* From a region's code to its runtime, without a lock: a child of fork() may begin one as well. */
#define _GNU_SOURCE
#include "callers.h"
#include "linker.h"
#include "symbols.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

enum { RUNTIMES = 64, SLOTS = 1024, PROBES = 16 };

/*
 * Code, or the dynamic section of an object. The answer tells how often objects had been unloaded
 * when it was found. It is void when that has changed, and then the slot may have another key.
 */
struct slot {
        _Atomic(uintptr_t) key; /* 0: was never taken */
        _Atomic(uint64_t) answer;
};
static const uint64_t kBusy = UINT64_MAX;

/* An entry for an object is void, too, once something has been unloaded since then. */
struct found {
        _Atomic(const void*) dynamic; /* NULL: free                                        */
        _Atomic(unsigned) seen_at;    /* loaded, and `runtime` is right; as unloads_so_far() */
        _Atomic(unsigned) gone_at;    /* not loaded                                        */
        struct runtime runtime;
};

static struct slot slots[SLOTS];
static struct found found[RUNTIMES];

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

/* The answer is read before the key and after it: then it is that key's. */
static struct target known(const void* what) {
        struct target target = {NULL, false, false};
        const uintptr_t key = (uintptr_t)what;
        const unsigned unloads = unloads_so_far();
        for (unsigned probe = 0; probe < PROBES; probe++) {
                struct slot* slot = slot_of(key, probe);
                const uint64_t answer = atomic_load_explicit(&slot->answer, memory_order_acquire);
                const uintptr_t other = atomic_load_explicit(&slot->key, memory_order_acquire);
                if (other == 0)
                        break;
                if (other != key || answer == kBusy || !is_valid(answer, unloads) ||
                    atomic_load_explicit(&slot->answer, memory_order_relaxed) != answer)
                        continue;
                target.runtime = &found[(uint32_t)answer >> 1].runtime;
                target.keeps_data = (answer & 1) != 0;
                target.is_sure = true;
                break;
        }
        return target;
}

/*
 * A slot is taken by its answer, which is busy until the key is there as well. No answer therefore
 * comes under the key of another thread. Code whose slots are all taken is looked up every time.
 */
static void remember(const void* what, struct target target, unsigned unloads) {
        const uintptr_t key = (uintptr_t)what;
        for (unsigned probe = 0; probe < PROBES; probe++) {
                struct slot* slot = slot_of(key, probe);
                uint64_t answer = atomic_load_explicit(&slot->answer, memory_order_acquire);
                if (answer == kBusy || is_valid(answer, unloads)) {
                        if (answer != kBusy &&
                            atomic_load_explicit(&slot->key, memory_order_relaxed) == key)
                                return;
                        continue;
                }
                if (!atomic_compare_exchange_strong(&slot->answer, &answer, kBusy))
                        continue;
                atomic_store_explicit(&slot->key, key, memory_order_release);
                atomic_store_explicit(&slot->answer, packed(target, unloads), memory_order_release);
                return;
        }
}

static void* seen_by(const struct object* object, const char* name, const char* version) {
        void* handle =
                object->name[0] != '\0' ? really_open(object->name, RTLD_LAZY | RTLD_NOLOAD) : NULL;
        if (handle == NULL)
                return NULL;
        void* symbol = linker_symbol(handle, name, version);
        really_close(handle); /* others hold it as well */
        return symbol;
}

struct reading {
        enum entry entry;
        bool counts_too;     /* also what asks and sets numbers, mostly outside of regions */
        const void* address; /* in the runtime; NULL: nothing was found so far             */
};

static bool is_count(const char* name) {
        for (unsigned i = ENTRY_omp_get_max_threads; i < ENTRY_COUNT; i++)
                if (strcmp(name, names[i]) == 0)
                        return true;
        return false;
}

/*
 * Every runtime has the functions of the first version, so these lead to the one that the object's
 * regions would reach. A newer function may be in another runtime only.
 */
static bool is_of_first_version(const char* version) {
        return version != NULL &&
               (strcmp(version, "OMP_1.0") == 0 || strcmp(version, "GOMP_1.0") == 0);
}

/* It leads to a runtime if it leads to the very function, and there is the entry beside it. */
static bool read_binding(const struct binding* binding, void* data) {
        struct reading* reading = data;
        struct object object;
        if ((!reading->counts_too && is_count(binding->name)) ||
            !object_at(binding->address, &object) ||
            object_version(&object, binding->name, binding->version) != binding->address ||
            object_symbol(&object, names[reading->entry]) == NULL || is_our_own(binding->address))
                return false;
        const bool is_certain = is_of_first_version(binding->version);
        if (reading->address == NULL || is_certain)
                reading->address = binding->address;
        return is_certain;
}

/*
 * An object was bound when it was loaded, or is bound when it calls. Nobody else loaded since then
 * changes that. Its entries lead to us, but what else it uses of the runtime does not: a region
 * must be in the runtime that its code asks for the number of its thread. This needs no linker.
 */
static const void* bound_before(enum entry entry, const struct object* object, bool counts_too) {
        struct reading reading = {entry, counts_too, NULL};
        if (object->dynamic != NULL)
                (void)visit_openmp_bindings(object, read_binding, &reading);
        return reading.address;
}

static bool is_never_called(const struct binding* binding, void* data) {
        const struct object* object = data;
        struct object other;
        return object_at(binding->address, &other) && other.dynamic == object->dynamic &&
               object_version(object, binding->name, binding->version) != binding->address;
}

/* Is the object bound where it calls? A number that it has set may then have gone elsewhere. */
static bool is_bound_late(struct object object) {
        return object.dynamic != NULL && visit_openmp_bindings(&object, is_never_called, &object);
}

/*
 * The linker is asked only where it matters, for the sake of its lock. It matters if the object has
 * called nothing else of a runtime, the program has started with none of several runtimes, and has
 * loaded something with RTLD_GLOBAL: one of them may be seen by all then. Otherwise an object sees
 * what it has or names itself. The runtimes of gcc and clang have the same names in versions of
 * their own. Returns an address in the runtime.
 */
static const void* bound(enum entry entry, const struct object* object, bool* ret_is_sure) {
        const char* version = NULL;
        (void)(object->dynamic != NULL && object_refers_to(object, names[entry], &version));
        const void* symbol = symbol_of_start(names[entry], version);
        void* first = NULL;
        *ret_is_sure = true;
        if (symbol != NULL || symbols_of_others(names[entry], version, &first) < 2)
                return symbol != NULL ? symbol : first;
        const bool is_known = !has_program_loaded_for_all();
        symbol = bound_before(entry, object, is_known || !is_bound_late(*object));
        if (symbol != NULL)
                return symbol;
        if (!is_known && may_use_linker()) {
                symbol = linker_symbol(RTLD_NEXT, names[entry], version);
                if (symbol == NULL)
                        symbol = seen_by(object, names[entry], version);
        } else {
                *ret_is_sure = is_known;
                symbol = bound_before(entry, object, true);
                if (symbol == NULL && object->dynamic != NULL)
                        symbol = symbol_of_needed(object, names[entry], version);
        }
        return symbol != NULL ? symbol : first;
}

/*
 * The name of a file counts: the runtimes of clang and Intel have libgomp's entries as well. Such a
 * runtime may have libgomp's name, too, as in conda's environments. Its own entries tell.
 */
static void fill(struct runtime* runtime, const struct object* object) {
        runtime->object = *object;
        atomic_store_explicit(&runtime->answered, 0, memory_order_relaxed);
        for (unsigned i = 0; i < sizeof(runtime->entries) / sizeof(runtime->entries[0]); i++)
                atomic_store_explicit(&runtime->entries[i], NULL, memory_order_relaxed);
        runtime->get_level = (int (*)(void))object_symbol(object, "omp_get_level");
        runtime->get_max_threads = (int (*)(void))object_symbol(object, "omp_get_max_threads");
        runtime->set_num_threads = (void (*)(int))object_symbol(object, "omp_set_num_threads");
        runtime->is_libgomp = object_is_called(object, "libgomp") &&
                              object_symbol(object, "__kmpc_fork_call") == NULL &&
                              runtime->get_level != NULL && runtime->get_max_threads != NULL &&
                              runtime->set_num_threads != NULL;
}

static bool is_in(const struct runtime* runtime, const struct object* object) {
        return runtime->object.dynamic == object->dynamic && runtime->object.base == object->base &&
               runtime->object.name == object->name &&
               runtime->get_level == (int (*)(void))object_symbol(object, "omp_get_level");
}

/* Two threads may look at the same one at once, and then write the same. It is written only if it
 * is another one than before: its regions may be running. */
static struct runtime* runtime_in(const struct object* object, unsigned unloads) {
        for (unsigned i = 0; i < RUNTIMES; i++) {
                struct found* one = &found[i];
                const void* other = NULL;
                if (!atomic_compare_exchange_strong(&one->dynamic, &other, object->dynamic) &&
                    other != object->dynamic)
                        continue;
                if (atomic_load_explicit(&one->seen_at, memory_order_acquire) != unloads) {
                        if (!is_in(&one->runtime, object))
                                fill(&one->runtime, object);
                        atomic_store_explicit(&one->seen_at, unloads, memory_order_release);
                }
                return &one->runtime;
        }
        return NULL;
}

/* Is it still loaded? */
static bool is_here(struct found* one) {
        const unsigned unloads = unloads_so_far();
        const void* dynamic = atomic_load_explicit(&one->dynamic, memory_order_relaxed);
        struct object object;
        if (atomic_load_explicit(&one->seen_at, memory_order_acquire) == unloads)
                return true;
        if (atomic_load_explicit(&one->gone_at, memory_order_relaxed) == unloads)
                return false;
        if (object_at(dynamic, &object) && object.dynamic == dynamic)
                return runtime_in(&object, unloads) != NULL;
        atomic_store_explicit(&one->gone_at, unloads, memory_order_relaxed);
        return false;
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
 * A function whose last action is a call jumps there, and the call returns to another object, which
 * does not know the name at all. The caller is then the one object that knows the name, or the one
 * of several that the other object needs. With more none can be told.
 */
static void look_behind(enum entry entry, struct object* object) {
        const char* version = NULL;
        struct object first;
        if (!object_refers_to(object, names[entry], &version) &&
            (objects_that_refer_to(names[entry], &first) == 1 ||
             needed_that_refer_to(object, names[entry], &first) == 1))
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
        struct target target = {NULL, false, false};
        if (object.dynamic != NULL)
                target = known(object.dynamic);
        if (target.runtime == NULL) {
                const void* symbol = bound(entry, &object, &target.is_sure);
                target.keeps_data = keeps_data(&object);
                if (symbol == NULL || !object_at(symbol, &runtime_object))
                        return target;
                target.runtime = runtime_in(&runtime_object, unloads);
                if (target.runtime == NULL || !target.is_sure)
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
                if (&one->runtime != runtime && is_here(one) && one->runtime.is_libgomp &&
                    one->runtime.get_level() > 0)
                        return false;
        }
        return true;
}
