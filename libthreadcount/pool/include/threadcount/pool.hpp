// SPDX-License-Identifier: MIT
//
// A thread pool with one thread per CPU, pinned, whose width follows the governor.
#pragma once

#if __cplusplus < 202002L
#error "threadcount/pool.hpp needs C++20 (-std=c++20)"
#endif

#include <threadcount/pool/detail/run_and_wait.hpp>
#include <threadcount/pool/fork_join.hpp>
#include <threadcount/pool/future.hpp>
#include <threadcount/pool/parallel_for.hpp>
#include <threadcount/pool/parallel_reduce.hpp>
#include <threadcount/pool/task.hpp>
#include <threadcount/pool/timer.hpp>
#include <threadcount/threadcount.h>

#include <chrono>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <sched.h>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

namespace threadcount {

namespace pool {
class Scheduler;
class Timers;
}  // namespace pool

/// The behaviour of submit() for a thread outside of the pool when the shared queue is full.
enum class WhenFull {
        Block,  ///< sleeps until there is a place; at a large queue up to 100 us longer
        /// Runs the task itself, before it returns. Tasks that this one submits go to the lanes,
        /// whatever their queues hold. wait_idle() and stop() wait for it as for any other task.
        RunInCaller,
};

struct PoolOptions {
        /// A lane for each of these, of those that the calling thread may run on (its affinity
        /// mask); empty: for all of them. Numbers of CPUs, in any order.
        std::vector<int> cpus = {};
        /// Tasks that wait in the shared queue at most: 1 .. 2^24. Exact.
        std::size_t capacity = 4096;
        /// The same for each lane's two own queues, but rounded up to a power of two: 1 .. 2^20.
        std::size_t lane_capacity = 1024;
        /// The time for which one lane at a time looks for work before it sleeps: 0 .. 1 s. It
        /// gives way to other threads of its CPU. A wake costs some 7 us of the submitter and 20 us
        /// and more until the lane runs, so that less than 20 us hardly pays.
        std::chrono::nanoseconds spin{30'000};
        WhenFull when_full = WhenFull::Block;
};

/// One lane's counters since the start.
struct LaneStatistics {
        int cpu = 0;
        std::uint64_t executed = 0;  ///< tasks, and halves of fork_join() that were stolen
        std::uint64_t stolen = 0;    ///< of these: taken from another lane
        std::uint64_t parked = 0;    ///< times it went to sleep
        std::uint64_t woken = 0;     ///< times that another thread had it continue
};

/// Runs tasks on lanes: threads that are pinned to one CPU each. A lane's thread is created when it
/// is needed for the first time, the first one by the constructor. A lane runs one task at a time,
/// and tasks may run in any order.
///
/// All functions are MT-Safe, but those that say otherwise; none is async-signal-safe. A pool does
/// not survive fork(). In the child its destructor returns at once, calls that submit, wait or stop
/// throw std::logic_error, and nothing else may be done with it. Lanes block all signals but those
/// that a thread brings about itself, and SIGPROF. A lane is created by a thread that submits, and
/// also blocks what this one blocks.
class Pool {
public:
        /// Throws std::invalid_argument if an option is out of range, or none of its CPUs is
        /// allowed; std::system_error if no thread can be created; std::bad_alloc. Costs some 30
        /// us, and the first pool of a process reads the topology (some 30 us per core).
        explicit Pool(const PoolOptions& options = {});
        /// stop(), if nobody has called it.
        ~Pool();
        Pool(const Pool&) = delete;
        Pool& operator=(const Pool&) = delete;

        /// Runs `task`, a callable without arguments or a Task, on any lane. From outside it goes
        /// into the shared queue, which may be full: see WhenFull. From inside it goes into the
        /// lane's own queue, and if that is full into a list without bound. A task never waits for
        /// a place in its own pool, and never runs inside of another one that submits it. In
        /// another pool it is outside: where two are full whose tasks submit to each other, all
        /// wait for ever, and try_submit() is the call to use. Throws std::logic_error if the pool
        /// was stopped and the caller is no task of it; std::bad_alloc if that list gets no memory.
        /// It also throws what moving, copying or allocating throws where the callable is none that
        /// Task keeps inside. Cost: some 20 ns; if a lane has to be woken, some 7 us; in the list,
        /// an allocation.
        template <class F>
        void submit(F&& task) {
                with_source(std::forward<F>(task), [this](const TaskSource& source) {
                        submit_from(source);
                        return true;
                });
        }

        /// The same, but false if there is no place. From outside this holds if all free places are
        /// needed for those that wait for one. From inside it holds if both the lane's own queue
        /// and the shared one are full. Then `task` is as it was, if it is a Task or one keeps it
        /// inside.
        template <class F>
        [[nodiscard]] bool try_submit(F&& task) {
                return with_source(std::forward<F>(task), [this](const TaskSource& source) {
                        return try_submit_from(source);
                });
        }

        /// The same, but from outside it sleeps until `deadline` at most. False: there was no place
        /// then.
        template <class F>
        [[nodiscard]] bool submit_until(std::chrono::steady_clock::time_point deadline, F&& task) {
                return with_source(std::forward<F>(task), [&](const TaskSource& source) {
                        return submit_until_from(deadline, source);
                });
        }

        /// Runs `task` on the lane of this CPU, in the order of submission. It runs on another one
        /// only if the CPU is not in the mask (then or before it has run). False if the lane's
        /// queue is full. Throws std::out_of_range if no lane is on this CPU, and as submit().
        template <class F>
        [[nodiscard]] bool submit_to(int cpu, F&& task) {
                return with_source(std::forward<F>(task), [&](const TaskSource& source) {
                        return submit_to_from(cpu, source);
                });
        }

        /// Runs `f()` on a lane and returns when it is done; what it throws is thrown. A task, of
        /// this pool or another one, runs it itself, as a part of that task: it never sleeps for a
        /// lane, whose task may wait for this one. Throws std::logic_error as submit();
        /// FutureCancelled if it was handed back by stop_and_hand_back() and not run.
        template <class F>
        void run(F&& f) {
                if (is_task()) {
                        f();
                        return;
                }
                if (pool::is_in_any_task()) {
                        check_open();
                        const pool::Visit visit(scheduler_.get());
                        f();
                        return;
                }
                pool::RunAndWait run_and_wait;
                submit(pool::SyncTask(run_and_wait, f));
                run_and_wait.get();
        }

        /// Runs f() and g(), perhaps at the same time, and returns when both are done. For
        /// recursive division: f is run by the caller, and what it forks as well; g by a lane that
        /// has nothing to do, or the caller. The other one ends or does not begin if one throws,
        /// and then that is thrown (f's, if both do). Waiting runs nothing but parts of g: the
        /// stack is about as deep as without lanes. From outside, and from a task of another pool,
        /// the caller takes part, one thread at a time. Others have it run by a lane, and wait, as
        /// run() does. One that runs it itself then (a task of another pool,
        /// WhenFull::RunInCaller, stop_and_hand_back()) does all of it. Throws as run(). Cost: some
        /// 10 ns where nobody steals.
        template <class F, class G>
        void fork_join(F&& f, G&& g) {
                with_lane([&](const pool::LaneContext& lane) { pool::fork_join(lane, f, g); },
                          [&] {
                                  f();
                                  g();
                          });
        }

        /// Runs body(i), or body(first, last) for runs of neighbours, for every i in [begin, end),
        /// and returns when all are done. Takes part as in fork_join(), and throws as run(). Others
        /// may not run if one throws, and one of what was thrown is thrown. An empty range does
        /// nothing. The index has the common type of both, which `body` should take; throws
        /// std::invalid_argument if begin is negative and that type has no sign. Cost: the caller
        /// alone runs a loop of less than 40 us, and of less than 10 us if others have just been
        /// run, unless a lane just looks for work. It takes some 100 ns more than without a pool,
        /// and 200 more in one that follows a governor. With fewer than 16 iterations per lane they
        /// are taken for long ones: lanes are woken at once.
        template <std::integral Begin, std::integral End, class Body>
        void parallel_for(Begin begin, End end, Body&& body, const ForOptions& options = {}) {
                if (std::cmp_greater_equal(+begin, +end))
                        return;
                using Index = std::common_type_t<Begin, End>;
                const auto first = first_of<Index>(begin);
                const auto last = static_cast<Index>(end);
                run_loop(first, last, options, false, body);
        }

        /// Returns `initial` and value(i) of all i in [begin, end), combined in this order;
        /// `initial` if there are none. The overload value(first, last) may return what a run of
        /// neighbours, never empty, comes to. The function `combine` must be associative; it need
        /// not be commutative. Both are called by several lanes at a time. The result is the same
        /// bit for bit whatever the lanes, the mask and the schedule are, also where numbers are
        /// rounded. Only the length of the range and `options.grain` group values. They are
        /// combined from left to right in at most 512 blocks of one size, at least the grain. A
        /// binary tree combines the blocks (as in N. J. Higham, "The Accuracy of Floating Point
        /// Summation", 1993). T is moved and assigned, never copied, and needs no default:
        /// combine(T&&, value) or combine(T&&, T&&). Takes part, and throws, as parallel_for();
        /// std::bad_alloc. Cost: that of parallel_for() over the blocks, some 5 ns for each, and
        /// memory for a T of each.
        template <std::integral Begin, std::integral End, class T, class Combine, class Value>
        [[nodiscard]] T parallel_reduce(Begin begin, End end, T initial, Combine&& combine,
                                        Value&& value, const ForOptions& options = {}) {
                if (std::cmp_greater_equal(+begin, +end))
                        return initial;
                const auto blocks = blocks_of(begin, end, options);
                pool::Reduction<T, std::common_type_t<Begin, End>, std::remove_reference_t<Combine>,
                                std::remove_reference_t<Value>>
                        reduction(blocks, combine, value);
                run_blocks(blocks, blocks.count(), options, reduction);
                return reduction.result(std::move(initial));
        }

        /// Calls store(i, x) once for each i in [begin, end). The argument x, a const T&, is
        /// `initial` and the values before i, and with Scan::Inclusive value(i), combined in this
        /// order. Returns what all come to. (G. E. Blelloch, "Prefix Sums and Their Applications",
        /// CMU-CS-90-190, 1990.) The contract of parallel_reduce() for `combine`, the blocks and
        /// the result holds here. But the blocks are combined one after the other, by the caller,
        /// and T is copied as well. Most i have value(i) called twice, the second time just before
        /// store(i, x), which may replace what the value came from. Takes part, and throws, as
        /// parallel_for(); std::bad_alloc. Cost: that of two times parallel_for() over the blocks,
        /// and memory for a T of each. Two lanes take about as long as a plain loop in one thread.
        template <std::integral Begin, std::integral End, class T, class Combine, class Value,
                  class Store>
        T parallel_scan(Scan scan, Begin begin, End end, T initial, Combine&& combine,
                        Value&& value, Store&& store, const ForOptions& options = {}) {
                if (std::cmp_greater_equal(+begin, +end))
                        return initial;
                const auto blocks = blocks_of(begin, end, options);
                pool::Scanner<T, std::common_type_t<Begin, End>, std::remove_reference_t<Combine>,
                              std::remove_reference_t<Value>, std::remove_reference_t<Store>>
                        scanner(blocks, scan, combine, value, store);
                const auto fold = [&](std::size_t block) { scanner.fold_one(block); };
                const auto store_all = [&](std::size_t block) { scanner.store_one(block); };
                run_blocks(blocks, blocks.count() - 1, options, fold);
                scanner.add_up(std::move(initial));
                run_blocks(blocks, blocks.count(), options, store_all);
                return scanner.result();
        }

        /// The same as submit(), for a callable that returns something, or throws: that comes out
        /// of the future. Throws std::bad_alloc, and as submit(). Cost: that of submit(), and a
        /// block of memory: see Future.
        template <class F>
        auto async(F&& f) {
                using Callable = std::decay_t<F>;
                using Result = std::invoke_result_t<Callable&>;
                auto& state = *new pool::AsyncState<Callable, Result>(*this, std::forward<F>(f));
                Future<Result> future(state);
                state.submit();
                return future;
        }

        /// Runs `task` when `delay` is over, by CLOCK_MONOTONIC: never early, and late by what it
        /// takes to wake a thread, and to get a lane. Then it goes into the shared queue, as if one
        /// had called submit() from outside; if that is full it is even later. No other task waits
        /// for timers. A task that throws ends the program. This is submit() if the time is over
        /// already. Throws as submit(); std::bad_alloc; std::system_error: the first timer's thread
        /// cannot be created. Cost: some 100 ns, one allocation; some 7 us if it is due before all
        /// others.
        template <class F>
        Timer submit_after(std::chrono::nanoseconds delay, F&& task) {
                return start_timer(delay,
                                   new_timer(std::chrono::nanoseconds{0}, std::forward<F>(task)));
        }

        /// The same at a point in time.
        template <class F>
        Timer submit_at(std::chrono::steady_clock::time_point due, F&& task) {
                return start_timer(due,
                                   new_timer(std::chrono::nanoseconds{0}, std::forward<F>(task)));
        }

        /// The same at now and n * `period`, n >= 1, until it is cancelled or the pool is stopped.
        /// There is at most one run at a time. Runs that are due while one is not done yet, or
        /// waits for a lane, are left out, and so are missed ones. Throws std::invalid_argument if
        /// the period is not > 0.
        template <class F>
        Timer submit_every(std::chrono::nanoseconds period, F&& task) {
                check_period(period);
                return start_timer(period, new_timer(period, std::forward<F>(task)));
        }

        /// Only lanes on these CPUs run tasks from now on: others stop after the task that they are
        /// in. Their threads stay, and sleep. CPUs without a lane do not matter. Throws
        /// std::invalid_argument if there is no lane on any of them; then nothing changes.
        /// Cost: below 1 us, and if there is work for lanes that sleep, 7 us for each of these.
        void set_mask(std::span<const int> cpus);
        void set_mask(const cpu_set_t& cpus);

        /// From now on the governor says which lanes run tasks, within the mask: those on the CPUs
        /// of the program's grant, which goes up and down (threadcount_cpus(3)). A lane that may
        /// not go on stops after the task that it is in. The program's CPUs are lent to others
        /// while no task runs. The number is that of threadcount_threads() where nothing is
        /// granted. The pool reports what its lanes do every 100 ms and when no task runs
        /// (governorctl(1)). The `handle` must stay open until the pool is destroyed, also if the
        /// pool follows another one by then: another thread may be reading it. nullptr follows
        /// none, and so does threadcount_default() before anything has opened it. Cost: some ns per
        /// task.
        void follow(threadcount_handle* handle);

        /// CPUs that have a lane, and those whose lane may run tasks now.
        [[nodiscard]] std::vector<int> cpus() const;
        [[nodiscard]] std::vector<int> mask() const;
        /// Lanes, and those that may run tasks now.
        [[nodiscard]] std::size_t size() const;
        [[nodiscard]] std::size_t width() const;

        /// Returns when no task runs or waits, for an instant at least. Timers that are not due do
        /// not count, nor do tasks that stop_and_hand_back() hands back meanwhile. Throws
        /// std::logic_error if the caller is a task of this pool.
        void wait_idle();

        /// Runs all that was submitted, and what these tasks submit, and ends the lanes; what comes
        /// while they end is run by the caller. Timers that are not in a queue by now (they are not
        /// due, or the queue is full) never run. Nor do periodic ones, and those that these tasks
        /// make. Not from a task of this pool (std::logic_error). Once is enough; others that call
        /// it meanwhile return when it is done. Afterwards only the destructor and what is const
        /// may be called.
        void stop();

        /// The same, but runs only what has been started: the others are handed back, but no timers
        /// that are not due. A thread that waits for their futures waits until they are run, or
        /// destroyed (FutureCancelled). They must not use the pool when they are run: what submits
        /// to it, or divides work, throws std::logic_error, and a task that throws ends the
        /// program.
        [[nodiscard]] std::vector<Task> stop_and_hand_back();

        /// A snapshot. Lanes in the order in which they are preferred.
        [[nodiscard]] std::vector<LaneStatistics> statistics() const;

private:
        friend class pool::FutureState;

        // The task is made in the queue, where that cannot fail.
        template <class F, class Submit>
        static bool with_source(F&& callable, const Submit& submit) {
                if constexpr (std::is_nothrow_constructible_v<Task, std::decay_t<F>&&> &&
                              !std::is_lvalue_reference_v<F> &&
                              !std::is_const_v<std::remove_reference_t<F>>) {
                        return submit(TaskSource(callable));
                } else {
                        Task task(std::forward<F>(callable));
                        return submit(TaskSource(task));
                }
        }
        // Done by the calling lane, or as a guest, or by another lane. A thread that is no lane
        // does `alone`: a task of another pool, the caller where the queue is full, or a thread
        // that was handed back tasks that have not begun.
        template <class Work, class Alone>
        void with_lane(const Work& work, const Alone& alone) {
                if (is_inside()) {
                        work(*pool::lane_in(scheduler_.get()));
                        return;
                }
                check_process();
                if (const pool::Guest guest(*scheduler_); guest.takes_part()) {
                        work(guest.context());
                        return;
                }
                run([&] {  // perhaps by the caller
                        if (const auto* lane = pool::lane_in(scheduler_.get()))
                                work(*lane);
                        else
                                alone();
                });
        }
        template <class Index, class Body>
        void run_loop(Index first, Index last, const ForOptions& options, bool are_short,
                      Body& body) {
                const pool::LoopBody<Index, Body> loop{body};
                with_lane(
                        [&](const pool::LaneContext& lane) {
                                pool::parallel_for(lane, first, last, width(), options, are_short,
                                                   loop);
                        },
                        [&] { loop(first, last); });
        }
        template <class Blocks, class Body>
        void run_blocks(const Blocks& blocks, std::size_t count, const ForOptions& options,
                        Body& body) {
                run_loop(std::size_t{0}, count, {.schedule = options.schedule},
                         !blocks.are_single(), body);
        }
        template <std::integral Index, std::integral Begin>
        static Index first_of(Begin begin) {
                if (std::is_unsigned_v<Index> && std::cmp_less(+begin, 0))
                        throw std::invalid_argument("a loop begins below 0, and ends at an "
                                                    "unsigned number");
                return static_cast<Index>(begin);
        }
        template <std::integral Begin, std::integral End>
        static auto blocks_of(Begin begin, End end, const ForOptions& options) {
                using Index = std::common_type_t<Begin, End>;
                const auto first = first_of<Index>(begin);
                return pool::Blocks<Index>(first, pool::distance(first, static_cast<Index>(end)),
                                           options.grain);
        }
        void submit_from(const TaskSource& source);
        [[nodiscard]] bool try_submit_from(const TaskSource& source);
        [[nodiscard]] bool submit_until_from(std::chrono::steady_clock::time_point deadline,
                                             const TaskSource& source);
        [[nodiscard]] bool submit_to_from(int cpu, const TaskSource& source);

        [[nodiscard]] bool is_inside() const { return pool::lane_in(scheduler_.get()) != nullptr; }
        /// Does the calling thread, a lane or not, run a task of this pool?
        [[nodiscard]] bool is_task() const {
                return is_inside() || pool::Visit::is_in(scheduler_.get());
        }
        // The node is theirs, even if they throw.
        Timer start_timer(std::chrono::nanoseconds delay, pool::TimerNode& node);
        Timer start_timer(std::chrono::steady_clock::time_point due, pool::TimerNode& node);
        void submit_timer(pool::TimerNode& node);
        static void check_period(std::chrono::nanoseconds period);
        template <class F>
        static pool::TimerNode& new_timer(std::chrono::nanoseconds period, F&& task) {
                return *new pool::TimerTask<std::decay_t<F>>(period, std::forward<F>(task));
        }

        void check_process() const;
        void check_open() const;
        void check_outside(const char* what) const;
        [[nodiscard]] std::size_t lane_on(int cpu) const;

        const WhenFull when_full_;
        std::unique_ptr<pool::Scheduler> scheduler_;
        std::shared_ptr<pool::Timers> timers_;
};

}  // namespace threadcount
