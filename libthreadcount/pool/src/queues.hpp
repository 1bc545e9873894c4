// SPDX-License-Identifier: MIT
//
// The queues in which tasks wait, and the order in which a lane takes them.
#pragma once

#include "back_pressure.hpp"
#include "fair_turns.hpp"
#include "monotonic.hpp"
#include "overflow.hpp"
#include "parking.hpp"
#include "ring.hpp"
#include "zero_memory.hpp"

#include <threadcount/pool/detail/fork.hpp>
#include <threadcount/pool/task.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace threadcount::pool {

/// One queue that is shared, and four per lane:
///   local      tasks that a task of this lane has submitted: it runs the youngest first, whose
///              data is still in its cache, and others steal the oldest
///   overflow   the same, if `local` is full
///   addressed  tasks that are for this lane's CPU; for others only while the lane is not active
///   forks      of fork_join(); others may steal them
/// MT-Safe; local().push() and what concerns forks' owner belong to the lane's thread.
class Queues {
public:
        using TaskRing = Ring<Task>;
        using TaskDeque = Deque<Task>;

        struct Taken {
                Task task;
                Fork* fork = nullptr;  ///< instead of a task
                bool is_stolen = false;
                bool was_shared = false;

                explicit operator bool() const { return fork != nullptr || task; }
        };

        /// Capacities in tasks, >= 1; that of lanes is rounded up to a power of two. But for a
        /// page memory is touched when it is used. Throws std::bad_alloc.
        Queues(std::size_t lanes, std::size_t capacity, std::size_t lane_capacity);

        [[nodiscard]] TaskRing& shared() { return shared_; }
        [[nodiscard]] BackPressure<TaskRing>& back_pressure() { return back_pressure_; }
        [[nodiscard]] TaskDeque& local(std::size_t lane) { return lanes_[lane]->local; }
        [[nodiscard]] Overflow& overflow(std::size_t lane) { return lanes_[lane]->overflow; }
        [[nodiscard]] TaskRing& addressed(std::size_t lane) { return lanes_[lane]->addressed; }
        [[nodiscard]] ForkDeque& forks(std::size_t lane) { return lanes_[lane]->forks; }

        /// The next one for `lane`. Its own and the shared ones take turns (FairTurns), then come
        /// those of `victims` in their order. Every 32nd time its oldest one, or a victim's, comes
        /// first, but in a turn of the shared ones: so each is looked at, whatever the others hold.
        /// Others may take what is addressed to lane v if `is_open(v)`.
        template <class IsOpen>
        [[nodiscard]] Taken take(std::size_t lane, std::span<const std::uint16_t> victims,
                                 bool takes_forks, const IsOpen& is_open) {
                auto& mine = *lanes_[lane];
                Taken taken;
                const auto turn = ++mine.turn;
                if (turn % kFairness == 0 && !mine.turns.is_shared() &&
                    take_out_of_turn(mine, turn / kFairness, victims, takes_forks, is_open, taken))
                        return taken;
                const auto own_wait = [&] { return has_any(mine); };
                const auto shared_wait = [&] { return shared_.size() != 0; };
                const bool is_shared = mine.turns.is_shared(own_wait, shared_wait, monotonic_ns);
                // A task that comes meanwhile is seen the next time.
                const bool has_own = has_any(mine);
                if (is_shared ? pop_shared(taken) : has_own && pop_own(mine, taken)) {
                        mine.turns.took_one(monotonic_ns);
                        return taken;
                }
                mine.turns.had_none();
                if (is_shared ? has_own && pop_own(mine, taken) : pop_shared(taken))
                        return taken;
                for (const auto victim : victims)
                        if (steal(victim, takes_forks, is_open(victim), taken))
                                break;
                return taken;
        }

        // Is there anything? Never misses what was there before.

        /// Is there a task that is addressed to this lane?
        [[nodiscard]] bool any_addressed_to(std::size_t lane) const {
                return !lanes_[lane]->addressed.empty();
        }
        /// Is there a task that any active lane could take?
        template <class IsOpen>
        [[nodiscard]] bool any_task(const IsOpen& is_open) const {
                return !shared_.empty() || any_unshared_task(is_open);
        }
        template <class IsOpen>
        [[nodiscard]] bool any_unshared_task(const IsOpen& is_open) const {
                for (std::size_t lane = 0; lane < lanes_.size(); lane++) {
                        const auto& its = *lanes_[lane];
                        if (!its.local.empty() || !its.overflow.empty() ||
                            (!its.addressed.empty() && is_open(lane)))
                                return true;
                }
                return false;
        }
        [[nodiscard]] bool any_fork() const {
                return std::ranges::any_of(lanes_,
                                           [](const auto& its) { return !its->forks.empty(); });
        }

        /// Runs a fork that `lane` has stolen. By its thread.
        void run_stolen(std::size_t lane, Fork& fork) noexcept;
        /// Is it the innermost one that its thief runs?
        [[nodiscard]] bool is_innermost(Theft theft) const {
                return lanes_[theft.thief()]->runs.load(std::memory_order_relaxed) == theft;
        }
        /// The fork for which this lane waits; none: for no fork, or not in the innermost one that
        /// it runs.
        [[nodiscard]] Theft waits_for(std::size_t lane) const {
                return lanes_[lane]->waits_for.load(std::memory_order_acquire);
        }
        /// By its thread.
        void set_waits_for(std::size_t lane, Theft theft) {
                lanes_[lane]->waits_for.store(theft, std::memory_order_release);
        }

        /// Tasks that wait, all together; a snapshot. 0 if there are none: also if no lane has
        /// looked since the last ones were taken out of order.
        [[nodiscard]] std::size_t size();

private:
        static constexpr std::uint32_t kFairness = 32;
        // Deeper recursion goes on without forking.
        static constexpr std::size_t kForks = 256;

        struct LaneQueues {
                LaneQueues(ZeroMemory& memory, std::size_t capacity);
                TaskDeque local;
                Overflow overflow;
                TaskRing addressed;
                ForkDeque forks;
                // The lane's own.
                std::uint32_t turn = 0;
                FairTurns turns;
                std::uint64_t thefts = 0;
                std::atomic<Theft> runs{};
                std::atomic<Theft> waits_for{};
        };

        template <class IsOpen>
        bool take_out_of_turn(LaneQueues& mine, std::uint32_t turn,
                              std::span<const std::uint16_t> victims, bool takes_forks,
                              const IsOpen& is_open, Taken& ret_taken) {
                switch (turn % 3) {
                case 0:
                        return mine.local.steal(ret_taken.task);
                case 1:
                        return mine.overflow.pop(ret_taken.task);
                default:
                        if (victims.empty())
                                return false;
                        const auto victim = victims[turn / 3 % victims.size()];
                        return steal(victim, takes_forks, is_open(victim), ret_taken);
                }
        }

        [[nodiscard]] static bool has_any(const LaneQueues& mine) {
                return mine.addressed.size() != 0 || !mine.local.empty() || !mine.overflow.empty();
        }
        static bool pop_own(LaneQueues& mine, Taken& ret_taken) {
                return (mine.addressed.size() != 0 && mine.addressed.pop(ret_taken.task)) ||
                       mine.local.pop(ret_taken.task) || mine.overflow.pop(ret_taken.task);
        }
        bool pop_shared(Taken& ret_taken) {
                ret_taken.was_shared = shared_.pop(ret_taken.task);
                if (ret_taken.was_shared)
                        back_pressure_.popped();
                else
                        back_pressure_.found_none();
                return ret_taken.was_shared;
        }

        bool steal(std::size_t victim, bool takes_forks, bool is_open, Taken& ret_taken) {
                auto& its = *lanes_[victim];
                ret_taken.is_stolen = (takes_forks && its.forks.steal(ret_taken.fork)) ||
                                      its.local.steal(ret_taken.task) ||
                                      its.overflow.pop(ret_taken.task) ||
                                      (is_open && its.addressed.pop(ret_taken.task));
                return ret_taken.is_stolen;
        }

        ZeroMemory memory_;
        TaskRing shared_;
        BackPressure<TaskRing> back_pressure_{shared_};
        // Each look for a task reads it; submitters that wait write what is before.
        alignas(kApart) std::vector<std::unique_ptr<LaneQueues>> lanes_;
};

}  // namespace threadcount::pool
