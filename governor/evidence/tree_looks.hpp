// SPDX-License-Identifier: MIT
//
// Remembers what was seen of a tree between samples, to find out at once when it does nothing.
// Pure; time is an argument.
#pragma once

#include "policy/time_point.hpp"

#include <chrono>
#include <optional>

namespace governor::evidence {

/// One look at a program and at all that descends from it.
struct TreeLook {
        std::chrono::nanoseconds cpu_time{0};  ///< used so far
        bool is_runnable = false;              ///< some of it runs, or would
};

class TreeLooks {
public:
        enum class Told { Nothing, Quiet, Busy };

        /// `look`: empty if nobody can know. Nothing: there is no look before this one.
        Told add(const std::optional<TreeLook>& look, policy::TimePoint now);
        /// What was seen before does not count.
        void forget() { last_.reset(); }
        /// It is time to look again: soon after the last look, and a second after one that told
        /// nothing.
        [[nodiscard]] bool is_due(policy::TimePoint now) const { return now >= next_; }
        /// Looks tell what it does now.
        [[nodiscard]] bool are_fresh(policy::TimePoint now) const;
        /// The looks since then told that it burns next to nothing. After Told::Quiet.
        [[nodiscard]] policy::TimePoint quiet_since() const { return last_->quiet_since; }

private:
        struct Seen {
                policy::TimePoint at;
                std::chrono::nanoseconds cpu_time{0};
                policy::TimePoint quiet_since;
        };
        std::optional<Seen> last_;
        policy::TimePoint next_;
};

}  // namespace governor::evidence
