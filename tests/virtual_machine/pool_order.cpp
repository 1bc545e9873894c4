// SPDX-License-Identifier: MIT
// The places of the pool's lanes, the lanes that each robs, and the one that is woken. The sysfs is
// that of a machine of 2 sockets with 4 cores of 2 threads. The program is all that runs there, as
// process 1, and ends with the machine off.
#include "allowed_cpus.hpp"
#include "scheduler.hpp"

#include <threadcount/pool/detail/lane_context.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <gtest/gtest.h>
#include <sched.h>
#include <set>
#include <string>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace threadcount;
using namespace threadcount::pool;

namespace {

using Cpus = std::vector<int>;

constexpr int kCpus = 16;
// The emulator numbers threads first, then cores, then sockets.
int core_of(int cpu) { return cpu / 2; }
int socket_of(int cpu) { return cpu / 8; }
int sibling_of(int cpu) { return cpu ^ 1; }

/// First threads, then second ones, each socket after the other.
const Cpus kOrder{0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15};

/// By sysfs and the affinity mask, as Pool does it.
std::vector<LaneSite> sites() {
        const auto cpus = allowed_among({});
        return order_lanes(cpus, places_of(cpus));
}

/// The CPUs from which that of lane `thief` steals, in their order.
Cpus victims(const std::vector<LaneSite>& lanes, std::size_t thief) {
        Cpus cpus;
        for (const auto lane : steal_order(lanes, thief))
                cpus.push_back(lanes[lane].cpu);
        return cpus;
}

/// Tasks that stay in their lanes until they are told to end.
class BusyTasks {
public:
        /// Begins when the scheduler's first lane has come to rest.
        explicit BusyTasks(Scheduler& scheduler) : scheduler_(scheduler) {
                while (!scheduler_.is_idle())
                        std::this_thread::yield();
        }
        ~BusyTasks() {
                for (int cpu = 0; cpu < kCpus; cpu++)
                        at(cpu) = false;
        }
        BusyTasks(const BusyTasks&) = delete;
        BusyTasks& operator=(const BusyTasks&) = delete;

        /// One for each CPU; those of the lanes that were woken for them, in their order.
        Cpus fill() {
                Cpus log;
                for (int i = 0; i < kCpus; i++) {
                        log.push_back(add());
                        std::printf("%d ", log.back());
                }
                std::puts("were woken in this order");
                return log;
        }
        /// Returns when its lane is idle.
        void end(int cpu) {
                at(cpu) = false;
                const auto lane = std::ranges::find(kOrder, cpu) - kOrder.begin();
                while (!scheduler_.parking().is_idle(static_cast<std::size_t>(lane)))
                        std::this_thread::yield();
        }

private:
        std::atomic<bool>& at(int cpu) { return busy_.at(static_cast<std::size_t>(cpu)); }

        int add() {
                std::atomic<int> cpu{-1};
                auto task = [this, &cpu] {
                        const int of_lane = scheduler_.cpu_of(lane_in(&scheduler_)->lane);
                        EXPECT_EQ(::sched_getcpu(), of_lane) << "the lane is pinned";
                        at(of_lane) = true;
                        cpu = of_lane;
                        while (at(of_lane))
                                std::this_thread::sleep_for(std::chrono::milliseconds(1));
                };
                EXPECT_TRUE(scheduler_.push(TaskSource(task)));
                // Nobody searches then: so the next one wakes somebody.
                while (cpu < 0 || scheduler_.parking().somebody_searches())
                        std::this_thread::yield();
                return cpu;
        }

        Scheduler& scheduler_;
        std::array<std::atomic<bool>, kCpus> busy_{};
};

}  // namespace

TEST(PoolOrder, LanesAreFirstThreadsOfAllCoresBeforeTheirSiblings) {
        Pool pool;
        ASSERT_EQ(pool.size(), kCpus);
        EXPECT_EQ(pool.cpus(), kOrder);
}

TEST(PoolOrder, SiblingsShareACore) {
        const auto lanes = sites();
        for (const auto& lane : lanes)
                EXPECT_EQ(lanes[lane.core].cpu, core_of(lane.cpu) * 2) << "of CPU " << lane.cpu;
}

TEST(PoolOrder, LanesRobTheirSiblingThenTheSocketThenTheOther) {
        const auto lanes = sites();
        for (std::size_t thief = 0; thief < lanes.size(); thief++) {
                const int cpu = lanes[thief].cpu;
                SCOPED_TRACE("CPU " + std::to_string(cpu));
                const auto order = victims(lanes, thief);
                ASSERT_EQ(order.size(), kCpus - 1U);
                EXPECT_EQ(order.front(), sibling_of(cpu));
                for (std::size_t i = 0; i < order.size(); i++)
                        EXPECT_EQ(socket_of(order[i]) == socket_of(cpu), i < 7) << "victim " << i;
                EXPECT_EQ(std::set<int>(order.begin(), order.end()).size(), order.size());
        }
}

TEST(PoolOrder, WholeCoresAreWokenBeforeSiblings) {
        const auto lanes = sites();
        // The submitting thread is on the CPU that is wanted last, and its mask is nobody's
        // business.
        cpu_set_t all;
        ASSERT_EQ(::sched_getaffinity(0, sizeof(all), &all), 0);
        cpu_set_t last;
        CPU_ZERO(&last);
        CPU_SET(kOrder.back(), &last);
        ASSERT_EQ(::sched_setaffinity(0, sizeof(last), &last), 0);
        Scheduler scheduler(lanes, {.spin = std::chrono::nanoseconds{0}}, Affinity::Ignored);
        {
                BusyTasks tasks(scheduler);
                EXPECT_EQ(tasks.fill(), kOrder);
                // Two siblings were busy last, then those of the next core, and so on. The CPU that
                // was busy last is the better one only among whole cores, but for the CPU of the
                // submitting thread.
                for (int cpu = 0; cpu < kCpus; cpu++)
                        tasks.end(cpu);
                EXPECT_EQ(tasks.fill(),
                          (Cpus{14, 13, 11, 9, 7, 5, 3, 1, 12, 10, 8, 6, 4, 2, 0, 15}));
        }
        scheduler.stop(false);
        ::sched_setaffinity(0, sizeof(all), &all);
}

int main(int argc, char** argv) {
        const bool is_machine = ::getpid() == 1;
        if (is_machine && ::mount("sysfs", "/sys", "sysfs", 0, nullptr) != 0)
                std::perror("FAILED: cannot mount /sys");
        testing::InitGoogleTest(&argc, argv);
        const int result = RUN_ALL_TESTS();
        std::puts(result == 0 ? "passed: pool" : "FAILED: pool");
        std::fflush(stdout);
        if (is_machine)
                ::reboot(RB_POWER_OFF);
        return result;
}
