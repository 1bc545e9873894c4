// SPDX-License-Identifier: MIT
//
// Control groups of version 2, as far as a scope is concerned: where a tree is, whether it may
// leave that group, and whether a group is idle.
#pragma once

#include "outside/held_process.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>

namespace ctl::outside {

/// Groups are named as in /proc/PID/cgroup. Not thread-safe.
class Groups {
public:
        /// Below `root`, which is empty for this machine.
        explicit Groups(const std::string& root);

        /// Empty: in none, or not to be seen.
        [[nodiscard]] std::string of(const HeldProcess& process) const;

        /// Why a process of `user` must not be moved out of `group`; empty: it may. Settings there
        /// or above (memory, CPUs, a weight) would hold it no more. A group that is no session of
        /// the user's is somebody else's business, such as a batch system's.
        [[nodiscard]] std::string refuse_to_leave(const std::string& group, uid_t user) const;

        [[nodiscard]] bool exists(const std::string& group) const;

        /// Can groups below have a weight?
        [[nodiscard]] bool hands_out_cpu(const std::string& group) const;

        /// Empty: there is no such group, or it has no weight.
        [[nodiscard]] std::optional<bool> is_idle(const std::string& group) const;

        /// Without the manager, which is only asked where it answers. Only a group of this user.
        void end_idle(const std::string& group) const;

private:
        /// The first line. Empty: there is no such file.
        [[nodiscard]] std::optional<std::string> line(const std::string& group,
                                                      const char* file) const;
        [[nodiscard]] std::string refuse_limits(const std::string& group) const;

        std::string mount_;  // with the root in front; empty: none
};

}  // namespace ctl::outside
