// SPDX-License-Identifier: MIT
//
// The settings of an administrator, validated.
#pragma once

#include "config/origin.hpp"
#include "config/tcp_address.hpp"
#include "policy/fair/rules.hpp"
#include "policy/fair/snapshot.hpp"
#include "policy/sample.hpp"
#include "policy/threshold.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace governor::config {

enum class LogLevel : std::uint8_t { Debug, Info, Warning, Error };

enum class PolicyName : std::uint8_t {
        Fair,       ///< programs hold leases and are granted CPUs
        Threshold,  ///< the article's: answers how many CPUs are idle
};

struct Settings {
        PolicyName policy = PolicyName::Fair;
        bool is_observing = false;  ///< mode: decide and show, but tell nobody
        bool is_fallback = false;   ///< in place of files that were wrong when the daemon started
        policy::ThresholdSettings threshold;
        policy::fair::Settings fair;
        std::chrono::milliseconds period{1000};  ///< between two samples, 50 ms .. 60 s
        policy::Pool pool;
        std::optional<TcpAddress> tcp;  ///< empty: no TCP
        LogLevel log_level = LogLevel::Info;
        std::vector<policy::fair::Rule> programs;  ///< names are unique; later ones win

        /// The places of settings: "KEY" of [governor], "program NAME" for the section in which a
        /// rule begins, "program NAME.KEY" for the rule's keys.
        std::map<std::string, Origin> origins;
        std::vector<std::string> files;  ///< that were read, in this order
};

}  // namespace governor::config
