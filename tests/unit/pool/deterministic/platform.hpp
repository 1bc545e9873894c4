// SPDX-License-Identifier: MIT
//
// The machine that the scheduler runs: in the place of detail/machine.hpp's.
#pragma once

#include "scheduler.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <utility>

namespace deterministic {

struct Platform {
        /// The same as std::atomic, but others may go on before each operation.
        template <class T>
        class Atomic {
        public:
                constexpr Atomic() noexcept = default;
                constexpr Atomic(T value) noexcept : value_(value) {}

                T load(std::memory_order order) const {
                        step();
                        return value_.load(order);
                }
                void store(T value, std::memory_order order) {
                        step();
                        value_.store(value, order);
                }
                T exchange(T value, std::memory_order order) {
                        step();
                        return value_.exchange(value, order);
                }
                T fetch_add(T value, std::memory_order order) {
                        step();
                        return value_.fetch_add(value, order);
                }
                T fetch_sub(T value, std::memory_order order) {
                        step();
                        return value_.fetch_sub(value, order);
                }
                T fetch_or(T value, std::memory_order order) {
                        step();
                        return value_.fetch_or(value, order);
                }
                T fetch_and(T value, std::memory_order order) {
                        step();
                        return value_.fetch_and(value, order);
                }
                bool compare_exchange_strong(T& expected, T value, std::memory_order order) {
                        step();
                        return value_.compare_exchange_strong(expected, value, order);
                }
                /// Fails for no reason, too.
                bool compare_exchange_weak(T& expected, T value, std::memory_order success,
                                           std::memory_order failure) {
                        step();
                        if (Scheduler::instance().fails_for_no_reason()) {
                                expected = value_.load(failure);
                                return false;
                        }
                        return value_.compare_exchange_strong(expected, value, success, failure);
                }
                bool compare_exchange_weak(T& expected, T value, std::memory_order order) {
                        return compare_exchange_weak(expected, value, order,
                                                     std::memory_order_relaxed);
                }
                /// Without a step.
                [[nodiscard]] T peek() const { return value_.load(std::memory_order_relaxed); }

        private:
                static void step() { Scheduler::instance().step(); }
                std::atomic<T> value_{};
        };

        static void pause() { Scheduler::instance().yield(); }
        static void yield() { Scheduler::instance().yield(); }

        /// Deadlines are over when the scheduler says so, whatever they are.
        static bool wait(const Atomic<std::uint32_t>& word, std::uint32_t expected,
                         const timespec* deadline = nullptr) {
                auto& scheduler = Scheduler::instance();
                scheduler.step();
                return word.peek() != expected || scheduler.sleep(&word, deadline != nullptr);
        }
        /// Nobody sees these.
        static void fetch(const void*) {}
        template <class T>
        static void touch(Atomic<T>&) {}
        template <class T>
        static void touch_page(Atomic<T>&, std::size_t) {}

        static void wake_one(const Atomic<std::uint32_t>& word) { wake(word, 1); }
        static void wake_all(const Atomic<std::uint32_t>& word) { wake(word, 1 << 30); }

private:
        static void wake(const Atomic<std::uint32_t>& word, int count) {
                Scheduler::instance().step();
                Scheduler::instance().wake(&word, count);
        }
};

/// A value that others may come between while it is moved. One that is moved twice, or not
/// destroyed, is seen.
template <class T>
class Slow {
public:
        Slow() = default;
        explicit Slow(T value) : value_(std::make_unique<T>(value)) {}
        Slow(Slow&& other) noexcept { *this = std::move(other); }
        Slow& operator=(Slow&& other) noexcept {
                Scheduler::instance().step();
                value_ = std::move(other.value_);
                Scheduler::instance().step();
                return *this;
        }
        Slow(const Slow&) = delete;
        Slow& operator=(const Slow&) = delete;
        ~Slow() = default;

        explicit operator bool() const { return value_ != nullptr; }
        const T& operator*() const { return *value_; }
        const T* operator->() const { return value_.get(); }

private:
        std::unique_ptr<T> value_;
};

}  // namespace deterministic
