// SPDX-License-Identifier: MIT
// Who is idle, and how it sleeps.
#include "rated_pool.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

#include "cpus.hpp"

namespace examples {
namespace {

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t value) {
        syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, value, nullptr, nullptr, 0);
}

void futex_wake(std::atomic<std::uint32_t>& word) {
        syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
}

}  // namespace

RatedPool::RatedPool(std::span<const RatedPlace> places) {
        std::size_t rates = 0;

        for (const auto& place : places)
                rates = std::max(rates, place.rate + 1);
        idle_.resize(rates);
        workers_.reserve(places.size());
        try {
                for (const auto& place : places) {
                        auto& worker = *workers_.emplace_back(std::make_unique<Worker>(place));
                        worker.thread = std::thread([this, &worker] { work(worker); });
                }
        } catch (...) {
                end();
                throw;
        }
}

RatedPool::~RatedPool() { end(); }

void RatedPool::submit(std::function<void()> task) {
        Worker* chosen = nullptr;
        {
                const std::lock_guard lock(mutex_);
                tasks_.push_back(std::move(task));
                chosen = take_idle();
        }
        if (chosen == nullptr)
                return;
        chosen->is_woken.store(1, std::memory_order_release);
        futex_wake(chosen->is_woken);
}

RatedPool::Worker* RatedPool::take_idle() {
        for (auto& idle : idle_) {
                if (idle.empty())
                        continue;
                Worker* const worker = idle.back();
                idle.pop_back();
                return worker;
        }
        return nullptr;
}

void RatedPool::work(Worker& worker) {
        if (worker.place.cpu >= 0)
                stay_on(worker.place.cpu);
        std::unique_lock lock(mutex_);

        for (;;) {
                if (!tasks_.empty()) {
                        const auto task = std::move(tasks_.front());
                        tasks_.pop_front();
                        lock.unlock();
                        task();
                        lock.lock();
                        continue;
                }
                if (is_over_)
                        return;
                // Under the lock: nobody wakes it before it is in the list.
                worker.is_woken.store(0, std::memory_order_relaxed);
                idle_[worker.place.rate].push_back(&worker);
                lock.unlock();
                while (worker.is_woken.load(std::memory_order_acquire) == 0)
                        futex_wait(worker.is_woken, 0);
                lock.lock();
        }
}

void RatedPool::end() {
        {
                const std::lock_guard lock(mutex_);
                is_over_ = true;
                while (Worker* const worker = take_idle()) {
                        worker->is_woken.store(1, std::memory_order_release);
                        futex_wake(worker->is_woken);
                }
        }
        for (auto& worker : workers_) {
                if (worker->thread.joinable())
                        worker->thread.join();
        }
}

}  // namespace examples
