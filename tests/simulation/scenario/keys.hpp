// SPDX-License-Identifier: MIT
//
// The keys of scenario files: the one list that reading, writing and --help go by. Those of
// [rule NAME] are config::program_keys(), as [program NAME] has them in governord.conf.
#pragma once

#include "simulation/scenario/scenario.hpp"

#include <span>
#include <string>
#include <string_view>

namespace simulation {

/// A key of sections that describe a Part.
template <class Part>
struct Key {
        std::string_view name;
        std::string_view accepted;  ///< the accepted range, for error messages
        std::string_view meaning;
        /// False: not accepted. `scenario` is there for the names of what stands above.
        bool (*set)(Part& part, std::string_view value, const Scenario& scenario);
        /// The value as it may be written in a file; empty: it need not be written.
        std::string (*get)(const Part& part, const Scenario& scenario);
};

[[nodiscard]] std::span<const Key<Scenario>> scenario_keys();          // [scenario]
[[nodiscard]] std::span<const Key<MachineShape>> machine_keys();       // [machine]
[[nodiscard]] std::span<const Key<GovernorSettings>> settings_keys();  // [settings]
[[nodiscard]] std::span<const Key<Cgroup>> cgroup_keys();              // [cgroup NAME]
[[nodiscard]] std::span<const Key<Program>> program_keys();            // [program NAME]
[[nodiscard]] std::span<const Key<Foreign>> foreign_keys();            // [foreign NAME]
[[nodiscard]] std::span<const Key<Hotplug>> hotplug_keys();            // [event TIME]

}  // namespace simulation
