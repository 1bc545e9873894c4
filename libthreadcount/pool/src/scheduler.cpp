// SPDX-License-Identifier: MIT
// Submitting, waking, stopping.
#include "scheduler.hpp"

#include "monotonic.hpp"
#include "spin_until.hpp"

#include <threadcount/pool/detail/lane_context.hpp>

#include <algorithm>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <system_error>

namespace threadcount::pool {

namespace {

std::vector<std::vector<std::uint16_t>> siblings_of(std::span<const LaneSite> sites) {
        std::vector<std::vector<std::uint16_t>> siblings(sites.size());
        for (std::size_t lane = 0; lane < sites.size(); lane++) {
                const auto first = sites[lane].core;
                if (first == lane)
                        continue;
                siblings[lane].push_back(static_cast<std::uint16_t>(first));
                for (const auto other : siblings[first]) {
                        siblings[lane].push_back(other);
                        siblings[other].push_back(static_cast<std::uint16_t>(lane));
                }
                siblings[first].push_back(static_cast<std::uint16_t>(lane));
        }
        return siblings;
}

}  // namespace

// Without it a child would ask the kernel with each submission which process it is.
const std::atomic<std::uint32_t>& Scheduler::watch_forks() {
        static constinit std::atomic<std::uint32_t> forks{0};
        static const int error = pthread_atfork(
                nullptr, nullptr, [] { forks.fetch_add(1, std::memory_order_relaxed); });
        if (error != 0)
                throw std::bad_alloc();
        return forks;
}

Scheduler::Scheduler(std::vector<LaneSite> sites, const PoolOptions& options, Affinity affinity)
        : forks_(watch_forks()), forks_before_(forks_.load(std::memory_order_relaxed)),
          sites_(std::move(sites)), siblings_(siblings_of(sites_)),
          spin_ns_(static_cast<std::uint64_t>(options.spin.count())),
          queues_(sites_.size() + 1, options.capacity, options.lane_capacity),
          parking_(sites_.size()), steering_(*this, affinity) {
        lanes_.reserve(sites_.size());
        for (std::size_t lane = 0; lane < sites_.size(); lane++)
                lanes_.push_back(std::make_unique<Lane>(*this, lane, sites_[lane].cpu, affinity));
        for (std::size_t lane = 0; lane < lanes_.size(); lane++)
                parking_.activate(lane);
        const auto first = static_cast<std::size_t>(claim_best(Caller::GoesOn, Parking<>::kNobody));
        if (const int error = wake_or_start(first); error != 0)
                throw std::system_error(
                        error, std::generic_category(),
                        "cannot create a lane's thread; see ulimit -u, and pids.max "
                        "of the cgroup");
}

Scheduler::~Scheduler() { end_lanes(); }

bool Scheduler::push(const TaskSource& source) {
        if (!queues_.back_pressure().has_place() || !queues_.shared().push(source))
                return false;
        there_is_work();
        return true;
}

bool Scheduler::push_until(const timespec* deadline, const TaskSource& source) {
        if (!queues_.back_pressure().push(source, deadline, [this] { return is_closed(); }))
                return false;
        there_is_work();
        return true;
}

bool Scheduler::push_from(std::size_t lane, const TaskSource& source) {
        using Local = Queues::TaskDeque;
        if (queues_.local(lane).push(source, Local::Announce::Every) == Local::Pushed::No &&
            !queues_.shared().push(source))
                return false;
        there_is_work();
        return true;
}

void Scheduler::push_beyond(std::size_t lane, const TaskSource& source) {
        using Local = Queues::TaskDeque;
        if (queues_.local(lane).push(source, Local::Announce::Every) == Local::Pushed::No)
                (void)queues_.overflow(lane).push(source, [] { return false; });
        there_is_work();
}

bool Scheduler::push_beyond(const TaskSource& source) {
        const bool is_awaited = Visit::is_awaited_in(this);
        if (!queues_.overflow(guest()).push(source, [&] { return !is_awaited && is_closed(); }))
                return false;
        there_is_work();
        return true;
}

bool Scheduler::push_to(std::size_t lane, const TaskSource& source) {
        if (!queues_.addressed(lane).push(source))
                return false;
        if (!parking_.is_active_now(lane) || (parking_.claim(lane) && !wake(lane)))
                there_is_work();
        return true;
}

void Scheduler::set_active(std::span<const std::uint64_t> words) {
        parking_.set_active(words);
        // A grant makes no lane run what is to be handed back.
        if (is_ending())
                return deactivate_all();
        look_after_work();
        // Tasks that came while it was not active, and that nobody has taken.
        for (std::size_t lane = 0; lane < sites_.size(); lane++)
                if (parking_.is_active_now(lane) && !queues_.addressed(lane).empty() &&
                    parking_.claim(lane) && !wake(lane))
                        there_is_work();
}

bool Scheduler::is_better(std::size_t a, std::size_t b, int here, Caller caller) const {
        const auto busy_siblings = [this](std::size_t lane) {
                return std::ranges::count_if(siblings_[lane], [this](std::uint16_t sibling) {
                        return !parking_.is_idle(sibling);
                });
        };
        if (lanes_[a]->is_slow() != lanes_[b]->is_slow())
                return lanes_[b]->is_slow();
        if (const auto of_a = busy_siblings(a), of_b = busy_siblings(b); of_a != of_b)
                return of_a < of_b;
        // A submitter may go on running on its CPU. Otherwise this CPU is awake, which saves half
        // of a wake.
        if (const auto a_is_here = cpu_of(a) == here; a_is_here != (cpu_of(b) == here))
                return a_is_here == (caller == Caller::Sleeps);
        return parking_.idle_since(a) > parking_.idle_since(b);
}

int Scheduler::claim_best(Caller caller, std::size_t except) {
        const int here = sched_getcpu();
        const auto is_better_one = [&](int a, int b) {
                return is_better(static_cast<std::size_t>(a), static_cast<std::size_t>(b), here,
                                 caller);
        };
        return parking_.claim_best(is_better_one, except);
}

bool Scheduler::gives_up_on_late_lanes(std::size_t except) {
        const auto now = monotonic_ns();
        if (now < next_look_for_late_ns_.load(std::memory_order_relaxed))
                return false;
        next_look_for_late_ns_.store(now + Lane::kLateNs / 4, std::memory_order_relaxed);
        for (std::size_t lane = 0; lane < lanes_.size(); lane++)
                if (parking_.searches(lane) && lanes_[lane]->is_late(now) &&
                    parking_.give_up_on(lane))
                        lanes_[lane]->was_late();
        return !parking_.any_searches(except);
}

void Scheduler::wake_one(Caller caller, std::size_t except) {
        for (bool is_second = false;;) {
                const int lane = claim_best(caller, except);
                if (lane < 0)
                        return;
                // Only if all are: a second one may be faster.
                const bool is_slow = lanes_[static_cast<std::size_t>(lane)]->is_slow();
                if (wake(static_cast<std::size_t>(lane))) {
                        if (!is_slow || is_second)
                                return;
                        is_second = true;
                        continue;
                }
                // Meanwhile others have relied on that lane, for any work.
                except = Parking<>::kNobody;
        }
}

bool Scheduler::wake(std::size_t lane) {
        if (wake_or_start(lane) == 0)
                return true;
        // Out of threads or memory: the others do it. One lane at least has a thread.
        parking_.deactivate(lane);
        has_lost_.store(true, std::memory_order_relaxed);
        parking_.unclaim(lane);
        tell_if_idle();
        const auto has_thread = [this](std::size_t other) {
                return parking_.is_active_now(other) && lanes_[other]->is_started();
        };
        for (std::size_t other = 0; other < lanes_.size(); other++)
                if (has_thread(other))
                        return false;
        for (std::size_t other = 0; other < lanes_.size(); other++)
                if (lanes_[other]->is_started()) {
                        parking_.activate(other);
                        if (is_ending())
                                parking_.deactivate(other);
                        break;
                }
        return false;
}

int Scheduler::wake_or_start(std::size_t lane) {
        // Not asked later: once it is awake it may end.
        const bool has_thread = lanes_[lane]->is_started();
        lanes_[lane]->note_here(monotonic_ns());
        parking_.wake(lane,
                      lanes_[lane]->is_slow() ? Parking<>::Counts::No : Parking<>::Counts::Yes);
        if (has_thread)
                return 0;
        const int error = lanes_[lane]->start();
        if (error != 0 && parking_.begin(lane))
                (void)parking_.stop_searching(lane);
        return error;
}

bool Scheduler::is_idle() {
        return parking_.all_idle([this] {
                // First who submits: what those have submitted that have gone is seen then.
                return !has_guest_.load(std::memory_order_seq_cst) &&
                       visits_.load(std::memory_order_seq_cst) == 0 && queues_.size() == 0;
        });
}

void Scheduler::tell_if_idle() {
        const bool somebody_waits = somebody_waits_for_idleness();
        if (!(somebody_waits || steering_.is_following()) || !is_idle())
                return;
        steering_.tell_idle();
        if (!somebody_waits)
                return;
        // stop() waits: this lane need not go to sleep first.
        if (ends_when_idle_.load(std::memory_order_relaxed))
                ending_.store(true, std::memory_order_seq_cst);
        tell_waiters();
}

void Scheduler::wait_idle_or(const std::atomic<bool>& is_over) {
        idle_waiters_.fetch_add(1, std::memory_order_seq_cst);
        for (;;) {
                const auto times = idle_times_.load(std::memory_order_acquire);
                if (is_idle() || is_over.load(std::memory_order_seq_cst))
                        break;
                sleep_until_told(times);
        }
        idle_waiters_.fetch_sub(1, std::memory_order_relaxed);
}

void Scheduler::note_cpu_of_guest() {
        const int here = sched_getcpu();
        if (here == cpu_of_guest_.load(std::memory_order_relaxed))
                return;
        auto its = Parking<>::kNobody;
        for (std::size_t lane = 0; lane < lanes_.size(); lane++)
                if (cpu_of(lane) == here)
                        its = lane;
        cpu_of_guest_.store(here, std::memory_order_relaxed);
        lane_of_guest_.store(its, std::memory_order_seq_cst);
}

void Scheduler::forget_cpu_of_guest() {
        cpu_of_guest_.store(-1, std::memory_order_relaxed);
        lane_of_guest_.store(Parking<>::kNobody, std::memory_order_seq_cst);
        look_after_work();
}

void Scheduler::leave_guest() {
        has_guest_.store(false, std::memory_order_seq_cst);
        if (is_left_out_.load(std::memory_order_seq_cst)) {
                is_left_out_.store(false, std::memory_order_relaxed);
                look_after_work();
        }
        tell_of_leaver();
}

void Scheduler::tell_of_leaver() {
        tell_if_idle();
        // stop() may wait for this alone.
        if (is_closed())
                tell_waiters();
}

void Scheduler::wait_for_outsiders() {
        for (;;) {
                const auto times = idle_times_.load(std::memory_order_acquire);
                if (!has_guest_.load(std::memory_order_seq_cst) &&
                    visits_.load(std::memory_order_seq_cst) == 0)
                        return;
                sleep_until_told(times);
        }
}

void Scheduler::sleep_until_told(std::uint32_t times) {
        const auto is_told = [&] { return idle_times_.load(std::memory_order_acquire) != times; };
        if (!spin_until(is_told))
                Machine::wait(idle_times_, times);
}

void Scheduler::tell_waiters() {
        idle_times_.fetch_add(1, std::memory_order_release);
        Machine::wake_all(idle_times_);
}

void Scheduler::stop(bool hands_back) {
        closed_.store(true, std::memory_order_seq_cst);  // back_pressure.hpp
        // A submitter that has seen the pool open, but does not have its place yet, gets none.
        queues_.shared().close();
        queues_.back_pressure().release();
        queues_.overflow(guest()).wait_for_pushes();
        wait_for_outsiders();
        if (!hands_back) {
                ends_when_idle_.store(true, std::memory_order_relaxed);
                wait_idle_or(ending_);
        }
        end_lanes();
        if (hands_back)
                tell_end();
}

void Scheduler::end_lanes() {
        // Not before, so that tasks may submit to lanes to the end.
        for (std::size_t lane = 0; lane < lanes_.size(); lane++)
                queues_.addressed(lane).close();
        ending_.store(true, std::memory_order_seq_cst);
        deactivate_all();
        wake_all();
        // A lane may be starting another one.
        while (join_started()) {
        }
}

void Scheduler::deactivate_all() {
        for (std::size_t lane = 0; lane < lanes_.size(); lane++)
                parking_.deactivate(lane);
}

void Scheduler::tell_end() {
        ended_.store(true, std::memory_order_seq_cst);
        tell_waiters();
}

void Scheduler::wake_all() {
        for (std::size_t lane = 0; lane < lanes_.size(); lane++)
                if (lanes_[lane]->is_started() && parking_.claim(lane))
                        parking_.wake(lane);
}

bool Scheduler::join_started() {
        bool any = false;
        wake_all();
        for (auto& lane : lanes_)
                any |= lane->join();
        return any;
}

std::vector<Task> Scheduler::take_the_rest() {
        std::vector<Task> rest;
        rest.reserve(queues_.size());
        Task task;
        const auto take_all = [&](Queues::TaskRing& ring) {
                while (ring.size() > 0)
                        if (ring.pop(task))
                                rest.push_back(std::move(task));
                        else  // its submitter is still moving it in
                                Machine::yield();
        };
        for (std::size_t lane = 0; lane <= guest(); lane++) {
                take_all(queues_.addressed(lane));
                while (queues_.local(lane).steal(task) || queues_.overflow(lane).pop(task))
                        rest.push_back(std::move(task));
        }
        take_all(queues_.shared());
        return rest;
}

}  // namespace threadcount::pool
