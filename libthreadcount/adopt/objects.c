/* SPDX-License-Identifier: MIT */
/* Program headers, and the order of loading. */
#define _GNU_SOURCE
#include "objects.h"
#include "symbols.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct search {
        uintptr_t address;
        const char* symbol;
        const char* version; /* NULL: the default one */
        const char* needed;  /* a name of an object    */
        const void* dynamic;
        unsigned left;    /* objects to look at */
        unsigned matches; /* so far             */
        void* found;      /* the first one      */
        struct object object;
};

/* 0: constructors of the start are still running. */
static _Atomic(unsigned) start_count;
static _Atomic(unsigned long long) start_loads;
static _Atomic(unsigned long long) last_loads;
static _Atomic(uint64_t) last_change_ms;

static bool has_address(const struct dl_phdr_info* info, uintptr_t address) {
        for (int i = 0; i < info->dlpi_phnum; i++) {
                const ElfW(Phdr)* header = &info->dlpi_phdr[i];
                if (header->p_type == PT_LOAD &&
                    address - info->dlpi_addr - header->p_vaddr < header->p_memsz)
                        return true;
        }
        return false;
}

static struct object object_of(const struct dl_phdr_info* info) {
        struct object object = {info->dlpi_addr, info->dlpi_name, NULL, false};
        for (int i = 0; i < info->dlpi_phnum; i++) {
                if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
                        object.dynamic =
                                (const ElfW(Dyn)*)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
                else if (info->dlpi_phdr[i].p_type == PT_TLS)
                        object.has_thread_data = info->dlpi_phdr[i].p_memsz > 0;
        }
        return object;
}

static int look_for_address(struct dl_phdr_info* info, size_t size, void* data) {
        struct search* search = data;
        (void)size;
        if (!has_address(info, search->address))
                return 0;
        search->object = object_of(info);
        return 1;
}

bool object_at(const void* address, struct object* ret_object) {
        struct search search = {.address = (uintptr_t)address};
        if (dl_iterate_phdr(look_for_address, &search) == 0 || search.object.dynamic == NULL)
                return false;
        *ret_object = search.object;
        return true;
}

bool is_our_own(const void* address) {
        struct object own;
        struct object other;
        return object_at(&start_count, &own) && object_at(address, &other) &&
               own.dynamic == other.dynamic;
}

static int look_for_reference(struct dl_phdr_info* info, size_t size, void* data) {
        struct search* search = data;
        const struct object object = object_of(info);
        const char* version = NULL;
        (void)size;
        if (object.dynamic != NULL && object_refers_to(&object, search->symbol, &version) &&
            search->matches++ == 0)
                search->object = object;
        return 0;
}

unsigned objects_that_refer_to(const char* name, struct object* ret_first) {
        struct search search = {.symbol = name};
        (void)dl_iterate_phdr(look_for_reference, &search);
        if (search.matches > 0)
                *ret_first = search.object;
        return search.matches;
}

static const char* last_part(const char* path) {
        const char* slash = strrchr(path, '/');
        return slash != NULL ? slash + 1 : path;
}

/* It has the address that is not looked at, or is a door as well: what it defines leads back here.
 */
static bool is_door(const struct dl_phdr_info* info, const struct search* search) {
        const char* name = last_part(info->dlpi_name);
        return has_address(info, search->address) || strcmp(name, "keep.so") == 0 ||
               strcmp(name, "adopt.so") == 0;
}

static int look_for_symbol(struct dl_phdr_info* info, size_t size, void* data) {
        struct search* search = data;
        const struct object object = object_of(info);
        (void)size;
        if (search->left-- == 0)
                return 1;
        if (object.dynamic == NULL || is_door(info, search))
                return 0;
        void* symbol = object_version(&object, search->symbol, search->version);
        if (symbol != NULL && search->matches++ == 0)
                search->found = symbol;
        return 0;
}

static struct search look_for(const char* name, const char* version, unsigned count) {
        struct search search = {.address = (uintptr_t)&symbols_of_others,
                                .symbol = name,
                                .version = version,
                                .left = count};
        (void)dl_iterate_phdr(look_for_symbol, &search);
        return search;
}

unsigned symbols_of_others(const char* name, const char* version, void** ret_first) {
        const struct search search = look_for(name, version, UINT_MAX);
        if (search.matches > 0)
                *ret_first = search.found;
        return search.matches;
}

static unsigned start_objects(void) {
        const unsigned count = atomic_load_explicit(&start_count, memory_order_relaxed);
        return count > 0 ? count : UINT_MAX;
}

void* symbol_of_start(const char* name, const char* version) {
        return look_for(name, version, start_objects()).found;
}

/* An object may have been loaded by another name than it has itself. */
static bool is_called(const struct object* object, const char* needed) {
        const char* own = object_text(object, DT_SONAME, 0);
        return strcmp(last_part(object->name), needed) == 0 ||
               (own != NULL && strcmp(own, needed) == 0);
}

/* Calls `look` with each loaded object for each name that this object needs, in their order. */
static void look_at_needed(const struct object* object, struct search* search,
                           int (*look)(struct dl_phdr_info* info, size_t size, void* data)) {
        const char* needed = NULL;
        for (unsigned i = 0; (needed = object_text(object, DT_NEEDED, i)) != NULL; i++) {
                search->needed = last_part(needed);
                (void)dl_iterate_phdr(look, search);
        }
}

static int look_for_needed(struct dl_phdr_info* info, size_t size, void* data) {
        struct search* search = data;
        const struct object object = object_of(info);
        (void)size;
        if (search->found == NULL && object.dynamic != NULL && !is_door(info, search) &&
            is_called(&object, search->needed))
                search->found = object_version(&object, search->symbol, search->version);
        return search->found != NULL;
}

void* symbol_of_needed(const struct object* object, const char* name, const char* version) {
        struct search search = {
                .address = (uintptr_t)&symbols_of_others, .symbol = name, .version = version};
        search.found = object_version(object, name, version);
        look_at_needed(object, &search, look_for_needed);
        return search.found;
}

static int look_for_needed_reference(struct dl_phdr_info* info, size_t size, void* data) {
        const struct search* search = data;
        const struct object object = object_of(info);
        return object.dynamic != NULL && is_called(&object, search->needed)
                       ? look_for_reference(info, size, data)
                       : 0;
}

unsigned needed_that_refer_to(const struct object* object, const char* name,
                              struct object* ret_first) {
        struct search search = {.symbol = name};
        look_at_needed(object, &search, look_for_needed_reference);
        if (search.matches > 0)
                *ret_first = search.object;
        return search.matches;
}

struct loads {
        unsigned count;           /* objects                        */
        unsigned long long loads; /* that there have been, with these */
};

static int count_object(struct dl_phdr_info* info, size_t size, void* data) {
        struct loads* loads = data;
        (void)size;
        loads->count++;
        loads->loads = info->dlpi_adds;
        return 0;
}

static struct loads loads_now(void) {
        struct loads loads = {0, 0};
        (void)dl_iterate_phdr(count_object, &loads);
        return loads;
}

void remember_start_objects(void) {
        const struct loads loads = loads_now();
        atomic_store_explicit(&start_loads, loads.loads, memory_order_relaxed);
        atomic_store_explicit(&start_count, loads.count, memory_order_relaxed);
}

static uint64_t now_ms(void) {
        struct timespec now = {0, 0};
        (void)clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
        return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

bool may_use_linker(void) {
        enum { QUIET_MS = 100 };
        const unsigned long long loads = loads_now().loads;
        const uint64_t now = now_ms();
        if (atomic_load_explicit(&start_count, memory_order_relaxed) == 0 ||
            loads == atomic_load_explicit(&start_loads, memory_order_relaxed) ||
            syscall(SYS_gettid) == getpid())
                return true;
        if (atomic_exchange_explicit(&last_loads, loads, memory_order_relaxed) != loads)
                atomic_store_explicit(&last_change_ms, now, memory_order_relaxed);
        return now - atomic_load_explicit(&last_change_ms, memory_order_relaxed) >= QUIET_MS;
}

bool object_is_called(const struct object* object, const char* part) {
        return strstr(last_part(object->name), part) != NULL;
}

bool path_beside_us(const char* name, char* ret_path, size_t size) {
        static const char kOrigin[] = "$ORIGIN";
        struct object us;
        if (!object_at(&kOrigin, &us))
                return false;
        const char* slash = strrchr(us.name, '/');
        const char* run_path = object_text(&us, DT_RUNPATH, 0);
        if (run_path == NULL)
                run_path = object_text(&us, DT_RPATH, 0);
        if (slash == NULL || run_path == NULL ||
            strncmp(run_path, kOrigin, sizeof(kOrigin) - 1) != 0)
                return false;
        run_path += sizeof(kOrigin) - 1;
        const size_t folder = (size_t)(slash - us.name);
        const size_t way = strcspn(run_path, ":");
        const size_t length = strlen(name) + 1;
        if (folder + way + 1 + length > size)
                return false;
        memcpy(ret_path, us.name, folder);
        memcpy(ret_path + folder, run_path, way);
        ret_path[folder + way] = '/';
        memcpy(ret_path + folder + way + 1, name, length);
        return true;
}
