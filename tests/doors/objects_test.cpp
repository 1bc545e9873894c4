// SPDX-License-Identifier: MIT
// Loaded objects and their symbols as the preloaded object finds them, and as the linker does.
extern "C" {
#include "objects.h"
#include "symbols.h"
}

#include <array>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>

namespace {

object object_of(const void* address) {
        object found{};
        EXPECT_TRUE(object_at(address, &found));
        return found;
}

/// Loaded for good.
void* loaded(const std::string& library) {
        void* handle = ::dlopen((PROGRAMS "/" + library).c_str(), RTLD_NOW | RTLD_LOCAL);
        EXPECT_NE(handle, nullptr) << ::dlerror();
        return handle;
}

/// Before the others, which load more.
TEST(AtTheStart, OnlyWhatIsLoadedByThenIsOfTheStart) {
        EXPECT_TRUE(may_use_linker());
        remember_start_objects();
        EXPECT_NE(symbol_of_start("getenv", nullptr), nullptr);
        std::thread([] { EXPECT_TRUE(may_use_linker()) << "nothing was loaded"; }).join();
        (void)loaded("library_X.so");
        EXPECT_EQ(symbol_of_start("library_team", nullptr), nullptr);
        EXPECT_TRUE(may_use_linker()) << "the first thread";
        std::thread([] {
                EXPECT_FALSE(may_use_linker());
                ::usleep(120'000);
                EXPECT_TRUE(may_use_linker());
        }).join();
}

TEST(Objects, AnAddressIsInOneOrInNone) {
        const auto libc = object_of(::dlsym(RTLD_DEFAULT, "getenv"));
        EXPECT_TRUE(object_is_called(&libc, "libc.so"));
        EXPECT_FALSE(object_is_called(&libc, "libgomp"));
        const auto own = object_of(reinterpret_cast<const void*>(&loaded));
        EXPECT_STREQ(own.name, "");
        EXPECT_NE(own.dynamic, libc.dynamic);
        const auto heap = std::make_unique<int>(0);
        object none{};
        EXPECT_FALSE(object_at(heap.get(), &none));
        EXPECT_FALSE(object_at(nullptr, &none));
}

TEST(Objects, TheirSymbolsAreThoseThatTheLinkerFinds) {
        const auto libc = object_of(::dlsym(RTLD_DEFAULT, "getenv"));
        for (const auto* name : {"getenv", "malloc", "dl_iterate_phdr", "pthread_create", "dlopen"})
                EXPECT_EQ(object_symbol(&libc, name), ::dlsym(RTLD_DEFAULT, name)) << name;
        EXPECT_EQ(object_symbol(&libc, "no_such_function"), nullptr);
        EXPECT_EQ(object_symbol(&libc, ""), nullptr);
}

TEST(Objects, EitherKindOfHashTableWillDo) {
        for (const auto* library : {"library.so", "library_sysv.so"}) {
                void* symbol = ::dlsym(loaded(library), "library_team");
                const auto found = object_of(symbol);
                EXPECT_TRUE(object_is_called(&found, library));
                EXPECT_EQ(object_symbol(&found, "library_team"), symbol) << library;
                EXPECT_EQ(object_symbol(&found, "GOMP_parallel"), nullptr) << "it only needs it";
                EXPECT_EQ(object_symbol(&found, "library_tean"), nullptr);
        }
}

TEST(Objects, SomebodyElseHasASymbol) {
        (void)loaded("library.so");
        void* symbol = nullptr;
        EXPECT_GE(symbols_of_others("library_team", nullptr, &symbol), 1U);
        EXPECT_NE(symbol, nullptr);
        ASSERT_GE(symbols_of_others("GOMP_parallel", nullptr, &symbol), 1U);
        const auto gomp = object_of(symbol);
        EXPECT_TRUE(object_is_called(&gomp, "libgomp"));
        EXPECT_EQ(symbols_of_others("object_at", nullptr, &symbol), 0U) << "this one is its own";
        EXPECT_EQ(symbols_of_others("no_such_function", nullptr, &symbol), 0U);
}

TEST(Objects, ASymbolIsReferredToInAVersion) {
        const auto library = object_of(::dlsym(loaded("library.so"), "library_team"));
        const char* version = nullptr;
        ASSERT_TRUE(object_refers_to(&library, "omp_set_num_threads", &version));
        EXPECT_STREQ(version, "OMP_1.0");
        EXPECT_FALSE(object_refers_to(&library, "library_team", &version)) << "it has it";
        EXPECT_FALSE(object_refers_to(&library, "omp_get_num_procs", &version));
        void* symbol = nullptr;
        EXPECT_GE(symbols_of_others("omp_set_num_threads", "OMP_1.0", &symbol), 1U);
        const auto gomp = object_of(symbol);
        EXPECT_TRUE(object_is_called(&gomp, "libgomp"));
        EXPECT_EQ(object_symbol(&gomp, "omp_set_num_threads"), symbol);
        EXPECT_EQ(symbols_of_others("omp_set_num_threads", "OMP_9.9", &symbol), 0U);
        object first{};
        EXPECT_GE(objects_that_refer_to("omp_set_num_threads", &first), 1U);
        EXPECT_EQ(objects_that_refer_to("no_such_function", &first), 0U);
        const auto around = object_of(::dlsym(loaded("around_X.so"), "around_sets"));
        EXPECT_EQ(needed_that_refer_to(&around, "omp_set_num_threads", &first), 1U);
        EXPECT_TRUE(object_is_called(&first, "library_X.so"));
        EXPECT_EQ(needed_that_refer_to(&library, "omp_set_num_threads", &first), 0U);
        EXPECT_EQ(needed_that_refer_to(&around, "no_such_function", &first), 0U);
}

struct Use {
        std::string name;
        std::string version;
        const void* address = nullptr;
};

bool is_use(const binding* binding, void* data) {
        auto& use = *static_cast<Use*>(data);
        if (binding->name != use.name)
                return false;
        use.version = binding->version != nullptr ? binding->version : "";
        use.address = binding->address;
        return true;
}

/// How the object of this symbol uses a function.
Use use_of(const void* symbol, const std::string& name) {
        Use use{name, "", nullptr};
        const auto object = object_of(symbol);
        visit_openmp_bindings(&object, is_use, &use);
        return use;
}

TEST(Objects, WhatTheLinkerHasBoundIsRead) {
        for (const auto& [library, runtime] :
             {std::pair{"library.so", "libgomp.so.1"}, std::pair{"library_X.so", "libgomp.so.X"}}) {
                void* handle = loaded(library);
                const void* counted = ::dlsym(handle, "library_counted");
                for (const auto* name : {"omp_get_thread_num", "omp_set_num_threads"}) {
                        const auto use = use_of(counted, name);
                        EXPECT_EQ(use.version, "OMP_1.0");
                        EXPECT_EQ(use.address, ::dlsym(handle, name)) << library;
                        const auto object = object_of(use.address);
                        EXPECT_TRUE(object_is_called(&object, runtime)) << object.name;
                }
                EXPECT_EQ(use_of(counted, "GOMP_barrier").version, "GOMP_1.0");
                EXPECT_EQ(use_of(counted, "omp_get_num_procs").address, nullptr);
                EXPECT_EQ(use_of(counted, "library_counted").address, nullptr);
        }
}

TEST(Objects, AnObjectSeesItsOwnSymbolBeforeThoseOfOthers) {
        void* handle = loaded("library_X.so");
        const auto library = object_of(::dlsym(handle, "library_team"));
        EXPECT_EQ(symbol_of_needed(&library, "library_team", nullptr),
                  ::dlsym(handle, "library_team"));
        EXPECT_EQ(symbol_of_needed(&library, "GOMP_parallel", nullptr),
                  ::dlsym(handle, "GOMP_parallel"));
        EXPECT_EQ(symbol_of_needed(&library, "no_such_function", nullptr), nullptr);
}

TEST(Objects, DataOfThreadsAreSeen) {
        const auto libc = object_of(::dlsym(RTLD_DEFAULT, "getenv"));
        EXPECT_TRUE(libc.has_thread_data) << "errno";
        const auto library = object_of(::dlsym(loaded("library.so"), "library_team"));
        EXPECT_FALSE(library.has_thread_data);
}

TEST(Objects, AnObjectWithoutAPathOfItsOwnHasNothingBesideIt) {
        std::array<char, 64> path{};
        EXPECT_FALSE(path_beside_us("libthreadcount.so.1", path.data(), path.size()));
}

}  // namespace
