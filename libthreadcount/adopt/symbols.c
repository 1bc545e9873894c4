/* SPDX-License-Identifier: MIT */
/* Dynamic sections, hash tables and relocations. */
#define _GNU_SOURCE
#include "symbols.h"

#include <string.h>

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

void* object_version(const struct object* object, const char* name, const char* version) {
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
        return object_version(object, name, NULL);
}

/* Relocations, one after the other. All zero but for `tables`: the first one is next. */
struct walk {
        const struct tables* tables;
        unsigned kind;
        const char* place;
};

/* The number of the symbol that the next one with a symbol names; 0: there is none left. */
static uint32_t next_symbol(struct walk* walk, const ElfW(Rel) * *ret_relocation) {
        enum { SHIFT = sizeof(ElfW(Addr)) == 8 ? 32 : 8 };
        for (; walk->kind < 3; walk->kind++, walk->place = NULL) {
                const char* first = walk->tables->relocations[walk->kind].first;
                if (first == NULL)
                        continue;
                if (walk->place == NULL)
                        walk->place = first;
                while (walk->place < first + walk->tables->relocations[walk->kind].size) {
                        *ret_relocation = (const void*)walk->place;
                        walk->place += walk->tables->relocations[walk->kind].step;
                        const uint32_t i = (uint32_t)((*ret_relocation)->r_info >> SHIFT);
                        if (i != 0)
                                return i;
                }
        }
        return 0;
}

static const char* name_of(const struct tables* tables, uint32_t i) {
        return tables->strings + tables->symbols[i].st_name;
}

/* In which version the object wants it; NULL: in any. */
static const char* version_of(const struct tables* tables, uint32_t i) {
        return tables->versions != NULL
                       ? needed_version(tables, (uint16_t)(tables->versions[i] & ~HIDDEN))
                       : NULL;
}

/* A mere reference has no hash. */
bool object_refers_to(const struct object* object, const char* name, const char** ret_version) {
        const struct tables tables = tables_of(object);
        struct walk walk = {.tables = &tables};
        const ElfW(Rel)* relocation = NULL;
        uint32_t i = 0;
        if (tables.symbols == NULL || tables.strings == NULL)
                return false;
        while ((i = next_symbol(&walk, &relocation)) != 0) {
                if (tables.symbols[i].st_shndx != SHN_UNDEF ||
                    strcmp(name_of(&tables, i), name) != 0)
                        continue;
                *ret_version = version_of(&tables, i);
                return true;
        }
        return false;
}

static bool is_of_openmp(const char* name) {
        return strncmp(name, "omp_", 4) == 0 || strncmp(name, "GOMP_", 5) == 0 ||
               strncmp(name, "GOACC_", 6) == 0;
}

/* The linker may write a slot at its first use. All that it writes are whole words. */
bool visit_openmp_bindings(const struct object* object, bool (*visit)(const struct binding*, void*),
                           void* data) {
        const struct tables tables = tables_of(object);
        struct walk walk = {.tables = &tables};
        const ElfW(Rel)* relocation = NULL;
        uint32_t i = 0;
        if (tables.symbols == NULL || tables.strings == NULL)
                return false;
        while ((i = next_symbol(&walk, &relocation)) != 0) {
                const uintptr_t place = object->base + relocation->r_offset;
                if (!is_of_openmp(name_of(&tables, i)) || place % sizeof(uintptr_t) != 0)
                        continue;
                const uintptr_t address =
                        __atomic_load_n((const uintptr_t*)place, __ATOMIC_RELAXED);
                const struct binding binding = {name_of(&tables, i), version_of(&tables, i),
                                                (const void*)address};
                if (visit(&binding, data))
                        return true;
        }
        return false;
}

const char* object_text(const struct object* object, int64_t tag, unsigned number) {
        for (const ElfW(Dyn)* entry = object->dynamic; entry->d_tag != DT_NULL; entry++)
                if (entry->d_tag == tag && number-- == 0)
                        return tables_of(object).strings + entry->d_un.d_val;
        return NULL;
}
