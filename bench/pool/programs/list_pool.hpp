// SPDX-License-Identifier: MIT
//
// A thread pool with lock-free lists that a few workers each take whole, and stages of waiting.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace pool {

/// The way in which a worker waits for tasks: it pauses, then yields, then sleeps. The last stage
/// that there is goes on for ever. Learned: it yields only where that has paid lately, and now and
/// then to learn.
enum class Stages { Pause, PauseYield, PauseYieldSleep, Learned };

struct ListPoolOptions {
        std::size_t workers = 1;
        std::size_t workers_per_list = 1;
        std::size_t capacity = 1000;  ///< tasks that wait, over all lists, about
        std::size_t slow = SIZE_MAX;  ///< from so many on the submitter yields once for each task
        Stages stages = Stages::PauseYieldSleep;
        unsigned pauses = 200;
        unsigned yield_us = 100;
};

/// Tasks are dealt to the lists in turn. A worker takes all that is in its list and runs it in the
/// order of submission; nobody steals. One thread submits.
class ListPool {
public:
        /// Throws std::system_error if there can be no more threads.
        explicit ListPool(const ListPoolOptions& options);
        /// Runs what was submitted.
        ~ListPool();
        ListPool(const ListPool&) = delete;
        ListPool& operator=(const ListPool&) = delete;

        /// Yields while there are too many.
        void submit(std::function<void()> task);

private:
        struct Node {
                std::function<void()> task;
                Node* next = nullptr;
        };
        struct alignas(64) List {
                std::atomic<Node*> newest{nullptr};
                std::atomic<unsigned> sleepers{0};
                std::atomic<std::int32_t> credit{0};  // of yields; below 0 they have not paid
                std::mutex mutex = {};
                std::condition_variable is_work = {};
        };

        void work(List& list);
        void run_all(Node* newest);
        void wait(List& list);
        [[nodiscard]] bool pause(const List& list) const;
        [[nodiscard]] bool yield(List& list) const;
        void sleep(List& list);
        [[nodiscard]] bool may_go_on(const List& list) const {
                return list.newest.load(std::memory_order_seq_cst) != nullptr ||
                       is_over_.load(std::memory_order_relaxed);
        }
        void end();

        const ListPoolOptions options_;
        std::vector<std::unique_ptr<List>> lists_;
        std::size_t turn_ = 0;
        std::atomic<std::size_t> waiting_{0};
        std::atomic<bool> is_over_{false};
        std::vector<std::thread> threads_;
};

}  // namespace pool
