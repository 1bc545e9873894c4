// SPDX-License-Identifier: MIT
//
// The facts that can be seen of a tree of processes and of the machine: choose() goes by them.
#pragma once

#include "outside/choose.hpp"
#include "probe/cgroup_files.hpp"
#include "probe/process_scan.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ctl::outside {

/// Not thread-safe.
class Look {
public:
        /// Below `root`, which is empty for this machine. `guardian`: the program of guardians.
        explicit Look(std::string root, std::string guardian = "/proc/self/exe");

        /// The facts of all that descends from `top`, without itself. The guardian of a `run`
        /// inside of the tree is left out: `top` is its parent only as the subreaper of orphans.
        /// `no_scope` stays as it is in the result. Costs a ProcessScan, and some 20 us for each
        /// process of the tree.
        [[nodiscard]] Facts take(std::uint32_t top);

private:
        [[nodiscard]] std::vector<const governor::probe::PidStat*> below(std::uint32_t top) const;
        [[nodiscard]] bool is_guardian(const governor::probe::PidStat& process) const;
        void add(const governor::probe::PidStat& process, std::vector<Session>& sessions) const;
        [[nodiscard]] bool is_in_root_group(const HeldProcess& process) const;
        [[nodiscard]] bool exists(const std::string& path) const;
        [[nodiscard]] bool has_word(const std::string& path, std::string_view word) const;

        std::string root_;
        std::string guardian_;
        std::vector<governor::probe::CgroupMount> mounts_;
        governor::probe::ProcessScan scan_;
};

}  // namespace ctl::outside
