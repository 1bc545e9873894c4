// SPDX-License-Identifier: MIT
// Push one, take all, and three ways to wait.
#include "list_pool.hpp"

#include <chrono>
#include <random>
#include <threadcount/pool/detail/machine.hpp>

namespace pool {
namespace {

using Clock = std::chrono::steady_clock;

// After so many yields that took so long others want this CPU.
constexpr int kSlowYields = 3;
constexpr std::chrono::microseconds kSlowYield{3};
// One wait in so many tries again where yields have not paid.
constexpr unsigned kSamplingBase = 256;

bool is_sample() {
        thread_local std::minstd_rand random(
                static_cast<unsigned>(std::hash<std::thread::id>{}(std::this_thread::get_id())));
        return random() % kSamplingBase == 0;
}

/// In the way that RocksDB's writers learn (AwaitState of its write thread): each wait counts less
/// with the next thousand.
void learn(std::atomic<std::int32_t>& credit, bool has_paid) {
        constexpr std::int32_t kMemory = 1024;
        constexpr std::int32_t kStep = 131'072;
        const auto before = credit.load(std::memory_order_relaxed);
        credit.store(before - before / kMemory + (has_paid ? kStep : -kStep),
                     std::memory_order_relaxed);
}

}  // namespace

ListPool::ListPool(const ListPoolOptions& options) : options_(options) {
        for (std::size_t i = 0; i < options.workers; i += options.workers_per_list)
                lists_.push_back(std::make_unique<List>());
        threads_.reserve(options.workers);
        try {
                for (std::size_t i = 0; i < options.workers; ++i)
                        threads_.emplace_back(
                                [this, &list = *lists_[i % lists_.size()]] { work(list); });
        } catch (...) {
                end();
                throw;
        }
}

ListPool::~ListPool() { end(); }

void ListPool::end() {
        is_over_ = true;
        for (const auto& list : lists_) {
                const std::lock_guard lock(list->mutex);
                list->is_work.notify_all();
        }
        for (auto& thread : threads_)
                thread.join();
}

void ListPool::submit(std::function<void()> task) {
        while (waiting_.load(std::memory_order_relaxed) >= options_.capacity)
                std::this_thread::yield();
        if (waiting_.fetch_add(1, std::memory_order_relaxed) >= options_.slow)
                std::this_thread::yield();
        auto& list = *lists_[turn_++ % lists_.size()];
        auto* const node = new Node{std::move(task), list.newest.load(std::memory_order_relaxed)};
        // With seq_cst here and where a sleeper counts itself one of both sees the other.
        while (!list.newest.compare_exchange_weak(node->next, node, std::memory_order_seq_cst))
                continue;
        if (list.sleepers.load(std::memory_order_seq_cst) != 0) {
                const std::lock_guard lock(list.mutex);
                list.is_work.notify_one();
        }
}

void ListPool::work(List& list) {
        for (;;) {
                // Before the look into the list: what was submitted until then is in it.
                const bool is_over = is_over_.load(std::memory_order_acquire);
                if (Node* const newest = list.newest.exchange(nullptr, std::memory_order_acquire))
                        run_all(newest);
                else if (is_over)
                        return;
                else
                        wait(list);
        }
}

void ListPool::run_all(Node* newest) {
        Node* oldest = nullptr;

        while (newest != nullptr) {
                Node* const next = newest->next;
                newest->next = oldest;
                oldest = newest;
                newest = next;
        }
        while (oldest != nullptr) {
                const std::unique_ptr<Node> node(oldest);
                oldest = node->next;
                waiting_.fetch_sub(1, std::memory_order_relaxed);
                node->task();
        }
}

void ListPool::wait(List& list) {
        if (pause(list) || options_.stages == Stages::Pause)
                return;
        if (yield(list) || options_.stages == Stages::PauseYield)
                return;
        sleep(list);
}

bool ListPool::pause(const List& list) const {
        for (unsigned i = 0; i < options_.pauses; ++i) {
                if (may_go_on(list))
                        return true;
                threadcount::pool::Machine::pause();
        }
        return false;
}

bool ListPool::yield(List& list) const {
        const bool learns = options_.stages == Stages::Learned;
        const bool samples = learns && is_sample();
        if (learns && !samples && list.credit.load(std::memory_order_relaxed) < 0)
                return false;
        const auto begin = Clock::now();
        const auto end = begin + std::chrono::microseconds{options_.yield_us};
        int slow = 0;

        for (auto before = begin; before < end && slow < kSlowYields;) {
                std::this_thread::yield();
                if (may_go_on(list)) {
                        if (samples)
                                learn(list.credit, true);
                        return true;
                }
                const auto after = Clock::now();
                slow += after - before > kSlowYield ? 1 : 0;
                before = after;
        }
        if (learns && (samples || slow == kSlowYields))
                learn(list.credit, false);
        return false;
}

void ListPool::sleep(List& list) {
        std::unique_lock lock(list.mutex);

        list.sleepers.fetch_add(1, std::memory_order_seq_cst);
        list.is_work.wait(lock, [&] { return may_go_on(list); });
        list.sleepers.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace pool
