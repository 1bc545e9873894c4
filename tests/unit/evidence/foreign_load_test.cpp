// SPDX-License-Identifier: MIT
// What is busy and nobody's of ours.
#include "evidence/foreign_load.hpp"
#include "start.hpp"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace governor::evidence {
namespace {

using namespace std::chrono_literals;

/// Each CPU busy for so many permyriad.
Sample busy(const std::vector<std::uint32_t>& permyriad) {
        Sample sample;
        sample.warming_up = false;
        for (std::uint32_t cpu = 0; cpu < permyriad.size(); cpu++)
                sample.cpus.push_back({cpu, 10'000 - permyriad[cpu]});
        return sample;
}

Sample all_busy(std::uint32_t cpus) { return busy(std::vector<std::uint32_t>(cpus, 10'000)); }

/// One idle CPU, of which that is not known yet.
Sample warming_up() {
        auto sample = busy({0});
        sample.warming_up = true;
        return sample;
}

std::uint32_t measured(const Sample& sample, const std::vector<Burn>& clients,
                       const CpuMask& cpus) {
        ForeignLoad load;
        load.add(sample, clients, policy::cpus_of(sample), kStart);
        return load.seen().held_millicpu(cpus);
}

TEST(ForeignLoad, IsNothingBeforeTheFirstSample) {
        const ForeignLoad load;
        EXPECT_EQ(load.seen().held_millicpu(CpuMask::range(0, 64)), 0U);
        EXPECT_EQ(load.seen().now_millicpu(3), 0U);
}

TEST(ForeignLoad, IsWhatIsBusyWithoutClients) {
        EXPECT_EQ(measured(busy({10'000, 2'500, 0}), {}, CpuMask::range(0, 3)), 1'250U);
        EXPECT_EQ(measured(busy({10'000, 2'500, 0}), {}, CpuMask::range(1, 2)), 250U);
}

TEST(ForeignLoad, IsNotWhatClientsBurn) {
        const auto all = CpuMask::range(0, 4);
        EXPECT_EQ(measured(all_busy(4), {{all, 4'000}}, all), 0U);
        EXPECT_EQ(measured(all_busy(4), {{all, 1'500}, {all, 1'500}}, all), 1'000U);
}

TEST(ForeignLoad, IsNeverNegativeHoweverMuchClientsSayTheyBurn) {
        const auto all = CpuMask::range(0, 2);
        EXPECT_EQ(measured(all_busy(2), {{all, 4'000'000'000}}, all), 0U);
        EXPECT_EQ(measured(busy({0, 0}), {{all, 2'000}}, all), 0U);
}

TEST(ForeignLoad, SpreadsABurnOverTheBusyCpusOfItsSet) {
        ForeignLoad load;
        load.add(busy({10'000, 5'000, 0, 10'000}), std::vector<Burn>{{CpuMask::range(0, 3), 750}},
                 CpuMask::range(0, 4), kStart);
        EXPECT_EQ(load.seen().now_millicpu(0), 500U);
        EXPECT_EQ(load.seen().now_millicpu(1), 250U);
        EXPECT_EQ(load.seen().now_millicpu(2), 0U);
        EXPECT_EQ(load.seen().now_millicpu(3), 1'000U) << "not in its set";
}

TEST(ForeignLoad, ChargesAFreeClientForWhatABoundOneCannotHaveBurned) {
        const std::vector<Burn> clients{{CpuMask::range(0, 2), 1'000},
                                        {CpuMask::range(0, 1), 1'000}};
        EXPECT_EQ(measured(all_busy(2), clients, CpuMask::range(0, 2)), 0U);
}

TEST(ForeignLoad, IsNotMadeUpWhereSetsOverlap) {
        const std::vector<Burn> two{{CpuMask::range(0, 4), 2'000}, {CpuMask::range(2, 5), 5'000}};
        EXPECT_EQ(measured(all_busy(7), two, CpuMask::range(0, 7)), 0U)
                << "the first burned it on CPUs 0 and 1, which nobody can know";
        const std::vector<Burn> chain{{CpuMask::range(0, 4), 1'000},
                                      {CpuMask::range(2, 5), 4'000},
                                      {CpuMask::range(5, 6), 5'000}};
        EXPECT_EQ(measured(all_busy(11), chain, CpuMask::range(0, 11)), 1'000U);
}

TEST(ForeignLoad, IsNotHiddenByBurnsOnOtherCpus) {
        const std::vector<Burn> clients{{CpuMask::range(0, 2), 64'000}};
        EXPECT_EQ(measured(all_busy(4), clients, CpuMask::range(2, 2)), 2'000U);
}

TEST(ForeignLoad, CountsACpuThatIsNotKnownAsIdle) {
        Sample sample = all_busy(3);
        sample.cpus[1].idle_permyriad.reset();
        EXPECT_EQ(measured(sample, {}, CpuMask::range(0, 3)), 2'000U);
}

TEST(ForeignLoad, KnowsMachinesWithGapsInTheirNumbers) {
        Sample sample;
        sample.warming_up = false;
        sample.cpus = {{1, 0}, {70, 5'000}};
        EXPECT_EQ(measured(sample, {}, CpuMask::range(0, 128)), 1'500U);
        EXPECT_EQ(measured(sample, {{CpuMask::range(0, 8192), 1'500}}, CpuMask::range(0, 128)), 0U);
}

TEST(ForeignLoad, IsNotWhatYields) {
        Sample sample = all_busy(2);
        sample.cpus[0].nice_permyriad = 10'000;
        sample.cpus[1].nice_permyriad = 2'500;
        EXPECT_EQ(measured(sample, {}, CpuMask::range(0, 2)), 750U);
}

TEST(ForeignLoad, IsNotHiddenByTheNicedTimeOfAClient) {
        // One CPU is a niced client's, the other somebody's who does not yield.
        Sample sample = all_busy(2);
        sample.cpus[0].nice_permyriad = 10'000;
        const auto all = CpuMask::range(0, 2);
        EXPECT_EQ(measured(sample, {{all, 1'000, true}}, all), 1'000U);
}

TEST(ForeignLoad, IsNotMadeUpWhereANicedClientSpendsItsTimeInTheKernel) {
        Sample sample = all_busy(2);
        sample.cpus[0].nice_permyriad = 4'000;
        sample.cpus[1].nice_permyriad = 4'000;
        const auto all = CpuMask::range(0, 2);
        EXPECT_EQ(measured(sample, {{all, 2'000, true}}, all), 0U);
}

TEST(ForeignLoad, IsNotMadeUpWhereThreadsOfAClientAreNiced) {
        Sample sample = all_busy(2);
        sample.cpus[0].nice_permyriad = 10'000;
        const auto all = CpuMask::range(0, 2);
        EXPECT_EQ(measured(sample, {{all, 2'000}}, all), 0U);
}

class ForeignLoadInTime : public ::testing::Test {
protected:
        /// CPU 0 busy for so many permyriad.
        void run(std::uint32_t permyriad, std::chrono::milliseconds time,
                 std::chrono::milliseconds period = 1s) {
                run(busy({permyriad}), time, period);
        }

        void run(const Sample& sample, std::chrono::milliseconds time,
                 std::chrono::milliseconds period = 1s) {
                for (const auto end = now_ + time; now_ < end;)
                        load_.add(sample, {}, pool_, now_ += period);
        }

        /// In the pool, in millicpu.
        [[nodiscard]] std::uint32_t held() const { return load_.seen().held_millicpu(pool_); }

        ForeignLoad load_;
        TimePoint now_ = kStart;
        CpuMask cpu_ = CpuMask::range(0, 1);
        CpuMask pool_ = CpuMask::range(0, 8);
};

TEST_F(ForeignLoadInTime, IsSeenAtOnceWhereItWasThereBefore) {
        run(10'000, 1s);
        EXPECT_EQ(load_.seen().now_millicpu(0), 1'000U);
}

TEST_F(ForeignLoadInTime, CountsASpikeInPart) {
        run(0, 10s);
        run(10'000, 1s);
        EXPECT_NEAR(load_.seen().now_millicpu(0), 333, 5);
        run(0, 1s);
        EXPECT_LT(load_.seen().now_millicpu(0), 250U);
}

TEST_F(ForeignLoadInTime, ReachesASteadyLoad) {
        run(0, 10s);
        run(10'000, 10s);
        EXPECT_GT(load_.seen().now_millicpu(0), 980U);
        EXPECT_GT(load_.seen().held_millicpu(cpu_), 980U);
}

TEST_F(ForeignLoadInTime, IsSmoothedAlikeWhateverThePeriod) {
        for (const auto period : {50ms, 100ms, 500ms, 1000ms}) {
                load_ = {};
                run(0, 2s, period);
                run(10'000, 4s, period);
                EXPECT_NEAR(load_.seen().now_millicpu(0), 835, 35) << "about 1 - exp(-2)";
        }
}

TEST_F(ForeignLoadInTime, IsForgottenWhenItEnds) {
        run(10'000, 20s, 100ms);
        run(0, 1s, 100ms);
        EXPECT_GT(held(), 990U);
        run(0, 100ms, 100ms);
        EXPECT_EQ(held(), 0U);
        run(10'000, 1s);
        EXPECT_LT(held(), 350U) << "a new load, smoothed as any";
}

TEST_F(ForeignLoadInTime, IsForgottenAtTheSecondSampleWhereTheyAreFarBetween) {
        run(10'000, 60s, 5s);
        run(3'000, 5s, 5s);  // ended in the middle of it
        EXPECT_GT(held(), 990U);
        run(0, 5s, 5s);
        EXPECT_EQ(held(), 0U);
}

TEST_F(ForeignLoadInTime, IsForgottenStepByStepWhereItEndsSo) {
        run(all_busy(8), 20s);
        run(all_busy(3), 3s);
        EXPECT_NEAR(held(), 3'000, 20);
        run(all_busy(0), 3s);
        EXPECT_EQ(held(), 0U);
}

TEST_F(ForeignLoadInTime, IsForgottenBesideOneThatLasts) {
        run(all_busy(2), 20s);
        run(all_busy(1), 3s);
        EXPECT_NEAR(held(), 1'000, 20);
}

TEST_F(ForeignLoadInTime, IsHeldForTenSecondsWhereItCameBackBefore) {
        run(10'000, 20s);
        run(0, 3s);
        run(10'000, 20s);
        run(0, 10s);
        EXPECT_GT(held(), 990U);
        EXPECT_LT(load_.seen().now_millicpu(0), 50U);
        run(0, 2s);
        EXPECT_EQ(held(), 0U);
}

TEST_F(ForeignLoadInTime, IsForgottenOnceOnlyWhereItComesAndGoes) {
        for (const auto lasts : {4s, 20s, 60s}) {
                load_ = {};
                run(10'000, lasts);
                run(0, 4s);
                run(10'000, lasts);
                std::uint32_t lowest = 1'000;
                for (int i = 0; i < 10; i++) {
                        run(0, 4s);
                        lowest = std::min(lowest, held());
                        run(10'000, lasts);
                        lowest = std::min(lowest, held());
                }
                EXPECT_GT(lowest, 750U) << lasts.count() << " s";
        }
}

TEST_F(ForeignLoadInTime, ThatPausesForLongerThanItIsHeldIsForgottenEachTime) {
        for (int i = 0; i < 3; i++) {
                run(10'000, 10s);
                run(0, 3s);
                EXPECT_EQ(held(), 0U);
                run(0, 9s);
        }
}

TEST_F(ForeignLoadInTime, ThatStayedAwayAtLastDoesNotComeAndGoAnyMore) {
        run(10'000, 10s);
        run(0, 4s);
        run(10'000, 10s);
        run(0, 20s);
        run(10'000, 10s);
        run(0, 3s);
        EXPECT_EQ(held(), 0U);
}

TEST_F(ForeignLoadInTime, IsAnotherOneWhereMuchLessComesBack) {
        run(all_busy(8), 20s);
        run(all_busy(0), 3s);
        run(all_busy(4), 5s);
        run(all_busy(0), 3s);
        EXPECT_EQ(held(), 0U);
}

TEST_F(ForeignLoadInTime, IsHeldWhileMoreThanTwoThirdsOfItAreLeft) {
        run(10'000, 20s);
        run(7'000, 9s);
        EXPECT_GT(held(), 990U);
}

TEST_F(ForeignLoadInTime, IsHeldOnCpusThatItHasLeftForOthers) {
        run(busy({10'000, 0}), 20s);
        run(busy({0, 10'000}), 9s);
        EXPECT_GT(load_.seen().held_millicpu(cpu_), 990U);
}

TEST_F(ForeignLoadInTime, EndsWhateverHappensOnCpusThatAreNotDistributed) {
        pool_ = cpu_;
        run(all_busy(8), 20s);
        auto others = all_busy(8);
        others.cpus[0].idle_permyriad = 10'000;
        run(others, 3s);
        EXPECT_EQ(held(), 0U);
        run(all_busy(8), 10s);
        run(10'000, 3s);
        EXPECT_GT(held(), 950U);
}

TEST_F(ForeignLoadInTime, EndsWithTheCpusThatItWasOn) {
        run(all_busy(8), 20s);
        pool_ = CpuMask::range(0, 2);
        run(all_busy(2), 3s);
        EXPECT_NEAR(held(), 2'000, 20);
        run(all_busy(0), 3s);
        EXPECT_EQ(held(), 0U);
}

TEST_F(ForeignLoadInTime, DoesNotEndWhileTheSampleWarmsUp) {
        run(10'000, 20s);
        run(warming_up(), 3s);
        EXPECT_GT(held(), 990U);
}

TEST_F(ForeignLoadInTime, IsNotDoubledByALoadThatMovesFromCpuToCpu) {
        run(0, 2s);
        for (std::uint32_t i = 0; i < 60; i++) {
                std::vector<std::uint32_t> cpus(8);
                cpus[i % 8] = 10'000;
                now_ += 1s;
                load_.add(busy(cpus), {}, pool_, now_);
        }
        EXPECT_NEAR(load_.seen().held_millicpu(CpuMask::range(0, 8)), 1'000, 20);
}

TEST_F(ForeignLoadInTime, StaysAsItWasWhileTheSampleWarmsUp) {
        run(10'000, 5s);
        run(warming_up(), 1s);
        EXPECT_EQ(load_.seen().now_millicpu(0), 1'000U);
}

TEST_F(ForeignLoadInTime, OfACpuThatIsUnpluggedFades) {
        load_.add(all_busy(2), {}, pool_, now_);
        run(0, 30s);
        EXPECT_EQ(load_.seen().now_millicpu(1), 0U);
}

/// Whatever clients say: between nothing and what is busy, and all that nobody burned.
TEST(ForeignLoad, LiesBetweenWhatNobodyBurnedAndWhatIsBusy) {
        std::mt19937 random(11);
        for (int round = 0; round < 500; round++) {
                const auto cpus = 1 + static_cast<std::uint32_t>(random() % 130);
                std::vector<std::uint32_t> permyriad(cpus);
                std::uint32_t total = 0;
                for (auto& cpu : permyriad)
                        total += cpu = static_cast<std::uint32_t>(random() % 10'001);
                std::vector<Burn> clients;
                std::uint32_t burned = 0;
                for (auto i = random() % 6; i > 0; i--) {
                        const auto first = static_cast<std::uint32_t>(random() % cpus);
                        const auto most = static_cast<std::uint32_t>(random() % (cpus - first) + 1);
                        clients.push_back({CpuMask::range(first, most),
                                           static_cast<std::uint32_t>(random() % 20'000)});
                        burned += clients.back().millicpu;
                }
                const auto load = measured(busy(permyriad), clients, CpuMask::range(0, cpus));
                EXPECT_LE(load, total / 10 + 1);
                EXPECT_GE(load + burned + 1, total / 10);
        }
}

}  // namespace
}  // namespace governor::evidence
