// SPDX-License-Identifier: MIT
// Lanes that park and are woken, under many schedules: no task waits while one sleeps.
#include "explore.hpp"
#include "parking.hpp"
#include "platform.hpp"
#include "ring.hpp"

#include <array>
#include <atomic>
#include <gtest/gtest.h>
#include <memory>

using deterministic::explore;
using deterministic::is_found;
using deterministic::Platform;
using deterministic::Scheduler;

namespace {

constexpr std::uint64_t kSchedules = 10'000;

/// The mistakes that users of Parking could make.
enum class Mistake {
        None,
        DoesNotLookAgain,         ///< after it has entered the idle set
        LastSearcherDoesNotLook,  ///< whether there is more
        WakesNobody,              ///< while somebody is about to park
        BelievesTheNumber,        ///< of lanes that search
};

/// Between its look at the word and its sleep others go on: no futex does that.
struct LooksThenSleeps : Platform {
        static bool wait(const Atomic<std::uint32_t>& word, std::uint32_t expected,
                         const timespec* deadline = nullptr) {
                auto& scheduler = Scheduler::instance();
                const bool sleeps = word.load(std::memory_order_relaxed) == expected;
                scheduler.step();
                return !sleeps || scheduler.sleep(&word, deadline != nullptr);
        }
};

/// The thread that does a certain one of the next atomic operations loses its CPU before.
struct LosesItsCpu : Platform {
        static inline std::uint64_t operations_to_go = 0;
        static inline std::uint32_t cpu = 0;

        template <class T>
        class Atomic : public Platform::Atomic<T> {
                using Base = Platform::Atomic<T>;

        public:
                using Base::Base;
                T load(std::memory_order order) const { return go_on(), Base::load(order); }
                void store(T value, std::memory_order order) { go_on(), Base::store(value, order); }
                T exchange(T value, std::memory_order order) {
                        return go_on(), Base::exchange(value, order);
                }
                T fetch_add(T value, std::memory_order order) {
                        return go_on(), Base::fetch_add(value, order);
                }
                T fetch_sub(T value, std::memory_order order) {
                        return go_on(), Base::fetch_sub(value, order);
                }
                T fetch_or(T value, std::memory_order order) {
                        return go_on(), Base::fetch_or(value, order);
                }
                T fetch_and(T value, std::memory_order order) {
                        return go_on(), Base::fetch_and(value, order);
                }
                bool compare_exchange_strong(T& expected, T value, std::memory_order order) {
                        return go_on(), Base::compare_exchange_strong(expected, value, order);
                }
        };

        static void gets_it_back() {
                cpu = 1;
                Scheduler::instance().wake(&cpu, 1);
        }

private:
        static void go_on() {
                if (operations_to_go == 0 || --operations_to_go > 0)
                        return;
                while (cpu == 0)
                        (void)Scheduler::instance().sleep(&cpu, false);
        }
};

/// Lanes with one queue, as scheduler.cpp and lane.cpp have it. A task waits for a gate which opens
/// when nothing else can happen: so that a task that waits behind it is seen.
template <class Machine, class MachineOfParking = Machine>
class Lanes {
        using Parking = threadcount::pool::Parking<MachineOfParking>;
        using Ring = threadcount::pool::Ring<int, Machine>;

public:
        explicit Lanes(std::size_t lanes, Mistake mistake = Mistake::None)
                : mistake_(mistake), parking_(lanes) {
                const std::uint64_t all = ~std::uint64_t{0};
                parking_.set_active({&all, 1});
        }

        /// kLong, or how many more it submits, one after the other.
        void submit(int task) {
                unfinished_++;
                ASSERT_TRUE(ring_.push([=](void* place) { ::new (place) int(task); }));
                there_is_work();
        }
        static constexpr int kLong = -1;

        void run(std::size_t lane) {
                wait_for_the_first_wake(lane);
                bool searches = parking_.begin(lane);
                for (bool owes_a_look = !searches;;) {
                        if (int task = 0; ring_.pop(task)) {
                                const bool owes = std::exchange(owes_a_look, false);
                                if ((std::exchange(searches, false) ? parking_.stop_searching(lane)
                                                                    : owes) &&
                                    mistake_ != Mistake::LastSearcherDoesNotLook)
                                        look_after_work();
                                if (task == kLong)
                                        wait_for_the_gate();
                                if (task > 0)
                                        submit(task - 1);
                                ran_++;
                                was_idle_ = --unfinished_ == 0 || was_idle_;
                                continue;
                        }
                        if (!searches)
                                searches = parking_.try_search(lane);
                        if (searches && !ring_.empty())
                                continue;
                        if (is_over_)
                                break;
                        owes_a_look |= is_woken_in_park(lane, searches) && !searches;
                }
        }

        /// Looks for idleness so often, and whether it was there whenever it is seen. `at_once`: as
        /// the pool does, not one thing after the other.
        [[nodiscard]] bool sees_idleness_that_was_not(int times, bool at_once) {
                for (int i = 0; i < times; i++) {
                        was_idle_ = unfinished_ == 0;
                        const auto is_empty = [this] { return ring_.size() == 0; };
                        bool is_idle = false;
                        if (at_once) {
                                is_idle = parking_.all_idle(is_empty);
                        } else {
                                is_idle = true;
                                for (std::size_t lane = 0; lane < parking_.lanes(); lane++)
                                        is_idle = is_idle && parking_.is_idle(lane);
                                is_idle = is_idle && is_empty();
                        }
                        if (is_idle && !was_idle_)
                                return true;
                }
                return false;
        }

        /// A task waits, and a lane sleeps.
        [[nodiscard]] bool is_a_task_forgotten() const {
                return !ring_.empty() && parking_.anybody_idle();
        }
        [[nodiscard]] int ran() const { return ran_; }
        void all_are_late() { all_are_late_ = true; }

        /// Between two rests: false, if there was nothing more to do.
        [[nodiscard]] bool go_on() {
                if (in_task_ > 0) {
                        gate_.fetch_add(1, std::memory_order_relaxed);
                        Machine::wake_all(gate_);
                        return true;
                }
                if (is_over_.exchange(true))
                        return false;
                for (std::size_t lane = 0; lane < parking_.lanes(); lane++)
                        if (parking_.claim(lane))
                                wake(lane);
                return true;
        }

private:
        /// A lane's thread is created then.
        void wait_for_the_first_wake(std::size_t lane) {
                while (started_[lane].load(std::memory_order_acquire) == 0)
                        (void)Machine::wait(started_[lane], 0);
        }
        void wake(std::size_t lane) {
                const bool counts = Scheduler::instance().pick(4) != 0;
                (void)parking_.wake(lane, counts ? Parking::Counts::Yes : Parking::Counts::No);
                if (started_[lane].exchange(1, std::memory_order_release) == 0)
                        Machine::wake_one(started_[lane]);
        }
        void there_is_work() {
                if (mistake_ == Mistake::WakesNobody)
                        return;
                // A lane is late whenever the schedule says so.
                for (std::size_t lane = 0; lane < parking_.lanes(); lane++)
                        if (parking_.searches(lane) &&
                            (all_are_late_ || Scheduler::instance().pick(4) == 0))
                                (void)parking_.give_up_on(lane);
                if (!parking_.anybody_idle())
                        return;
                if (parking_.somebody_searches() &&
                    (mistake_ == Mistake::BelievesTheNumber || parking_.any_searches()))
                        return;
                const auto best = parking_.claim_best([&](int a, int b) {
                        return parking_.idle_since(static_cast<std::size_t>(a)) >
                               parking_.idle_since(static_cast<std::size_t>(b));
                });
                if (best >= 0)
                        wake(static_cast<std::size_t>(best));
        }
        void look_after_work() {
                if (!ring_.empty())
                        there_is_work();
        }
        [[nodiscard]] bool is_woken_in_park(std::size_t lane, bool& searches) {
                const auto parked = parking_.park(lane, searches, [this] {
                        return mistake_ != Mistake::DoesNotLookAgain &&
                               (is_over_ || !ring_.empty());
                });
                return parked != Parking::Parked::NotAtAll;
        }
        void wait_for_the_gate() {
                const auto closed = gate_.load(std::memory_order_relaxed);
                in_task_++;
                while (gate_.load(std::memory_order_relaxed) == closed)
                        (void)Machine::wait(gate_, closed);
                in_task_--;
        }

        const Mistake mistake_;
        bool all_are_late_ = false;
        Parking parking_;
        std::unique_ptr<typename Ring::Cell[]> cells_{new typename Ring::Cell[16]()};
        Ring ring_{cells_.get(), 16};
        std::array<typename Machine::template Atomic<std::uint32_t>, 3> started_{};
        typename Machine::template Atomic<std::uint32_t> gate_{0};
        std::atomic<int> in_task_{0};
        std::atomic<int> ran_{0};
        std::atomic<int> unfinished_{0};
        std::atomic<bool> was_idle_{false};
        std::atomic<bool> is_over_{false};
};

struct Outcome {
        bool forgets = false;  ///< a task waited while a lane slept
        bool ends = false;
        int ran = 0;
};

/// Two submitters of `tasks` tasks each, every `nth` of which is long; 0: none.
template <class Machine>
Outcome run(Scheduler& scheduler, std::size_t lane_count, int tasks, int nth, Mistake mistake) {
        // Outlives threads that sleep for ever.
        static std::unique_ptr<Lanes<Machine>> lanes;
        lanes = std::make_unique<Lanes<Machine>>(lane_count, mistake);
        for (std::size_t lane = 0; lane < lane_count; lane++)
                scheduler.add([lane] { lanes->run(lane); });
        for (int submitter = 0; submitter < 2; submitter++)
                scheduler.add([=] {
                        for (int i = 0; i < tasks; i++)
                                lanes->submit(nth != 0 && (i + submitter) % nth == 0
                                                      ? Lanes<Machine>::kLong
                                                      : 0);
                });
        Outcome outcome;
        while (!(outcome.ends = scheduler.go())) {
                outcome.forgets |= lanes->is_a_task_forgotten();
                if (!lanes->go_on())
                        break;
        }
        outcome.ran = lanes->ran();
        return outcome;
}

void expect_all_is_well(std::size_t lanes, int tasks, int nth) {
        explore(kSchedules, [&](Scheduler& scheduler) {
                const auto outcome = run<Platform>(scheduler, lanes, tasks, nth, Mistake::None);
                EXPECT_FALSE(outcome.forgets);
                EXPECT_TRUE(outcome.ends);
                EXPECT_EQ(outcome.ran, 2 * tasks);
        });
}

template <class Machine = Platform>
[[nodiscard]] bool is_seen(Mistake mistake) {
        return is_found(kSchedules, [&](Scheduler& scheduler) {
                const auto outcome = run<Machine>(scheduler, 2, 3, 2, mistake);
                return outcome.forgets || !outcome.ends;
        });
}

/// One of all threads loses its CPU, and everything comes to rest. Then tasks are submitted, one by
/// one: the first may be left to that thread. Does the last one wait while a lane sleeps?
[[nodiscard]] bool waits_beside_one_without_a_cpu(Scheduler& scheduler, Mistake mistake) {
        using TheLanes = Lanes<Platform, LosesItsCpu>;
        static std::unique_ptr<TheLanes> lanes;
        lanes = std::make_unique<TheLanes>(2, mistake);
        for (std::size_t lane = 0; lane < 2; lane++)
                scheduler.add([lane] { lanes->run(lane); });
        scheduler.add([] {
                for (int i = 0; i < 3; i++)
                        lanes->submit(0);
        });
        LosesItsCpu::cpu = 0;
        LosesItsCpu::operations_to_go = 1 + scheduler.pick(100);
        bool ends = scheduler.go();
        LosesItsCpu::operations_to_go = 0;
        lanes->all_are_late();
        for (int i = 0; i < 2; i++) {
                scheduler.add([] { lanes->submit(0); });
                ends = scheduler.go();
        }
        const bool waits = lanes->is_a_task_forgotten();
        LosesItsCpu::gets_it_back();
        while (!(ends = scheduler.go()) && lanes->go_on()) {
        }
        EXPECT_TRUE(ends);
        EXPECT_EQ(lanes->ran(), 5);
        return waits;
}

/// Two lanes, one chain of tasks, and a thread that looks for idleness.
[[nodiscard]] bool idleness_is_wrong(Scheduler& scheduler, bool at_once) {
        Lanes<Platform> lanes(2);
        bool is_wrong = false;
        for (std::size_t lane = 0; lane < 2; lane++)
                scheduler.add([&, lane] { lanes.run(lane); });
        lanes.submit(4);
        scheduler.add([&] { is_wrong = lanes.sees_idleness_that_was_not(4, at_once); });
        while (!scheduler.go() && lanes.go_on()) {
        }
        return is_wrong;
}

}  // namespace

TEST(ParkingSchedules, NoTaskWaitsWhileOneOfTwoLanesSleeps) { expect_all_is_well(2, 3, 2); }

TEST(ParkingSchedules, NoTaskWaitsWhileOneOfThreeLanesSleeps) { expect_all_is_well(3, 3, 1); }

TEST(ParkingSchedules, ShortTasksAreAllRun) { expect_all_is_well(2, 4, 0); }

TEST(ParkingSchedules, AUserWhoDoesNotLookAgainIsSeen) {
        EXPECT_TRUE(is_seen(Mistake::DoesNotLookAgain));
}

TEST(ParkingSchedules, ALastSearcherWhoDoesNotLookIsSeen) {
        EXPECT_TRUE(is_seen(Mistake::LastSearcherDoesNotLook));
}

TEST(ParkingSchedules, ASubmitterWhoWakesNobodyIsSeen) {
        EXPECT_TRUE(is_seen(Mistake::WakesNobody));
}

TEST(ParkingSchedules, AMachineThatLooksAndThenSleepsIsSeen) {
        EXPECT_TRUE(is_seen<LooksThenSleeps>(Mistake::None));
}

TEST(ParkingSchedules, NobodyReliesOnAThreadWithoutACpu) {
        explore(kSchedules, [](Scheduler& scheduler) {
                EXPECT_FALSE(waits_beside_one_without_a_cpu(scheduler, Mistake::None));
        });
}

TEST(ParkingSchedules, ASubmitterWhoBelievesTheNumberOfSearchersIsSeen) {
        EXPECT_TRUE(is_found(kSchedules, [](Scheduler& scheduler) {
                return waits_beside_one_without_a_cpu(scheduler, Mistake::BelievesTheNumber);
        }));
}

TEST(ParkingSchedules, IdlenessIsSeenOnlyIfItWasThere) {
        explore(kSchedules,
                [](Scheduler& scheduler) { EXPECT_FALSE(idleness_is_wrong(scheduler, true)); });
}

TEST(ParkingSchedules, IdlenessThatIsSeenLaneByLaneMayNeverHaveBeen) {
        EXPECT_TRUE(is_found(5 * kSchedules, [](Scheduler& scheduler) {
                return idleness_is_wrong(scheduler, false);
        }));
}
