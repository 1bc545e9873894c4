// SPDX-License-Identifier: MIT
// Programs are measured by what is known of them, however long a look at all processes takes.
#include "server/sharing/lease_facts.hpp"

#include "support/fake_machine.hpp"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace governor::server {
namespace {

using namespace std::chrono_literals;
using test_support::FakeMachine;
using test_support::FakeProcess;

class LeaseFactsTest : public testing::Test {
protected:
        LeaseFactsTest() {
                machine_.mount_v2();
                process(1, 0);
        }
        void process(std::uint32_t pid, std::uint32_t ppid, char state = 'S') {
                FakeProcess made;
                made.pid = pid;
                made.ppid = ppid;
                made.state = state;
                machine_.process(made);
        }
        ProgramId lease(std::uint32_t pid) {
                const ProgramId id{pid};
                UniqueFd lives(static_cast<int>(::syscall(SYS_pidfd_open, ::getpid(), 0)));
                leases_.add({id, {1000U}, pid}, {pid, std::move(lives)}, static_cast<int>(pid));
                return id;
        }
        bool look(std::chrono::nanoseconds at_most = 1h) {
                now_ += 1s;
                return facts_.look(now_, at_most);
        }

        FakeMachine machine_;
        TimePoint now_{1h};
        EventLoop loop_;
        Leases leases_{loop_, [](const Lease&) {}};
        ProcessMeter meter_{machine_.root()};
        LeaseFacts facts_{leases_, meter_, machine_.root()};
};

TEST_F(LeaseFactsTest, EndALookAtFewProcessesAtOnce) {
        process(7, 1);
        const auto id = lease(7);
        EXPECT_TRUE(look());
        EXPECT_TRUE(facts_.measured(id));
        EXPECT_FALSE(look(0ns));
        EXPECT_TRUE(look()) << "the rest of it";
}

TEST_F(LeaseFactsTest, DoNotMeasureATreeWhileALookGoesOn) {
        process(7, 1);
        process(8, 7);
        const auto id = lease(7);
        ASSERT_TRUE(look());
        ASSERT_TRUE(facts_.measured(id));
        ASSERT_FALSE(look(0ns));
        EXPECT_FALSE(facts_.measured(id)) << "what its child has used since then is not known";
        ASSERT_TRUE(look());
        EXPECT_TRUE(facts_.measured(id));
}

TEST_F(LeaseFactsTest, DoNotMeasureANewcomerBeforeALookHasFoundItsChildren) {
        process(7, 1);
        (void)lease(7);
        ASSERT_TRUE(look());
        process(8, 1);
        const auto id = lease(8);
        ASSERT_FALSE(look(0ns));
        EXPECT_FALSE(facts_.measured(id));
        while (!look(0ns)) {
        }
        EXPECT_TRUE(facts_.measured(id));
}

TEST_F(LeaseFactsTest, SayWhetherAProgramIsStoppedNowWhileALookGoesOn) {
        process(7, 1, 'T');
        const auto id = lease(7);
        ASSERT_TRUE(look());
        ASSERT_TRUE(facts_.measured(id)->is_stopped);
        process(7, 1);
        ASSERT_FALSE(look(0ns));
        EXPECT_FALSE(facts_.measured(id)->is_stopped);
        process(7, 1, 'T');
        ASSERT_FALSE(look(0ns));
        EXPECT_TRUE(facts_.measured(id)->is_stopped);
}

TEST_F(LeaseFactsTest, LookAtNothingWithoutALease) {
        process(7, 1);
        (void)lease(7);
        ASSERT_FALSE(look(0ns));
        leases_.end(ProgramId{7});
        EXPECT_TRUE(look(0ns));
        EXPECT_FALSE(meter_.at_scan(7));
}

}  // namespace
}  // namespace governor::server
