// SPDX-License-Identifier: MIT
//
// CPUs by class and group. Most groups have none in most classes, so zeros take no room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace governor::policy::fair {

/// An access costs O(groups that have, or had, some in the class).
class Tally {
public:
        explicit Tally(std::size_t classes) : first_(classes, kNone) {}

        [[nodiscard]] std::uint32_t of(std::size_t group, std::size_t class_index) const {
                auto at = first_[class_index];
                while (at != kNone && entries_[at].group < group)
                        at = entries_[at].next;
                return at != kNone && entries_[at].group == group ? entries_[at].cpus : 0;
        }
        /// Valid until the next call.
        [[nodiscard]] std::uint32_t& of(std::size_t group, std::size_t class_index) {
                auto* at = &first_[class_index];
                while (*at != kNone && entries_[*at].group < group)
                        at = &entries_[*at].next;
                if (*at != kNone && entries_[*at].group == group)
                        return entries_[*at].cpus;
                const Entry added{static_cast<std::uint32_t>(group), 0, *at};
                *at = static_cast<std::uint32_t>(entries_.size());
                return entries_.emplace_back(added).cpus;
        }
        /// Calls `visit(group, cpus)` for each group that has some in a class, ascending.
        template <class Visit>
        void for_each_in(std::size_t class_index, Visit visit) const {
                for (auto at = first_[class_index]; at != kNone; at = entries_[at].next)
                        if (entries_[at].cpus > 0)
                                visit(std::size_t{entries_[at].group}, entries_[at].cpus);
        }

private:
        static constexpr auto kNone = static_cast<std::uint32_t>(-1);
        struct Entry {
                std::uint32_t group;
                std::uint32_t cpus;
                std::uint32_t next;  // of its class, with a higher group
        };
        std::vector<std::uint32_t> first_;  // by class
        std::vector<Entry> entries_;
};

}  // namespace governor::policy::fair
