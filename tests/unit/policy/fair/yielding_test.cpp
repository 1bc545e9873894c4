// SPDX-License-Identifier: MIT
// Turns of trees that go on with what nobody else wants while they wait.
#include "policy/fair/turn_order.hpp"
#include "world.hpp"

#include <gtest/gtest.h>

namespace governor::policy::fair {
namespace {

using YieldingCounts = std::vector<std::uint32_t>;

class Yielding : public World {
public:
        explicit Yielding(std::uint32_t cpus) : World({cpus}) {}

        Client& tree() {
                Gang gang;
                gang.id = GangId{gangs.size() + 1};
                gang.account = AccountId{1};
                gang.joined = now - seconds(100) + seconds(gangs.size());
                gang.yields = true;
                gang.waits_since = now;
                gangs.push_back(gang);
                auto& client = add();
                client.gang = gangs.size() - 1;
                return client;
        }
        /// The `g`th has had its turn for so long.
        void runs(std::size_t g, milliseconds since, milliseconds waited = {}) {
                gangs[g].has_turn = true;
                gangs[g].waits_since.reset();
                gangs[g].runs_since = now - since;
                gangs[g].waited = waited;
        }
        [[nodiscard]] Decision decided() const {
                auto all = snapshot();
                all.gangs = gangs;
                return fair::decide(settings, all);
        }
        [[nodiscard]] std::string parked() const {
                std::string text;
                for (const auto& grant : decided().grants)
                        text += grant.parked ? 'P' : '.';
                return text;
        }

        std::vector<Gang> gangs;
};

TEST(YieldingTrees, HaveAllInTheirTurnHoweverLongTheyHaveRun) {
        Yielding world(16);
        for (int i = 0; i < 4; i++)
                world.tree().scaling = amdahl(16);
        for (auto& gang : world.gangs)
                gang.served = world.settings.turn_quantum;
        EXPECT_EQ(threads_of(world.decided()), (YieldingCounts{16, 1, 1, 1}))
                << "the others use what it cannot";
}

TEST(YieldingTrees, LeaveTheNextOneWhatTheyDoNotWant) {
        Yielding world(16);
        world.tree().wants = 6;
        world.tree();
        EXPECT_EQ(threads_of(world.decided()), (YieldingCounts{6, 10}));
}

TEST(YieldingTrees, HaveTheirTurnAfterTheLongestWait) {
        Yielding world(2);
        for (int i = 0; i < 3; i++)
                world.tree();
        world.runs(0, seconds(400));
        EXPECT_EQ(world.parked(), ".PP");
        world.gangs[2].waits_since = world.now - world.settings.turn_max_wait;
        EXPECT_EQ(world.parked(), "PP.");
        world.gangs[1].waits_since = world.now - world.settings.turn_max_wait - seconds(1);
        EXPECT_EQ(world.parked(), "P.P") << "the one that has waited longest";
}

/// Turns do not lower the CPU time that it burns above its share: nobody else has CPUs for that.
TEST(YieldingTrees, AreDealtNoMoreThanTheyHaveBesideARigidMember) {
        Yielding world(32);
        auto& rigid = world.tree();
        rigid.burning = 24;
        rigid.above_since = world.now - world.settings.handover_max;
        auto& member = world.add();
        member.gang = 0;
        world.tree().wants = 2;
        world.add(2).granted = CpuMask::range(0, 1);
        world.runs(0, seconds(1));
        const auto decision = world.decided();
        auto sum = decision.grants[0].reason.rigid;
        for (const auto& grant : decision.grants)
                sum += grant.parked ? 0 : grant.reason.share;
        EXPECT_EQ(sum, 32U);
}

/// A hog leaves one CPU, of which nobody could have half.
TEST(YieldingTrees, HaveItBehindAHog) {
        Yielding world(2);
        world.tree();
        world.tree();
        world.load(CpuMask::range(0, 2));
        world.runs(0, seconds(400));
        ASSERT_EQ(world.decided().foreign, 1U);
        world.gangs[1].waits_since = world.now - world.settings.turn_max_wait;
        EXPECT_EQ(world.parked(), "P.");
}

TEST(YieldingTrees, KeepATurnThatCameByPatienceForAQuantum) {
        Yielding world(2);
        world.tree();
        world.tree();
        world.gangs[1].served = seconds(100);
        world.runs(1, seconds(3), world.settings.turn_max_wait);
        EXPECT_EQ(world.parked(), "P.");
        EXPECT_EQ(world.decided().again, world.now + seconds(5));
        world.gangs[0].waits_since = world.now - world.settings.turn_max_wait;
        EXPECT_EQ(world.parked(), "P.") << "the other one is not due before that";
        world.runs(1, seconds(8), world.settings.turn_max_wait);
        EXPECT_EQ(world.parked(), ".P");
        world.gangs[0].waits_since = world.now;
        EXPECT_EQ(world.parked(), ".P") << "as before it waited for so long";
}

TEST(YieldingTrees, LoseTheirTurnAlthoughTheyRunOnMoreThanTheirGrant) {
        Yielding world(8);
        auto& first = world.tree();
        first.granted = CpuMask::range(0, 8);
        first.above_since = world.now - seconds(10);
        first.burning = 8;
        world.tree();
        world.runs(0, seconds(10));
        world.gangs[0].served = seconds(10);
        const auto decision = world.decided();
        EXPECT_EQ(world.parked(), "P.");
        EXPECT_EQ(decision.grants[0].reason.limit, Limit::Parked);
        EXPECT_EQ(decision.again, world.now + milliseconds(1)) << "it is charged no more";
}

TEST(YieldingTrees, ThatAreChargedCanHaveTheirTurn) {
        Yielding world(8);
        for (int i = 0; i < 2; i++) {
                world.tree().above_since = world.now - seconds(10);
                world.clients.back().burning = 8;
        }
        EXPECT_EQ(world.decided().turns, std::vector{GangId{1}});
        EXPECT_EQ(world.parked(), ".P");
}

TEST(YieldingTrees, KeepNobodyWaitingForTheEndsOfTheirRegions) {
        Yielding world(8);
        auto& first = world.tree();
        first.granted = first.in_use = CpuMask::range(0, 8);
        world.tree();
        world.runs(0, seconds(10));
        world.gangs[0].served = seconds(10);
        EXPECT_EQ(world.parked(), "P.");
        EXPECT_EQ(threads_of(world.decided()), (YieldingCounts{1, 8}));
}

}  // namespace
}  // namespace governor::policy::fair
