// SPDX-License-Identifier: MIT
//
// A thread pool that wakes its best thread: threads have a rate, and the lowest rate goes first.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace examples {

/// Where a thread runs (negative: wherever), and its rate: 0 is woken first.
struct RatedPlace {
        int cpu = -1;
        std::size_t rate = 0;
};

/// Tasks are taken in the order of submission; of the threads of one rate that who has waited
/// shortest is woken, as its cache is the warmest. Each thread sleeps on a word of its own, and who
/// wakes it takes it out of the idle ones: two wakes in a row never mean the same thread. A task
/// must not throw. MT-Safe.
class RatedPool {
public:
        /// A thread for each place. Throws std::system_error if there can be no more threads.
        explicit RatedPool(std::span<const RatedPlace> places);
        /// Runs what was submitted.
        ~RatedPool();
        RatedPool(const RatedPool&) = delete;
        RatedPool& operator=(const RatedPool&) = delete;

        void submit(std::function<void()> task);

private:
        struct Worker {
                explicit Worker(const RatedPlace& at) : place(at) {}

                const RatedPlace place;
                std::atomic<std::uint32_t> is_woken{0};
                std::thread thread;
        };

        void work(Worker& worker);
        /// The idle thread with the lowest rate, no longer idle; null: none. With the lock held.
        Worker* take_idle();
        void end();

        std::mutex mutex_;
        std::deque<std::function<void()>> tasks_;
        std::vector<std::vector<Worker*>> idle_;  // of each rate, the last one came last
        bool is_over_ = false;
        std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace examples
