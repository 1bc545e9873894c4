// SPDX-License-Identifier: MIT
// Two workers, one, two again, while tasks of 100 us keep coming: how long the calls take, and how
// soon they have an effect.
#pragma once

#include "../support/crew.hpp"
#include "../support/options.hpp"
#include "../support/raw_waiter.hpp"

namespace peers {

/// Tasks that post themselves again until it ends.
template <typename Pool>
class ConstantLoad {
public:
        explicit ConstantLoad(Pool& pool) : pool_(pool) {
                for (; posted_ < TASKS; ++posted_)
                        pool_.post([this] { turn(); });
        }
        ~ConstantLoad() {
                ending_.store(true);
                while (ended_.load() < TASKS)
                        sleep_for(100'000);
        }
        ConstantLoad(const ConstantLoad&) = delete;
        ConstantLoad& operator=(const ConstantLoad&) = delete;

        /// From now on threads note when they begin their first task. Returns the time.
        Nanoseconds new_epoch() {
                const Nanoseconds time = now();
                epoch_.fetch_add(1);
                return time;
        }

        /// The moment at which the first thread but `stayed` has begun a task in this epoch; 0 if
        /// none has.
        Nanoseconds first_of_others(std::size_t stayed) const {
                Nanoseconds first = 0;
                for (std::size_t index = 0; index < Slots::size(); ++index) {
                        const Slot& slot = Slots::at(index);
                        if (index == stayed || slot.epoch.load() != epoch_.load())
                                continue;
                        const Nanoseconds mine = slot.first.load();
                        first = first == 0 ? mine : std::min(first, mine);
                }
                return first;
        }

private:
        static constexpr unsigned TASKS = 8;

        void turn() {
                Slot& slot = Slots::mine();
                if (const std::uint64_t epoch = epoch_.load(); slot.epoch.load() != epoch) {
                        slot.first.store(now());
                        slot.epoch.store(epoch);
                }
                Slots::count();
                burn(100'000);
                if (ending_.load())
                        ended_.fetch_add(1);
                else
                        pool_.post([this] { turn(); });
        }

        Pool& pool_;
        std::atomic<std::uint64_t> epoch_{1};
        std::atomic<bool> ending_{false};
        std::atomic<unsigned> ended_{0};
        unsigned posted_ = 0;
};

inline std::vector<std::uint64_t> counts_now() {
        std::vector<std::uint64_t> counts;
        for (std::size_t index = 0; index < Slots::size(); ++index)
                counts.push_back(Slots::at(index).count.load());
        return counts;
}

/// The numbers of tasks that threads have begun since `before`: the busiest thread, and the sum of
/// the others.
struct Begun {
        std::size_t busiest = 0;
        std::uint64_t by_others = 0;
};

inline Begun begun_since(const std::vector<std::uint64_t>& before) {
        Begun begun;
        std::uint64_t most = 0;
        std::uint64_t sum = 0;
        const std::vector<std::uint64_t> counts = counts_now();
        for (std::size_t index = 0; index < counts.size(); ++index) {
                const std::uint64_t old = index < before.size() ? before[index] : 0;
                const std::uint64_t mine = counts[index] - old;
                sum += mine;
                if (mine > most) {
                        most = mine;
                        begun.busiest = index;
                }
        }
        begun.by_others = sum - most;
        return begun;
}

template <typename Pool>
void measure_resizes(Pool& pool, std::size_t cycles) {
        constexpr Nanoseconds PAUSE = 20'000'000;
        Samples shrink_calls;
        Samples grow_calls;
        Samples grown;
        std::uint64_t late = 0;
        ConstantLoad<Pool> load(pool);
        for (std::size_t cycle = 0; cycle < cycles; ++cycle) {
                sleep_for(PAUSE);
                const Nanoseconds begin = now();
                pool.resize(1);
                const Nanoseconds end = now();
                const std::vector<std::uint64_t> counts = counts_now();
                sleep_for(PAUSE);
                const Begun begun = begun_since(counts);
                shrink_calls.add(static_cast<double>(end - begin) / 1000);
                late += begun.by_others;
                const Nanoseconds asked = load.new_epoch();
                pool.resize(2);
                grow_calls.add(static_cast<double>(now() - asked) / 1000);
                sleep_for(PAUSE);
                const Nanoseconds first = load.first_of_others(begun.busiest);
                const Nanoseconds effective = first == 0 ? PAUSE : first - asked;
                grown.add(static_cast<double>(effective) / 1000);
        }
        report("shrink_call_us", shrink_calls.median());
        report("begun_after_shrink", static_cast<double>(late));
        report("grow_call_us", grow_calls.median());
        report("grown_us", grown.median());
}

/// The yardstick of growing: a raw wake-up of another CPU after the same pause.
inline void measure_raw_wakes(std::size_t count) {
        RawWaiter raw(cpu_of_worker(0));
        Samples samples;
        for (std::size_t turn = 0; turn < count; ++turn) {
                sleep_for(20'000'000);
                const Wake wake = raw.wake();
                samples.add(static_cast<double>(wake.running - wake.asked) / 1000);
        }
        report("raw_wake_us", samples.median());
}

template <typename Pool>
void resize(const Options& options) {
        measure_raw_wakes(options.scaled(25, 10));
        Crew<Pool> pool(2);
        warm_up(*pool, 2);
        measure_resizes(*pool, options.scaled(25, 10));
}

}  // namespace peers
