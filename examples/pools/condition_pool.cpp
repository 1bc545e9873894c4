// SPDX-License-Identifier: MIT
// Wait, take, run.
#include "condition_pool.hpp"

#include "cpus.hpp"

namespace examples {

ConditionPool::ConditionPool(std::size_t threads, std::span<const int> cpus) {
        threads_.reserve(threads);
        try {
                for (std::size_t i = 0; i < threads; ++i)
                        threads_.emplace_back(
                                [this, cpu = cpus.empty() ? -1 : cpus[i % cpus.size()]] {
                                        if (cpu >= 0)
                                                stay_on(cpu);
                                        work();
                                });
        } catch (...) {
                end();
                throw;
        }
}

ConditionPool::~ConditionPool() { end(); }

void ConditionPool::submit(std::function<void()> task) {
        {
                const std::lock_guard lock(mutex_);
                tasks_.push_back(std::move(task));
        }
        is_work_.notify_one();
}

void ConditionPool::work() {
        std::unique_lock lock(mutex_);

        for (;;) {
                is_work_.wait(lock, [this] { return !tasks_.empty() || is_over_; });
                if (tasks_.empty())
                        return;
                const auto task = std::move(tasks_.front());
                tasks_.pop_front();
                lock.unlock();
                task();
                lock.lock();
        }
}

void ConditionPool::end() {
        {
                const std::lock_guard lock(mutex_);
                is_over_ = true;
        }
        is_work_.notify_all();
        for (auto& thread : threads_)
                thread.join();
}

}  // namespace examples
