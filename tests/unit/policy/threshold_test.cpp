// SPDX-License-Identifier: MIT
// The article's arithmetic, worked out by hand.
#include "policy/threshold.hpp"

#include <gtest/gtest.h>

namespace governor::policy {
namespace {

using Idle = std::vector<std::optional<std::uint32_t>>;

Sample machine(const Idle& idle) {
        Sample sample{{}, false};
        for (std::uint32_t cpu = 0; cpu < idle.size(); cpu++)
                sample.cpus.push_back({cpu, idle[cpu]});
        return sample;
}

Sample machine(std::uint32_t cpus, std::uint32_t free) {
        Idle idle(cpus, 0U);
        for (std::uint32_t cpu = 0; cpu < free; cpu++)
                idle[cpu] = 10000;
        return machine(idle);
}

Sample cold(std::uint32_t cpus) {
        auto sample = machine(cpus, cpus);
        sample.warming_up = true;
        return sample;
}

constexpr ThresholdSettings kFivePercent{500};

struct Expected {
        std::uint32_t threads, free, total;
        Reason reason;
        const char* explanation;
};

void expect_advice(const Sample& sample, const Question& question, const Expected& expected) {
        SCOPED_TRACE(expected.explanation);
        const auto advice = advise(kFivePercent, sample, question);
        EXPECT_EQ(advice.threads, expected.threads);
        EXPECT_EQ(advice.free, expected.free);
        EXPECT_EQ(advice.total, expected.total);
        EXPECT_EQ(advice.reason, expected.reason);
        EXPECT_EQ(explain(kFivePercent, question, advice), expected.explanation);
}

void expect_free(const Sample& sample,
                 const std::vector<std::pair<std::uint32_t, unsigned>>& rows) {
        for (const auto& [threshold_permyriad, free] : rows)
                EXPECT_EQ(count_free({threshold_permyriad}, sample), free)
                        << "threshold " << threshold_permyriad;
}

TEST(Threshold, AdvisesAllFreeCpusOnTopOfThoseInUse) {
        expect_advice(machine({600, 0, 500, 0, 10000, 499, 100, 0}), {2, 0},
                      {5, 3, 8, Reason::FreeCpus, "2 in use + 3 of 8 cpus idle >= 5% -> 5"});
}

TEST(Threshold, AdvisesANewcomerTheFreeCpus) {
        expect_advice(machine(64, 23), {0, 0},
                      {23, 23, 64, Reason::FreeCpus, "0 in use + 23 of 64 cpus idle >= 5% -> 23"});
}

TEST(Threshold, DividesOneCpuByHand) {
        expect_free(machine({4999}),
                    {{0, 1}, {500, 1}, {4999, 1}, {5000, 0}, {9500, 0}, {10000, 0}});
        expect_free(machine({10000}), {{0, 1}, {500, 1}, {9500, 1}, {10000, 1}});
        expect_free(machine({0}), {{0, 1}, {1, 0}, {500, 0}, {10000, 0}});
}

TEST(Threshold, DividesEightCpusByHand) {
        expect_free(machine({0, 499, 500, 4999, 5000, 9499, 9500, 10000}),
                    {{0, 8}, {500, 6}, {5000, 4}, {9500, 2}, {10000, 1}});
}

TEST(Threshold, DividesSixtyFourCpusByHand) {
        Idle idle;
        for (std::uint32_t cpu = 0; cpu < 64; cpu++)
                idle.emplace_back(cpu * 156);  // 0, 1.56 %, ... 98.28 %
        expect_free(machine(idle), {{0, 64}, {500, 60}, {5000, 31}, {9500, 3}, {10000, 0}});
}

TEST(Threshold, CountsACpuThatIsIdleExactlyAtTheThreshold) {
        EXPECT_TRUE(is_free({500}, {0, 500}));
        EXPECT_FALSE(is_free({500}, {0, 499}));
        EXPECT_TRUE(is_free({10000}, {0, 10000}));
        EXPECT_FALSE(is_free({10000}, {0, 9999}));
        EXPECT_TRUE(is_free({0}, {0, 0}));
}

TEST(Threshold, DoesNotCountACpuWhoseIdleTimeIsUnknown) {
        EXPECT_FALSE(is_free({0}, {0, std::nullopt}));
        EXPECT_EQ(count_free({0}, machine({std::nullopt, 0, std::nullopt, 10000})), 2U);
}

TEST(Threshold, NeverTakesAwayWhenNothingIsFree) {
        expect_advice(machine(8, 0), {5, 0},
                      {5, 0, 8, Reason::NoFreeCpu, "5 in use + 0 of 8 cpus idle >= 5% -> 5"});
}

TEST(Threshold, AdvisesOneThreadOnABusyMachine) {
        expect_advice(machine(8, 0), {0, 0},
                      {1, 0, 8, Reason::NoFreeCpu, "0 in use + 0 of 8 cpus idle >= 5% -> 1"});
}

TEST(Threshold, NeverAdvisesMoreThanAllCpus) {
        expect_advice(machine(8, 6), {5, 0},
                      {8, 6, 8, Reason::AllCpus,
                       "5 in use + 6 of 8 cpus idle >= 5%, at most all 8 cpus -> 8"});
        expect_advice(machine(8, 0), {64, 0},
                      {8, 0, 8, Reason::AllCpus,
                       "64 in use + 0 of 8 cpus idle >= 5%, at most all 8 cpus -> 8"});
}

TEST(Threshold, NeverAdvisesMoreThanAskedFor) {
        expect_advice(machine(8, 6), {1, 4},
                      {4, 6, 8, Reason::OwnMax,
                       "1 in use + 6 of 8 cpus idle >= 5%, at most 4 as asked -> 4"});
        expect_advice(machine(8, 8), {8, 3},
                      {3, 8, 8, Reason::OwnMax,
                       "8 in use + 8 of 8 cpus idle >= 5%, at most 3 as asked -> 3"});
}

TEST(Threshold, NeverAdvisesMoreThanAShareButForWhatIsInUse) {
        expect_advice(machine(8, 6), {1, 0, 4},
                      {4, 6, 8, Reason::FairShare,
                       "1 in use + 6 of 8 cpus idle >= 5%, at most its share of 4 -> 4"});
        expect_advice(machine(8, 3), {5, 0, 4},
                      {5, 3, 8, Reason::FairShare,
                       "5 in use + 3 of 8 cpus idle >= 5%, at most its share of 4 -> 5"});
        EXPECT_EQ(advise(kFivePercent, machine(8, 6), {1, 3, 4}).reason, Reason::OwnMax);
        EXPECT_EQ(advise(kFivePercent, machine(8, 3), {0, 0, 3}).reason, Reason::FreeCpus);
        EXPECT_EQ(advise(kFivePercent, machine(8, 0), {0, 0, 4}).threads, 1U);
}

TEST(Threshold, NamesALimitOnlyIfItCutsSomethingOff) {
        EXPECT_EQ(advise(kFivePercent, machine(8, 6), {2, 8}).reason, Reason::FreeCpus);
        EXPECT_EQ(advise(kFivePercent, machine(8, 6), {2, 0}).reason, Reason::FreeCpus);
        EXPECT_EQ(advise(kFivePercent, machine(8, 8), {1, 8}).reason, Reason::AllCpus);
        EXPECT_EQ(advise(kFivePercent, machine(8, 8), {1, 7}).reason, Reason::OwnMax);
}

TEST(Threshold, FindsNothingFreeWhileWarmingUp) {
        EXPECT_EQ(count_free(kFivePercent, cold(8)), 0U);
        expect_advice(cold(8), {0, 0},
                      {1, 0, 8, Reason::WarmingUp,
                       "0 in use + not known yet (the first period is being measured) -> 1"});
        expect_advice(cold(8), {3, 4},
                      {3, 0, 8, Reason::WarmingUp,
                       "3 in use + not known yet (the first period is being measured) -> 3"});
}

TEST(Threshold, AdvisesOneThreadOnAMachineWithoutCpus) {
        EXPECT_EQ(advise(kFivePercent, {}, {0, 0}).threads, 1U);
        EXPECT_EQ(advise(kFivePercent, machine(0, 0), {4, 0}).threads, 1U);
}

TEST(Threshold, ExplainsFractionsOfAPercent) {
        const ThresholdSettings settings{1250};
        const auto advice = advise(settings, machine(2, 1), {0, 0});
        EXPECT_EQ(explain(settings, {0, 0}, advice), "0 in use + 1 of 2 cpus idle >= 12.5% -> 1");
}

TEST(Threshold, SaysThatItIsWarmingUpEvenWhereALimitApplies) {
        Sample sample;
        for (std::uint32_t cpu = 0; cpu < 8; cpu++)
                sample.cpus.push_back({cpu, {}});
        sample.warming_up = true;
        for (const Question question : {Question{12, 0}, Question{4, 2}}) {
                const auto advice = advise({}, sample, question);
                EXPECT_EQ(advice.reason, Reason::WarmingUp);
                EXPECT_NE(explain({}, question, advice).find("not known yet"), std::string::npos);
        }
}

TEST(Threshold, DoesNotWrapAroundAtTheLargestCount) {
        Sample sample;
        for (std::uint32_t cpu = 0; cpu < 8; cpu++)
                sample.cpus.push_back({cpu, 10000});
        sample.warming_up = false;
        EXPECT_EQ(advise({}, sample, {UINT32_MAX, 0}).threads, 8U);
}

}  // namespace
}  // namespace governor::policy
