// SPDX-License-Identifier: MIT
//
// The changes that one `governorctl run` has made outside of itself, as a small text. It is written
// before anything is changed, so that whoever finds it can take all of that back. Pure.
#pragma once

#include "outside/held_process.hpp"
#include "policy/cpu_mask.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ctl::outside {

/// Bytes of a record's text.
inline constexpr std::size_t kLargestRecord = 16384;
/// Scopes of one tree.
inline constexpr std::size_t kMostScopes = 8;

struct ChangedAutogroup {
        std::uint64_t id = 0;
        int was = 0;  ///< its nice value before, 0 .. 18

        friend bool operator==(const ChangedAutogroup&, const ChangedAutogroup&) = default;
};

/// A tree that is held to one CPU.
struct Narrowed {
        governor::policy::CpuMask open;     ///< what it may use; at least 2 CPUs
        std::uint32_t cpu = 0;              ///< of `open`
        std::uint64_t since_ticks = 0;      ///< earlier processes are of the tree only if told here
        std::vector<ProcessId> processes;   ///< kMostNarrowed at most
        std::vector<std::uint64_t> groups;  ///< autogroups that only the tree is in

        friend bool operator==(const Narrowed&, const Narrowed&) = default;
};
inline constexpr std::size_t kMostNarrowed = 128;

/// A tree that is held to its share of the CPUs. Its threads have one of `masks`, or were bound by
/// somebody else.
struct Fenced {
        governor::policy::CpuMask open;                ///< what it may use
        std::uint64_t since_ticks = 0;                 ///< as of a tree that is held to one CPU
        std::vector<governor::policy::CpuMask> masks;  ///< kMostMasks at most
        std::vector<ProcessId> processes;              ///< kMostNarrowed at most

        friend bool operator==(const Fenced&, const Fenced&) = default;
};
inline constexpr std::size_t kMostMasks = 16;

struct Record {
        std::string boot;  ///< the kernel's boot_id; after another boot nothing of it is true
        ProcessId run;     ///< the process that has changed it
        std::vector<ChangedAutogroup> autogroups;  ///< kMostAutogroups at most

        std::vector<std::string> scopes;  ///< control groups that are idle now, kMostScopes at most

        std::optional<Narrowed> narrowed;

        std::optional<Fenced> fenced;

        [[nodiscard]] bool has_changes() const {
                return !autogroups.empty() || !scopes.empty() || narrowed || fenced;
        }
        friend bool operator==(const Record&, const Record&) = default;
};

/// Is it the control group of a scope that this program makes? Nothing is done to any other.
[[nodiscard]] bool is_scope_of_ours(std::string_view group);
inline constexpr std::string_view kScopePrefix = "governorctl-run-";

/// The unit whose control group it is.
[[nodiscard]] std::string unit_of(const std::string& group);

[[nodiscard]] std::string to_text(const Record& record);

/// Empty: cut, larger than kLargestRecord, or of another form.
[[nodiscard]] std::optional<Record> parse_record(std::string_view text);

}  // namespace ctl::outside
