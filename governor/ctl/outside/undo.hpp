// SPDX-License-Identifier: MIT
//
// Takes back what a record says was changed. Any process of the user may do so, again and again:
// only what still is as it was changed is touched. An autogroup is given back if a process of this
// user is in it; by root also otherwise, if it is the process that has changed it.
#pragma once

#include "outside/autogroup.hpp"
#include "outside/groups.hpp"
#include "outside/record.hpp"
#include "outside/user_manager.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ctl::outside {

/// Ordinary users together may change ten autogroups a second: a change that has to wait is tried
/// again after this.
inline constexpr std::chrono::milliseconds kRetry{20};

/// Not thread-safe.
class Undo {
public:
        /// Below `root`, which is empty for this machine. `is_by_others`: an autogroup is given
        /// back also if it has processes of other users only, which the kernel lets root do.
        explicit Undo(const std::string& root, bool is_by_others = false)
                : root_(root), is_by_others_(is_by_others), groups_(root) {}

        /// Does what can be done now, and takes it out of `record`. The rest has to wait for
        /// kRetry. It looks at all processes of this user once if an autogroup is not where it was
        /// seen last: about 5 us for each. For a scope it asks the user's systemd, and waits for
        /// the answer.
        void work(Record& record);

        /// Takes back of that only what holds the tree to fewer CPUs than it may use.
        static void widen(Record& record);

private:
        enum class Outcome : std::uint8_t { Done, Waits, NotFound };

        [[nodiscard]] Outcome undo(const ChangedAutogroup& group) const;
        void undo(const std::string& scope);
        void look();
        [[nodiscard]] std::optional<Autogroup> group_of(const HeldProcess& process) const;

        std::string root_;
        bool is_by_others_;
        Groups groups_;
        std::optional<UserManager> manager_;
        std::unordered_map<std::uint64_t, std::vector<std::uint32_t>>
                members_;  // of each autogroup
};

}  // namespace ctl::outside
