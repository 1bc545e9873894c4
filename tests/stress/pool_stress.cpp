// SPDX-License-Identifier: MIT
// Pools of all kinds, one after the other: threads and tasks submit in every way, the mask changes,
// somebody waits for idleness, and the pool is stopped. Each task that was accepted is run or
// handed back once, and no other is.
//
//      pool_stress [SECONDS [SEED]]
//
// Exits 0, or 1 and says what is wrong. It hangs if a wake is lost.
#include <threadcount/pool.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <random>
#include <stdexcept>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Random = std::minstd_rand;
using threadcount::Pool;
using threadcount::PoolOptions;
using threadcount::Task;
using threadcount::WhenFull;

// Not by a thread that runs what was handed back.
thread_local bool accepts_more = true;

/// What becomes of the tasks of one pool.
class Account {
public:
        static constexpr std::size_t kMost = std::size_t{1} << 14;

        /// kMost: there are no more.
        std::size_t next() {
                const auto number = next_.fetch_add(1);
                return number < kMost ? number : kMost;
        }
        [[nodiscard]] bool has_more() const { return next_ < kMost; }
        void accepted(std::size_t number) { accepted_[number] = 1; }
        void ran(std::size_t number) { runs_[number]++; }

        /// What is wrong; nullptr: nothing.
        [[nodiscard]] const char* complaint() const {
                for (std::size_t number = 0; number < kMost; number++)
                        if (runs_[number] != accepted_[number])
                                return runs_[number] < accepted_[number] ? "a task was lost"
                                       : accepted_[number] == 0 ? "a task was run, but not accepted"
                                                                : "a task was run twice";
                return nullptr;
        }
        [[nodiscard]] std::uint64_t total() const {
                std::uint64_t sum = 0;
                for (const auto& runs : runs_)
                        sum += runs;
                return sum;
        }

private:
        std::atomic<std::size_t> next_{0};
        std::array<std::atomic<std::uint8_t>, kMost> accepted_{};
        std::array<std::atomic<std::uint8_t>, kMost> runs_{};
};

/// One pool from its beginning to its end.
class Round {
public:
        explicit Round(std::uint64_t seed)
                : random_(static_cast<Random::result_type>(seed % 0x7fff'fffe + 1)),
                  pool_(options()) {}

        /// What is wrong; nullptr: nothing.
        [[nodiscard]] const char* run() {
                std::vector<std::thread> threads;
                for (auto count = roll(4); count > 0; count--)
                        threads.emplace_back([this, seed = random_()] { submit_many(seed); });
                if (roll(2) == 0)
                        threads.emplace_back([this, seed = random_()] { change_masks(seed); });
                if (roll(2) == 0)
                        threads.emplace_back([this, seed = random_()] { wait_often(seed); });
                submit_many(random_());
                for (auto& thread : threads)
                        thread.join();
                if (roll(2) == 0)
                        return end();
                threads.clear();
                for (auto count = 1 + roll(3); count > 0; count--)
                        threads.emplace_back([this, seed = random_()] { submit_to_the_end(seed); });
                std::this_thread::sleep_for(std::chrono::microseconds(roll(500)));
                if (roll(2) == 0)
                        pool_.stop();
                else
                        run_what_is_handed_back();
                for (auto& thread : threads)
                        thread.join();
                return account_.complaint();
        }
        [[nodiscard]] std::uint64_t tasks() const { return account_.total(); }

private:
        PoolOptions options() {
                static constexpr std::size_t kCapacities[] = {1, 2, 3, 10, 64, 1000, 4096};
                static constexpr std::chrono::nanoseconds kSpins[] = {0ns, 1us, 30us, 200us};
                return {.capacity = kCapacities[roll(std::size(kCapacities))],
                        .lane_capacity = kCapacities[roll(std::size(kCapacities))],
                        .spin = kSpins[roll(std::size(kSpins))],
                        .when_full = roll(2) == 0 ? WhenFull::Block : WhenFull::RunInCaller};
        }
        std::uint64_t roll(std::uint64_t sides) { return random_() % sides; }

        /// Some compute, some sleep, some submit more.
        void run_task(std::size_t number, std::uint64_t seed, int depth) {
                account_.ran(number);
                Random random(static_cast<Random::result_type>(seed));
                if (random() % 500 == 0)
                        std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
                if (depth < 6 && accepts_more)
                        for (auto children = random() % 3; children > 0; children--)
                                submit_one(random, depth + 1);
        }

        void submit_many(std::uint64_t seed) {
                Random random(static_cast<Random::result_type>(seed));
                for (auto count = random() % 500; count > 0; count--) {
                        submit_one(random, static_cast<int>(random() % 7));
                        if (random() % 100 == 0)
                                std::this_thread::sleep_for(
                                        std::chrono::microseconds(random() % 500));
                }
        }

        void submit_to_the_end(std::uint64_t seed) {
                Random random(static_cast<Random::result_type>(seed));
                try {
                        while (account_.has_more())
                                submit_one(random, 6);
                } catch (const std::logic_error&) {
                        // It has stopped.
                }
        }

        void submit_one(Random& random, int depth) {
                const auto number = account_.next();
                if (number == Account::kMost)
                        return;
                const auto way = random() % 5;
                bool is_accepted = true;
                auto task = [this, number, depth, seed = random()] {
                        run_task(number, seed, depth);
                };
                switch (way) {
                case 0:
                        is_accepted = pool_.try_submit(std::move(task));
                        break;
                case 1:
                        is_accepted = pool_.submit_until(
                                Clock::now() + std::chrono::microseconds(random() % 200),
                                std::move(task));
                        break;
                case 2: {
                        const auto cpus = pool_.cpus();
                        is_accepted =
                                pool_.submit_to(cpus[random() % cpus.size()], std::move(task));
                        break;
                }
                default:
                        pool_.submit(std::move(task));
                }
                if (is_accepted)
                        account_.accepted(number);
        }

        void change_masks(std::uint64_t seed) {
                Random random(static_cast<Random::result_type>(seed));
                const auto cpus = pool_.cpus();
                for (auto count = random() % 200; count > 0; count--) {
                        std::vector<int> mask;
                        for (const int cpu : cpus)
                                if (random() % 2 == 0)
                                        mask.push_back(cpu);
                        if (mask.empty())
                                mask.push_back(cpus[random() % cpus.size()]);
                        pool_.set_mask(mask);
                        std::this_thread::sleep_for(std::chrono::microseconds(random() % 100));
                }
        }

        void wait_often(std::uint64_t seed) {
                Random random(static_cast<Random::result_type>(seed));
                for (auto count = random() % 20; count > 0; count--) {
                        pool_.wait_idle();
                        std::this_thread::sleep_for(std::chrono::microseconds(random() % 100));
                }
        }

        [[nodiscard]] const char* end() {
                switch (roll(4)) {
                case 0:
                        pool_.stop();
                        break;
                case 1:
                        run_what_is_handed_back();
                        break;
                case 2:
                        pool_.wait_idle();
                        if (const auto* complaint = account_.complaint())
                                return complaint;
                        pool_.stop();
                        break;
                default:
                        pool_.wait_idle();
                        run_what_is_handed_back();
                }
                return account_.complaint();
        }

        void run_what_is_handed_back() {
                auto rest = pool_.stop_and_hand_back();
                accepts_more = false;
                for (auto& task : rest)
                        task();
                accepts_more = true;
        }

        Random random_;
        Account account_;
        Pool pool_;
};

}  // namespace

int main(int argc, char** argv) {
        const auto seconds = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 2;
        auto seed = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
        std::uint64_t rounds = 0;
        std::uint64_t tasks = 0;
        for (const auto end = Clock::now() + std::chrono::seconds(seconds); Clock::now() < end;
             seed++, rounds++) {
                const auto round = std::make_unique<Round>(seed);
                if (const auto* complaint = round->run()) {
                        std::fprintf(stderr, "seed %llu: %s\n",
                                     static_cast<unsigned long long>(seed), complaint);
                        return 1;
                }
                tasks += round->tasks();
        }
        std::printf("%llu pools, %llu tasks\n", static_cast<unsigned long long>(rounds),
                    static_cast<unsigned long long>(tasks));
        return 0;
}
