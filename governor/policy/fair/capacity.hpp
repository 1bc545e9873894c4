// SPDX-License-Identifier: MIT
//
// The number of CPUs that clients can have at once, given the CPUs that each may run on.
#pragma once

#include "policy/cpu_mask.hpp"
#include "policy/fair/snapshot.hpp"
#include "policy/fair/tally.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace governor::policy::fair {

using ClassSet = CpuMask;  ///< of indices of classes

/// The pool cut into classes: CPUs that the same clients may use. Clients that may use the same
/// CPUs are one group. Immutable.
class Classes {
public:
        /// A client that may use no CPU of the pool is in no group. `left` is the load that CPUs
        /// are left to: see left_to_foreign(). The part of it that is `owned` counts as its
        /// accounts'.
        Classes(const Snapshot& snapshot, const Settings& settings, const Foreign& left);

        struct Class {
                CpuMask cpus;
                std::uint32_t size = 0;      ///< how many these are
                std::size_t part = 0;        ///< it was the so-many-th to be cut off
                std::uint32_t foreign = 0;   ///< CPUs of it that are left to foreign load
                std::uint32_t reserved = 0;  ///< and those that are kept free for newcomers
        };
        struct Group {
                CpuMask cpus;
                ClassSet classes;  ///< it may use
        };

        /// Those that fewest groups may use come first.
        [[nodiscard]] const std::vector<Class>& classes() const { return classes_; }
        [[nodiscard]] const std::vector<Group>& groups() const { return groups_; }
        [[nodiscard]] std::size_t group_of(std::size_t client) const { return group_of_[client]; }

        /// Calls `visit(class, count)` for each class that has some of `cpus`, in their order.
        /// These must be of the pool. O(classes + CPUs).
        template <class Visit>
        void for_each_of(const CpuMask& cpus, Visit visit) const {
                if (cpus.empty())
                        return;
                std::vector<std::uint32_t> counts(classes_.size());
                ClassSet found;
                cpus.for_each([&](std::uint32_t cpu) {
                        counts[class_of_[cpu]]++;
                        found.add(class_of_[cpu]);
                });
                found.for_each([&](std::uint32_t k) { visit(k, counts[k]); });
        }

        [[nodiscard]] std::uint32_t foreign() const;
        [[nodiscard]] std::uint32_t reserved() const;
        /// CPUs that are left to foreign load of this account.
        [[nodiscard]] std::uint32_t foreign_of(AccountId account) const;
        /// CPUs that are kept free for newcomers of this account.
        [[nodiscard]] std::uint32_t reserved_of(AccountId account) const;

        /// The same, but that no client holds any of the CPUs: no tie goes to it for that.
        [[nodiscard]] Classes unheld() const;
        /// The same, with nothing left to foreign programs and newcomers.
        [[nodiscard]] Classes undivided() const;
        /// The same, as if these loads had ended.
        [[nodiscard]] Classes without(const std::vector<Foreign::Owned>& loads) const;
        [[nodiscard]] bool are_held() const { return are_held_; }

        static constexpr std::size_t kNoGroup = static_cast<std::size_t>(-1);

private:
        /// Parts of the pool, by the order in which they were cut off.
        struct Parts {
                std::vector<std::uint32_t> sizes;
                /// The one that comes next when they are rounded: the parts of one that was cut are
                /// neighbours.
                std::vector<std::uint32_t> next;
        };
        static constexpr auto kNone = static_cast<std::uint32_t>(-1);

        [[nodiscard]] Parts cut(const Machine& machine);
        /// Makes classes of them. Returns the order in which these are rounded.
        std::vector<std::size_t> rank(const Parts& parts, const CpuMask& pool);
        void leave_to_foreign(const std::vector<std::size_t>& order, const Foreign& foreign,
                              std::uint32_t most_permyriad);
        void reserve(const std::vector<std::size_t>& order, std::uint32_t cpus, std::uint32_t pool,
                     std::uint32_t most_permyriad);

        std::vector<Class> classes_;
        std::vector<Group> groups_;
        std::vector<std::size_t> group_of_;    // by client
        std::vector<std::uint32_t> class_of_;  // by CPU of the pool
        std::vector<Foreign::Owned> owned_;
        std::vector<Kept> kept_;
        bool are_held_ = true;  // by clients, what they are granted
};

/// Hands out CPUs one by one; what a group has may move to other classes to make room. The sets
/// that can be handed out at once are those of a bipartite flow (groups to classes), under the
/// sums that control groups and trees set.
class Capacity {
public:
        enum class Reserve : std::uint8_t { Keep, Use };

        Capacity(const Classes& classes, const Snapshot& snapshot, Reserve reserve);

        [[nodiscard]] const Classes& classes() const { return classes_; }
        /// CPUs that are used by nobody here and count as those of this account all the same.
        [[nodiscard]] std::uint32_t left_to(AccountId account) const {
                return classes_.foreign_of(account) +
                       (reserve_ == Reserve::Keep ? classes_.reserved_of(account) : 0);
        }

        /// One CPU more for `client`. False: not possible, nor will it ever be. Costs O(classes /
        /// 64), and where CPUs have to move O(groups x classes / 64 + CPUs).
        bool take(std::size_t client);
        /// So many, where there is room for them and elsewhere.
        void take_or_charge(std::size_t client, std::uint32_t cpus) {
                for (std::uint32_t k = 0; k < cpus; k++)
                        if (!take(client))
                                charge(client, 1);
        }

        struct Excess {
                std::uint32_t count = 0;
                CpuMask cpus;
        };
        /// Before anything is taken: `client` keeps as many CPUs as these, here or, where a class
        /// is full, elsewhere. Returns how many have no room anywhere, and which these may be.
        Excess keep(std::size_t client, const CpuMask& cpus);
        /// Before anything is taken: these CPUs are in use by `client` until before long: they
        /// cannot move, and nobody has to move out of their classes.
        void occupy(std::size_t client, const CpuMask& cpus);
        /// `client` uses this many more, on `likely` or elsewhere, whether there is room or not.
        /// Nobody moves for that.
        void charge(std::size_t client, std::uint32_t cpus, const CpuMask& likely = {});

        /// CPUs that groups have in classes, without those that are only occupied.
        [[nodiscard]] const Tally& flow() const { return flow_; }
        /// Nobody can take() anything where no class has CPUs left.
        [[nodiscard]] bool has_spare() const { return !spare_.empty(); }
        /// CPUs that are left in a class.
        [[nodiscard]] std::uint32_t spare(std::size_t class_index) const {
                return most_[class_index] - std::min(most_[class_index], used_[class_index]);
        }
        /// The quota that leaves no room for `client`, if there is one.
        [[nodiscard]] std::optional<std::uint32_t> full_quota(std::size_t client) const;
        /// The maximum of its tree, if that leaves no room for `client`.
        [[nodiscard]] std::optional<std::uint32_t> full_tree(std::size_t client) const;

private:
        void use(std::size_t class_index, std::uint32_t cpus);
        void charge_sums(std::size_t client, std::uint32_t cpus);
        bool take_class(std::size_t group);
        bool take_spare(std::size_t group);
        bool make_room(std::size_t group);

        const Classes& classes_;
        const Snapshot& snapshot_;
        Reserve reserve_;
        std::vector<std::uint32_t> most_;  // by class
        std::vector<std::uint32_t> used_;  // by class
        Tally flow_;
        std::vector<std::uint32_t> below_;    // by cgroup: CPUs of all clients below
        std::vector<std::uint32_t> in_tree_;  // by tree: CPUs of all its clients
        ClassSet spare_;                      // have CPUs left
        ClassSet awaited_;                    // CPUs come free there before long
        ClassSet closed_;                     // no way leads on from there any more
        std::vector<bool> full_;              // by group
};

}  // namespace governor::policy::fair
