// SPDX-License-Identifier: MIT
// Batch programs of one user with the real library and a real daemon: one runs, the others wait.
#include "lease_fixture.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <gtest/gtest.h>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <threadcount/threadcount.h>

namespace {

using namespace test_support;
using std::chrono::milliseconds;

/// Counters that forked programs share with the test.
class Regions {
public:
        static constexpr std::size_t kPrograms = 2;

        Regions() : begun_(static_cast<std::atomic<int>*>(map())) {
                for (std::size_t i = 0; i < kPrograms; i++)
                        new (&begun_[i]) std::atomic<int>(0);
        }
        ~Regions() { ::munmap(begun_, kPrograms * sizeof(*begun_)); }
        Regions(const Regions&) = delete;
        Regions& operator=(const Regions&) = delete;

        std::atomic<int>& of(std::size_t program) { return begun_[program]; }

private:
        static void* map() {
                void* memory = ::mmap(nullptr, kPrograms * sizeof(std::atomic<int>),
                                      PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
                if (memory == MAP_FAILED)
                        throw std::bad_alloc();
                return memory;
        }

        std::atomic<int>* begun_;
};

class TurnsOfPrograms : public LeaseTest {
protected:
        /// On one thread. On a busy machine a thread may be late by ten milliseconds, which is to
        /// be little of it.
        static constexpr milliseconds kRegion{240};

        /// Regions that so many threads make as many times as fast, one after the other; of those
        /// that came first least is left. Once that is seen, they take turns.
        [[nodiscard]] std::unique_ptr<ForkedProgram> job(std::size_t number,
                                                         const std::string& name) {
                return std::make_unique<ForkedProgram>([this, number, name] {
                        ::setenv("THREADCOUNT_SOCKET", daemon_.socket().c_str(), 1);
                        ::setenv("THREADCOUNT_CLASS", "batch", 1);
                        ::setenv("THREADCOUNT_JOB", name.c_str(), 1);
                        threadcount_handle* handle = nullptr;
                        if (threadcount_open(nullptr, &handle) != 0)
                                return;
                        for (std::uint64_t done = 0;; done++) {
                                threadcount_progress(handle, done, 100'000);
                                const auto threads = threadcount_region_begin(handle);
                                regions_.of(number)++;
                                const auto end =
                                        std::chrono::steady_clock::now() + kRegion / threads;
                                while (std::chrono::steady_clock::now() < end) {
                                }
                                threadcount_region_end(handle, threads);
                        }
                });
        }
        [[nodiscard]] bool gets_on(std::size_t number) {
                const int before = regions_.of(number);
                return eventually([&] { return regions_.of(number) > before + 5; });
        }
        /// The governor's own word.
        [[nodiscard]] bool is_parked(const ForkedProgram& program) const {
                const auto client = lease(program.pid());
                return client && client->parked() && client->reason().starts_with("parked:");
        }

        /// As the status counts them.
        [[nodiscard]] unsigned waiting() const {
                return nlohmann::json::parse(ctl(daemon_, {"--json", "status"}).out)["waiting"];
        }

        [[nodiscard]] std::string why(const ForkedProgram& program) const {
                return ctl(daemon_, {"explain", std::to_string(program.pid())}).out;
        }

        /// Waits until it is known how long its regions take on all CPUs: a second of them, between
        /// two samples.
        [[nodiscard]] bool is_measured(std::size_t number) {
                std::this_thread::sleep_for(std::chrono::seconds(3));
                return gets_on(number);
        }

        Regions regions_;
};

TEST_F(TurnsOfPrograms, TheOldestRunsAndIsFollowedWhenItIsKilled) {
        const auto first = job(0, "a");
        ASSERT_TRUE(is_measured(0));
        const auto second = job(1, "b");
        ASSERT_TRUE(eventually([&] { return is_parked(*second); })) << why(*first) << why(*second);
        EXPECT_EQ(waiting(), 1U);
        std::this_thread::sleep_for(2 * kRegion);  // its region ends
        const int begun = regions_.of(1);
        EXPECT_TRUE(gets_on(0));
        EXPECT_EQ(regions_.of(1), begun);
        EXPECT_NE(why(*second).find("\n  batch job b, 1 program, "), std::string::npos);
        const auto cpus = nlohmann::json::parse(ctl(daemon_, {"--json", "cpus"}).out);
        for (const auto& cpu : cpus)
                EXPECT_LE(cpu["holder"].size(), 1U) << "who waits holds none: " << cpu;
        EXPECT_EQ(ctl(daemon_, {"pause", "--all"}).status, 0);
        EXPECT_EQ(waiting(), 0U) << "nothing is asked to";
        EXPECT_EQ(ctl(daemon_, {"resume", "--all"}).status, 0);
        ASSERT_TRUE(eventually([&] { return waiting() == 1; })) << why(*first) << why(*second);
        first->kill();
        EXPECT_TRUE(gets_on(1));
        EXPECT_FALSE(is_parked(*second));
}

TEST_F(TurnsOfPrograms, ProgramsOfOneJobRunTogether) {
        const auto first = job(0, "a");
        const auto second = job(1, "a");
        ASSERT_TRUE(gets_on(0));
        EXPECT_TRUE(gets_on(1));
        EXPECT_FALSE(is_parked(*first));
        EXPECT_FALSE(is_parked(*second));
        EXPECT_NE(why(*second).find("\n  batch job a, 2 programs, "), std::string::npos);
}

TEST_F(TurnsOfPrograms, AllGoOnWithoutTheDaemon) {
        const auto first = job(0, "a");
        ASSERT_TRUE(is_measured(0));
        const auto second = job(1, "b");
        ASSERT_TRUE(eventually([&] { return is_parked(*second); })) << why(*first) << why(*second);
        daemon_.kill();
        EXPECT_TRUE(gets_on(0));
        EXPECT_TRUE(gets_on(1));
}

TEST_F(TurnsOfPrograms, AreNotTakenWhereTheConfigurationSaysSo) {
        daemon_.configure(kFair + "turns = no\n");
        daemon_.process().signal(SIGHUP);
        const auto first = job(0, "a");
        const auto second = job(1, "b");
        EXPECT_TRUE(gets_on(0));
        EXPECT_TRUE(gets_on(1));
        EXPECT_FALSE(is_parked(*first));
        EXPECT_FALSE(is_parked(*second));
        EXPECT_NE(why(*second).find("\n  batch, but it takes no turns\n"), std::string::npos);
}

}  // namespace
