// SPDX-License-Identifier: MIT
// The load of the CPUs that no client of the governor causes.
#include "evidence/foreign_load.hpp"

#include "policy/numbers.hpp"
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
        return load.seen().millicpu(cpus);
}

TEST(ForeignLoad, IsNothingBeforeTheFirstSample) {
        const ForeignLoad load;
        EXPECT_EQ(load.seen().millicpu(CpuMask::range(0, 64)), 0U);
        EXPECT_EQ(load.seen().millicpu_on(3), 0U);
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

/// It may run on the first half only, where it shares CPUs with the team of another one.
TEST(ForeignLoad, IsTheLoadOfAnIdleClientWhereThatMayRun) {
        std::vector<std::uint32_t> permyriad(16, 10'000);
        permyriad.back() = 0;
        const auto first = CpuMask::range(0, 8);
        const std::vector<Burn> burns{{first, 900, false, 900}, {CpuMask::range(0, 16), 14'100}};
        EXPECT_EQ(measured(busy(permyriad), burns, first), 900U);
        EXPECT_EQ(measured(busy(permyriad), burns, CpuMask::range(8, 8)), 0U);
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
        EXPECT_EQ(load.seen().millicpu_on(0), 500U);
        EXPECT_EQ(load.seen().millicpu_on(1), 250U);
        EXPECT_EQ(load.seen().millicpu_on(2), 0U);
        EXPECT_EQ(load.seen().millicpu_on(3), 1'000U) << "not in its set";
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

TEST(ForeignLoad, IsNotWhatTheHypervisorTookFromAProgram) {
        Sample sample = all_busy(2);
        sample.cpus[0].stolen_permyriad = sample.cpus[1].stolen_permyriad = 5'000;
        EXPECT_EQ(measured(sample, {{CpuMask::range(0, 2), 1'000}}, CpuMask::range(0, 2)), 0U);
        EXPECT_EQ(measured(sample, {}, CpuMask::range(0, 2)), 1'000U);
        sample.cpus[1].stolen_permyriad = 0;
        EXPECT_EQ(measured(sample, {{CpuMask::range(0, 1), 1'000}}, CpuMask::range(0, 2)), 1'000U)
                << "a kernel that counts it as the task's: nobody else has less load for it";
}

TEST(ForeignLoad, IsNotWhatYields) {
        Sample sample = all_busy(2);
        sample.cpus[0].nice_permyriad = 10'000;
        sample.cpus[1].nice_permyriad = 2'500;
        EXPECT_EQ(measured(sample, {}, CpuMask::range(0, 2)), 750U);
}

/// The load of CPUs that are all niced time's. A niced thread gets so many permyriad of them beside
/// another one.
std::uint32_t niced(const Sample& sample, const std::vector<Burn>& clients,
                    std::uint32_t permyriad) {
        const auto pool = policy::cpus_of(sample);
        ForeignLoad load;
        load.attribute(sample, clients, {{}, permyriad}, pool);
        load.add(sample, clients, pool, kStart);
        return load.seen().millicpu(pool);
}

TEST(ForeignLoad, CountsNicedTimeForWhatItTakes) {
        Sample sample = all_busy(4);
        for (auto& cpu : sample.cpus)
                cpu.nice_permyriad = 10'000;
        EXPECT_EQ(niced(sample, {}, 2'465), 986U) << "nobody else runs there";
        for (auto& cpu : sample.cpus)
                cpu.nice_permyriad = 2'465;
        EXPECT_EQ(niced(sample, {{CpuMask::range(0, 4), 3'014}}, 2'465), 986U)
                << "a client has taken all but that";
}

TEST(ForeignLoad, DoesNotCountForMoreWhereANicedClientRunsBesideIt) {
        Sample sample = all_busy(4);
        for (auto& cpu : sample.cpus)
                cpu.nice_permyriad = 10'000;
        const auto all = CpuMask::range(0, 4);
        EXPECT_EQ(niced(sample, {{all, 3'014, true}}, 2'465), 243U)
                << "one of nice 0 would take CPUs from both of them";
        EXPECT_EQ(niced(sample, {{CpuMask::range(0, 3), 3'000, true}}, 2'465), 247U)
                << "nor does it matter which CPUs they run on";
}

TEST(ForeignLoad, CountsNicedTimeForNothingWhereNobodySeesHowNicedItIs) {
        Sample sample = all_busy(4);
        for (auto& cpu : sample.cpus)
                cpu.nice_permyriad = 10'000;
        EXPECT_EQ(niced(sample, {}, 0), 0U);
}

using policy::fair::AccountId;

TEST(ForeignLoad, IsOfThoseWhoRunALoadOfIt) {
        const auto sample = all_busy(16);
        const auto pool = policy::cpus_of(sample);
        ForeignLoad load;
        load.attribute(sample, {}, {{{AccountId{1}, 9'000, 0}, {AccountId{2}, 300, 0}}, 0}, pool);
        ASSERT_EQ(load.seen().owned.size(), 1U) << "0.3 CPUs are none";
        EXPECT_EQ(load.seen().owned[0].account, AccountId{1});
        EXPECT_FLOAT_EQ(load.seen().owned[0].millicpu, 9'000);
        load.attribute(sample, {}, {{{AccountId{1}, 8'700, 0}}, 0}, pool);
        EXPECT_FLOAT_EQ(load.seen().owned[0].millicpu, 9'000) << "a small change";
        load.attribute(sample, {}, {{{AccountId{1}, 4'000, 0}}, 0}, pool);
        EXPECT_FLOAT_EQ(load.seen().owned[0].millicpu, 4'000);
        load.attribute(sample, {}, {}, pool);
        EXPECT_TRUE(load.seen().owned.empty());
}

TEST(ForeignLoad, IsOfThoseWhoRunNicedThreadsForWhatTheseTake) {
        Sample sample = all_busy(4);
        for (auto& cpu : sample.cpus)
                cpu.nice_permyriad = 2'465;
        const auto pool = policy::cpus_of(sample);
        ForeignLoad load;
        // It burns 986, where nothing else ran it would be 243 that count.
        load.attribute(sample, std::vector<Burn>{{pool, 3'014}}, {{{AccountId{1}, 0, 243}}, 2'465},
                       pool);
        ASSERT_EQ(load.seen().owned.size(), 1U);
        EXPECT_NEAR(load.seen().owned[0].millicpu, 986, 2);
}

TEST(ForeignLoad, IsNotHiddenByTheNicedTimeOfAClient) {
        // One CPU is a niced client's, the other one belongs to a program that does not yield.
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
        /// Runs with so many busy CPUs. True: what decisions go by changed.
        bool run(std::uint32_t cpus, std::chrono::milliseconds time) {
                return run(all_busy(cpus), time);
        }

        bool run(const Sample& sample, std::chrono::milliseconds time,
                 const std::vector<Burn>& clients = {}) {
                bool has_changed = false;
                for (const auto end = now_ + time; now_ < end;)
                        has_changed =
                                load_.add(sample, clients, pool_, now_ += 100ms) || has_changed;
                return has_changed;
        }

        /// In the pool, in millicpu.
        [[nodiscard]] std::uint32_t seen() const { return load_.seen().millicpu(pool_); }

        ForeignLoad load_;
        TimePoint now_ = kStart;
        CpuMask pool_ = CpuMask::range(0, 8);
};

TEST_F(ForeignLoadInTime, IsSeenAtOnceWhereItWasThereBefore) {
        EXPECT_TRUE(run(4, 100ms));
        EXPECT_EQ(seen(), 4'000U);
        EXPECT_FALSE(run(4, 10s));
}

TEST_F(ForeignLoadInTime, CountsWhenItHasLasted) {
        run(0, 10s);
        EXPECT_FALSE(run(4, 200ms));
        EXPECT_EQ(seen(), 0U);
        EXPECT_TRUE(run(4, 100ms));
        EXPECT_EQ(seen(), 4'000U);
}

TEST_F(ForeignLoadInTime, IsNoneWhereItIsASpike) {
        run(0, 10s);
        for (int i = 0; i < 5; i++)
                EXPECT_FALSE(run(8, 200ms) || run(0, 5s));
        EXPECT_EQ(seen(), 0U);
}

TEST_F(ForeignLoadInTime, EndsInOneStep) {
        run(4, 20s);
        EXPECT_FALSE(run(3, 100ms)) << "the sample reaches back";
        EXPECT_FALSE(run(1, 100ms));
        EXPECT_TRUE(run(0, 100ms));
        EXPECT_EQ(seen(), 0U);
}

TEST_F(ForeignLoadInTime, EndsSoon) {
        run(4, 20s);
        EXPECT_TRUE(run(0, 300ms));
        EXPECT_EQ(seen(), 0U);
}

TEST_F(ForeignLoadInTime, EndsSoonWhetherOrNotItCameBefore) {
        for (int i = 0; i < 5; i++) {
                run(4, 3s);
                EXPECT_EQ(seen(), 4'000U);
                run(0, 300ms);
                EXPECT_EQ(seen(), 0U);
                run(0, 2s);
        }
}

TEST_F(ForeignLoadInTime, EndsStepByStepWhereItDoesSo) {
        run(8, 20s);
        run(3, 3s);
        EXPECT_EQ(seen(), 3'000U);
        run(0, 300ms);
        EXPECT_EQ(seen(), 0U);
}

TEST_F(ForeignLoadInTime, ThatComesAndGoesFastCountsAsItsMean) {
        for (const auto pause : {200ms, 1'000ms}) {
                load_ = {};
                run(8, 1s);
                run(0, pause);
                run(8, 1s);
                run(0, 100ms);
                const auto mean = 8'000 * 1s / (1s + pause);
                EXPECT_NEAR(seen(), static_cast<double>(mean), 1);
                EXPECT_FALSE(run(0, pause - 100ms));
                for (int i = 0; i < 5; i++)
                        EXPECT_FALSE(run(8, 1s) || run(0, pause));
                EXPECT_NEAR(seen(), static_cast<double>(mean), 1);
        }
}

TEST_F(ForeignLoadInTime, ThatCameAndWentStaysAwayAtLast) {
        for (int i = 0; i < 5; i++) {
                run(8, 1s);
                run(0, 1s);
        }
        EXPECT_NEAR(seen(), 4'000, 1);
        EXPECT_TRUE(run(0, numbers::kPeriod - 900ms));
        EXPECT_EQ(seen(), 0U);
}

TEST_F(ForeignLoadInTime, ThatCameAndWentStaysAtLast) {
        for (int i = 0; i < 5; i++) {
                run(8, 1s);
                run(0, 1s);
        }
        EXPECT_TRUE(run(8, numbers::kPeriod - 900ms));
        EXPECT_EQ(seen(), 8'000U);
}

TEST_F(ForeignLoadInTime, ThatGoesUpAndDownEndsSoonWhereItIsLessThanEver) {
        for (int i = 0; i < 5; i++) {
                run(8, 500ms);
                run(4, 500ms);
        }
        EXPECT_NEAR(seen(), 6'000, 1);
        EXPECT_TRUE(run(0, 300ms));
        EXPECT_EQ(seen(), 0U);
}

TEST_F(ForeignLoadInTime, ThatGoesUpAndDownIsMoreWhereItIsMoreThanEver) {
        for (int i = 0; i < 5; i++) {
                run(4, 500ms);
                run(2, 500ms);
        }
        EXPECT_NEAR(seen(), 3'000, 1);
        EXPECT_TRUE(run(8, 300ms));
        EXPECT_EQ(seen(), 8'000U);
}

TEST_F(ForeignLoadInTime, SmallChangesAreNone) {
        run(busy({10'000, 10'000}), 1s);
        EXPECT_FALSE(run(busy({10'000, 6'500}), 10s));
        EXPECT_EQ(seen(), 2'000U);
        EXPECT_TRUE(run(busy({10'000, 4'500}), 1s));
        EXPECT_EQ(seen(), 1'450U);
}

/// The sum is less exact on 256 CPUs.
TEST_F(ForeignLoadInTime, SmallChangesAreLargerWhereMoreCpusAreDistributed) {
        pool_ = CpuMask::range(0, 256);
        run(all_busy(20), 1s);
        EXPECT_FALSE(run(all_busy(19), 10s));
        EXPECT_EQ(seen(), 20'000U);
        EXPECT_TRUE(run(all_busy(18), 1s));
        EXPECT_EQ(seen(), 18'000U);
}

TEST_F(ForeignLoadInTime, LessThanHalfACpuEndsAltogether) {
        run(busy({8'000}), 1s);
        run(busy({4'500}), 1s);
        EXPECT_EQ(seen(), 450U);
        run(0, 300ms);
        EXPECT_EQ(seen(), 0U);
}

TEST_F(ForeignLoadInTime, SmallChangesDoNotChangeWhatIsBesideThePool) {
        pool_ = CpuMask::range(0, 1);
        run(busy({10'000, 10'000}), 1s);
        run(busy({6'500, 10'000}), 1s);
        EXPECT_EQ(load_.seen().millicpu_on(0), 1'000U);
        EXPECT_EQ(load_.seen().millicpu_on(1), 1'000U);
}

TEST_F(ForeignLoadInTime, MovesFromCpuToCpu) {
        run(busy({10'000, 0}), 1s);
        EXPECT_FALSE(run(busy({0, 10'000}), 1s)) << "as much as before";
        EXPECT_EQ(load_.seen().millicpu_on(0), 0U);
        EXPECT_EQ(load_.seen().millicpu_on(1), 1'000U);
}

TEST_F(ForeignLoadInTime, IsNotDoubledByALoadThatMovesFromCpuToCpu) {
        run(0, 2s);
        for (std::uint32_t i = 0; i < 60; i++) {
                std::vector<std::uint32_t> cpus(8);
                cpus[i % 8] = 10'000;
                run(busy(cpus), 100ms);
        }
        EXPECT_EQ(seen(), 1'000U);
}

TEST_F(ForeignLoadInTime, EndsWhateverHappensOnCpusThatAreNotDistributed) {
        pool_ = CpuMask::range(0, 1);
        run(8, 20s);
        auto others = all_busy(8);
        others.cpus[0].idle_permyriad = 10'000;
        run(others, 300ms);
        EXPECT_EQ(seen(), 0U);
}

TEST_F(ForeignLoadInTime, EndsWithTheCpusThatItWasOn) {
        run(8, 20s);
        pool_ = CpuMask::range(0, 2);
        run(2, 300ms);
        EXPECT_EQ(seen(), 2'000U);
}

TEST_F(ForeignLoadInTime, StaysAsItWasWhileTheSampleWarmsUp) {
        run(1, 5s);
        EXPECT_FALSE(run(warming_up(), 3s));
        EXPECT_EQ(seen(), 1'000U);
}

/// The same happens where a tree begins to work between two looks at its processes.
TEST_F(ForeignLoadInTime, IsNoMoreThanWhatIsKnownForSure) {
        const std::vector<Burn> all_of_it{{pool_, 8'000}};
        run(2, 5s);
        load_.limit(all_busy(2), {});
        EXPECT_FALSE(run(8, 5s));
        EXPECT_EQ(seen(), 2'000U);
        load_.limit(all_busy(8), all_of_it);
        EXPECT_TRUE(run(8, 300ms));
        EXPECT_EQ(seen(), 0U);
        load_.no_limit();
        EXPECT_TRUE(run(8, 500ms));
        EXPECT_EQ(seen(), 8'000U);
}

TEST_F(ForeignLoadInTime, EndsSoonWhereMoreWasKnownForSure) {
        load_.limit(all_busy(8), {});
        run(8, 5s);
        EXPECT_TRUE(run(0, 300ms));
        EXPECT_EQ(seen(), 0U);
}

/// The load is at most what is busy, and at least all that nobody burned, whatever clients say.
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
