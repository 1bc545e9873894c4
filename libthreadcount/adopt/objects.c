/* SPDX-License-Identifier: MIT */
/* Program headers, hash tables and symbols. */
#define _GNU_SOURCE
#include "objects.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct tables {
        const ElfW(Sym) * symbols;
        const char* strings;
        const ElfW(Half) * versions;
        const uint32_t* gnu_hash;
        const uint32_t* sysv_hash;
        const char* definitions; /* of versions that it has   */
        const char* needs;       /* and of those of others    */
        struct {
                const char* first;
                size_t size;
                size_t step;
        } relocations[3];
};

struct search {
        uintptr_t address;
        const char* symbol;
        const char* version; /* NULL: the default one */
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

/* The dynamic linker of some machines has added the base already, that of others has not. */
static const void* located(const struct object* object, ElfW(Addr) value) {
        return (const void*)(value < object->base ? value + object->base : value);
}

static struct tables tables_of(const struct object* object) {
        struct tables tables = {0};
        tables.relocations[0].step = sizeof(ElfW(Rela));
        tables.relocations[1].step = sizeof(ElfW(Rel));
        for (const ElfW(Dyn)* entry = object->dynamic; entry->d_tag != DT_NULL; entry++) {
                const void* place = located(object, entry->d_un.d_ptr);
                switch (entry->d_tag) {
                case DT_SYMTAB:
                        tables.symbols = place;
                        break;
                case DT_STRTAB:
                        tables.strings = place;
                        break;
                case DT_VERSYM:
                        tables.versions = place;
                        break;
                case DT_GNU_HASH:
                        tables.gnu_hash = place;
                        break;
                case DT_HASH:
                        tables.sysv_hash = place;
                        break;
                case DT_VERDEF:
                        tables.definitions = place;
                        break;
                case DT_VERNEED:
                        tables.needs = place;
                        break;
                case DT_RELA:
                        tables.relocations[0].first = place;
                        break;
                case DT_RELASZ:
                        tables.relocations[0].size = entry->d_un.d_val;
                        break;
                case DT_REL:
                        tables.relocations[1].first = place;
                        break;
                case DT_RELSZ:
                        tables.relocations[1].size = entry->d_un.d_val;
                        break;
                case DT_JMPREL:
                        tables.relocations[2].first = place;
                        break;
                case DT_PLTRELSZ:
                        tables.relocations[2].size = entry->d_un.d_val;
                        break;
                case DT_PLTREL:
                        tables.relocations[2].step = entry->d_un.d_val == DT_RELA
                                                             ? sizeof(ElfW(Rela))
                                                             : sizeof(ElfW(Rel));
                        break;
                default:
                        break;
                }
        }
        return tables;
}

enum { HIDDEN = 0x8000 };

static bool defines_version(const struct tables* tables, uint16_t number, const char* version) {
        const char* place = tables->definitions;
        for (unsigned next = place != NULL; next != 0; place += next) {
                const ElfW(Verdef)* definition = (const void*)place;
                const ElfW(Verdaux)* name = (const void*)(place + definition->vd_aux);
                if (definition->vd_ndx == number)
                        return strcmp(tables->strings + name->vda_name, version) == 0;
                next = definition->vd_next;
        }
        return false;
}

/* NULL: any will do. */
static const char* needed_version(const struct tables* tables, uint16_t number) {
        const char* place = tables->needs;
        for (unsigned next = place != NULL; next != 0; place += next) {
                const ElfW(Verneed)* need = (const void*)place;
                const char* other = place + need->vn_aux;
                for (unsigned i = 0; i < need->vn_cnt; i++) {
                        const ElfW(Vernaux)* name = (const void*)other;
                        if (name->vna_other == number)
                                return tables->strings + name->vna_name;
                        other += name->vna_next;
                }
                next = need->vn_next;
        }
        return NULL;
}

static bool is_it(const struct tables* tables, uint32_t i, const char* name, const char* version) {
        const ElfW(Sym)* symbol = &tables->symbols[i];
        if (symbol->st_shndx == SHN_UNDEF || symbol->st_value == 0 ||
            strcmp(tables->strings + symbol->st_name, name) != 0)
                return false;
        if (tables->versions == NULL)
                return true;
        const uint16_t number = tables->versions[i];
        return version == NULL ? (number & HIDDEN) == 0
                               : defines_version(tables, (uint16_t)(number & ~HIDDEN), version);
}

static uint32_t gnu_hash_of(const char* name) {
        uint32_t hash = 5381;
        for (; *name != '\0'; name++)
                hash = hash * 33 + (unsigned char)*name;
        return hash;
}

static uint32_t find_by_gnu_hash(const struct tables* tables, const char* name,
                                 const char* version) {
        const uint32_t* table = tables->gnu_hash;
        const uint32_t bucket_count = table[0];
        const uint32_t first = table[1];
        const uint32_t* buckets = table + 4 + table[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
        const uint32_t* hashes = buckets + bucket_count;
        const uint32_t hash = gnu_hash_of(name);
        uint32_t i = bucket_count > 0 ? buckets[hash % bucket_count] : 0;
        if (i < first)
                return 0;
        for (;; i++) {
                const uint32_t other = hashes[i - first];
                if ((other | 1) == (hash | 1) && is_it(tables, i, name, version))
                        return i;
                if ((other & 1) != 0)
                        return 0;
        }
}

static uint32_t sysv_hash_of(const char* name) {
        uint32_t hash = 0;
        for (; *name != '\0'; name++) {
                hash = (hash << 4) + (unsigned char)*name;
                hash = (hash ^ (hash & 0xf0000000) >> 24) & 0x0fffffff;
        }
        return hash;
}

static uint32_t find_by_sysv_hash(const struct tables* tables, const char* name,
                                  const char* version) {
        const uint32_t bucket_count = tables->sysv_hash[0];
        const uint32_t* buckets = tables->sysv_hash + 2;
        const uint32_t* chains = buckets + bucket_count;
        uint32_t i = bucket_count > 0 ? buckets[sysv_hash_of(name) % bucket_count] : 0;
        while (i != 0 && !is_it(tables, i, name, version))
                i = chains[i];
        return i;
}

static void* versioned_symbol(const struct object* object, const char* name, const char* version) {
        const struct tables tables = tables_of(object);
        uint32_t i = 0;
        if (tables.symbols == NULL || tables.strings == NULL)
                return NULL;
        if (tables.gnu_hash != NULL)
                i = find_by_gnu_hash(&tables, name, version);
        else if (tables.sysv_hash != NULL)
                i = find_by_sysv_hash(&tables, name, version);
        return i != 0 ? (void*)(object->base + tables.symbols[i].st_value) : NULL;
}

void* object_symbol(const struct object* object, const char* name) {
        return versioned_symbol(object, name, NULL);
}

/* The number of a symbol that is referred to; 0: nothing does. Who only refers has no hash of it.
 */
static uint32_t referred(const struct tables* tables, const char* name) {
        enum { SHIFT = sizeof(ElfW(Addr)) == 8 ? 32 : 8 };
        for (unsigned kind = 0; kind < 3; kind++) {
                const char* end = tables->relocations[kind].first + tables->relocations[kind].size;
                if (tables->relocations[kind].first == NULL)
                        continue;
                for (const char* place = tables->relocations[kind].first; place < end;
                     place += tables->relocations[kind].step) {
                        const uint32_t i =
                                (uint32_t)(((const ElfW(Rel)*)(const void*)place)->r_info >> SHIFT);
                        if (i != 0 && tables->symbols[i].st_shndx == SHN_UNDEF &&
                            strcmp(tables->strings + tables->symbols[i].st_name, name) == 0)
                                return i;
                }
        }
        return 0;
}

bool object_refers_to(const struct object* object, const char* name, const char** ret_version) {
        const struct tables tables = tables_of(object);
        const uint32_t i =
                tables.symbols != NULL && tables.strings != NULL ? referred(&tables, name) : 0;
        if (i == 0)
                return false;
        *ret_version = tables.versions != NULL
                               ? needed_version(&tables, (uint16_t)(tables.versions[i] & ~HIDDEN))
                               : NULL;
        return true;
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

static int look_for_symbol(struct dl_phdr_info* info, size_t size, void* data) {
        struct search* search = data;
        const struct object object = object_of(info);
        (void)size;
        if (search->left-- == 0)
                return 1;
        if (object.dynamic == NULL || has_address(info, search->address))
                return 0;
        void* symbol = versioned_symbol(&object, search->symbol, search->version);
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

static int look_for_object(struct dl_phdr_info* info, size_t size, void* data) {
        struct search* search = data;
        (void)size;
        if (search->left-- == 0)
                return 1;
        search->matches += object_of(info).dynamic == search->dynamic;
        return 0;
}

bool is_of_start(const struct object* object) {
        struct search search = {.dynamic = object->dynamic, .left = start_objects()};
        (void)dl_iterate_phdr(look_for_object, &search);
        return search.matches > 0;
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
        const char* slash = strrchr(object->name, '/');
        return strstr(slash != NULL ? slash : object->name, part) != NULL;
}

static const char* run_path_of(const struct object* object) {
        for (const ElfW(Dyn)* entry = object->dynamic; entry->d_tag != DT_NULL; entry++)
                if (entry->d_tag == DT_RUNPATH || entry->d_tag == DT_RPATH)
                        return tables_of(object).strings + entry->d_un.d_val;
        return "";
}

bool path_beside_us(const char* name, char* ret_path, size_t size) {
        static const char kOrigin[] = "$ORIGIN";
        struct object us;
        if (!object_at(&kOrigin, &us))
                return false;
        const char* slash = strrchr(us.name, '/');
        const char* run_path = run_path_of(&us);
        if (slash == NULL || strncmp(run_path, kOrigin, sizeof(kOrigin) - 1) != 0)
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
