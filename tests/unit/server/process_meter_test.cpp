// SPDX-License-Identifier: MIT
// Ungoverned processes count against the right user, whatever they do to look like somebody else's.
#include "server/sharing/process_meter.hpp"

#include "policy/permyriad.hpp"
#include "support/fake_machine.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <sched.h>

namespace governor::server {
namespace {

using policy::fair::AccountId;
using test_support::FakeMachine;
using test_support::FakeProcess;

class ProcessMeterTest : public ::testing::Test {
protected:
        ProcessMeterTest() { machine_.mount_v2(); }

        void status(std::uint32_t pid, const std::string& uids) {
                machine_.write("proc/" + std::to_string(pid) + "/status",
                               "Name:\tUid:\nUid:\t" + uids + "\nGid:\t0\t0\t0\t0\n");
        }
        /// Looks before and after a second in which each process burns half a CPU.
        const evidence::Ungoverned& second(const std::vector<FakeProcess>& processes) {
                meter_.emplace(machine_.root());
                for (const auto& process : processes)
                        machine_.process(process);
                meter_->scan({}, TimePoint{std::chrono::seconds{1}});
                for (auto process : processes) {
                        process.user_ticks += 50;
                        machine_.process(process);
                }
                meter_->scan({}, TimePoint{std::chrono::seconds{2}});
                return meter_->ungoverned();
        }

        FakeMachine machine_;
        std::optional<ProcessMeter> meter_;
};

TEST_F(ProcessMeterTest, ChargesTheRealUserOfAProcess) {
        status(7, "1000\t0\t0\t0");  // runs root's set-user-ID program
        status(8, "0\t1000\t1000\t1000");
        const auto& found = second({{7}, {8}, {9}});
        ASSERT_EQ(found.owners.size(), 2U) << "the last one is hidden";
        EXPECT_EQ(found.owners[0].account, AccountId{0});
        EXPECT_EQ(found.owners[1].account, AccountId{1000});
        EXPECT_EQ(found.owners[1].millicpu, 500U);
}

TEST_F(ProcessMeterTest, ForgetsWhatOthersBurnedWhenNobodyAsksForAWhile) {
        status(8, "1000\t1000\t1000\t1000");
        ASSERT_EQ(second({{8}}).owners.size(), 1U);
        meter_->drop_scan();
        EXPECT_TRUE(meter_->ungoverned().owners.empty());
}

TEST_F(ProcessMeterTest, TakesAScanThatCannotBeginForNone) {
        second({{8}});
        const auto proc = machine_.root() + "/proc";
        std::filesystem::rename(proc, proc + ".gone");
        EXPECT_FALSE(meter_->scan({}, TimePoint{std::chrono::seconds{3}}));
        std::filesystem::rename(proc + ".gone", proc);
        EXPECT_TRUE(meter_->scan({}, TimePoint{std::chrono::seconds{4}}));
}

TEST_F(ProcessMeterTest, CountsDaysOfALargeMachine) {
        constexpr std::uint64_t kTwoDays_s = 2 * 24 * 3600;
        status(8, "1000\t1000\t1000\t1000");
        FakeProcess process{8};
        meter_.emplace(machine_.root());
        machine_.process(process);
        meter_->scan({}, TimePoint{std::chrono::seconds{1}});
        process.user_ticks += 64 * 100 * kTwoDays_s;
        machine_.process(process);
        meter_->scan({}, TimePoint{std::chrono::seconds{1 + kTwoDays_s}});
        ASSERT_EQ(meter_->ungoverned().owners.size(), 1U);
        EXPECT_EQ(meter_->ungoverned().owners[0].millicpu, 64'000U);
}

TEST_F(ProcessMeterTest, ChargesTheUserOfTheControlGroupButWhatIsRoots) {
        machine_.membership(7, "0::/user.slice/user-1000.slice/session-1.scope\n");
        machine_.membership(8, "0::/user.slice/user-1000.slice/session-1.scope\n");
        status(7, "100999\t100999\t100999\t100999");
        status(8, "0\t0\t0\t0");
        const auto& found = second({{7}, {8}});
        ASSERT_EQ(found.owners.size(), 2U);
        EXPECT_EQ(found.owners[0].account, AccountId{0});
        EXPECT_EQ(found.owners[1].account, AccountId{1000});
}

TEST_F(ProcessMeterTest, DoesNotChargeAnybodyForWhatYields) {
        machine_.membership(7, "0::/idle\n");
        machine_.write("sys/fs/cgroup/idle/cpu.idle", "1\n");
        machine_.write("sys/fs/cgroup/idle/cpu.stat", "usage_usec 0\n");
        status(7, "1000\t1000\t1000\t1000");
        status(8, "1000\t1000\t1000\t1000");
        FakeProcess idle{8};
        idle.scheduling_policy = SCHED_IDLE;
        EXPECT_TRUE(second({{7}, idle}).owners.empty());
}

TEST_F(ProcessMeterTest, SaysHowNicedNicedTimeIs) {
        status(7, "1000\t1000\t1000\t1000");
        FakeProcess niced{7};
        niced.nice = 5;
        const auto& found = second({niced});
        EXPECT_EQ(found.niced_permyriad, policy::kPermyriad * 335 / 1359);
        ASSERT_EQ(found.owners.size(), 1U);
        EXPECT_EQ(found.owners[0].millicpu, 0U);
        EXPECT_EQ(found.owners[0].niced_millicpu, 500U * 335 / 1359);
}

TEST_F(ProcessMeterTest, TakesAProgramForBoundIfItSaysWhereElseItMayRun) {
        machine_.thread(7, 7, "0-3");
        ProcessMeter meter(machine_.root());
        const TimePoint now{std::chrono::seconds{1}};
        EXPECT_FALSE(meter.where(7, {}, now)->confinement.bound);
        EXPECT_TRUE(meter.where(7, policy::CpuMask::range(0, 8), now)->confinement.bound);
}

}  // namespace
}  // namespace governor::server
