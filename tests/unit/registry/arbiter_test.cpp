// SPDX-License-Identifier: MIT
// Samples and events in, grants out, with a policy that is easy to foresee.
#include "registry/arbiter.hpp"

#include "registry/made_up_programs.hpp"

#include <gtest/gtest.h>

namespace governor::registry {
namespace {

using namespace std::chrono_literals;
using policy::CpuMask;

/// The pool in equal parts. The numbers say what it was shown, and Rigid says that a client is
/// above its grant.
policy::fair::Decision equal_parts(const policy::fair::Settings& /*settings*/,
                                   const policy::fair::Snapshot& snapshot) {
        policy::fair::Decision decision;
        const auto& pool = snapshot.machine.pool();
        decision.cpus = pool.count();
        decision.foreign = snapshot.foreign.millicpu(pool);
        const auto clients = std::max<std::size_t>(snapshot.clients.size(), 1);
        const auto part = pool.count() / static_cast<std::uint32_t>(clients);
        std::uint32_t first = 0;
        for (const auto& client : snapshot.clients) {
                auto grant = grant_of(client.id, CpuMask::range(first, part));
                if (client.above_since)
                        grant.reason.limit = policy::fair::Limit::Rigid;
                grant.reason.bound = client.burning;
                decision.grants.push_back(grant);
                first += part;
        }
        return decision;
}

policy::Sample busy_sample(std::uint32_t cpus) {
        policy::Sample sample;
        sample.warming_up = false;
        for (std::uint32_t cpu = 0; cpu < cpus; cpu++)
                sample.cpus.push_back({cpu, 0});
        return sample;
}

class ArbiterTest : public ::testing::TestWithParam<Mode> {
protected:
        ProgramId join() {
                const auto where = within(CpuMask::range(0, 16));
                return arbiter_.programs().join(program_of(1000), {}, where, now_).id;
        }

        /// A second in which the client burns so many of 16 busy CPUs.
        void second(ProgramId id, std::uint32_t cpus) {
                for (int i = 0; i < 10; i++)
                        tick(id, cpus);
                arbiter_.programs().find(id)->measured(cpu_time_, false, now_);
                arbiter_.sampled(busy_sample(16), 0, {}, false, now_);
        }

        void tick(ProgramId id, std::uint32_t cpus) {
                now_ += 100ms;
                cpu_time_ += cpus * 100ms;
                arbiter_.programs().find(id)->ticked(cpu_time_, now_);
                (void)arbiter_.ticked(busy_sample(16), 0, now_);
        }

        [[nodiscard]] policy::fair::Reason reason(ProgramId id) const {
                return arbiter_.programs().find(id)->held()->grant.reason;
        }

        Arbiter arbiter_{{}, GetParam(), Programs({}, {}), machine_of(16), equal_parts};
        TimePoint now_ = kStart;
        std::chrono::nanoseconds cpu_time_{0};
};

TEST_P(ArbiterTest, SaysWhoseGrantChanged) {
        EXPECT_TRUE(arbiter_.decide(now_).empty());
        const auto first = join();
        EXPECT_EQ(arbiter_.decide(now_), std::vector{first});
        EXPECT_TRUE(arbiter_.decide(now_).empty());
        const auto second = join();
        EXPECT_EQ(arbiter_.decide(now_), (std::vector{first, second}));
        arbiter_.programs().leave(first, std::nullopt, now_);
        EXPECT_EQ(arbiter_.decide(now_), std::vector{second});
        EXPECT_EQ(arbiter_.last().grants.size(), 1U);
}

TEST_P(ArbiterTest, KnowsWhatIsForeign) {
        const auto id = join();
        for (int i = 0; i < 3; i++)
                second(id, 12);
        (void)arbiter_.decide(now_);
        EXPECT_EQ(arbiter_.last().foreign, 4'000U);
}

TEST_P(ArbiterTest, KnowsWhoseForeignLoadIsUntilTheNextSample) {
        const auto id = join();
        second(id, 12);
        const evidence::Ungoverned others{{{account_id({1001}), 4'000, 0}}, 0};
        arbiter_.sampled(busy_sample(16), 0, others, false, now_);
        const auto owned = arbiter_.snapshot(now_).foreign.owned;
        ASSERT_EQ(owned.size(), 1U);
        EXPECT_EQ(owned[0].account, account_id({1001}));
        EXPECT_FLOAT_EQ(owned[0].millicpu, 4'000);
        second(id, 12);
        EXPECT_TRUE(arbiter_.snapshot(now_).foreign.owned.empty());
}

TEST_P(ArbiterTest, KnowsNothingForeignUntilAllAreBackWhoMayComeBack) {
        const auto id = join();
        arbiter_.programs().resume(id, CpuMask::range(0, 4), {now_ + 4s}, now_);
        for (int i = 0; i < 3; i++)
                second(id, 4);
        (void)arbiter_.decide(now_);
        EXPECT_EQ(arbiter_.last().foreign, 0U);
        for (int i = 0; i < 3; i++)
                second(id, 12);
        (void)arbiter_.decide(now_);
        EXPECT_EQ(arbiter_.last().foreign, 4'000U) << "not what burned before";
}

TEST_P(ArbiterTest, ForgetsForeignLoadWhenTheFirstProgramComesBack) {
        (void)arbiter_.ticked(busy_sample(16), 0, now_);
        (void)arbiter_.decide(now_);
        ASSERT_EQ(arbiter_.last().foreign, 16'000U) << "programs that have not come back yet";
        const auto id = join();
        arbiter_.programs().resume(id, CpuMask::range(0, 4), {now_ + 4s}, now_);
        (void)arbiter_.decide(now_);
        EXPECT_EQ(arbiter_.last().foreign, 0U) << "before the next tick";
}

TEST_P(ArbiterTest, TakesNoNewcomerAndNoneThatLeavesForForeign) {
        for (int i = 0; i < 20; i++) {
                const auto id = join();
                cpu_time_ = {};
                (void)arbiter_.decide(now_);
                second(id, 16);
                second(id, 16);
                now_ += 500ms;
                arbiter_.programs().leave(id, std::nullopt, now_);
                now_ -= 500ms;
        }
        (void)arbiter_.decide(now_);
        EXPECT_EQ(arbiter_.last().foreign, 0U);
}

TEST_P(ArbiterTest, NotesThatTheMachineChanged) {
        arbiter_.set_machine(machine_of(12));
        arbiter_.set_machine(machine_of(8));
        (void)arbiter_.decide(now_);
        EXPECT_EQ(arbiter_.last().cpus, 8U);
        const auto& history = arbiter_.programs().history();
        ASSERT_EQ(history.end_number(), 1U);
        EXPECT_EQ(history.at(0).kind, EventKind::MachineChanged);
        EXPECT_EQ(history.at(0).from, 16U);
        EXPECT_EQ(history.at(0).to, 8U);
        EXPECT_EQ(history.at(0).at, now_);
}

INSTANTIATE_TEST_SUITE_P(Modes, ArbiterTest, ::testing::Values(Mode::Govern, Mode::Observe));

using GoverningArbiter = ArbiterTest;

TEST_P(GoverningArbiter, ShowsWhoIsLate) {
        const auto id = join();
        (void)arbiter_.decide(now_);
        (void)arbiter_.programs().find(id)->report({1, 16, true}, now_);
        second(id, 16);
        second(id, 16);
        (void)join();
        (void)arbiter_.decide(now_);
        (void)arbiter_.decide(now_);
        EXPECT_EQ(reason(id).limit, policy::fair::Limit::Rigid);
        EXPECT_EQ(reason(id).bound, 16U);
}

INSTANTIATE_TEST_SUITE_P(Modes, GoverningArbiter, ::testing::Values(Mode::Govern));

using ObservingArbiter = ArbiterTest;

TEST_P(ObservingArbiter, ShowsEverybodyAsIfTheyFollowedAtOnce) {
        const auto id = join();
        (void)arbiter_.decide(now_);
        (void)arbiter_.programs().find(id)->report({1, 16, true}, now_);
        second(id, 16);
        (void)join();
        (void)arbiter_.decide(now_);
        for (int i = 0; i < 5; i++) {
                second(id, 16);
                (void)arbiter_.decide(now_);
        }
        EXPECT_NE(reason(id).limit, policy::fair::Limit::Rigid);
        EXPECT_EQ(reason(id).bound, 8U);
}

INSTANTIATE_TEST_SUITE_P(Modes, ObservingArbiter, ::testing::Values(Mode::Observe));

}  // namespace
}  // namespace governor::registry
