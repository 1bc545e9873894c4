// SPDX-License-Identifier: MIT
// What a client claims when it comes back, asks for later, and shows.
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
                return clients_.join(program_of(1000), request, within(cpus), kStart).id;
        }
        [[nodiscard]] CpuMask held(ProgramId id) const {
                const auto* held = clients_.held(id);
                return held != nullptr ? held->grant.cpus : CpuMask{};
        }

        [[nodiscard]] policy::fair::Client snapshot_of_one() {
                return clients_.snapshot(machine_, foreign_, kStart).clients.at(0);
        }

        Clients clients_{LeaseLimits{}, {}};
        policy::Machine machine_ = machine_of(8);
        policy::fair::Foreign foreign_;
};

TEST_F(LeaseLife, GoesOnWithWhatItSaysItHeld) {
        const auto id = join();
        clients_.claim(id, CpuMask::range(2, 3), kSettled, kStart);
        ASSERT_NE(clients_.held(id), nullptr);
        EXPECT_EQ(held(id), CpuMask::range(2, 3));
        EXPECT_EQ(clients_.held(id)->grant.threads, 3U);
        EXPECT_EQ(clients_.held(id)->epoch, 1U);
}

TEST_F(LeaseLife, GetsNoMoreThanItHadUntilAllAreBack) {
        const auto id = join();
        EXPECT_FALSE(clients_.are_returning(kStart));
        clients_.claim(id, CpuMask::range(2, 3), kSettled, kStart);
        const auto client = snapshot_of_one();
        EXPECT_EQ(client.had, 3U);
        EXPECT_TRUE(client.is_returning(kStart));
        EXPECT_FALSE(client.is_returning(kSettled));
        EXPECT_TRUE(clients_.are_returning(kStart));
        EXPECT_FALSE(clients_.are_returning(kSettled));
}

TEST_F(LeaseLife, ClaimsNoCpuThatItMayNotRunOn) {
        const auto id = join(CpuMask::range(0, 4));
        clients_.claim(id, CpuMask::range(2, 6), kSettled, kStart);
        EXPECT_EQ(held(id), CpuMask::range(2, 2));
}

TEST_F(LeaseLife, ClaimsNoCpuOfAnother) {
        const auto first = join();
        clients_.claim(first, CpuMask::range(0, 4), kSettled, kStart);
        const auto second = join();
        clients_.claim(second, CpuMask::range(2, 4), kSettled, kStart);
        EXPECT_EQ(held(first), CpuMask::range(0, 4));
        EXPECT_EQ(held(second), CpuMask::range(4, 2));
        const auto third = join();
        clients_.claim(third, CpuMask::range(0, 4), kSettled, kStart);
        EXPECT_EQ(clients_.held(third), nullptr) << "nothing is left";
}

TEST_F(LeaseLife, ClaimsNothingOnceItWasGrantedSomething) {
        const auto id = join();
        (void)clients_.apply(decision_of({grant_of(id, CpuMask::range(0, 1))}), kStart);
        clients_.claim(id, kAll, kSettled, kStart);
        EXPECT_EQ(held(id), CpuMask::range(0, 1));
        clients_.claim(ProgramId{99}, kAll, kSettled, kStart);  // nobody
}

TEST_F(LeaseLife, IsNoChangeWhenItIsGrantedWhatItClaims) {
        // So who claims must be told at once: see server::Governing.
        const auto id = join();
        clients_.claim(id, CpuMask::range(2, 3), kSettled, kStart);
        EXPECT_TRUE(
                clients_.apply(decision_of({grant_of(id, CpuMask::range(2, 3))}), kStart).empty());
}

TEST_F(LeaseLife, OfAProgramThatOnlyStartsStaysSoWhenItAsksAnew) {
        Request request;
        request.start_only = true;
        const auto id = join(kAll, request);
        (void)clients_.apply(decision_of({grant_of(id, CpuMask::range(0, 2))}), kStart);
        clients_.request(id, Request{}, kStart);
        EXPECT_EQ(clients_.show(id)->max, 2U);
}

TEST_F(LeaseLife, IsShownAsItIs) {
        Request request;
        request.max = 6;
        request.weight = 300;
        request.scheduling_class = policy::fair::Class::Batch;
        const auto id = join(kAll, request);
        const auto shown = clients_.show(id);
        ASSERT_TRUE(shown);
        EXPECT_EQ(shown->id, id);
        EXPECT_EQ(shown->identity.label, "program");
        EXPECT_EQ(shown->joined, kStart);
        EXPECT_EQ(shown->max, 6U);
        EXPECT_EQ(shown->weight, 300U);
        EXPECT_EQ(shown->scheduling_class, policy::fair::Class::Batch);
        EXPECT_EQ(shown->held, nullptr);
        EXPECT_EQ(shown->team, 0U);
        EXPECT_EQ(shown->burning_millicpu, 0U);
        EXPECT_TRUE(shown->rule.empty());
        (void)clients_.apply(decision_of({grant_of(id, CpuMask::range(0, 2))}), kStart);
        (void)clients_.report(id, {1, 2, true, 1}, kStart);
        const auto later = clients_.show(id);
        ASSERT_NE(later->held, nullptr);
        EXPECT_EQ(later->held->grant.threads, 2U);
        EXPECT_EQ(later->team, 2U);
        EXPECT_FALSE(clients_.show(ProgramId{99}));
}

TEST_F(LeaseLife, IsListedInTheOrderOfComing) {
        EXPECT_FALSE(clients_.next(ProgramId{}));
        const auto first = join();
        const auto second = join();
        const auto third = join();
        EXPECT_EQ(clients_.next(ProgramId{}), first);
        EXPECT_EQ(clients_.next(first), second);
        clients_.leave(second, std::nullopt, kStart);
        EXPECT_EQ(clients_.next(first), third);
        EXPECT_EQ(clients_.next(second), third) << "a page may end with one that has gone";
        EXPECT_FALSE(clients_.next(third));
}

TEST_F(LeaseLife, FollowsARuleOfWhatItRunsOnceThatIsKnown) {
        const auto id = join();
        Rule rule;
        rule.executable = "solve";
        rule.max = 3;
        clients_.set_rules({rule});
        EXPECT_EQ(clients_.show(id)->max, 0U) << "not known";
        clients_.runs(id, "/opt/solve");
        clients_.runs(ProgramId{99}, "/opt/solve");
        clients_.set_rules({rule});
        EXPECT_EQ(clients_.show(id)->max, 3U);
}

TEST_F(LeaseLife, FollowsRulesThatAreNew) {
        const auto id = join();
        (void)clients_.apply(decision_of({grant_of(id, CpuMask::range(0, 2))}), kStart);
        Rule rule;
        rule.name = "quiet";
        rule.label = "program";
        rule.max = 3;
        rule.weight = 50;
        clients_.set_rules({rule});
        EXPECT_EQ(clients_.show(id)->max, 3U);
        EXPECT_EQ(clients_.show(id)->weight, 50U);
        EXPECT_EQ(clients_.show(id)->rule, "quiet");
        EXPECT_FALSE(clients_.is_ignored(id));
        rule.ignore = true;
        clients_.set_rules({rule});
        EXPECT_TRUE(clients_.is_ignored(id));
        EXPECT_EQ(clients_.held(id), nullptr);
        EXPECT_EQ(clients_.show(id)->held, nullptr);
        clients_.set_rules({});
        EXPECT_FALSE(clients_.is_ignored(id));
        EXPECT_EQ(clients_.show(id)->max, 0U);
        EXPECT_EQ(held(id), CpuMask::range(0, 2));
}

}  // namespace
}  // namespace governor::registry
