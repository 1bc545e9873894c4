// SPDX-License-Identifier: MIT
//
// Request -> Reply. No I/O, no clock: everything comes in a View.
#pragma once

#include "config/settings.hpp"
#include "policy/sample.hpp"
#include "probe/topology.hpp"
#include "registry/programs.hpp"
#include "registry/promises.hpp"

#include <chrono>
#include <cstdint>
#include <governor/v1/governor.pb.h>
#include <optional>
#include <string_view>

namespace governor::server {

/// The only protocol number there is.
inline constexpr std::uint32_t kProtocol = 1;

struct Counters {
        std::uint32_t connections = 0;  ///< open now
        std::uint64_t queries = 0;
        std::uint64_t bad_messages = 0;
        std::uint64_t refused_connections = 0;
        std::uint64_t samples = 0;
        std::uint64_t discarded_samples = 0;
        std::uint32_t foreign = 0;  ///< CPUs that are left to others
        std::uint64_t decisions = 0;
};

/// All that an answer may depend on.
struct View {
        const config::Settings& settings;
        const policy::Pool& pool;      ///< of the settings, without CPUs that are kept apart
        const policy::Sample& sample;  ///< all online CPUs
        const probe::Topology& topology;
        const registry::Programs& programs;
        Counters counters;
        std::chrono::milliseconds uptime;
        std::chrono::milliseconds warm_in;          ///< until the first period is over; else 0
        bool is_paused = false;                     ///< nobody is governed until somebody says so
        std::string_view configuration_error = {};  ///< of the files; empty: they are in force
        /// Threads for the tree that the asking process is in; empty: it is in none.
        std::optional<std::uint32_t> tree_share = {};
        /// The share of the asking process; empty: it is in a tree or holds a lease, or nobody is
        /// governed.
        std::optional<registry::FairShare> fair_share = {};
        /// A rule lets teams of the asking process follow, under the label that it asks for.
        bool adapts = false;
};

/// The place that a client comes from.
enum class Reach : std::uint8_t {
        Local,    ///< this host; the kernel knows its user
        Network,  ///< anybody: numbers only, no names, paths or places
};

[[nodiscard]] v1::Reply answer(const v1::Request& request, const View& view,
                               Reach reach = Reach::Local);

}  // namespace governor::server
