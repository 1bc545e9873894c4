// SPDX-License-Identifier: MIT
//
// Tests under many schedules.
#pragma once

#include "scheduler.hpp"

#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>

namespace deterministic {

/// Runs `scenario(scheduler)`, which adds threads and has them go, under so many schedules, until
/// one fails; says its seed then. THREADCOUNT_TEST_SEED in the environment: this one only.
template <class Scenario>
void explore(std::uint64_t schedules, const Scenario& scenario) {
        const char* only = std::getenv("THREADCOUNT_TEST_SEED");
        const auto first = only != nullptr ? std::strtoull(only, nullptr, 10) : 1;
        const auto last = only != nullptr ? first : schedules;
        auto& scheduler = Scheduler::instance();
        for (auto seed = first; seed <= last && !testing::Test::HasFailure(); seed++) {
                SCOPED_TRACE("THREADCOUNT_TEST_SEED=" + std::to_string(seed));
                scheduler.reset(seed);
                scenario(scheduler);
        }
}

/// Is there a schedule among so many under which `scenario(scheduler)` says true? For what is
/// wrong on purpose.
template <class Scenario>
[[nodiscard]] bool is_found(std::uint64_t schedules, const Scenario& scenario) {
        auto& scheduler = Scheduler::instance();
        for (std::uint64_t seed = 1; seed <= schedules; seed++) {
                scheduler.reset(seed);
                if (scenario(scheduler))
                        return true;
        }
        return false;
}

}  // namespace deterministic
