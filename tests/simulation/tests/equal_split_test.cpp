// SPDX-License-Identifier: MIT
// The policy beside an equal split that is handed over at once, on random machines.
#include "simulation/policies/policies.hpp"
#include "simulation/report/trace.hpp"
#include "simulation/scenario/random.hpp"
#include "simulation/scenario/scenario_file.hpp"
#include "simulation/tests/cases.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace simulation {

namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kMachines = std::max<std::uint64_t>(kCases / 10, 2);
constexpr std::uint32_t kFirstUser = 1000;

Scenario machine(std::uint32_t cpus) {
        Scenario scenario;
        scenario.machine.cpus = cpus;
        scenario.end = hours(4);
        return scenario;
}

/// `wall` is the time of a region on an equal part of the machine, and `total` that of all.
void set_work(Program& program, Time wall, Time total, std::uint32_t cpus, std::uint32_t programs) {
        program.region = wall * std::max(cpus, programs) / programs;
        program.regions = static_cast<std::uint64_t>(std::max<std::int64_t>(total / wall, 1));
}

/// Six programs of three users whose regions take 1 to 10 s on their part of 64 CPUs.
Scenario long_regions(std::uint64_t seed) {
        constexpr std::uint32_t kPrograms = 6;
        Random random(seed);
        auto scenario = machine(64);
        for (std::uint32_t k = 0; k < kPrograms; k++) {
                auto& program = scenario.programs.emplace_back();
                program.name = "p" + std::to_string(k);
                program.user = kFirstUser + k % 3;
                program.start = random.between(Time(0), seconds(20));
                set_work(program, random.between(seconds(1), seconds(10)),
                         random.between(seconds(10), seconds(60)), 64, kPrograms);
        }
        return scenario;
}

/// Programs of all lengths: some pause, some are serial in between, some have a maximum.
Scenario mixture(std::uint64_t seed) {
        Random random(seed);
        const auto cpus = random.pick({2U, 4U, 8U, 16U, 32U, 64U, 128U, 256U});
        const auto users = random.pick({1U, 2U, 3U, 8U});
        const auto programs = random.pick({2U, 3U, 4U, 6U, 10U, 20U});
        const auto span = random.pick({0, 2, 20});
        auto scenario = machine(cpus);
        for (std::uint32_t k = 0; k < programs; k++) {
                auto& program = scenario.programs.emplace_back();
                program.name = "p" + std::to_string(k);
                program.user = kFirstUser + random.between(0, users - 1);
                program.start = random.between(Time(0), seconds(span));
                const Time wall = microseconds(random.pick({1'000, 10'000, 100'000, 1'000'000})) *
                                  static_cast<std::int64_t>(random.between(1, 10));
                set_work(program, wall, random.between(seconds(1), seconds(30)), cpus, programs);
                if (random.chance(20))
                        program.sleep = wall * random.pick({1, 2, 6}) / 2;
                else if (random.chance(20))
                        program.serial = wall * random.pick({1, 5, 20}) / 10;
                if (random.chance(20))
                        program.max = std::max(1U, cpus / random.pick({2U, 4U, 8U}));
        }
        return scenario;
}

/// Programs that read their input, with one thread, before each long region or before the first
/// one.
Scenario readers(std::uint64_t seed) {
        Random random(seed);
        const auto cpus = random.pick({8U, 16U, 64U, 256U});
        const auto programs = random.pick({2U, 3U, 6U});
        auto scenario = machine(cpus);
        for (std::uint32_t k = 0; k < programs; k++) {
                auto& program = scenario.programs.emplace_back();
                program.name = "p" + std::to_string(k);
                program.user = kFirstUser + k % 2;
                program.start = random.between(Time(0), seconds(5));
                program.setup = random.between(milliseconds(100), seconds(5));
                if (random.chance(50))
                        program.serial = random.between(milliseconds(100), seconds(5));
                set_work(program, milliseconds(random.pick({300, 1'000, 5'000, 20'000})),
                         random.between(seconds(1), seconds(30)), cpus, programs);
        }
        return scenario;
}

Scenario batch_readers(std::uint64_t seed) {
        auto scenario = readers(seed);
        for (auto& program : scenario.programs)
                program.scheduling_class = governor::policy::fair::Class::Batch;
        return scenario;
}

double sum_s(const Scenario& scenario, std::string_view policy) {
        const auto named = find_policy(policy);
        std::chrono::duration<double> sum{0};
        for (const auto& life : record(named->prepared(scenario), {named->decider, {}}).lives)
                sum += life.ended.value() - life.started;
        return sum.count();
}

struct OverEqual {
        double mean = 1;  // geometric
        double worst = 0;
        std::string worst_case;  // as a file
};

OverEqual fair_over_equal(Scenario (*scenario_of)(std::uint64_t seed)) {
        OverEqual ratios;
        double logarithms = 0;
        for (std::uint64_t seed = 0; seed < kMachines; seed++) {
                const auto scenario = scenario_of(seed);
                const double ratio = sum_s(scenario, "fair") / sum_s(scenario, "equal");
                logarithms += std::log(ratio);
                if (ratio > ratios.worst)
                        ratios = {1, ratio, write_scenario(scenario)};
        }
        ratios.mean = std::exp(logarithms / static_cast<double>(kMachines));
        return ratios;
}

}  // namespace

TEST(EqualSplit, IsNoBetterWhereRegionsAreLong) {
        const auto ratios = fair_over_equal(long_regions);
        EXPECT_LE(ratios.worst, 1.10) << ratios.worst_case;
        if (kMeansCount) {
                EXPECT_LE(ratios.mean, 1.01);
        }
}

TEST(EqualSplit, IsNoBetterInAMixture) {
        const auto ratios = fair_over_equal(mixture);
        EXPECT_LE(ratios.worst, 1.25) << ratios.worst_case;
        if (kMeansCount) {
                EXPECT_LE(ratios.mean, 1.005);
        }
}

TEST(EqualSplit, IsNoBetterWhereProgramsReadFirst) {
        const auto ratios = fair_over_equal(readers);
        EXPECT_LE(ratios.worst, 1.25) << ratios.worst_case;
        if (kMeansCount) {
                EXPECT_LE(ratios.mean, 1.0);
        }
}

/// They share until it is known what CPUs are worth to them. The region that one wakes with may be
/// its longest.
TEST(EqualSplit, IsNoBetterWhereBatchProgramsReadFirst) {
        const auto ratios = fair_over_equal(batch_readers);
        EXPECT_LE(ratios.worst, 1.25) << ratios.worst_case;
        if (kMeansCount) {
                EXPECT_LE(ratios.mean, 1.0);
        }
}

}  // namespace simulation
