// SPDX-License-Identifier: MIT
// Trees that yield take turns, and lend them.
#include "cycle_fixture.hpp"

namespace governor::registry {
namespace {

class YieldingTurnsTest : public CycleTest {
protected:
        ProgramId join_tree() {
                Request request;
                request.scheduling_class = policy::fair::Class::Batch;
                request.yields = true;
                auto identity = program_of(1000);
                identity.wants_tree = true;
                return join({}, request, identity);
        }
        void steps(int count, std::initializer_list<ProgramId> busy = {}) {
                for (int i = 0; i < count; i++)
                        step(busy);
        }
};

TEST_F(YieldingTurnsTest, AreLentByWhoDoesNothingForAQuarterOfASecond) {
        const auto first = join_tree();
        const auto second = join_tree();
        decide();
        steps(40, {first});
        ASSERT_TRUE(grant(second).parked);
        steps(8);
        EXPECT_TRUE(grant(second).parked);
        steps(12);
        EXPECT_FALSE(grant(second).parked);
        EXPECT_EQ(grant(second).threads, 8U);
        EXPECT_EQ(grant(first).reason.limit, Limit::Idle);
        CycleTest::second({second});
        EXPECT_EQ(grant(first).reason.limit, Limit::Idle) << "what a sample saw was before";
        steps(10, {first, second});
        EXPECT_EQ(grant(first).threads, 8U) << "it works again";
        EXPECT_TRUE(grant(second).parked);
        steps(40, {second});
        EXPECT_TRUE(grant(second).parked) << "not so soon again";
        steps(60);
        EXPECT_FALSE(grant(second).parked);
}

TEST_F(YieldingTurnsTest, AreKeptByWhoWouldRunButForOthers) {
        const auto first = join_tree();
        const auto second = join_tree();
        decide();
        made_up_.runnable.insert(first);
        steps(80);
        EXPECT_TRUE(grant(second).parked);
}

TEST_F(YieldingTurnsTest, AreLookedAtOnlyWhileSomebodyWaits) {
        const auto first = join_tree();
        decide();
        steps(40);
        EXPECT_EQ(made_up_.looks, 0);
        (void)join_tree();
        decide();
        steps(40, {first});
        EXPECT_GE(made_up_.looks, 5);
        EXPECT_LE(made_up_.looks, 11) << "every 100 ms";
}

TEST_F(YieldingTurnsTest, AreAnAffairOfSamplesWhereTreesAreLarge) {
        const auto first = join_tree();
        const auto second = join_tree();
        decide();
        made_up_.is_small = false;
        steps(30);
        EXPECT_TRUE(grant(second).parked);
        EXPECT_EQ(made_up_.looks, 1) << "what cannot be told is not asked again and again";
        for (int i = 0; i < 4; i++)
                CycleTest::second({second});
        EXPECT_FALSE(grant(second).parked);
        EXPECT_EQ(grant(first).reason.limit, Limit::Idle);
}

TEST_F(YieldingTurnsTest, AreWantedBackByEachOfManyThatHaveLentThem) {
        std::vector<ProgramId> trees;
        for (int i = 0; i < 9; i++)
                trees.push_back(join_tree());
        decide();
        steps(400);
        trees.pop_back();  // nobody waits for its turn
        for (const auto id : trees)
                EXPECT_EQ(grant(id).reason.limit, Limit::Idle);
        made_up_.runnable.insert(trees.back());
        steps(20);
        EXPECT_NE(grant(trees.back()).reason.limit, Limit::Idle);
}

TEST_F(YieldingTurnsTest, ComeInTimeAlsoBehindATreeThatLendsItsOwnAgainAndAgain) {
        settings_.fair.turn_quantum = 3s;
        settings_.fair.turn_max_wait = 40s;
        configure();
        const auto old = join_tree();
        decide();
        steps(120 * 40, {old});
        const auto young = join_tree();  // which comes first until it has had as much
        decide();
        int turns = 0;
        auto turn = 0ms;
        auto waited = 0ms;
        for (auto passed = 0ms; turn < 1900ms && passed < 100s; passed += 25ms) {
                if (passed % 13s < 12400ms)
                        step({old, young});
                else  // it sleeps
                        step({old});
                turn = grant(old).parked ? 0ms : turn + 25ms;
                turns += turn == 25ms ? 1 : 0;
                waited += grant(old).parked ? 25ms : 0ms;
        }
        EXPECT_GE(turns, 3) << "lent ones, and its own";
        EXPECT_LE(waited, 40100ms);
}

TEST_F(YieldingTurnsTest, AreNotLentForEverByATreeThatLooksDoNotReachAnyMore) {
        const auto first = join_tree();
        const auto second = join_tree();
        decide();
        steps(20);
        ASSERT_EQ(grant(first).reason.limit, Limit::Idle);
        auto member = program_of(1000);
        member.tree = first;
        (void)join({}, {}, member);  // whose reports count from now on
        for (int i = 0; i < 4; i++)
                CycleTest::second({first, second});
        EXPECT_NE(grant(first).reason.limit, Limit::Idle);
}

}  // namespace
}  // namespace governor::registry
