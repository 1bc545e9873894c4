// SPDX-License-Identifier: MIT
// The OpenMP adapter in a process with several runtimes, several masters, nested regions and forks.
// The test itself is no OpenMP program: it loads what is, once for each runtime.
#include "master.h"
#include "support/daemon.hpp"
#include "support/lease_client.hpp"

#include <algorithm>
#include <atomic>
#include <dlfcn.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <thread>
#include <threadcount/threadcount.h>
#include <unistd.h>

namespace {

using namespace test_support;

constexpr int kUngoverned = 5;

/// A shared object with a runtime of its own, so that neither sees the other's functions.
class Master {
public:
        explicit Master(const std::string& runtime)
                : object_(::dlopen(path_of(runtime).c_str(), RTLD_NOW | RTLD_LOCAL)) {
                if (object_ == nullptr)
                        throw std::runtime_error(::dlerror());
        }

        [[nodiscard]] static std::string path_of(const std::string& runtime) {
                return MASTERS "/libmaster-" + runtime + ".so";
        }
        [[nodiscard]] int open() const {
                return call<decltype(master_open)>("master_open", kUngoverned);
        }
        [[nodiscard]] int update() const { return call<decltype(master_update)>("master_update"); }
        [[nodiscard]] int in_turn() const {
                return call<decltype(master_in_turn)>("master_in_turn");
        }
        [[nodiscard]] int team() const { return call<decltype(master_team)>("master_team"); }
        [[nodiscard]] int spins_ms() const {
                return call<decltype(master_spins_ms)>("master_spins_ms");
        }
        [[nodiscard]] int nested(int inner) const {
                return call<decltype(master_nested)>("master_nested", inner);
        }
        [[nodiscard]] int timed(unsigned us) const {
                return call<decltype(master_timed)>("master_timed", us);
        }
        [[nodiscard]] int fork_inside() const {
                return call<decltype(master_fork_inside)>("master_fork_inside", kUngoverned);
        }
        [[nodiscard]] int fork_outside() const {
                return call<decltype(master_fork_outside)>("master_fork_outside");
        }

private:
        template <class Function, class... Arguments>
        int call(const char* name, Arguments... arguments) const {
                const auto function = reinterpret_cast<Function*>(::dlsym(object_, name));
                return function != nullptr ? function(arguments...) : -1;
        }

        void* object_;  // a runtime's threads stay: it is never unloaded
};

class OpenMp : public testing::TestWithParam<const char*> {
protected:
        void SetUp() override {
                for (const std::string runtime : {"gomp", GetParam()})
                        if (!std::filesystem::exists(Master::path_of(runtime)))
                                GTEST_SKIP() << "no compiler for lib" << runtime;
                for (const auto* name :
                     {"THREADCOUNT", "THREADCOUNT_MAX", "THREADCOUNT_CLASS", "OMP_NUM_THREADS",
                      "OMP_DYNAMIC", "OMP_WAIT_POLICY", "KMP_BLOCKTIME"})
                        ::unsetenv(name);
                ::setenv("THREADCOUNT_SOCKET", daemon().socket().c_str(), 1);
                // Before a runtime binds this thread.
                cpus_ = std::min(status(daemon().socket()).cpus(),
                                 std::thread::hardware_concurrency());
        }
        /// One for all tests: a process opens its handle once.
        static Daemon& daemon() {
                static Daemon daemon("", "[governor]\npolicy = fair\nforeign_max = 0%\n");
                static const bool started = (daemon.start(), true);
                (void)started;
                return daemon;
        }
        /// The most that this process may have from now on; waits until the library is told. Less
        /// than before is told at once, more after a while.
        [[nodiscard]] bool grants_at_most(std::uint32_t threads) {
                if (!sibling_) {
                        sibling_ = std::make_unique<LeaseClient>(daemon().socket());
                        if (sibling_->hello() == nullptr)
                                return false;
                }
                return sibling_->update(threads)->has_done() && eventually([&] {
                               const auto told = sibling_->memory().threads();
                               return told >= 1 && told <= threads &&
                                      (threads == 1 || told == std::min(threads, cpus()));
                       });
        }
        [[nodiscard]] std::uint32_t cpus() const { return cpus_; }
        void has_all_that_is_granted(const Master& master) {
                ASSERT_EQ(master.open(), 0);
                ASSERT_TRUE(grants_at_most(4));
                const auto granted = static_cast<int>(std::min(4U, cpus()));
                EXPECT_EQ(master.update(), granted);
                EXPECT_EQ(master.team(), granted);
        }

        std::unique_ptr<LeaseClient> sibling_;

private:
        std::uint32_t cpus_ = 0;
};

TEST_P(OpenMp, RegionsHaveTheTeamThatIsGranted) {
        const Master master(GetParam());
        has_all_that_is_granted(master);
        ASSERT_TRUE(grants_at_most(1));
        EXPECT_EQ(master.update(), 1);
        EXPECT_EQ(master.team(), 1);
}

/// Smaller teams would all be bound to the first CPUs.
TEST_P(OpenMp, ARuntimeThatBindsItsThreadsIsLeftAlone) {
        ::setenv("OMP_PROC_BIND", "close", 1);
        const Master master(GetParam());
        ASSERT_EQ(master.open(), 0);
        EXPECT_EQ(status(daemon().socket()).clients(), 0U);
        EXPECT_EQ(master.update(), kUngoverned);
        EXPECT_EQ(master.team(), kUngoverned);
        char reason[200];
        threadcount_reason(threadcount_default(), reason, sizeof(reason));
        EXPECT_NE(std::string(reason).find("OMP_PROC_BIND"), std::string::npos) << reason;
}

/// It has bound the first thread when the program says hello, and there are no others yet.
TEST_P(OpenMp, ARuntimeThatBindsItsThreadsHasAllItsPlacesIfItsUserWantsItGoverned) {
        if (cpus() < 2)
                GTEST_SKIP() << "one CPU: a thread that is bound shows all";
        ::setenv("OMP_PROC_BIND", "close", 1);
        ::setenv("THREADCOUNT", "adapt", 1);
        const Master master(GetParam());
        has_all_that_is_granted(master);
}

TEST_P(OpenMp, NothingIsChangedInsideARegion) {
        const Master master(GetParam());
        ASSERT_EQ(master.open(), 0);
        ASSERT_TRUE(grants_at_most(1));
        EXPECT_EQ(master.nested(3), 0);
        EXPECT_EQ(master.update(), 1) << "and outside it goes on";
}

TEST_P(OpenMp, RegionsAreTimedFromOutsideOnly) {
        constexpr int kRegions = 10;
        constexpr unsigned kTime_us = 3'000;
        const Master master(GetParam());
        has_all_that_is_granted(master);
        const auto team = static_cast<std::uint32_t>(master.update());
        for (int i = 0; i < kRegions; i++)
                EXPECT_EQ(master.timed(kTime_us), static_cast<int>(team));
        const auto pid = static_cast<std::uint32_t>(::getpid());
        const auto explained = explanation_of(daemon().socket(), pid);
        ASSERT_EQ(explained.region_time_size(), 1);
        const auto& time = explained.region_time(0);
        EXPECT_LE(time.team_from(), team);
        EXPECT_GE(time.team_to(), team);
        EXPECT_EQ(time.count(), kRegions);
        EXPECT_GE(time.mean_ns(), kTime_us * 1'000);
        EXPECT_TRUE(eventually([&] { return lease_of(daemon().socket(), pid)->in_use() == 0; }))
                << "outside of regions";
}

TEST_P(OpenMp, EachMasterFollowsTheGrant) {
        const Master master(GetParam());
        ASSERT_EQ(master.open(), 0);
        ASSERT_TRUE(grants_at_most(4));
        std::atomic<bool> stop{false};
        std::atomic<int> wrong{0};
        std::atomic<int> at_one{0};
        std::vector<std::thread> masters;
        for (int i = 0; i < 3; i++)
                masters.emplace_back([&] {
                        while (!stop) {
                                const int threads = master.update();
                                wrong += threads < 1 || threads > kUngoverned;
                                wrong += master.team() != threads;
                        }
                        at_one += eventually([&] { return master.update() == 1; });
                });
        for (const std::uint32_t threads : {3U, 2U, 1U})
                EXPECT_TRUE(grants_at_most(threads));
        stop = true;
        for (auto& thread : masters)
                thread.join();
        EXPECT_EQ(wrong, 0);
        EXPECT_EQ(at_one, 3);
}

TEST_P(OpenMp, MastersThatStartRegionsAtTheSameTimeShareTheGrant) {
        const Master master(GetParam());
        ASSERT_EQ(master.open(), 0);
        ASSERT_TRUE(grants_at_most(2));
        const auto granted = static_cast<int>(std::min(2U, cpus()));
        std::atomic<int> of_the_other{0};
        std::jthread other([&](const std::stop_token& stop) {
                while (!stop.stop_requested()) {
                        of_the_other = master.update();
                        ::usleep(1000);
                }
        });
        EXPECT_TRUE(eventually([&] { return master.update() == 1 && of_the_other == 1; }));
        EXPECT_EQ(master.in_turn(), granted) << "divided by nobody";
        other = {};
        EXPECT_TRUE(eventually([&] { return master.update() == granted; }));
}

TEST_P(OpenMp, ASmallerTeamEndsThreadsOnRequest) {
        ::setenv("THREADCOUNT_SHRINK", "release", 1);
        const Master master(GetParam());
        const auto threads_of_this_process = [] {
                const std::filesystem::directory_iterator tasks("/proc/self/task");
                return std::distance(begin(tasks), end(tasks));
        };
        ASSERT_EQ(master.open(), 0);
        const auto before = threads_of_this_process();
        for (int round = 0; round < 2; round++) {
                ASSERT_TRUE(grants_at_most(2));
                const auto granted = static_cast<int>(std::min(2U, cpus()));
                ASSERT_TRUE(eventually([&] { return master.update() == granted; }));
                EXPECT_EQ(master.team(), granted);
                ASSERT_TRUE(grants_at_most(1));
                EXPECT_EQ(master.update(), 1);
                EXPECT_TRUE(eventually([&] { return threads_of_this_process() == before; }));
                EXPECT_EQ(master.team(), 1);
        }
}

/// -1: the runtime does not tell.
int or_not_told(int spins_ms, const Master& master) {
        return master.spins_ms() == -1 ? -1 : spins_ms;
}

TEST_P(OpenMp, TheTeamOfABatchProgramSleepsSoon) {
        ::setenv("THREADCOUNT_CLASS", "batch", 1);
        const Master master(GetParam());
        ASSERT_EQ(master.open(), 0);
        EXPECT_GE(master.update(), 1);
        EXPECT_EQ(master.spins_ms(), or_not_told(7, master));
}

TEST_P(OpenMp, ThatOfAnInteractiveOneSpinsAsBefore) {
        const Master master(GetParam());
        ASSERT_EQ(master.open(), 0);
        const auto before = master.spins_ms();
        EXPECT_GE(master.update(), 1);
        EXPECT_EQ(master.spins_ms(), before);
}

TEST_P(OpenMp, HowLongThreadsSpinIsTheUsersChoice) {
        ::setenv("THREADCOUNT_CLASS", "batch", 1);
        ::setenv("KMP_BLOCKTIME", "50", 1);
        const Master master(GetParam());
        ASSERT_EQ(master.open(), 0);
        EXPECT_GE(master.update(), 1);
        EXPECT_EQ(master.spins_ms(), or_not_told(50, master));
}

TEST_P(OpenMp, AChildThatIsForkedInsideARegionOpensItsOwn) {
        const Master master(GetParam());
        ASSERT_EQ(master.open(), 0);
        ASSERT_TRUE(grants_at_most(1));
        EXPECT_EQ(master.fork_inside(), 0);
        EXPECT_EQ(master.update(), 1) << "nothing has changed for its parent";
        EXPECT_TRUE(eventually([&] { return status(daemon().socket()).clients() == 1; }));
}

TEST_P(OpenMp, AForkedChildMayUseAllThatItsParentWouldHaveUsedUngoverned) {
        const Master master(GetParam());
        ASSERT_EQ(master.open(), 0);
        const auto ungoverned = master.fork_outside();  // libomp begins anew in a child
        ASSERT_TRUE(grants_at_most(1));
        EXPECT_EQ(master.update(), 1);
        EXPECT_EQ(master.fork_outside(), ungoverned);
}

std::string name_of(const testing::TestParamInfo<const char*>& runtime) { return runtime.param; }

INSTANTIATE_TEST_SUITE_P(Runtime, OpenMp, testing::Values("gomp", "omp"), name_of);

using TwoOpenMpRuntimes = OpenMp;

TEST_P(TwoOpenMpRuntimes, InOneProcessEachHaveTheTeamThatIsGranted) {
        const Master gomp("gomp");
        const Master omp(GetParam());
        ASSERT_EQ(gomp.open(), 0);
        ASSERT_EQ(omp.open(), 0);
        for (const std::uint32_t threads : {4U, 1U}) {
                ASSERT_TRUE(grants_at_most(threads));
                const auto granted = static_cast<int>(std::min(threads, cpus()));
                EXPECT_EQ(gomp.update(), granted);
                EXPECT_EQ(omp.update(), granted);
                EXPECT_EQ(gomp.team(), granted);
                EXPECT_EQ(omp.team(), granted);
        }
        EXPECT_EQ(status(daemon().socket()).clients(), 1U) << "the lease is the process's";
}

INSTANTIATE_TEST_SUITE_P(Runtime, TwoOpenMpRuntimes, testing::Values("omp"), name_of);

}  // namespace
