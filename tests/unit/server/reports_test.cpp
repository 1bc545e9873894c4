// SPDX-License-Identifier: MIT
// Whose reports are taken when: of programs in shared memory, on a clock of the test's own.
#include "server/sharing/reports.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace governor::server {
namespace {

using namespace std::chrono_literals;
using policy::CpuMask;

class ReportsTest : public testing::Test {
protected:
        ~ReportsTest() override {
                leases_.end_all();
                for (const auto pid : pids_) {
                        ::kill(pid, SIGKILL);
                        ::waitpid(pid, nullptr, 0);
                }
        }

        /// A program in the slot of that number, with 8 CPUs.
        ProgramId join(std::uint32_t slot) {
                const auto pid = ::fork();
                while (pid == 0)
                        ::pause();
                pids_.push_back(pid);
                registry::Identity identity;
                identity.pid = static_cast<std::uint32_t>(pid);
                identity.account = policy::Account{1000U};
                registry::Confinement where;
                where.cpus = CpuMask::range(0, 16);
                const auto id = clients_.join(identity, {}, where, now_).id;
                Process process{identity.pid,
                                UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)))};
                leases_.add({id, identity.account, identity.pid, {&arena_, slot}, 0},
                            std::move(process), static_cast<int>(slot));
                grant(id, 8);
                return id;
        }

        void grant(ProgramId id, std::uint32_t cpus) {
                policy::fair::Grant grant;
                grant.id = id;
                grant.threads = cpus;
                grant.cpus = CpuMask::range(0, cpus);
                policy::fair::Decision decision;
                decision.grants = {grant};
                reports_.decided(clients_.apply(decision, now_));
        }

        /// A region that begins by the grant of that number, and goes on.
        void region(std::uint32_t slot, std::uint32_t epoch, std::uint32_t team) {
                const governor_report_slot said{
                        governor_word(epoch, team, GOVERNOR_REPORT_IN_REGION),
                        ++regions_,
                        0,
                        0,
                        {},
                        {},
                        {}};
                ASSERT_EQ(::pwrite(arena_.reports_fd(), &said, sizeof(said),
                                   static_cast<off_t>(slot * sizeof(said))),
                          static_cast<ssize_t>(sizeof(said)));
        }

        [[nodiscard]] std::uint32_t team(ProgramId id) const { return clients_.show(id)->team; }

        EventLoop loop_;
        Arena arena_{256, 64};
        Leases leases_{loop_, [](const Lease&) {}};
        registry::Clients clients_{registry::LeaseLimits{}, {}};
        Reports reports_{leases_};
        policy::TimePoint now_{1h};
        std::vector<pid_t> pids_;
        std::uint64_t regions_ = 0;
};

TEST_F(ReportsTest, OfAllAreTakenForADecision) {
        const auto one = join(0);
        const auto other = join(255);
        region(0, 1, 3);
        region(255, 1, 5);
        EXPECT_FALSE(reports_.take_all(clients_, now_));
        EXPECT_EQ(team(one), 3U);
        EXPECT_EQ(team(other), 5U);
}

TEST_F(ReportsTest, OfWhoGivesBackWhatItHeldAreTakenAtOnce) {
        const auto id = join(3);
        region(3, 1, 8);
        ASSERT_FALSE(reports_.take_all(clients_, now_));
        grant(id, 4);
        EXPECT_FALSE(reports_.take_waited_for(clients_, now_)) << "still in its region";
        EXPECT_FALSE(reports_.take_waited_for(clients_, now_));
        region(3, 2, 4);
        EXPECT_TRUE(reports_.take_waited_for(clients_, now_));
        EXPECT_EQ(team(id), 4U);
}

TEST_F(ReportsTest, OfOthersCanWait) {
        const auto busy = join(1);
        const auto late = join(2);  // the last decision was about this one
        region(1, 1, 8);
        region(2, 1, 8);
        (void)reports_.take_waited_for(clients_, now_);
        EXPECT_EQ(team(busy), 0U);
        EXPECT_EQ(team(late), 8U);
        (void)reports_.take_all(clients_, now_);
        EXPECT_EQ(team(busy), 8U);
}

TEST_F(ReportsTest, OfWhoEndsBetweenDecisionsMeanNothing) {
        const auto id = join(1);
        region(1, 1, 8);
        EXPECT_FALSE(reports_.take_waited_for(clients_, now_));
        clients_.leave(id, 0ns, now_);
        leases_.leave(1);
        region(1, 1, 3);
        EXPECT_FALSE(reports_.take_waited_for(clients_, now_));
}

}  // namespace
}  // namespace governor::server
