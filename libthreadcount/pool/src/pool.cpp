// SPDX-License-Identifier: MIT
// Keeps the promises of Pool: checks what it is given, and has the scheduler do it.
#include <threadcount/pool.hpp>

#include "allowed_cpus.hpp"
#include "monotonic.hpp"
#include "scheduler.hpp"
#include "timers.hpp"

#include <threadcount/pool/detail/lane_context.hpp>
#include <threadcount/pool/detail/time.hpp>

#include <stdexcept>
#include <string>
#include <utility>

namespace threadcount {

namespace {

constexpr std::size_t kMostCapacity = std::size_t{1} << 24;
constexpr std::size_t kMostLaneCapacity = std::size_t{1} << 20;
constexpr std::chrono::nanoseconds kMostSpin = std::chrono::seconds{1};

void check_capacity(const char* name, std::size_t value, std::size_t most) {
        if (value < 1 || value > most)
                throw std::invalid_argument(std::string("PoolOptions.") + name + " is " +
                                            std::to_string(value) + "; it must be 1 .. " +
                                            std::to_string(most));
}

const PoolOptions& checked(const PoolOptions& options) {
        check_capacity("capacity", options.capacity, kMostCapacity);
        check_capacity("lane_capacity", options.lane_capacity, kMostLaneCapacity);
        if (options.spin < std::chrono::nanoseconds{0} || options.spin > kMostSpin)
                throw std::invalid_argument("PoolOptions.spin is " +
                                            std::to_string(options.spin.count()) +
                                            " ns; it must be 0 .. 1 s");
        return options;
}

std::vector<pool::LaneSite> sites_for(const PoolOptions& options) {
        const auto cpus = pool::allowed_among(options.cpus);
        if (cpus.empty())
                throw std::invalid_argument(
                        "none of PoolOptions.cpus is in the affinity mask of this thread");
        return pool::order_lanes(cpus, pool::places_of(cpus));
}

}  // namespace

Pool::Pool(const PoolOptions& options)
        : when_full_(checked(options).when_full),
          scheduler_(std::make_unique<pool::Scheduler>(sites_for(options), options)),
          timers_(std::make_shared<pool::Timers>(*scheduler_)) {}

Pool::~Pool() {
        if (!scheduler_->is_of_parent()) {
                if (!scheduler_->is_closed())
                        stop();
                return;
        }
        // There is no thread that could be joined: kept as it is, and reachable, to the end.
        using Left = std::pair<std::unique_ptr<pool::Scheduler>, std::shared_ptr<pool::Timers>>;
        static auto& left = *new std::vector<Left>();
        left.emplace_back(std::move(scheduler_), std::move(timers_));
}

void Pool::check_process() const {
        if (scheduler_->is_of_parent())
                throw std::logic_error(
                        "a pool that was made before fork() is used in the child, where "
                        "its lanes are not: make one there");
}

void Pool::check_open() const {
        check_process();
        if (scheduler_->is_closed() && !is_inside() &&
            !pool::Visit::is_awaited_in(scheduler_.get()))
                throw std::logic_error("a task was submitted to a pool that was stopped");
}

void Pool::check_outside(const char* what) const {
        check_process();
        if (is_task())
                throw std::logic_error(std::string("a task of a pool must not call its ") + what);
}

void Pool::submit_from(const TaskSource& source) {
        check_process();
        if (const auto* lane = pool::lane_in(scheduler_.get()))
                return scheduler_->push_beyond(lane->lane, source);
        if (try_submit_from(source))
                return;
        if (pool::Visit::is_in(scheduler_.get())) {
                if (!scheduler_->push_beyond(source))
                        check_open();
        } else if (when_full_ == WhenFull::RunInCaller) {
                if (!scheduler_->run_in_caller(source))
                        check_open();
        } else if (!scheduler_->push_until(nullptr, source)) {
                check_open();
        }
}

bool Pool::try_submit_from(const TaskSource& source) {
        check_process();
        if (const auto* lane = pool::lane_in(scheduler_.get()))
                return scheduler_->push_from(lane->lane, source);
        check_open();
        scheduler_->steering().keep_up();
        if (scheduler_->push(source))
                return true;
        check_open();
        return false;
}

bool Pool::submit_until_from(std::chrono::steady_clock::time_point deadline,
                             const TaskSource& source) {
        if (try_submit_from(source))
                return true;
        if (is_inside())
                return false;
        const auto at = pool::as_timespec(deadline);
        if (scheduler_->push_until(&at, source))
                return true;
        check_open();
        return false;
}

bool Pool::submit_to_from(int cpu, const TaskSource& source) {
        check_open();
        scheduler_->steering().keep_up();
        if (scheduler_->push_to(lane_on(cpu), source))
                return true;
        check_open();
        return false;
}

void Pool::check_period(std::chrono::nanoseconds period) {
        if (period <= std::chrono::nanoseconds{0})
                throw std::invalid_argument("the period of a timer is " +
                                            std::to_string(period.count()) + " ns; it must be > 0");
}

Timer Pool::start_timer(std::chrono::nanoseconds delay, pool::TimerNode& node) {
        Timer timer(node);
        check_open();
        if (delay <= std::chrono::nanoseconds{0})
                submit_timer(node);
        else
                timers_->add(node, pool::after(delay));
        return timer;
}

Timer Pool::start_timer(std::chrono::steady_clock::time_point due, pool::TimerNode& node) {
        Timer timer(node);
        check_open();
        if (due <= std::chrono::steady_clock::now())
                submit_timer(node);
        else
                timers_->add(node, due);
        return timer;
}

void Pool::submit_timer(pool::TimerNode& node) {
        node.add_reference();
        submit(pool::TimerEntry(node));
}

std::size_t Pool::lane_on(int cpu) const {
        for (std::size_t lane = 0; lane < size(); lane++)
                if (scheduler_->cpu_of(lane) == cpu)
                        return lane;
        throw std::out_of_range("the pool has no lane on CPU " + std::to_string(cpu));
}

void Pool::set_mask(std::span<const int> cpus) {
        if (!scheduler_->steering().set_mask(cpus))
                throw std::invalid_argument("no CPU of the mask has a lane of the pool");
}

void Pool::follow(threadcount_handle* handle) { scheduler_->steering().follow(handle); }

void Pool::set_mask(const cpu_set_t& cpus) {
        std::vector<int> numbers;
        for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
                if (CPU_ISSET(static_cast<std::size_t>(cpu), &cpus))
                        numbers.push_back(cpu);
        set_mask(numbers);
}

std::vector<int> Pool::cpus() const {
        std::vector<int> cpus;
        for (std::size_t lane = 0; lane < size(); lane++)
                cpus.push_back(scheduler_->cpu_of(lane));
        return cpus;
}

std::vector<int> Pool::mask() const {
        std::vector<int> cpus;
        for (std::size_t lane = 0; lane < size(); lane++)
                if (scheduler_->is_active(lane))
                        cpus.push_back(scheduler_->cpu_of(lane));
        return cpus;
}

std::size_t Pool::size() const { return scheduler_->sites().size(); }

std::size_t Pool::width() const { return scheduler_->width(); }

void Pool::wait_idle() {
        check_outside("wait_idle()");
        scheduler_->wait_idle();
}

void Pool::stop() {
        check_outside("stop()");
        const MutexLock lock(scheduler_->stopping());
        timers_->stop();
        scheduler_->stop(false);
        scheduler_->steering().end();
        scheduler_->run_the_rest();
}

std::vector<Task> Pool::stop_and_hand_back() {
        check_outside("stop_and_hand_back()");
        const MutexLock lock(scheduler_->stopping());
        timers_->stop();
        scheduler_->stop(true);
        scheduler_->steering().end();
        auto rest = scheduler_->take_the_rest();
        for (std::size_t i = 0; i < rest.size(); i++) {
                rest[i].wait_elsewhere();
                if (i + 1 < rest.size())
                        continue;
                // Those that ran elsewhere may have submitted others.
                for (auto& late : scheduler_->take_the_rest())
                        rest.push_back(std::move(late));
        }
        return rest;
}

std::vector<LaneStatistics> Pool::statistics() const {
        std::vector<LaneStatistics> all;
        for (std::size_t lane = 0; lane < size(); lane++)
                all.push_back(scheduler_->lane(lane).statistics());
        return all;
}

}  // namespace threadcount
