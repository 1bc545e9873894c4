// SPDX-License-Identifier: MIT
//
// The list of the tasks that a task submits while its lane's queue is full.
#pragma once

#include "locks/mutex.hpp"

#include <threadcount/pool/task.hpp>

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace threadcount::pool {

/// A list without bound, first in, first out. The values that decide "empty" are changed
/// sequentially consistently: parking.hpp relies on it. The lock is held for some instructions, and
/// no code of the program runs meanwhile. MT-Safe. Cost: an allocation and a lock.
class Overflow {
public:
        Overflow() = default;
        ~Overflow() {
                for (Task task; pop(task);)
                        task = Task();
        }
        Overflow(const Overflow&) = delete;
        Overflow& operator=(const Overflow&) = delete;

        /// False if `is_closed()`, which is asked with the lock; the task is destroyed then. Throws
        /// std::bad_alloc, and nothing has happened.
        template <class IsClosed>
        [[nodiscard]] bool push(const TaskSource& source, const IsClosed& is_closed) {
                auto node = std::make_unique<Node>();
                node->task = source.make();
                const MutexLock lock(mutex_);
                if (is_closed())
                        return false;
                *end_ = node.release();
                end_ = &(*end_)->next;
                size_.fetch_add(1, std::memory_order_seq_cst);
                return true;
        }

        [[nodiscard]] bool pop(Task& ret_task) {
                if (empty())
                        return false;
                const auto node = take_first();
                if (node == nullptr)
                        return false;
                ret_task = std::move(node->task);
                return true;
        }

        /// Returns when every thread that has seen it open has pushed.
        void wait_for_pushes() { const MutexLock lock(mutex_); }

        [[nodiscard]] std::size_t size() const { return size_.load(std::memory_order_seq_cst); }
        [[nodiscard]] bool empty() const { return size() == 0; }

private:
        struct Node {
                Task task;
                Node* next = nullptr;
        };

        [[nodiscard]] std::unique_ptr<Node> take_first() {
                const MutexLock lock(mutex_);
                std::unique_ptr<Node> node(first_);
                if (node == nullptr)
                        return node;
                first_ = node->next;
                if (first_ == nullptr)
                        end_ = &first_;
                size_.fetch_sub(1, std::memory_order_seq_cst);
                return node;
        }

        Mutex mutex_;
        Node* first_ THREADCOUNT_GUARDED_BY(mutex_) = nullptr;
        Node** end_ THREADCOUNT_GUARDED_BY(mutex_) = &first_;
        std::atomic<std::size_t> size_{0};
};

}  // namespace threadcount::pool
