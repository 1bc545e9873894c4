// SPDX-License-Identifier: MIT
//
// Takes back what a record says was changed. Any process of the user may do so, again and again:
// only what still is as it was changed is touched, and only in processes of this user.
#pragma once

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
        /// Below `root`, which is empty for this machine.
        explicit Undo(const std::string& root) : root_(root), groups_(root) {}

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

        std::string root_;
        Groups groups_;
        std::optional<UserManager> manager_;
        std::unordered_map<std::uint64_t, std::vector<std::uint32_t>>
                members_;  // of each autogroup
};

}  // namespace ctl::outside
