// SPDX-License-Identifier: MIT
// Reports in shared memory, by program.
#include "server/sharing/reports.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace governor::server {
namespace {

using namespace std::chrono_literals;

class ReportsTest : public testing::Test {
protected:
        ~ReportsTest() override {
                leases_.end_all();
                for (const auto pid : pids_) {
                        ::kill(pid, SIGKILL);
                        ::waitpid(pid, nullptr, 0);
                }
        }

        /// A program in the slot of that number.
        ProgramId join(std::uint32_t slot, std::uint32_t epoch_offset = 0,
                       std::uint32_t epoch = 0) {
                const auto pid = ::fork();
                while (pid == 0)
                        ::pause();
                pids_.push_back(pid);
                const auto id = ProgramId{pids_.size()};
                Process process{static_cast<std::uint32_t>(pid),
                                UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)))};
                leases_.add({id,
                             policy::Account{1000U},
                             process.pid,
                             1000,
                             {},
                             {&arena_, slot, epoch},
                             epoch_offset},
                            std::move(process), static_cast<int>(slot));
                return id;
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

        EventLoop loop_;
        Arena arena_{256, 64};
        Leases leases_{loop_, [](const Lease&) {}};
        Reports reports_{leases_};
        std::vector<pid_t> pids_;
        std::uint64_t regions_ = 0;
};

TEST_F(ReportsTest, AreThoseOfTheProgramsThatAreAskedFor) {
        const std::vector ids{join(0), join(7), join(255)};
        region(0, 1, 3);
        region(255, 1, 5);
        const auto all = reports_.reports(ids);
        ASSERT_EQ(all.size(), 3U);
        ASSERT_TRUE(all[0]);
        EXPECT_EQ(all[0]->team, 3U);
        EXPECT_EQ(all[1], evidence::Report{}) << "it has said nothing";
        ASSERT_TRUE(all[2]);
        EXPECT_EQ(all[2]->team, 5U);
        const auto one = reports_.reports(std::vector{ids[2]});
        ASSERT_EQ(one.size(), 1U);
        EXPECT_EQ(one[0], all[2]);
}

TEST_F(ReportsTest, CountTheGrantsOfTheLeaseAndNotThoseOfItsSlot) {
        const auto id = join(3, 40);
        region(3, 42, 8);
        const auto reports = reports_.reports(std::vector{id});
        ASSERT_TRUE(reports[0]);
        EXPECT_EQ(reports[0]->epoch, 2U);
}

TEST_F(ReportsTest, OfTheProgramThatHadTheSlotBeforeAreNotTaken) {
        region(2, arena_.publish(2, {}), 5);
        const auto epoch = arena_.renew(2);
        const auto id = join(2, 0, epoch);
        EXPECT_EQ(reports_.reports(std::vector{id})[0], evidence::Report{})
                << "until it has cleared the slot";
        region(2, epoch + 1, 1);
        EXPECT_EQ(reports_.reports(std::vector{id})[0]->team, 1U);
}

TEST_F(ReportsTest, OfAProgramThatHasGoneAreEmpty) {
        const auto id = join(1);
        region(1, 1, 8);
        leases_.leave(1);
        EXPECT_FALSE(reports_.reports(std::vector{id})[0]);
}

}  // namespace
}  // namespace governor::server
