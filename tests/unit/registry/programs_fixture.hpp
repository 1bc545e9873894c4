// SPDX-License-Identifier: MIT
//
// Programs on a machine of 16 CPUs, and a clock that the test sets.
#pragma once

#include "registry/made_up_programs.hpp"
#include "registry/programs.hpp"

#include <gtest/gtest.h>

namespace governor::registry {

using namespace std::chrono_literals;
using policy::CpuMask;
using policy::fair::AccountId;
using policy::fair::Rule;

inline const CpuMask kAll = CpuMask::range(0, 16);

class ProgramsTest : public ::testing::Test {
protected:
        ProgramId join(std::uint32_t uid = 1000, const Request& request = {}) {
                return programs_.join(program_of(uid), request, within(kAll), now_).id;
        }

        bool grant(ProgramId id, std::uint32_t first, std::uint32_t count) {
                const auto one = grant_of(id, CpuMask::range(first, count));
                return !programs_.apply(decision_of({one}), now_).empty();
        }

        void park(ProgramId id) {
                auto one = grant_of(id, CpuMask::range(0, 1));
                one.parked = true;
                (void)programs_.apply(decision_of({one}), now_);
        }

        bool region(ProgramId id, std::uint64_t epoch, std::uint32_t team) {
                return programs_.find(id)->report({epoch, team, true, ++regions_}, now_);
        }

        /// A second in which the client burns so many CPUs.
        void second(ProgramId id, double cpus, bool stopped = false) {
                now_ += 1s;
                cpu_time_ += std::chrono::duration_cast<std::chrono::nanoseconds>(cpus * 1s);
                programs_.find(id)->measured(cpu_time_, stopped, now_);
                programs_.sampled(sample_, now_);
        }

        policy::Sample sample_;  // warming up: nothing is known

        [[nodiscard]] std::vector<policy::fair::Client> listed() const {
                return programs_.snapshot(machine_, foreign_, now_).clients;
        }
        [[nodiscard]] policy::fair::Client only() const { return listed().at(0); }

        void use_rule(const Rule& rule) { programs_ = Programs(LeaseLimits{}, {rule}); }

        std::uint64_t regions_ = 0;
        policy::Machine machine_ = machine_of(16);
        policy::fair::Foreign foreign_;
        Programs programs_{LeaseLimits{}, {}};
        TimePoint now_ = kStart;
        std::chrono::nanoseconds cpu_time_{0};
};

}  // namespace governor::registry
