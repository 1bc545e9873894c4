// SPDX-License-Identifier: MIT
//
// Counts how much each of several has used of its entitlement: stride scheduling (C. Waldspurger,
// W. Weihl, 1995). Pure; time is an argument.
#pragma once

#include "policy/time_point.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>

namespace governor::evidence {

/// In seconds of CPU time over CPUs of its share. Costs O(those that are known) each time.
template <class Key>
class UsedTime {
public:
        struct Use {
                double share = 0;   ///< CPUs
                double uses = 0;    ///< CPUs that it keeps from others
                bool rests = true;  ///< it has no use for its share, and saves nothing of it
        };

        /// All that take part from now on. One that comes, or rests, has used as much as the one
        /// that has used least, at least.
        void take_part(const std::map<Key, Use>& all, policy::TimePoint now) {
                floor_s_ = floor_s(now);
                for (auto& [key, entry] : entries_)
                        entry.used_s = used_s(entry, now);
                counted_ = now;
                for (auto& [key, entry] : entries_)
                        if (!all.contains(key))
                                entry.pace = entry.share = 0;
                for (const auto& [key, use] : all) {
                        auto& entry = entries_[key];
                        if (entry.share == 0 || use.rests)
                                entry.used_s = std::max(entry.used_s, floor_s_);
                        entry.share = use.share;
                        entry.pace = use.uses / use.share;
                        entry.rests = use.rests;
                }
                std::erase_if(entries_, [this](const auto& entry) {
                        return entry.second.share == 0 && entry.second.used_s <= floor_s_;
                });
        }
        void forget(const Key& key) { entries_.erase(key); }

        [[nodiscard]] double used_s(const Key& key, policy::TimePoint now) const {
                const auto found = entries_.find(key);
                return found != entries_.end() ? used_s(found->second, now) : floor_s(now);
        }
        /// 0: it takes no part.
        [[nodiscard]] double share(const Key& key) const {
                const auto found = entries_.find(key);
                return found != entries_.end() ? found->second.share : 0;
        }

private:
        struct Entry {
                double used_s = 0;  // until counted_
                double pace = 0;    // since then
                double share = 0;   // 0: it takes no part
                bool rests = false;
        };

        [[nodiscard]] double used_s(const Entry& entry, policy::TimePoint now) const {
                return entry.used_s +
                       entry.pace * std::chrono::duration<double>(now - counted_).count();
        }
        /// The use of the one that used least; while none takes part, or all rest, the last such
        /// value.
        [[nodiscard]] double floor_s(policy::TimePoint now) const {
                std::optional<double> least;
                for (const auto& [key, entry] : entries_)
                        if (entry.share > 0 && !entry.rests)
                                least = std::min(least.value_or(used_s(entry, now)),
                                                 used_s(entry, now));
                return std::max(floor_s_, least.value_or(floor_s_));
        }

        std::map<Key, Entry> entries_;  // none that would gain by being forgotten
        double floor_s_ = 0;            // until counted_
        policy::TimePoint counted_;
};

}  // namespace governor::evidence
