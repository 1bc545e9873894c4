// SPDX-License-Identifier: MIT
// Keep, give up, count what is free, grow, and at last share.
#include "policy/fair/handover.hpp"

#include "policy/fair/filling.hpp"
#include "policy/numbers.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>
#include <utility>

namespace governor::policy::fair {

namespace {

/// A holder crowds a CPU more than a program that is leaving it, which counts as 1.
constexpr std::uint32_t kHolderCrowds = 2;

class Handover {
public:
        Handover(const Snapshot& snapshot, const Classes& classes, const std::vector<Share>& shares)
                : snapshot_(snapshot), classes_(classes), shares_(shares),
                  placement_(snapshot.machine, snapshot.foreign),
                  capacity_(classes, snapshot, Capacity::Reserve::Use),
                  holdings_(snapshot.clients.size()), lingering_(snapshot.clients.size()),
                  held_(classes.classes().size()) {}

        std::vector<Holding> carry_out() {
                find_contested();
                for_governed([&](std::size_t i) { keep(i); });
                for_governed([&](std::size_t i) { fit(i, own(i)); });
                for_governed([&](std::size_t i) { linger(i); });
                free_ = snapshot_.machine.pool() - taken_ - occupied_;
                vacate();
                auto counts = count();
                for_governed([&](std::size_t i) {
                        if (shares_[i].starts_with > std::max(counts[i], 1U))
                                counts[i] = lend(i);
                });
                count_held();
                move_out();
                grow(counts);
                if (nobody_lacks())
                        spread();
                share_the_rest();
                return std::move(holdings_);
        }

private:
        [[nodiscard]] const Client& client(std::size_t i) const { return snapshot_.clients[i]; }
        [[nodiscard]] CpuMask& own(std::size_t i) { return holdings_[i].cpus; }
        template <class Visit>
        void for_governed(Visit visit) {
                for (std::size_t i = 0; i < holdings_.size(); i++)
                        if (shares_[i].is_governed)
                                visit(i);
        }
        [[nodiscard]] const CpuMask& may_use(std::size_t i) const {
                return classes_.groups()[classes_.group_of(i)].cpus;
        }
        [[nodiscard]] const CpuMask& cpus_of(std::size_t class_index) const {
                return classes_.classes()[class_index].cpus;
        }

        void find_contested() {
                for (const auto& each : snapshot_.clients) {
                        contested_ |= in_use_ & each.in_use;
                        in_use_ |= each.in_use;
                }
        }

        void keep(std::size_t i) {
                if (!client(i).shared)
                        own(i) = client(i).granted & may_use(i);
                own(i) -= taken_;  // no CPU has two owners, whatever the snapshot says
                const auto held = own(i).count();
                if (held > shares_[i].target)
                        own(i) -= placement_.give_up(own(i), held - shares_[i].target);
                taken_ |= own(i);
        }

        [[nodiscard]] bool begins(std::size_t i) const { return shares_[i].begins; }

        /// A client that begins does not wait for others to leave CPUs: as many as it lacks count
        /// as free for it, and for no other client.
        void vacate() {
                auto left = free_;
                for_governed([&](std::size_t i) {
                        if (!begins(i) || own(i).count() >= shares_[i].target)
                                return;
                        const auto lacks = shares_[i].target - own(i).count();
                        const auto found = placement_.pick({}, left & may_use(i), lacks);
                        left -= found;
                        const auto more = placement_.pick(found, occupied_ & may_use(i),
                                                          lacks - found.count());
                        occupied_ -= more;
                        vacated_ |= more;
                });
                if (!vacated_.empty())
                        for (auto& lingering : lingering_)
                                lingering -= vacated_;
        }

        /// `cpus` of its own count against the capacity; what has no room, goes.
        void fit(std::size_t i, const CpuMask& cpus) {
                const auto excess = capacity_.keep(i, cpus);
                const auto given = placement_.give_up(excess.cpus, excess.count);
                own(i) -= given;
                taken_ -= given;
        }

        /// In the middle of a region it may still run on what it has given up. It takes that back
        /// first, if it may have more again, where there is room. The decision does not wait for
        /// CPUs that a rigid holder, or a light one, has not left after handover_max. It charges a
        /// rigid one instead, but the charge may be for any CPUs that the holder could use.
        void linger(std::size_t i) {
                auto& lingering = lingering_[i];
                lingering = (client(i).in_use & snapshot_.machine.pool()) - taken_ - occupied_;
                const auto held = own(i).count();
                const auto target = std::min(shares_[i].share, shares_[i].target);
                if (held < target) {
                        const auto back = room_for(i, lingering - contested_, target - held);
                        own(i) |= back;
                        taken_ |= back;
                        fit(i, back);
                        lingering -= own(i);
                }
                if (shares_[i].stays)
                        rigid_ |= std::exchange(lingering, {});
                occupied_ |= lingering;
        }

        /// `count` of `cpus` at most, as many of each class as there is room for. A CPU beyond that
        /// would have to move at once, to where it is not this client's turn to have one.
        [[nodiscard]] CpuMask room_for(std::size_t i, const CpuMask& cpus, std::uint32_t count) {
                CpuMask found;
                const auto usable = cpus & may_use(i);
                classes_.for_each_of(usable, [&](std::uint32_t k, std::uint32_t) {
                        const auto most = std::min(count - found.count(), capacity_.spare(k));
                        found |= placement_.pick(own(i) | found, usable & cpus_of(k), most);
                });
                return found;
        }

        /// The number of CPUs that each client can have now.
        std::vector<std::uint32_t> count() {
                std::vector<Claim> claims(holdings_.size());
                for_governed([&](std::size_t i) {
                        const auto target = std::max(shares_[i].target, own(i).count());
                        // Nobody else gets the CPUs that this client does not wait for.
                        const auto first = begins(i) ? target : 0;
                        claims[i] = {true, own(i).count(), first, target, target};
                        capacity_.occupy(i, lingering_[i]);
                });
                begin_before_charges(claims);
                // Charges what it burns elsewhere; CPUs that it grows by are no longer elsewhere.
                // Those who can run on fewest CPUs are charged first: no charge moves for another.
                std::vector<std::size_t> above;
                for_governed([&](std::size_t i) {
                        if (client(i).above_since || shares_[i].charge)
                                above.push_back(i);
                });
                std::ranges::stable_sort(above, {},
                                         [&](std::size_t i) { return may_use(i).count(); });
                for (const auto i : above) {
                        const auto leaves =
                                shares_[i].stays ? CpuMask{} : client(i).in_use - own(i);
                        const auto known = claims[i].limit + leaves.count();
                        const auto used = shares_[i].charge.value_or(client(i).burning);
                        if (used > known)
                                capacity_.charge(i, used - known, client(i).in_use);
                }
                return fill(capacity_, snapshot_, claims);
        }

        /// A holder has just begun a smaller region, and its burn is still that of the larger one.
        /// A client that begins does not wait for it.
        void begin_before_charges(std::vector<Claim>& claims) {
                std::vector<Claim> beginning(claims.size());
                bool somebody_begins = false;
                for_governed([&](std::size_t i) {
                        if (!begins(i))
                                return;
                        beginning[i] = claims[i];
                        somebody_begins = true;
                });
                if (!somebody_begins)
                        return;
                const auto counts = fill(capacity_, snapshot_, beginning);
                for (std::size_t i = 0; i < claims.size(); i++)
                        if (beginning[i].takes_part)
                                claims[i].start = counts[i];
        }

        /// Clients that hold CPUs where others need them more, and may use others, move to these as
        /// soon as they are free.
        void move_out() {
                using Place = std::tuple<std::size_t, std::size_t, std::size_t>;
                std::vector<Place> crowded;  // part, class, group
                for (std::size_t k = 0; k < classes_.classes().size(); k++)
                        held_.for_each_in(k, [&](std::size_t g, std::uint32_t cpus) {
                                if (cpus > capacity_.flow().of(g, k))
                                        crowded.emplace_back(classes_.classes()[k].part, k, g);
                        });
                std::ranges::sort(crowded);
                for (const auto& [part, k, g] : crowded)
                        move_out(g, k);
        }
        void move_out(std::size_t group, std::size_t from) {
                const auto stay = capacity_.flow().of(group, from);
                for (std::size_t i = holdings_.size(); i-- > 0 && held_.of(group, from) > stay;) {
                        if (!shares_[i].is_governed || classes_.group_of(i) != group)
                                continue;
                        const auto here = own(i) & cpus_of(from);
                        const auto before = own(i).count();
                        grow(i, before + std::min(here.count(), held_.of(group, from) - stay));
                        const auto left = placement_.give_up(here, own(i).count() - before);
                        own(i) -= left;
                        taken_ -= left;
                        occupied_ |= left & in_use_;
                        free_ |= left - in_use_;
                        held_.of(group, from) -= left.count();
                }
        }

        void grow(const std::vector<std::uint32_t>& counts) {
                std::vector<std::size_t> growing;
                for_governed([&](std::size_t i) {
                        if (counts[i] > own(i).count())
                                growing.push_back(i);
                });
                // The largest first: it is the hardest to keep together.
                std::ranges::stable_sort(growing, [&](std::size_t a, std::size_t b) {
                        return begins(a) != begins(b) ? begins(a) : counts[a] > counts[b];
                });
                for (const auto i : growing)
                        grow(i, counts[i]);
        }

        void grow(std::size_t i, std::uint32_t count) {
                const auto group = classes_.group_of(i);
                std::vector<std::pair<std::uint32_t, std::size_t>> classes;
                for (const auto k : filled_[group])
                        if (unfilled(i, k) > 0)
                                classes.emplace_back(own(i).count_common(cpus_of(k)), k);
                std::ranges::stable_sort(classes, std::greater{},
                                         &decltype(classes)::value_type::first);
                for (const auto& [has, k] : classes) {
                        const auto missing = count - own(i).count();
                        auto usable = (begins(i) ? free_ | vacated_ : free_) & cpus_of(k);
                        const auto foreign = classes_.classes()[k].foreign;
                        const auto spare = usable.count() - std::min(usable.count(), foreign);
                        const auto number = std::min({missing, spare, unfilled(i, k)});
                        if (number == 0)
                                continue;
                        usable -= placement_.foreign_homes(usable, foreign);
                        CpuMask picked;
                        const auto pick = [&](const CpuMask& cpus) {
                                picked |= placement_.pick(own(i) | picked, cpus - picked,
                                                          number - picked.count());
                        };
                        pick(usable - rigid_ - vacated_);
                        pick(usable - rigid_);
                        pick(usable);
                        own(i) |= picked;
                        free_ -= picked;
                        vacated_ -= picked;
                        taken_ |= picked;
                        held_.of(group, k) += picked.count();
                }
        }

        [[nodiscard]] bool nobody_lacks() {
                bool lacks = false;
                for_governed([&](std::size_t i) {
                        const auto has = std::max(own(i).count(), 1U);
                        lacks = lacks || (!client(i).idle && has < shares_[i].target);
                });
                return !lacks;
        }

        /// No two threads are on one core while cores are left over. CPUs that have just been
        /// granted move.
        void spread() {
                const auto is_left = [&](const CpuMask& core) { return core.is_within(free_); };
                if (std::ranges::none_of(snapshot_.machine.cores(), is_left))
                        return;
                for_governed([&](std::size_t i) { spread(i); });
        }
        void spread(std::size_t i) {
                classes_.for_each_of(own(i), [&](std::uint32_t k, std::uint32_t) {
                        const auto& here = cpus_of(k);
                        const auto [from, to] =
                                placement_.spread(own(i) & here, own(i) - client(i).granted,
                                                  taken_ - own(i), (free_ & here) - rigid_);
                        own(i) -= from;
                        own(i) |= to;
                        taken_ -= from;
                        taken_ |= to;
                        occupied_ |= from & in_use_;
                        free_ |= from - in_use_;
                        free_ -= to;
                });
        }

        /// CPUs that the group of client i may have in a class, and has not.
        [[nodiscard]] std::uint32_t unfilled(std::size_t i, std::size_t class_index) const {
                const auto group = classes_.group_of(i);
                const auto held = held_.of(group, class_index);
                const auto most = capacity_.flow().of(group, class_index);
                return most - std::min(most, held);
        }

        void count_held() {
                for_governed([&](std::size_t i) {
                        const auto group = classes_.group_of(i);
                        classes_.for_each_of(own(i), [&](std::uint32_t k, std::uint32_t count) {
                                held_.of(group, k) += count;
                        });
                });
                filled_.resize(classes_.groups().size());
                for (std::size_t k = 0; k < classes_.classes().size(); k++)
                        capacity_.flow().for_each_in(
                                k, [&](std::size_t g, std::uint32_t) { filled_[g].push_back(k); });
        }

        /// A client that has got nothing runs beside somebody else: where fewest are, and where it
        /// was. Those that wait crowd nobody, and come last.
        void share_the_rest() {
                std::vector<std::uint32_t> crowd(snapshot_.machine.number_limit());
                const auto add = [&](const CpuMask& cpus, std::uint32_t weight) {
                        cpus.for_each([&](std::uint32_t cpu) { crowd[cpu] += weight; });
                };
                add(taken_, kHolderCrowds);
                add(occupied_, 1);
                least_.assign(classes_.groups().size(), 0);
                for (const bool waits : {false, true})
                        for (std::size_t i = 0; i < holdings_.size(); i++)
                                if (shares_[i].is_governed && shares_[i].waits == waits &&
                                    own(i).empty())
                                        share(i, crowd);
        }

        void share(std::size_t i, std::vector<std::uint32_t>& crowd) {
                if (shares_[i].starts_with > 1)
                        return lay_out(i, crowd);
                const auto cpu = least_crowded(i, crowd);
                holdings_[i].shared = true;
                own(i).add(cpu);
                crowd[cpu] += kHolderCrowds;
        }

        /// It has less than it is to wake up with, so it has nothing of its own. Returns that.
        std::uint32_t lend(std::size_t i) {
                taken_ -= own(i);
                free_ |= own(i) - in_use_;
                occupied_ |= own(i) & in_use_;
                own(i).clear();
                return 0;
        }

        /// The CPUs that it wakes up with are those that it had, as far as that is possible, and
        /// others that are least crowded.
        void lay_out(std::size_t i, std::vector<std::uint32_t>& crowd) {
                const auto count = shares_[i].starts_with;
                auto cpus = client(i).granted & may_use(i);
                if (cpus.count() > count)
                        cpus -= placement_.give_up(cpus, cpus.count() - count);
                std::map<std::uint32_t, CpuMask> others;  // by how crowded they are
                if (cpus.count() < count)
                        (may_use(i) - cpus).for_each([&](std::uint32_t cpu) {
                                others[crowd[cpu]].add(cpu);
                        });
                for (const auto& [crowding, alike] : others)
                        cpus |= placement_.pick(cpus, alike, count - cpus.count());
                const auto [from, to] = placement_.spread(cpus, cpus - client(i).granted, taken_,
                                                          (free_ & may_use(i)) - rigid_);
                own(i) = (cpus - from) | to;
                holdings_[i].shared = true;
                own(i).for_each([&](std::uint32_t cpu) { crowd[cpu]++; });
        }

        struct Neighbours {
                CpuMask any;    ///< CPUs that clients of an account have for themselves
                CpuMask batch;  ///< and those of which take turns
        };
        [[nodiscard]] bool takes_turns(std::size_t i) const {
                return client(i).gang && client(i).takes_turns;
        }
        [[nodiscard]] const Neighbours& neighbours_of(std::size_t i) {
                if (neighbours_.empty())
                        for (std::size_t k = 0; k < holdings_.size(); k++)
                                if (shares_[k].is_governed && !holdings_[k].shared) {
                                        auto& held = neighbours_[client(k).account];
                                        held.any |= own(k);
                                        if (takes_turns(k))
                                                held.batch |= own(k);
                                }
                return neighbours_[client(i).account];
        }

        /// Looks at all CPUs only if it cannot stay; crowds only grow, so that what was the least
        /// for its group stays a lower bound.
        [[nodiscard]] std::uint32_t least_crowded(std::size_t i,
                                                  const std::vector<std::uint32_t>& crowd) {
                auto& least = least_[classes_.group_of(i)];
                const auto before = client(i).granted.first();
                const bool begins = client(i).parked && !shares_[i].waits;
                const auto fitting = shares_[i].joins
                                             ? may_use(i) - (taken_ - neighbours_of(i).batch)
                                             : CpuMask{};
                const auto& among = fitting.empty() ? may_use(i) : fitting;
                const auto may_stay = [&] {
                        return (client(i).shared || shares_[i].waits) && !begins && before &&
                               among.contains(*before) && crowd[*before] <= least + kHolderCrowds;
                };
                if (may_stay())
                        return *before;
                // Rather beside somebody of its own account than of another one, and one that takes
                // turns beside such a one.
                const auto& neighbours = neighbours_of(i);
                const auto rank = [&](std::uint32_t cpu) {
                        if (!neighbours.any.contains(cpu))
                                return 0;
                        return neighbours.batch.contains(cpu) == takes_turns(i) ? 2 : 1;
                };
                std::uint32_t best = *among.first();
                among.for_each([&](std::uint32_t cpu) {
                        if (crowd[cpu] < crowd[best] ||
                            (crowd[cpu] == crowd[best] && rank(cpu) > rank(best)))
                                best = cpu;
                });
                if (!shares_[i].joins)
                        least = crowd[best];
                return may_stay() ? *before : best;
        }

        const Snapshot& snapshot_;
        const Classes& classes_;
        const std::vector<Share>& shares_;
        Placement placement_;
        Capacity capacity_;
        CpuMask taken_;      // have an owner
        CpuMask occupied_;   // given up, but somebody may still run there
        CpuMask rigid_;      // rigid holders may run there as well
        CpuMask in_use_;     // regions of clients use them
        CpuMask contested_;  // likewise, of two clients
        CpuMask free_;       // neither, when it comes to growing
        CpuMask vacated_;    // somebody may still run there, but is not waited for
        std::vector<Holding> holdings_;
        std::vector<CpuMask> lingering_;              // by client: its part of occupied_
        std::map<AccountId, Neighbours> neighbours_;  // empty: nobody had to look for a place yet
        std::vector<std::uint32_t> least_;  // by group: no CPU that it may use is less crowded
        Tally held_;                        // CPUs that clients own
        std::vector<std::vector<std::size_t>>
                filled_;  // by group: classes that it may have some of
};

}  // namespace

std::vector<Holding> hand_over(const Snapshot& snapshot, const Classes& classes,
                               const std::vector<Share>& shares) {
        return Handover(snapshot, classes, shares).carry_out();
}

}  // namespace governor::policy::fair
