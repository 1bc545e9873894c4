// SPDX-License-Identifier: MIT
//
// What an administrator can set, validated.
#pragma once

#include "config/tcp_address.hpp"
#include "policy/cpu_set.hpp"
#include "policy/threshold.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace governor::config {

enum class LogLevel : std::uint8_t { Debug, Info, Warning, Error };

struct Settings {
        policy::ThresholdSettings threshold;
        std::chrono::milliseconds period{1000};  ///< between two samples, 50 ms .. 60 s
        std::optional<policy::CpuSet> cpus;      ///< only these are distributed; empty: all
        std::optional<TcpAddress> tcp;           ///< empty: no TCP
        LogLevel log_level = LogLevel::Info;

        std::map<std::string, std::string> origins;  ///< key -> "FILE:LINE" for those that are set
};

}  // namespace governor::config
