// SPDX-License-Identifier: MIT
// The CPU time that programs burn, and the programs that burn more than they were granted.
#include "registry/programs_fixture.hpp"

namespace governor::registry {
namespace {

TEST_F(ProgramsTest, ThatNeverReportAreFoundOutByWhatTheyBurn) {
        const auto id = join();
        grant(id, 0, 8);
        second(id, 8);
        second(id, 8);
        EXPECT_FALSE(only().above_since);
        grant(id, 0, 4);
        EXPECT_TRUE(only().in_use.is_within(only().granted));
        EXPECT_FALSE(only().above_since) << "it burned that before";
        second(id, 8);
        second(id, 8);
        EXPECT_EQ(only().burning, 8U);
        EXPECT_EQ(only().above_since, now_ - 2s) << "since the shrink";
        EXPECT_TRUE(only().in_use.empty());
}

TEST_F(ProgramsTest, ThatMakeTheirOwnGrantShrinkAllTheTimeAreFoundOut) {
        const auto id = join();
        for (int i = 0; i < 5; i++) {
                grant(id, 0, 16);
                now_ += 500ms;
                grant(id, 0, 1);
                now_ -= 500ms;
                second(id, 16);
        }
        EXPECT_EQ(only().burning, 16U);
        ASSERT_TRUE(only().above_since);
        EXPECT_GE(now_ - *only().above_since, 2s);
}

TEST_F(ProgramsTest, ThatNeverReportAndFollowAreNotAbove) {
        const auto id = join();
        grant(id, 0, 8);
        second(id, 8);
        second(id, 8);
        now_ += 500ms;
        grant(id, 0, 4);
        now_ -= 500ms;
        second(id, 6);  // half of it before the shrink
        EXPECT_FALSE(only().above_since);
        second(id, 4);
        EXPECT_FALSE(only().above_since);
        EXPECT_EQ(only().burning, 4U);
        EXPECT_FALSE(only().wants);
}

TEST_F(ProgramsTest, ThatActOnAShrinkAreNotBlamedForTheTimeBefore) {
        const auto id = join();
        grant(id, 0, 8);
        (void)region(id, 1, 8);
        second(id, 8);
        second(id, 8);
        grant(id, 0, 4);
        EXPECT_TRUE(only().above_since);
        second(id, 8);
        (void)region(id, 2, 4);
        EXPECT_FALSE(only().above_since);
        second(id, 4);
        EXPECT_FALSE(only().above_since);
        second(id, 4);
        EXPECT_FALSE(only().above_since);
}

TEST_F(ProgramsTest, ThatLieAboutBeingOutsideAreFoundOut) {
        const auto id = join();
        grant(id, 0, 4);
        for (int i = 0; i < 3; i++) {
                (void)programs_.find(id)->report({0, 0, false}, now_);
                second(id, 12);
        }
        EXPECT_TRUE(only().above_since);
        EXPECT_EQ(only().burning, 12U);
}

TEST_F(ProgramsTest, BurnOnTheCpusThatTheyMayRunOn) {
        auto where = within(CpuMask::range(3, 2));
        where.niced = true;
        const auto id = programs_.join(program_of(1), {}, where, now_).id;
        second(id, 2);
        second(id, 2);
        const auto burns = programs_.burns(now_);
        ASSERT_EQ(burns.size(), 1U);
        EXPECT_EQ(burns[0].cpus, where.cpus);
        EXPECT_EQ(burns[0].millicpu, 2'000U);
        EXPECT_TRUE(burns[0].niced);
}

TEST_F(ProgramsTest, ThatComeAreChargedForTheWholeWindow) {
        (void)programs_.burns(now_);
        now_ += 500ms;
        const auto id = join();
        cpu_time_ = 4s;
        now_ += 500ms;
        programs_.find(id)->measured(cpu_time_, false, now_);
        programs_.sampled(sample_, now_);
        const auto burns = programs_.burns(now_);
        ASSERT_EQ(burns.size(), 1U);
        EXPECT_EQ(burns[0].millicpu, 4'000U) << "or a newcomer would be taken for foreign load";
        EXPECT_EQ(only().burning, 0U) << "which says nothing about its grant";
}

TEST_F(ProgramsTest, ThatLeaveAreChargedUntilTheWindowHasPassed) {
        const auto id = join();
        grant(id, 0, 8);
        for (int i = 0; i < 3; i++) {
                second(id, 8);
                (void)programs_.burns(now_);
        }
        programs_.leave(id, std::nullopt, now_ + 500ms);
        const auto burns = programs_.burns(now_ + 1s);
        ASSERT_EQ(burns.size(), 1U);
        EXPECT_EQ(burns[0].millicpu, 4'000U) << "or its end would be taken for foreign load";
        EXPECT_TRUE(programs_.burns(now_ + 2s).empty());
}

TEST_F(ProgramsTest, ThatLiveLessThanAPeriodAreChargedForIt) {
        (void)programs_.burns(now_);
        const auto id = join();
        grant(id, 0, 8);
        programs_.leave(id, std::nullopt, now_ + 250ms);
        const auto burns = programs_.burns(now_ + 1s);
        ASSERT_EQ(burns.size(), 1U);
        EXPECT_EQ(burns[0].millicpu, 2'000U);
}

TEST_F(ProgramsTest, ThatLeaveAreChargedForWhatTheyBurnedWhereThatIsKnown) {
        (void)programs_.burns(now_);
        const auto id = join();
        grant(id, 0, 8);
        programs_.leave(id, 500ms, now_ + 250ms);
        const auto burns = programs_.burns(now_ + 1s);
        ASSERT_EQ(burns.size(), 1U) << "not for the 8 CPUs that it did not use";
        EXPECT_EQ(burns[0].millicpu, 500U);
}

TEST_F(ProgramsTest, ThatWereLastSeenAsleepHideNoForeignLoadWhenTheyGo) {
        const auto id = join();
        grant(id, 0, 8);
        for (int i = 0; i < 3; i++)
                second(id, 0);
        programs_.leave(id, std::nullopt, now_ + 900ms);
        for (const auto& burn : programs_.burns(now_ + 1s))
                EXPECT_EQ(burn.millicpu, 0U);
}

/// A parked one whose turn comes 250 ms before it ends.
class ClientsThatEndInTheirFirstTurn : public ProgramsTest {
protected:
        ProgramId begin_turn() {
                const auto id = join(
                        1000, {.scheduling_class = policy::fair::Class::Batch, .can_wait = true});
                park(id);
                for (int i = 0; i < 3; i++) {
                        second(id, 0);
                        (void)programs_.burns(now_);
                }
                now_ += 500ms;
                grant(id, 0, 8);
                return id;
        }
        [[nodiscard]] std::uint32_t
        burned_in_the_second_of_its_end(ProgramId id,
                                        std::optional<std::chrono::nanoseconds> cpu_time) {
                programs_.leave(id, cpu_time, now_ + 250ms);
                std::uint32_t sum = 0;
                for (const auto& burn : programs_.burns(now_ + 500ms))
                        sum += burn.millicpu;
                return sum;
        }
};

TEST_F(ClientsThatEndInTheirFirstTurn, AreChargedForAllOfItInItsSecond) {
        const auto id = begin_turn();
        EXPECT_EQ(burned_in_the_second_of_its_end(id, cpu_time_ + 2s), 2'000U);
}

TEST_F(ClientsThatEndInTheirFirstTurn, AreTakenToHaveUsedTheirCpusSinceThen) {
        const auto id = begin_turn();
        EXPECT_EQ(burned_in_the_second_of_its_end(id, std::nullopt), 2'000U);
}

TEST_F(ClientsThatEndInTheirFirstTurn, AreSoAlsoIfTheirGrantHasChangedMeanwhile) {
        const auto id = begin_turn();
        now_ += 100ms;
        grant(id, 0, 4);
        EXPECT_EQ(burned_in_the_second_of_its_end(id, std::nullopt), 1'273U)
                << "4 CPUs for 350 ms of 1.1 s";
}

TEST_F(ProgramsTest, ThatWereParkedAMomentAgoHaveRunUntilThen) {
        const auto id = join();
        grant(id, 0, 8);
        for (int i = 0; i < 3; i++) {
                second(id, 8);
                (void)programs_.burns(now_);
        }
        now_ += 500ms;
        park(id);
        programs_.leave(id, std::nullopt, now_ + 100ms);
        std::uint32_t sum = 0;
        for (const auto& burn : programs_.burns(now_ + 500ms))
                sum += burn.millicpu;
        EXPECT_EQ(sum, 4'000U);
}

class ShortLivedClients : public ProgramsTest {
protected:
        /// Runs so many programs of this user a second that keep `cpus` CPUs busy for a tenth of
        /// it.
        void run(std::uint32_t uid, int per_second, std::uint32_t cpus) {
                for (int i = 0; i < 12 * per_second; i++) {
                        const auto id = join(uid);
                        grant(id, 0, 8);
                        now_ += 1000ms / per_second;
                        programs_.leave(id, cpus * 100ms, now_);
                        (void)programs_.burns(now_);
                }
        }
        [[nodiscard]] std::uint32_t reserve() const {
                return sum_of(programs_.snapshot(machine_, foreign_, now_).kept);
        }
};

TEST_F(ShortLivedClients, AreKeptRoomForAsFarAsTheyUseIt) {
        run(1000, 10, 4);
        EXPECT_EQ(reserve(), 4U);
        run(1000, 10, 0);
        EXPECT_EQ(reserve(), 0U) << "who sleeps needs none";
}

TEST_F(ShortLivedClients, AreFollowedByNewcomersThoughTheyWereKilledOnASharedCpu) {
        for (int i = 0; i < 3; i++) {
                const auto before = join();
                EXPECT_FALSE(only().in_stream) << "fewer are no stream";
                now_ += 100ms;
                programs_.leave(before, std::nullopt, now_);
                (void)programs_.burns(now_ + 100ms);
        }
        (void)join();
        EXPECT_TRUE(only().in_stream);
}

TEST_F(ShortLivedClients, AreNotWhatFollowsALongLifeOfTheirAccount) {
        const auto before = join();
        now_ += 5s;
        programs_.leave(before, 1s, now_);
        (void)join();
        EXPECT_FALSE(only().in_stream) << "before the next sample, too";
}

TEST_F(ShortLivedClients, AreKeptNoMoreRoomForThanTheirAccountMayHave) {
        run(1000, 10, 16);
        EXPECT_EQ(reserve(), 16U);
        (void)join(1001);
        (void)join(1002);
        EXPECT_EQ(reserve(), 5U) << "of 16 CPUs, one of three";
        (void)join(1000);
        now_ += 1s;
        EXPECT_EQ(reserve(), 2U) << "half of that beside another program of theirs";
        for (int i = 0; i < 4; i++) {
                now_ += 1s;
                for (const auto& client : listed())
                        programs_.find(client.id)->measured(0s, false, now_);
                programs_.sampled(sample_, now_);
        }
        EXPECT_EQ(reserve(), 5U) << "that does nothing";
}

}  // namespace
}  // namespace governor::registry
