// SPDX-License-Identifier: MIT
// The lane that is woken for a task, on machines that are made up: a log of the lanes that ran each
// task.
#include "scheduler.hpp"

#include <threadcount/pool/detail/lane_context.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <thread>
#include <vector>

using namespace threadcount;
using namespace threadcount::pool;

namespace {

/// Two packages of four cores of two threads. The numbers are those of no real CPU: lanes run where
/// they may, and nobody submits from one of them.
std::vector<LaneSite> two_sockets() {
        std::vector<int> cpus;
        std::vector<Place> places;
        for (std::uint32_t thread = 0; thread < 2; thread++)
                for (std::uint32_t core = 0; core < 8; core++) {
                        const auto package = 5000 + core / 4 * 4;
                        cpus.push_back(static_cast<int>(5000 + 8 * thread + core));
                        places.push_back({5000 + core, 5000 + core, package, package, package});
                }
        return order_lanes(cpus, places);
}

class WakeOrder : public testing::Test {
protected:
        ~WakeOrder() override { scheduler_.stop(false); }

        /// One task that stays in its lane until end_of().
        std::size_t lane_of_next_task() {
                std::atomic<int> lane{-1};
                auto task = [this, &lane] {
                        const auto mine = lane_in(&scheduler_)->lane;
                        busy_[mine] = true;
                        lane = static_cast<int>(mine);
                        while (busy_[mine])
                                std::this_thread::sleep_for(std::chrono::microseconds(100));
                };
                EXPECT_TRUE(scheduler_.push(TaskSource(task)));
                while (lane < 0)
                        std::this_thread::yield();
                settle();
                return static_cast<std::size_t>(lane);
        }
        void end_of(std::size_t lane) {
                busy_[lane] = false;
                // A lane that is only about to sleep may take the next task from the lane that is
                // woken for it.
                while (!scheduler_.parking().is_idle(lane) || !is_asleep(lane))
                        std::this_thread::yield();
                settle();
        }
        /// By /proc: is its thread in no queue of the kernel's?
        [[nodiscard]] bool is_asleep(std::size_t lane) const {
                const auto name = "(lane-" + std::to_string(sites_[lane].cpu) + ") S";
                for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
                        std::ifstream stat(task.path() / "stat");
                        std::string line;
                        if (std::getline(stat, line) && line.find(name) != std::string::npos)
                                return true;
                }
                return false;
        }
        /// Nobody searches: so the next task wakes somebody.
        void settle() const {
                while (scheduler_.parking().somebody_searches())
                        std::this_thread::yield();
        }

        const std::vector<LaneSite> sites_ = two_sockets();
        mutable Scheduler scheduler_{
                sites_, {.spin = std::chrono::nanoseconds{0}}, Affinity::Ignored};
        std::array<std::atomic<bool>, 16> busy_{};
};

}  // namespace

TEST_F(WakeOrder, WholeCoresComeBeforeSiblings) {
        settle();
        std::vector<std::size_t> log;
        for (int i = 0; i < 16; i++)
                log.push_back(lane_of_next_task());
        std::set<std::uint32_t> cores;
        for (int i = 0; i < 8; i++)
                cores.insert(sites_[log[static_cast<std::size_t>(i)]].core);
        EXPECT_EQ(cores.size(), 8U) << "the first eight tasks are on eight cores";
        EXPECT_EQ(std::set<std::size_t>(log.begin(), log.end()).size(), 16U);
        // At first the lanes come in their order: one socket after the other.
        for (std::size_t i = 0; i < 8; i++)
                EXPECT_EQ(sites_[log[i]].place.package, i < 4 ? 5000U : 5004U) << i;
        for (const auto lane : log)
                end_of(lane);
}

TEST_F(WakeOrder, AmongEqualsTheOneThatWasBusyLastComesFirst) {
        settle();
        std::vector<std::size_t> busy;
        for (int i = 0; i < 4; i++)
                busy.push_back(lane_of_next_task());
        for (const auto lane : {busy[2], busy[0], busy[3], busy[1]})
                end_of(lane);
        EXPECT_EQ(lane_of_next_task(), busy[1]);
        EXPECT_EQ(lane_of_next_task(), busy[3]);
        EXPECT_EQ(lane_of_next_task(), busy[0]);
        EXPECT_EQ(lane_of_next_task(), busy[2]);
        for (const auto lane : busy)
                end_of(lane);
}

TEST_F(WakeOrder, ALaneIsWokenThoughTheNumberOfThoseThatSearchIsBehind) {
        settle();
        const auto first = lane_of_next_task();
        const auto second = lane_of_next_task();
        // As if the second one began to search, and lost its CPU before it could say so.
        ASSERT_TRUE(scheduler_.parking().try_search(second));
        ASSERT_FALSE(scheduler_.parking().begin(second));
        std::this_thread::sleep_for(std::chrono::milliseconds(1));  // late lanes are looked for
        std::atomic<bool> has_run{false};
        auto task = [&] { has_run = true; };
        EXPECT_TRUE(scheduler_.push(TaskSource(task)));
        const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
        while (!has_run && std::chrono::steady_clock::now() < end)
                std::this_thread::yield();
        EXPECT_TRUE(has_run) << "fourteen lanes sleep";
        for (const auto lane : {first, second})
                busy_[lane] = false;
        while (!has_run)
                std::this_thread::yield();
}

TEST_F(WakeOrder, ASiblingOfABusyCoreWaitsForAWholeCore) {
        settle();
        std::vector<std::size_t> log;
        for (int i = 0; i < 9; i++)
                log.push_back(lane_of_next_task());
        // The ninth is a sibling. Its core's first thread was busy last, but another core is whole.
        const auto sibling = log.back();
        const auto whole = sites_[log[0]].core != sites_[sibling].core ? log[0] : log[1];
        std::size_t first_thread = 0;
        for (const auto lane : log)
                if (lane != sibling && sites_[lane].core == sites_[sibling].core)
                        first_thread = lane;
        end_of(whole);
        end_of(first_thread);
        EXPECT_EQ(lane_of_next_task(), whole);
        for (std::size_t lane = 0; lane < 16; lane++)
                busy_[lane] = false;
}

TEST_F(WakeOrder, OnlyActiveLanesAreWoken) {
        settle();
        const std::vector<std::uint64_t> last_three{std::uint64_t{0xe000}};
        scheduler_.set_active(last_three);
        std::set<std::size_t> log;
        for (int i = 0; i < 3; i++)
                log.insert(lane_of_next_task());
        EXPECT_EQ(log, (std::set<std::size_t>{13, 14, 15}));
        for (const auto lane : log)
                end_of(lane);
}
