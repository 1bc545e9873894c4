// SPDX-License-Identifier: MIT
// Families that fork, work, end and wait while they are being scanned: no tick is counted twice,
// and none is lost once all have been waited for.
#include "probe/descendants.hpp"

#include <gtest/gtest.h>
#include <map>
#include <random>

namespace governor::probe {
namespace {

constexpr std::uint32_t kHolder = 10;

/// Processes as the kernel keeps them. Nobody ends before its children have been waited for.
class Family {
public:
        explicit Family(unsigned seed) : random_(seed) { processes_[kHolder] = make(kHolder, 1); }

        void live_a_moment() {
                auto& process = any();
                switch (random_() % 5) {
                case 0:
                        fork(process);
                        break;
                case 1:
                        end(process);
                        break;
                case 2:
                        wait(process);
                        break;
                default:
                        work(process);
                }
        }

        /// Events happen between the reads, as they do on a real machine.
        std::vector<PidStat> scan(int events_per_read) {
                std::vector<std::uint32_t> pids;
                for (const auto& [pid, process] : processes_)
                        pids.push_back(pid);
                std::vector<PidStat> read;
                for (const auto pid : pids) {
                        for (int i = 0; i < events_per_read; i++)
                                live_a_moment();
                        if (const auto it = processes_.find(pid); it != processes_.end())
                                read.push_back(it->second);
                }
                return read;
        }

        void end_all() {
                while (processes_.size() > 1) {
                        auto& process = any();
                        end(process);
                        wait(process);
                }
        }

        [[nodiscard]] std::uint64_t ticks_of_descendants() const { return truth_; }

private:
        PidStat make(std::uint32_t pid, std::uint32_t ppid) {
                PidStat process;
                process.pid = pid;
                process.ppid = ppid;
                process.state = 'R';
                process.started_ticks = pid / 3;  // some in the same tick
                return process;
        }
        PidStat& any() {
                return std::next(processes_.begin(),
                                 static_cast<std::ptrdiff_t>(random_() % processes_.size()))
                        ->second;
        }
        void work(PidStat& process) {
                if (process.state == 'Z')
                        return;
                const auto ticks = random_() % 100;
                (random_() % 3 == 0 ? process.system_ticks : process.user_ticks) += ticks;
                truth_ += process.pid != kHolder ? ticks : 0;
        }
        void fork(const PidStat& parent) {
                if (parent.state != 'Z' && processes_.size() < 30)
                        processes_[next_pid_] = make(next_pid_, parent.pid), next_pid_++;
        }
        void end(PidStat& process) {
                for (const auto& [pid, other] : processes_)
                        if (other.ppid == process.pid)
                                return;
                if (process.pid != kHolder)
                        process.state = 'Z';
        }
        void wait(PidStat& parent) {
                for (auto it = processes_.begin(); it != processes_.end(); ++it) {
                        if (it->second.ppid != parent.pid || it->second.state != 'Z')
                                continue;
                        parent.reaped_ticks += it->second.own_ticks() + it->second.reaped_ticks;
                        processes_.erase(it);
                        return;
                }
        }

        std::mt19937 random_;
        std::map<std::uint32_t, PidStat> processes_;
        std::uint32_t next_pid_ = kHolder + 1;
        std::uint64_t truth_ = 0;
};

TEST(DescendantsSimulation, CountsEveryTickOnceThroughForksAndEnds) {
        const std::vector<Descendants::Holder> holders{{kHolder}};
        for (unsigned seed = 1; seed <= 100; seed++) {
                SCOPED_TRACE(seed);
                Family family(seed);
                Descendants descendants;
                descendants.add(family.scan(0), holders);
                std::uint64_t before = 0;
                for (int scan = 0; scan < 60; scan++) {
                        for (unsigned events = 0; events < seed; events++)
                                family.live_a_moment();
                        descendants.add(family.scan(static_cast<int>(seed % 4)), holders);
                        ASSERT_GE(descendants.ticks(kHolder), before);
                        ASSERT_LE(descendants.ticks(kHolder), family.ticks_of_descendants());
                        before = descendants.ticks(kHolder);
                }
                family.end_all();
                descendants.add(family.scan(0), holders);
                ASSERT_EQ(descendants.ticks(kHolder), family.ticks_of_descendants());
        }
}

}  // namespace
}  // namespace governor::probe
