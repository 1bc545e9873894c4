// SPDX-License-Identifier: MIT
//
// Remembers what was learned about programs that give themselves the same label. Pure.
#pragma once

#include "policy/account.hpp"
#include "policy/fair/scaling.hpp"
#include "policy/time_point.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace governor::registry {

/// Kept for each account by itself: no user says anything of another's programs. A label is the
/// program's own word, and what it tells is a guess that each program's own measurements replace.
class Labels {
public:
        static constexpr std::size_t kOfAccount = 64;
        static constexpr std::size_t kMost = 4096;

        struct Known {
                policy::fair::Scaling scaling;
                /// The time of the last measurement, by octave.
                std::array<policy::TimePoint, policy::fair::Scaling::kOctaves> at{};
                /// The regions of the last two runs; 0: there was none.
                std::array<std::uint64_t, 2> regions{};
                bool says_progress = false;  ///< one of them has said how far it is

                /// One of them has `found` now, of which the octaves from `first` to `last` are
                /// new. The earlier scaling is forgotten if they have changed.
                void measured(const policy::fair::Scaling& found, std::size_t first,
                              std::size_t last, policy::TimePoint now);
                /// The octaves that were measured since `then`, at their number of CPUs or at more.
                [[nodiscard]] policy::fair::Scaling since(policy::TimePoint then) const;
                /// Regions of a run, where the last two had about equally many.
                [[nodiscard]] std::optional<std::uint64_t> length() const;
        };

        [[nodiscard]] const Known* find(const policy::Account& account,
                                        const std::string& label) const;
        /// The entry to learn something about; valid until the next call. The least recently
        /// learned entry is forgotten if there are too many, one of the same account if it has
        /// kOfAccount. O(log kMost), and O(kMost) where one is forgotten.
        Known& learn(const policy::Account& account, const std::string& label);
        [[nodiscard]] std::size_t size() const { return entries_.size(); }

private:
        using Key = std::pair<policy::Account, std::string>;
        struct Entry {
                Known known;
                std::uint64_t used = 0;
        };
        using Entries = std::map<Key, Entry>;

        void make_room(const policy::Account& account);

        Entries entries_;
        std::uint64_t clock_ = 0;
};

}  // namespace governor::registry
