// SPDX-License-Identifier: MIT
//
// The lanes of one pool and what they share.
#pragma once

#include "inline_loops.hpp"
#include "lane.hpp"
#include "lane_order.hpp"
#include "locks/mutex.hpp"
#include "parking.hpp"
#include "queues.hpp"
#include "steering.hpp"

#include <threadcount/pool.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <pthread.h>
#include <sched.h>
#include <span>
#include <vector>

namespace threadcount::pool {

/// Keeps the promises of Pool, in terms of lanes. MT-Safe.
class Scheduler {
public:
        /// All lanes are active; the first one has its thread. Throws std::system_error if it gets
        /// none.
        /// With Affinity::Ignored the sites may be those of another machine: lanes run where they
        /// may.
        Scheduler(std::vector<LaneSite> sites, const PoolOptions& options,
                  Affinity affinity = Affinity::Followed);
        ~Scheduler();
        Scheduler(const Scheduler&) = delete;
        Scheduler& operator=(const Scheduler&) = delete;

        // False: there is no place, and nothing was made of `source`.

        /// From outside of the lanes: into the shared queue.
        [[nodiscard]] bool push(const TaskSource& source);
        /// The same, but waits until `deadline` (nullptr: for ever) or stop().
        [[nodiscard]] bool push_until(const timespec* deadline, const TaskSource& source);
        /// By a task that runs on `lane`.
        [[nodiscard]] bool push_from(std::size_t lane, const TaskSource& source);
        /// The same, but there is always a place. Throws std::bad_alloc.
        void push_beyond(std::size_t lane, const TaskSource& source);
        /// The same by a task that runs on no lane. False: the pool was stopped, which does not
        /// wait for this task, and the other one is destroyed.
        [[nodiscard]] bool push_beyond(const TaskSource& source);
        /// By a thread from outside: runs it. stop() and wait_idle() wait for that. False: the pool
        /// was stopped, and nothing was made of `source`.
        [[nodiscard]] bool run_in_caller(const TaskSource& source);
        [[nodiscard]] bool push_to(std::size_t lane, const TaskSource& source);

        /// Bits of lanes.
        void set_active(std::span<const std::uint64_t> words);

        [[nodiscard]] std::span<const LaneSite> sites() const { return sites_; }
        /// Active lanes.
        [[nodiscard]] std::size_t width() const { return parking_.active(); }
        [[nodiscard]] bool is_active(std::size_t lane) const { return parking_.is_active(lane); }
        [[nodiscard]] const Lane& lane(std::size_t index) const { return *lanes_[index]; }
        [[nodiscard]] int cpu_of(std::size_t lane) const { return lanes_[lane]->cpu(); }
        /// It has another CPU from now on, and binds its thread to it before its next task.
        void move(std::size_t lane, int cpu) {
                lanes_[lane]->move(cpu);
                cpu_of_guest_.store(-1, std::memory_order_relaxed);
        }
        /// Somebody else may have bound it elsewhere.
        void pin_again(std::size_t lane) { lanes_[lane]->pin_again(); }

        /// The scheduling policy of the thread that made the pool, for lanes: one that is made
        /// later would have that of any submitter. Its nice value cannot be taken back without
        /// privilege.
        struct Policy {
                int number = 0;
                sched_param priority{};

                Policy() { (void)pthread_getschedparam(pthread_self(), &number, &priority); }
        };
        [[nodiscard]] const Policy& policy() const { return policy_; }

        [[nodiscard]] Steering& steering() { return steering_; }

        /// Returns when all is idle, or the lanes have ended and nobody runs the rest.
        void wait_idle() { wait_idle_or(ended_); }
        /// Nothing is accepted from outside any more; then, unless `hands_back`, all that there is
        /// runs; then the lanes end.
        void stop(bool hands_back) THREADCOUNT_REQUIRES(stopping());
        /// Held by the thread that stops it: others wait until that is done.
        [[nodiscard]] Mutex& stopping() { return stopping_; }
        /// In a child of fork(): its lanes are the parent's, and nothing may be done with it.
        [[nodiscard]] bool is_of_parent() const {
                return forks_before_ != forks_.load(std::memory_order_relaxed);
        }
        [[nodiscard]] bool is_closed() const { return closed_.load(std::memory_order_seq_cst); }
        /// The tasks that stop() has left.
        [[nodiscard]] std::vector<Task> take_the_rest();
        /// The caller runs it as a guest, and what these tasks submit.
        void run_the_rest();

        /// The CPU of a caller that goes on is the worst one for a lane; that of one that sleeps is
        /// the best.
        enum class Caller { GoesOn, Sleeps };

        /// Somebody has published work that any lane may take.
        void there_is_work(Caller caller = Caller::GoesOn) {
                if (needs_wake(Parking<>::kNobody))
                        wake_one(caller, Parking<>::kNobody);
        }
        /// The same for a fork of a lane.
        void there_is_a_fork() {
                const auto except = lane_of_guest_.load(std::memory_order_seq_cst);
                wake_for_fork(takes_forks(except) ? Parking<>::kNobody : except);
        }
        /// The same for a fork of the guest, which has joined it before it goes: that leaves nobody
        /// out.
        void there_is_a_fork_of_guest() {
                wake_for_fork(lane_of_guest_.load(std::memory_order_seq_cst));
        }
        /// Will a fork be taken soon?
        [[nodiscard]] bool somebody_looks_for_forks() const {
                const auto except = lane_of_guest_.load(std::memory_order_relaxed);
                const bool has_guest = has_guest_.load(std::memory_order_relaxed);
                return parking_.somebody_searches(has_guest ? except : Parking<>::kNobody);
        }

        // The guest's queues come after those of the lanes.
        [[nodiscard]] std::size_t guest() const { return sites_.size(); }
        [[nodiscard]] bool enter_guest() {
                if (has_guest_.exchange(true, std::memory_order_seq_cst))
                        return false;
                if (!is_closed())
                        return true;
                leave_guest();
                return false;
        }
        void leave_guest();
        /// By the guest, before it announces a fork.
        void note_cpu_of_guest();
        /// By the guest, before it sleeps: its CPU is free for a lane.
        void forget_cpu_of_guest();

        [[nodiscard]] InlineLoops& inline_loops() { return inline_loops_; }

        // For lanes.

        [[nodiscard]] Queues& queues() { return queues_; }
        [[nodiscard]] Parking<>& parking() { return parking_; }
        [[nodiscard]] std::uint64_t spin_ns() const { return spin_ns_; }
        [[nodiscard]] Queues::Taken take(std::size_t lane, std::span<const std::uint16_t> victims) {
                return queues_.take(lane, victims, takes_forks(lane), is_open_);
        }
        /// Anything that `lane` might take.
        [[nodiscard]] bool any_for(std::size_t lane) {
                return any_unshared_for(lane) || !queues_.shared().empty();
        }
        /// The same, but may miss what is hidden by a submitter that is late.
        [[nodiscard]] bool seems_any_for(std::size_t lane) {
                return any_unshared_for(lane) || !queues_.shared().seems_empty();
        }
        /// The same, but for the shared queue.
        [[nodiscard]] bool any_unshared_for(std::size_t lane) {
                return queues_.any_addressed_to(lane) || queues_.any_unshared_task(is_open_) ||
                       (queues_.any_fork() && takes_forks(lane));
        }
        /// Work that any active lane might take is there: perhaps one should be woken.
        void look_after_work() {
                if (queues_.any_task(is_open_))
                        there_is_work();
                else
                        look_after_forks();
        }
        void look_after_forks() {
                if (queues_.any_fork())
                        there_is_a_fork();
        }
        [[nodiscard]] bool somebody_waits_for_idleness() const {
                return idle_waiters_.load(std::memory_order_seq_cst) != 0;
        }
        /// A lane has entered the idle set. Tells all that want to know if all lanes are in it now.
        void tell_if_idle();
        /// All lanes are idle, nothing waits for them, and no thread from outside takes part, or
        /// runs a task.
        [[nodiscard]] bool is_idle();
        /// Has a lane got no thread since this was asked last?
        [[nodiscard]] bool has_lost_a_lane() {
                return has_lost_.load(std::memory_order_relaxed) &&
                       has_lost_.exchange(false, std::memory_order_relaxed);
        }
        /// Lanes that are not active are to end.
        [[nodiscard]] bool is_ending() const { return ending_.load(std::memory_order_seq_cst); }

private:
        /// The thread that has forked runs what nobody steals: a lane on the guest's CPU would be
        /// no help. The guest looks for what was left to others when it goes: both write before
        /// they read.
        [[nodiscard]] bool takes_forks(std::size_t lane) {
                if (lane != lane_of_guest_.load(std::memory_order_seq_cst) ||
                    !has_guest_.load(std::memory_order_seq_cst))
                        return true;
                if (!is_left_out_.load(std::memory_order_relaxed))
                        is_left_out_.store(true, std::memory_order_seq_cst);
                return !has_guest_.load(std::memory_order_seq_cst);
        }
        /// Is what was addressed to a lane for everybody?
        struct IsOpen {
                const Scheduler& scheduler;
                bool operator()(std::size_t lane) const {
                        return lane < scheduler.sites_.size() &&
                               !scheduler.parking_.is_active_now(lane);
                }
        };

        /// `a` rather than `b`, by a thread on CPU `here`.
        [[nodiscard]] bool is_better(std::size_t a, std::size_t b, int here, Caller caller) const;
        /// An idle and active lane other than `except`, claimed; -1: none.
        [[nodiscard]] int claim_best(Caller caller, std::size_t except);
        /// Is it up to the publisher of work to wake a lane? A searching one counts only if it had
        /// its CPU not long ago. Asks for the time where lanes are idle beside one that searches.
        [[nodiscard]] bool needs_wake(std::size_t except) {
                // The lanes that search change with each task that a lane had to wait for. They
                // are therefore looked at last.
                return parking_.anybody_idle(except) &&
                       (!parking_.somebody_searches(except) || gives_up_on_late_lanes(except));
        }
        /// True: no lane but `except` searches any more.
        [[nodiscard]] bool gives_up_on_late_lanes(std::size_t except);
        void wake_one(Caller caller, std::size_t except);
        void wake_for_fork(std::size_t except) {
                if (needs_wake(except))
                        wake_one(Caller::GoesOn, except);
        }
        /// A lane that was claimed. False: it has no thread and gets none; it is not active until
        /// the next look around.
        bool wake(std::size_t lane);
        /// 0, or a positive errno.
        [[nodiscard]] int wake_or_start(std::size_t lane);
        void wait_idle_or(const std::atomic<bool>& is_over);
        void end_lanes();
        void deactivate_all();
        /// No task runs any more, nor will.
        void tell_end();
        void wake_all();
        /// Until none takes part, or runs a task, that has found the pool open.
        void wait_for_outsiders();
        /// By such a thread, when it has gone.
        void tell_of_leaver();
        /// Sleeps while the number of times that waiters were told is still `times`.
        void sleep_until_told(std::uint32_t times);
        /// Makes every thread look again that waits for idleness, or for those from outside.
        void tell_waiters();
        [[nodiscard]] bool join_started();

        // The number of calls of fork() from the first ancestor with a pool to this process. Each
        // copy of this code counts for itself, and goes by the count of the one that has made the
        // pool.
        [[nodiscard]] static const std::atomic<std::uint32_t>& watch_forks();

        const std::atomic<std::uint32_t>& forks_;
        const std::uint32_t forks_before_;
        Mutex stopping_;
        const std::vector<LaneSite> sites_;
        const std::vector<std::vector<std::uint16_t>> siblings_;  // of each lane, on its core
        const std::uint64_t spin_ns_;
        const Policy policy_;
        Queues queues_;
        Parking<> parking_;
        IsOpen is_open_{*this};
        std::vector<std::unique_ptr<Lane>> lanes_;
        Steering steering_;
        // Many lanes are not looked at for each task.
        std::atomic<std::uint64_t> next_look_for_late_ns_{0};
        std::atomic<bool> has_lost_{false};
        std::atomic<bool> closed_{false};
        std::atomic<bool> ending_{false};  // at once, or as soon as all are idle: ends_when_idle_
        std::atomic<bool> ends_when_idle_{false};
        std::atomic<bool> ended_{false};
        std::atomic<std::uint32_t> idle_waiters_{0};
        std::atomic<std::uint32_t> idle_times_{0};  // threads that wait for idleness sleep on it
        // The place of the guest, or of the last one. Lanes look at it before each fork.
        std::atomic<int> cpu_of_guest_{-1};
        std::atomic<std::size_t> lane_of_guest_{Parking<>::kNobody};
        std::atomic<bool> is_left_out_{false};  // that lane, of a fork, while there was a guest
        // Guests write, with each loop: apart from what lanes look at.
        alignas(kApart) std::atomic<bool> has_guest_{false};
        std::atomic<std::uint32_t> visits_{0};  // tasks that threads from outside run themselves
        InlineLoops inline_loops_;
};

}  // namespace threadcount::pool
