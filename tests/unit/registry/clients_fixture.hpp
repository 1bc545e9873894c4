// SPDX-License-Identifier: MIT
//
// Clients on a machine of 16 CPUs, and a clock that the test sets.
#pragma once

#include "registry/clients.hpp"
#include "registry/made_up_programs.hpp"

#include <gtest/gtest.h>

namespace governor::registry {

using namespace std::chrono_literals;
using policy::CpuMask;
using policy::fair::AccountId;
using policy::fair::Rule;

inline const CpuMask kAll = CpuMask::range(0, 16);

class ClientsTest : public ::testing::Test {
protected:
        ProgramId join(std::uint32_t uid = 1000, const Request& request = {}) {
                return clients_.join(program_of(uid), request, within(kAll), now_).id;
        }

        bool grant(ProgramId id, std::uint32_t first, std::uint32_t count) {
                const auto one = grant_of(id, CpuMask::range(first, count));
                return !clients_.apply(decision_of({one}), now_).empty();
        }

        void park(ProgramId id) {
                auto one = grant_of(id, CpuMask::range(0, 1));
                one.parked = true;
                (void)clients_.apply(decision_of({one}), now_);
        }

        bool region(ProgramId id, std::uint64_t epoch, std::uint32_t team) {
                return clients_.report(id, {epoch, team, true, ++regions_}, now_);
        }

        /// A second in which the client burns so many CPUs.
        void second(ProgramId id, std::uint32_t cpus, bool stopped = false) {
                now_ += 1s;
                cpu_time_ += cpus * 1s;
                clients_.measured(id, cpu_time_, stopped, now_);
                clients_.sampled(sample_, now_);
        }

        policy::Sample sample_;  // warming up: nothing is known

        [[nodiscard]] std::vector<policy::fair::Client> listed() const {
                return clients_.snapshot(machine_, foreign_, now_).clients;
        }
        [[nodiscard]] policy::fair::Client only() const { return listed().at(0); }

        void use_rule(const Rule& rule) { clients_ = Clients(LeaseLimits{}, {rule}); }

        std::uint64_t regions_ = 0;
        policy::Machine machine_ = machine_of(16);
        policy::fair::Foreign foreign_;
        Clients clients_{LeaseLimits{}, {}};
        TimePoint now_ = kStart;
        std::chrono::nanoseconds cpu_time_{0};
};

}  // namespace governor::registry
