// SPDX-License-Identifier: MIT
// Trees that go on with what nobody else wants while they wait for their turn.
#include "registry/programs_fixture.hpp"

namespace governor::registry {
namespace {

using policy::fair::Class;

class YieldingTreesTest : public ProgramsTest {
protected:
        ProgramId hold(const Request& request) {
                auto identity = program_of(1000);
                identity.wants_tree = true;
                const auto id = programs_.join(identity, request, within(kAll), now_).id;
                programs_.arrange_gangs(now_);
                return id;
        }
        static Request batch() {
                Request request;
                request.scheduling_class = Class::Batch;
                request.yields = true;
                return request;
        }
        ProgramId hold() { return hold(batch()); }
        ProgramId join_member(ProgramId tree, const Request& request = {}) {
                auto identity = program_of(1000);
                identity.process_group = ++groups_;
                identity.tree = tree;
                const auto id = programs_.join(identity, request, within(kAll), now_).id;
                programs_.arrange_gangs(now_);
                return id;
        }
        [[nodiscard]] policy::fair::Snapshot told() const {
                return programs_.snapshot(machine_, foreign_, now_);
        }
        void all_cpus_are_busy() {
                sample_.warming_up = false;
                for (std::uint32_t cpu = 0; cpu < 16; cpu++)
                        sample_.cpus.push_back({cpu, 0, 0});
        }

        std::uint32_t groups_ = 0;
};

TEST_F(YieldingTreesTest, AreOneGangWithAllTheirPrograms) {
        const auto holder = hold();
        (void)join_member(holder);
        (void)join_member(holder);
        const auto all = told();
        ASSERT_EQ(all.gangs.size(), 1U);
        EXPECT_TRUE(all.gangs[0].yields);
        for (const auto& client : all.clients)
                EXPECT_EQ(client.gang, 0U);
}

TEST_F(YieldingTreesTest, HaveAHolderWhoIsToldToWaitThoughItDoesNothing) {
        (void)join_member(hold());
        EXPECT_FALSE(only().idle);
}

TEST_F(YieldingTreesTest, AreGangsOfTheirOwnEach) {
        (void)hold();
        (void)hold();
        EXPECT_EQ(told().gangs.size(), 2U);
}

TEST_F(YieldingTreesTest, OfOneJobAreOneGang) {
        for (int i = 0; i < 2; i++) {
                auto identity = program_of(1000);
                identity.wants_tree = true;
                identity.job = "ranks";
                (void)programs_.join(identity, batch(), within(kAll), now_);
        }
        (void)hold();
        programs_.arrange_gangs(now_);
        const auto all = told();
        ASSERT_EQ(all.gangs.size(), 2U);
        EXPECT_EQ(all.clients[0].gang, all.clients[1].gang);
        EXPECT_NE(all.clients[0].gang, all.clients[2].gang);
}

TEST_F(YieldingTreesTest, TakeNoTurnsIfTheirHoldersAreInteractive) {
        auto request = batch();
        request.scheduling_class = Class::Interactive;
        (void)join_member(hold(request));
        EXPECT_TRUE(told().gangs.empty());
}

TEST_F(YieldingTreesTest, TakeNoTurnsUnderOneThatDoesNot) {
        Request interactive;
        const auto outer = hold(interactive);
        (void)join_member(outer, batch());
        EXPECT_TRUE(told().gangs.empty());
}

TEST_F(YieldingTreesTest, ShareAsOthersDoOnceNothingMakesThemYield) {
        const auto holder = hold();
        const auto member = join_member(holder);
        park(holder);
        programs_.find(holder)->set_yields(false);
        programs_.arrange_gangs(now_);
        EXPECT_TRUE(told().gangs.empty());
        EXPECT_FALSE(programs_.find(member)->takes_turns());
        programs_.find(holder)->set_yields(true);
        programs_.arrange_gangs(now_);
        EXPECT_EQ(told().gangs.size(), 1U);
}

TEST_F(YieldingTreesTest, LeaveTheirGangWithTheirHolder) {
        const auto holder = hold();
        Request waits;
        waits.scheduling_class = Class::Batch;
        waits.can_wait = true;
        const auto member = join_member(holder, waits);
        programs_.leave(holder, std::nullopt, now_);
        programs_.arrange_gangs(now_);
        ASSERT_EQ(told().gangs.size(), 1U);
        EXPECT_FALSE(told().gangs[0].yields);
        EXPECT_FALSE(programs_.find(member)->yields());
}

TEST_F(YieldingTreesTest, AreNotAboveTheirGrantByWhatTheyBurnWhileTheyWait) {
        const auto holder = hold();
        park(holder);
        for (int i = 0; i < 5; i++) {
                second(holder, 16);
                EXPECT_FALSE(only().above_since);
        }
        EXPECT_EQ(programs_.find(holder)->burning_millicpu(), 16'000U) << "as users are told";
        grant(holder, 0, 8);
        second(holder, 8);
        EXPECT_FALSE(only().above_since) << "a part of it was burned before";
}

TEST_F(YieldingTreesTest, AreAboveTheirGrantIfTheyBurnMoreInTheirTurn) {
        const auto holder = hold();
        park(holder);
        second(holder, 16);
        grant(holder, 0, 8);
        second(holder, 16);
        second(holder, 16);
        EXPECT_TRUE(only().above_since);
}

TEST_F(YieldingTreesTest, AreNotAboveTheirGrantForWhatTheyDidInTheirTurn) {
        const auto holder = hold();
        grant(holder, 0, 4);
        for (int i = 0; i < 4; i++)
                second(holder, 8);
        ASSERT_TRUE(only().above_since);
        park(holder);
        EXPECT_FALSE(only().above_since);
}

TEST_F(YieldingTreesTest, OccupyNothingWhileTheyWaitWhateverRegionsTheirProgramsAreIn) {
        const auto holder = hold();
        const auto member = join_member(holder);
        grant(member, 0, 8);
        (void)region(member, 1, 8);
        EXPECT_EQ(listed()[1].in_use.count(), 8U);
        park(member);
        EXPECT_TRUE(listed()[1].in_use.empty());
        EXPECT_FALSE(listed()[1].above_since);
        grant(member, 8, 4);
        EXPECT_EQ(listed()[1].in_use.count(), 8U) << "it is still in that region";
}

TEST_F(YieldingTreesTest, WantWhatTheyWantedBeforeTheyWaited) {
        const auto holder = hold();
        grant(holder, 0, 16);
        for (int i = 0; i < 12; i++)
                second(holder, 4);
        ASSERT_EQ(only().wants, 6U);
        park(holder);
        for (int i = 0; i < 12; i++)
                second(holder, 16);
        EXPECT_EQ(only().wants, 6U);
}

TEST_F(YieldingTreesTest, BurnNothingThatIsForeign) {
        const auto holder = hold();
        park(holder);
        second(holder, 10);
        second(holder, 10);
        const auto burns = programs_.burns(now_);
        ASSERT_EQ(burns.size(), 1U);
        EXPECT_EQ(burns[0].millicpu, 10'000U);
}

TEST_F(YieldingTreesTest, HaveGoneOnUntilTheyWereKilled) {
        const auto holder = hold();
        park(holder);
        second(holder, 10);
        (void)programs_.burns(now_);
        second(holder, 10);
        (void)programs_.burns(now_);
        now_ += 1s;
        programs_.leave(holder, std::nullopt, now_);
        const auto burns = programs_.burns(now_);
        ASSERT_EQ(burns.size(), 1U);
        EXPECT_EQ(burns[0].millicpu, 10'000U);
}

/// A program that sleeps in its turn would otherwise seem to be crowded out, and never lend it.
TEST_F(YieldingTreesTest, DoNotHideThatOthersDoNothing) {
        all_cpus_are_busy();
        const auto yielding = hold();
        const auto sleeper = join();
        park(yielding);
        grant(sleeper, 0, 16);
        for (int i = 0; i < 4; i++) {
                now_ += 1s;
                cpu_time_ += 16s;
                programs_.find(yielding)->measured(cpu_time_, false, now_);
                programs_.find(sleeper)->measured(0s, false, now_);
                programs_.sampled(sample_, now_);
        }
        EXPECT_TRUE(listed()[1].idle);
}

TEST_F(YieldingTreesTest, UseUpQuotas) {
        all_cpus_are_busy();
        auto where = within(kAll);
        where.groups = {{"/group", 16}};
        auto identity = program_of(1000);
        identity.wants_tree = true;
        const auto yielding = programs_.join(identity, batch(), where, now_).id;
        const auto other = programs_.join(program_of(1000), {}, where, now_).id;
        programs_.arrange_gangs(now_);
        park(yielding);
        grant(other, 0, 16);
        (void)region(other, 1, 16);
        for (int i = 0; i < 4; i++) {
                now_ += 1s;
                cpu_time_ += 15s;
                programs_.find(yielding)->measured(cpu_time_, false, now_);
                programs_.find(other)->measured(cpu_time_ / 15, false, now_);
                programs_.sampled(sample_, now_);
        }
        EXPECT_FALSE(listed()[1].idle) << "it could not have burned more";
}

}  // namespace
}  // namespace governor::registry
