// SPDX-License-Identifier: MIT
// The claims of a client that comes back, its later requests, and its own figures.
#include "made_up_programs.hpp"

#include <gtest/gtest.h>

namespace governor::registry {
namespace {

using policy::CpuMask;
using policy::fair::Rule;

const auto kAll = CpuMask::range(0, 8);
const auto kSettled = kStart + std::chrono::seconds{4};

class LeaseLife : public testing::Test {
protected:
        ProgramId join(const CpuMask& cpus = kAll, const Request& request = {}) {
                return programs_.join(program_of(1000), request, within(cpus), kStart).id;
        }
        [[nodiscard]] CpuMask held(ProgramId id) const {
                const auto* held = programs_.find(id)->held();
                return held != nullptr ? held->grant.cpus : CpuMask{};
        }

        [[nodiscard]] policy::fair::Client snapshot_of_one() {
                return programs_.snapshot(machine_, foreign_, kStart).clients.at(0);
        }

        Programs programs_{LeaseLimits{}, {}};
        policy::Machine machine_ = machine_of(8);
        policy::fair::Foreign foreign_;
};

TEST_F(LeaseLife, GoesOnWithWhatItSaysItHeld) {
        const auto id = join();
        programs_.resume(id, CpuMask::range(2, 3), {kSettled}, kStart);
        ASSERT_NE(programs_.find(id)->held(), nullptr);
        EXPECT_EQ(held(id), CpuMask::range(2, 3));
        EXPECT_EQ(programs_.find(id)->held()->grant.threads, 3U);
        EXPECT_EQ(programs_.find(id)->held()->epoch, 1U);
}

TEST_F(LeaseLife, GetsNoMoreThanItHadUntilAllAreBack) {
        const auto id = join();
        EXPECT_FALSE(programs_.are_returning(kStart));
        programs_.resume(id, CpuMask::range(2, 3), {kSettled}, kStart);
        const auto client = snapshot_of_one();
        EXPECT_EQ(client.resumed->threads, 3U);
        EXPECT_TRUE(client.is_returning(kStart));
        EXPECT_FALSE(client.is_returning(kSettled));
        EXPECT_TRUE(programs_.are_returning(kStart));
        EXPECT_FALSE(programs_.are_returning(kSettled));
}

TEST_F(LeaseLife, ClaimsNoCpuThatItMayNotRunOn) {
        const auto id = join(CpuMask::range(0, 4));
        programs_.resume(id, CpuMask::range(2, 6), {kSettled}, kStart);
        EXPECT_EQ(held(id), CpuMask::range(2, 2));
}

TEST_F(LeaseLife, ClaimsNoCpuOfAnother) {
        const auto first = join();
        programs_.resume(first, CpuMask::range(0, 4), {kSettled}, kStart);
        const auto second = join();
        programs_.resume(second, CpuMask::range(2, 4), {kSettled}, kStart);
        EXPECT_EQ(held(first), CpuMask::range(0, 4));
        EXPECT_EQ(held(second), CpuMask::range(4, 2));
        const auto third = join();
        programs_.resume(third, CpuMask::range(0, 4), {kSettled}, kStart);
        EXPECT_EQ(programs_.find(third)->held(), nullptr) << "nothing is left";
}

TEST_F(LeaseLife, ClaimsNothingOnceItWasGrantedSomething) {
        const auto id = join();
        (void)programs_.apply(decision_of({grant_of(id, CpuMask::range(0, 1))}), kStart);
        programs_.resume(id, kAll, {kSettled}, kStart);
        EXPECT_EQ(held(id), CpuMask::range(0, 1));
        programs_.resume(ProgramId{99}, kAll, {kSettled}, kStart);  // nobody
}

TEST_F(LeaseLife, IsNoChangeWhenItIsGrantedWhatItClaims) {
        // A program that claims must therefore be told at once: see registry::Cycle.
        const auto id = join();
        programs_.resume(id, CpuMask::range(2, 3), {kSettled}, kStart);
        EXPECT_TRUE(
                programs_.apply(decision_of({grant_of(id, CpuMask::range(2, 3))}), kStart).empty());
}

TEST_F(LeaseLife, OfAProgramThatOnlyStartsStaysSoWhenItAsksAnew) {
        Request request;
        request.start_only = true;
        const auto id = join(kAll, request);
        (void)programs_.apply(decision_of({grant_of(id, CpuMask::range(0, 2))}), kStart);
        programs_.find(id)->request(Request{}, kStart);
        EXPECT_EQ(programs_.find(id)->max(), 2U);
}

TEST_F(LeaseLife, IsAsWideAsTheWidestPartOfItsProgramAsks) {
        Request request;
        request.max = 2;
        request.weight = 300;
        request.can_wait = true;
        auto* program = programs_.find(join(kAll, request));
        Request other;
        other.max = 1;
        EXPECT_FALSE(program->widen(other, kStart));
        EXPECT_EQ(program->max(), 2U);
        other.max = 6;
        EXPECT_TRUE(program->widen(other, kStart));
        EXPECT_EQ(program->max(), 6U);
        EXPECT_EQ(program->weight(), 300U) << "as the first one said";
        EXPECT_FALSE(program->keeps());
        other.keeps = true;
        EXPECT_TRUE(program->widen(other, kStart));
        EXPECT_TRUE(program->keeps());
        EXPECT_FALSE(snapshot_of_one().sleeps);
        other.sleeps = true;
        EXPECT_TRUE(program->widen(other, kStart));
        EXPECT_TRUE(snapshot_of_one().sleeps);
        EXPECT_FALSE(program->widen(Request{.max = 3}, kStart)) << "it keeps and sleeps still";
        EXPECT_TRUE(program->widen(Request{}, kStart)) << "no maximum";
}

TEST_F(LeaseLife, IsShownAsItIs) {
        Request request;
        request.max = 6;
        request.weight = 300;
        request.scheduling_class = policy::fair::Class::Batch;
        const auto id = join(kAll, request);
        auto* program = programs_.find(id);
        ASSERT_NE(program, nullptr);
        EXPECT_EQ(program->id(), id);
        EXPECT_EQ(program->identity().label, "program");
        EXPECT_EQ(program->joined(), kStart);
        EXPECT_EQ(program->max(), 6U);
        EXPECT_EQ(program->weight(), 300U);
        EXPECT_EQ(program->scheduling_class(), policy::fair::Class::Batch);
        EXPECT_EQ(program->held(), nullptr);
        EXPECT_EQ(program->team(), 0U);
        EXPECT_EQ(program->burning_millicpu(), 0U);
        EXPECT_TRUE(program->rule_names().empty());
        (void)programs_.apply(decision_of({grant_of(id, CpuMask::range(0, 2))}), kStart);
        (void)program->report({1, 2, true, 1}, kStart);
        ASSERT_NE(program->held(), nullptr);
        EXPECT_EQ(program->held()->grant.threads, 2U);
        EXPECT_EQ(program->team(), 2U);
        EXPECT_EQ(programs_.find(ProgramId{99}), nullptr);
}

TEST_F(LeaseLife, IsListedInTheOrderOfComing) {
        EXPECT_EQ(programs_.next(ProgramId{}), nullptr);
        const auto first = join();
        const auto second = join();
        const auto third = join();
        EXPECT_EQ(programs_.next(ProgramId{})->id(), first);
        EXPECT_EQ(programs_.next(first)->id(), second);
        programs_.leave(second, std::nullopt, kStart);
        EXPECT_EQ(programs_.next(first)->id(), third);
        EXPECT_EQ(programs_.next(second)->id(), third) << "a page may end with one that has gone";
        EXPECT_EQ(programs_.next(third), nullptr);
}

TEST_F(LeaseLife, FollowsARuleOfWhatItRunsOnceThatIsKnown) {
        const auto id = join();
        Rule rule;
        rule.executable = "solve";
        rule.max = 3;
        programs_.set_rules({rule});
        EXPECT_EQ(programs_.find(id)->max(), 0U) << "not known";
        programs_.find(id)->runs("/opt/solve");
        programs_.set_rules({rule});
        EXPECT_EQ(programs_.find(id)->max(), 3U);
}

TEST_F(LeaseLife, FollowsRulesThatAreNew) {
        const auto id = join();
        (void)programs_.apply(decision_of({grant_of(id, CpuMask::range(0, 2))}), kStart);
        Rule rule;
        rule.name = "quiet";
        rule.label = "program";
        rule.max = 3;
        rule.weight = 50;
        programs_.set_rules({rule});
        EXPECT_EQ(programs_.find(id)->max(), 3U);
        EXPECT_EQ(programs_.find(id)->weight(), 50U);
        EXPECT_EQ(programs_.find(id)->rule_names(), "quiet");
        EXPECT_FALSE(programs_.find(id)->is_ignored());
        rule.ignore = true;
        programs_.set_rules({rule});
        EXPECT_TRUE(programs_.find(id)->is_ignored());
        EXPECT_EQ(programs_.find(id)->held(), nullptr);
        programs_.set_rules({});
        EXPECT_FALSE(programs_.find(id)->is_ignored());
        EXPECT_EQ(programs_.find(id)->max(), 0U);
        EXPECT_EQ(held(id), CpuMask::range(0, 2));
}

}  // namespace
}  // namespace governor::registry
