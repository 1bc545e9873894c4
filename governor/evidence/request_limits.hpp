// SPDX-License-Identifier: MIT
//
// The limits that a client may set for its own grant. Pure; time is an argument.
#pragma once

#include "policy/cpu_mask.hpp"
#include "policy/time_point.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace governor::evidence {

using policy::TimePoint;

/// The maximum and the CPUs that a client gives itself. Less acts at once. So does more, but not
/// again within kMemory: a client that goes back and forth would disturb its neighbours each time.
class RequestLimits {
public:
        RequestLimits() = default;
        RequestLimits(std::uint32_t max, const policy::CpuMask& cpus);

        /// 0: no maximum. A set that holds none of its present CPUs acts at once: the client has
        /// nowhere else to be. But within kMemory of the last time it can use only one of them.
        void ask(std::uint32_t max, const policy::CpuMask& cpus, TimePoint now);
        /// Takes note of the time.
        void update(TimePoint now);

        [[nodiscard]] std::uint32_t max() const { return max_; }  ///< 0: none
        [[nodiscard]] const policy::CpuMask& cpus() const { return cpus_; }

private:
        std::uint32_t asked_max_ = 0;
        policy::CpuMask asked_cpus_;
        std::uint32_t max_ = 0;
        policy::CpuMask cpus_;
        std::optional<TimePoint> raised_;
};

}  // namespace governor::evidence
