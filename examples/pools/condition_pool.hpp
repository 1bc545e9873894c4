// SPDX-License-Identifier: MIT
//
// The usual thread pool, to compare with: one queue, one mutex, one condition variable.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace examples {

/// So many threads take tasks in the order in which they were submitted. The kernel wakes who has
/// waited longest. A task must not throw. MT-Safe.
class ConditionPool {
public:
        /// Thread i stays on cpus[i % size]; with an empty `cpus` the kernel places the threads.
        /// Throws std::system_error if there can be no more threads.
        explicit ConditionPool(std::size_t threads, std::span<const int> cpus = {});
        /// Runs what was submitted.
        ~ConditionPool();
        ConditionPool(const ConditionPool&) = delete;
        ConditionPool& operator=(const ConditionPool&) = delete;

        void submit(std::function<void()> task);

private:
        void work();
        void end();

        std::mutex mutex_;
        std::condition_variable is_work_;
        std::deque<std::function<void()>> tasks_;
        bool is_over_ = false;
        std::vector<std::thread> threads_;
};

}  // namespace examples
