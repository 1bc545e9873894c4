// SPDX-License-Identifier: MIT
//
// Made-up readings of /proc/stat and a virtual clock for tests of IdleHistory.
#pragma once

#include "probe/idle_history.hpp"

#include <optional>
#include <vector>

namespace governor::probe {

inline constexpr std::uint64_t kTicksPerSecond = 100;

/// A moment on the virtual clock.
inline TimePoint at(std::int64_t ms) {
        return TimePoint{} + std::chrono::hours{1} + std::chrono::milliseconds{ms};
}

struct Counters {
        std::uint32_t cpu = 0;
        std::uint64_t idle = 0;
        std::uint64_t iowait = 0;
        std::uint64_t busy = 0;
        std::uint64_t nice = 0;    ///< part of `busy`
        std::uint64_t stolen = 0;  ///< likewise
};

inline StatReading reading(const std::vector<Counters>& cpus, bool list_ended = true) {
        StatReading made;
        for (const auto& c : cpus)
                made.cpus.push_back(
                        {c.cpu, c.idle, c.iowait, c.nice, c.idle + c.iowait + c.busy, c.stolen});
        made.list_ended = list_ended;
        return made;
}

/// The ratio of `cpu`; empty if it is not known or the CPU is not in the sample.
inline std::optional<std::uint32_t> idle_of(const IdleHistory& history, std::uint32_t cpu) {
        for (const auto& c : history.sample().cpus)
                if (c.cpu == cpu)
                        return c.idle_permyriad;
        return std::nullopt;
}

inline std::uint32_t nice_of(const IdleHistory& history, std::uint32_t cpu) {
        for (const auto& c : history.sample().cpus)
                if (c.cpu == cpu)
                        return c.nice_permyriad;
        return 0;
}

}  // namespace governor::probe
