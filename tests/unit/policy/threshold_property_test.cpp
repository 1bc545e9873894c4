// SPDX-License-Identifier: MIT
// The properties that hold for every machine, checked on thousands of made-up ones.
#include "policy/permyriad.hpp"
#include "policy/threshold.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace governor::policy {
namespace {

constexpr unsigned kMachines = 5000;
constexpr std::size_t kLongestExplanation = 160;  // what the wire promises

struct Case {
        ThresholdSettings settings;
        Sample sample;
        Question question;
};

Case make_case(unsigned seed) {
        std::mt19937 random(seed);
        const auto below = [&](std::uint32_t limit) {
                return static_cast<std::uint32_t>(random() % limit);
        };
        Case made;
        made.settings.threshold_permyriad = below(kPermyriad + 1);
        made.sample.warming_up = below(10) == 0;
        const auto cpus = below(2) == 0 ? below(9) : below(1025);
        for (std::uint32_t i = 0, number = 0; i < cpus; i++, number += 1 + below(3)) {
                // Around the threshold is where mistakes live.
                const auto near = std::clamp<std::int64_t>(
                        std::int64_t{made.settings.threshold_permyriad} + below(5) - 2, 0,
                        kPermyriad);
                const auto idle =
                        below(3) == 0 ? static_cast<std::uint32_t>(near) : below(kPermyriad + 1);
                made.sample.cpus.push_back(
                        {number, below(8) == 0 ? std::nullopt : std::optional(idle)});
        }
        made.question.current = below(4) == 0 ? below(65537) : below(cpus + 3);
        made.question.max = below(3) == 0 ? 1 + below(cpus + 2) : 0;
        return made;
}

class EveryMachine : public ::testing::Test {
protected:
        template <class Check>
        static void for_each(Check check) {
                for (unsigned seed = 1; seed <= kMachines && !HasFailure(); seed++) {
                        SCOPED_TRACE("seed " + std::to_string(seed));
                        const auto made = make_case(seed);
                        check(made, advise(made.settings, made.sample, made.question));
                }
        }
};

TEST_F(EveryMachine, GetsBetweenOneAndAllOfItsCpus) {
        for_each([](const Case& made, const Advice& advice) {
                EXPECT_EQ(advice.total, made.sample.cpus.size());
                EXPECT_GE(advice.threads, 1U);
                EXPECT_LE(advice.threads, std::max(1U, advice.total));
                EXPECT_LE(advice.free, advice.total);
                EXPECT_TRUE(made.question.max == 0 || advice.threads <= made.question.max);
        });
}

TEST_F(EveryMachine, LetsProgramsOnlyGrow) {
        for_each([](const Case& made, const Advice& advice) {
                const auto most = made.question.max > 0 ? std::min(advice.total, made.question.max)
                                                        : advice.total;
                EXPECT_GE(advice.threads, std::min(made.question.current, most));
        });
}

TEST_F(EveryMachine, CountsExactlyTheCpusAtOrAboveTheThreshold) {
        for_each([](const Case& made, const Advice& advice) {
                std::uint32_t free = 0;
                for (const auto& cpu : made.sample.cpus)
                        free += cpu.idle_permyriad.value_or(0) >=
                                        made.settings.threshold_permyriad &&
                                cpu.idle_permyriad.has_value();
                EXPECT_EQ(advice.free, made.sample.warming_up ? 0 : free);
        });
}

TEST_F(EveryMachine, AdvisesNoLessToWhoUsesMore) {
        for_each([](const Case& made, const Advice& advice) {
                auto question = made.question;
                question.current++;
                EXPECT_GE(advise(made.settings, made.sample, question).threads, advice.threads);
        });
}

TEST_F(EveryMachine, AdvisesNoMoreAtAHigherThreshold) {
        for_each([](const Case& made, const Advice& advice) {
                auto settings = made.settings;
                settings.threshold_permyriad =
                        std::min(kPermyriad, settings.threshold_permyriad + 7);
                const auto stricter = advise(settings, made.sample, made.question);
                EXPECT_LE(stricter.free, advice.free);
                EXPECT_LE(stricter.threads, advice.threads);
        });
}

TEST_F(EveryMachine, IsExplainedInOneShortLineThatEndsInTheAdvice) {
        for_each([](const Case& made, const Advice& advice) {
                const auto text = explain(made.settings, made.question, advice);
                EXPECT_LE(text.size(), kLongestExplanation);
                EXPECT_EQ(text.find('\n'), std::string::npos);
                EXPECT_TRUE(text.ends_with(" -> " + std::to_string(advice.threads))) << text;
        });
}

}  // namespace
}  // namespace governor::policy
