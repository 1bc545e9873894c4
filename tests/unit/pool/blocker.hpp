// SPDX-License-Identifier: MIT
//
// Keeps a pool from running anything.
#pragma once

#include <threadcount/pool.hpp>

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <optional>
#include <stdexcept>
#include <thread>
#include <vector>

/// Holds the lanes of a pool busy until it goes.
class Blocker {
public:
        explicit Blocker(threadcount::Pool& pool) {
                for (const int cpu : pool.mask())
                        EXPECT_TRUE(pool.submit_to(cpu, [this] {
                                running_++;
                                while (!is_over_)
                                        std::this_thread::sleep_for(std::chrono::milliseconds{1});
                                running_--;
                        }));
                while (running_ < static_cast<int>(pool.width()))
                        std::this_thread::yield();
        }
        ~Blocker() {
                is_over_ = true;
                while (running_ > 0)
                        std::this_thread::yield();
        }
        Blocker(const Blocker&) = delete;
        Blocker& operator=(const Blocker&) = delete;

private:
        std::atomic<bool> is_over_{false};
        std::atomic<int> running_{0};
};

/// Returns when somebody has begun to stop `pool`, whose timers have ended then.
inline void wait_until_closed(threadcount::Pool& pool) {
        try {
                for (;;) {
                        (void)pool.try_submit([] {});
                        std::this_thread::yield();
                }
        } catch (const std::logic_error&) {
        }
}

/// Stops `pool` while `blocker` keeps its lanes from running anything, which ends then. Some of
/// what is handed back is empty tasks of wait_until_closed().
inline std::vector<threadcount::Task> hand_back_all(threadcount::Pool& pool,
                                                    std::optional<Blocker>& blocker) {
        std::vector<threadcount::Task> rest;
        std::thread stopper([&] { rest = pool.stop_and_hand_back(); });
        wait_until_closed(pool);
        while (pool.width() > 0)
                std::this_thread::yield();
        blocker.reset();
        stopper.join();
        return rest;
}
