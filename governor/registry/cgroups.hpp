// SPDX-License-Identifier: MIT
//
// Holds where the kernel lets programs run, and the control groups they have in common.
#pragma once

#include "policy/cpu_mask.hpp"
#include "policy/fair/snapshot.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace governor::registry {

/// The CPUs and control groups that the kernel gives to one program.
struct Confinement {
        struct Group {
                std::string path;                    ///< "" is the root
                std::optional<std::uint32_t> quota;  ///< cpu.max rounded up; empty: no limit
                friend bool operator==(const Group&, const Group&) = default;
        };
        policy::CpuMask cpus;       ///< cpuset and the union of its threads' affinity
        std::vector<Group> groups;  ///< its control group first, then each ancestor
        bool niced = false;         ///< it has a positive nice value
        bool bound = false;         ///< it binds its threads, or its runtime does
        friend bool operator==(const Confinement&, const Confinement&) = default;
};

/// The groups that clients are in, by path. The last word about a group holds for all its clients.
class Cgroups {
public:
        struct Entry {
                std::optional<std::uint32_t> quota;
                std::size_t users = 0;
        };
        /// The groups of one client: its own first. Valid until left.
        using Chain = std::vector<const Entry*>;

        Chain enter(std::span<const Confinement::Group> groups);
        /// `groups` as they were entered.
        void leave(std::span<const Confinement::Group> groups);

        [[nodiscard]] std::size_t size() const { return entries_.size(); }

private:
        std::map<std::string, Entry> entries_;
};

/// Collects the groups that have a quota for a snapshot. Ancestors come before their descendants.
class CgroupIndex {
public:
        /// The index of the first group of `chain` that has a quota; its ancestors are added too.
        std::optional<std::size_t> add(const Cgroups::Chain& chain);

        [[nodiscard]] std::vector<policy::fair::Cgroup> take() { return std::move(cgroups_); }

private:
        std::unordered_map<const Cgroups::Entry*, std::size_t> known_;
        std::vector<policy::fair::Cgroup> cgroups_;
};

}  // namespace governor::registry
