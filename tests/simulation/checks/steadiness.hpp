// SPDX-License-Identifier: MIT
//
// Decisions come to rest.
#pragma once

#include "simulation/checks/invariant.hpp"

#include <deque>
#include <map>
#include <optional>

namespace simulation {

/// - convergence: when nothing else changes, the second decision from here on is the last one that
///   changes anything, but for which programs share which CPU. Looked at after every sample, but
///   while there is a newcomer and a tree that takes turns
/// - flapping: a grant does not change more than once in kCalm when nothing has happened outside
///   for long. The registry must also have believed for long that programs that pause or are niced
///   want what they want now, and that as many CPUs pay
class Steadiness final : public Invariant {
public:
        static constexpr Time kCalm = std::chrono::seconds(10);
        /// The end of foreign load may be felt for this long, and programs that come and go push it
        /// to and fro.
        static constexpr Time kForeign = std::chrono::seconds(20);

        using Invariant::Invariant;
        void decided(const World& world) override;
        void ended(const World& world, const Resident& resident) override;

private:
        struct Watch {
                governor::policy::fair::Grant grant;
                Time changed = -kCalm;  // while everything was steady
        };

        struct Demand {
                std::optional<std::uint32_t> wants = {};
                bool idle = false;
                bool light = false;
                governor::policy::fair::Scaling scaling = {};
                std::optional<std::uint32_t> probe_width = {};
                friend bool operator==(const Demand&, const Demand&) = default;
        };

        bool is_demand_steady(const World& world);
        void check_flapping(const World& world);
        void check_convergence(const World& world);

        std::map<std::size_t, Watch> watches_;   // by Resident::number
        std::map<std::size_t, Demand> demands_;  // by Resident::number + 1
        Time demand_changed_{0};
        Time next_look_{0};
};

}  // namespace simulation
