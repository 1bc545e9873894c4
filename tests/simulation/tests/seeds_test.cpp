// SPDX-License-Identifier: MIT
// What --seeds says, and when a mutant counts as found.
#include "simulation/command/seeds.hpp"

#include <gtest/gtest.h>

namespace simulation {

namespace {

using governor::policy::fair::Decision;
using governor::policy::fair::Settings;
using governor::policy::fair::Snapshot;

/// Nothing but its numbers is wrong.
Decision counts_an_account_too_many(const Settings& settings, const Snapshot& snapshot) {
        auto decision = governor::policy::fair::decide(settings, snapshot);
        for (auto& grant : decision.grants)
                grant.reason.accounts++;
        return decision;
}

NamedPolicy caught_by(std::string_view invariant) {
        return {"wrong", "its numbers are", {counts_an_account_too_many}, invariant};
}

std::string said(const NamedPolicy& policy) {
        testing::internal::CaptureStdout();
        EXPECT_EQ(run_seeds({1, 1}, policy), kExitFailed);
        return testing::internal::GetCapturedStdout();
}

}  // namespace

TEST(Seeds, AMutantIsFoundOnlyByTheInvariantThatIsForIt) {
        EXPECT_EQ(run_until_broken({1, 5}, caught_by("reasons")), kExitOk);
        EXPECT_EQ(run_until_broken({1, 5}, caught_by("starvation")), kExitFailed);
}

TEST(Seeds, HowToLookAtABrokenOneNamesThePolicy) {
        EXPECT_NE(said(caught_by("reasons"))
                          .find("\n    simulate --seed 1 --policy wrong --timeline\n"),
                  std::string::npos);
}

TEST(Seeds, EveryMutantHasANameOfItsOwnAndAnInvariant) {
        for (const auto& policy : known_policies()) {
                EXPECT_EQ(policy.caught_by.empty(), policy.name == "fair" || policy.is_baseline)
                        << policy.name;
                EXPECT_EQ(find_policy(policy.name)->meaning, policy.meaning) << policy.name;
        }
}

}  // namespace simulation
