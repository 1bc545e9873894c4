// SPDX-License-Identifier: MIT
//
// Functions that take turns in one thread, each on a stack of its own.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <ucontext.h>

namespace deterministic {

/// Runs one body after the other. The thread sanitizer takes fibers for threads, and the address
/// sanitizer knows their stacks. Not thread-safe.
class Fiber {
public:
        /// The thread that is running.
        Fiber();
        /// A new one, to be given bodies.
        explicit Fiber(std::size_t stack_bytes);
        ~Fiber();
        Fiber(const Fiber&) = delete;
        Fiber& operator=(const Fiber&) = delete;

        /// From the beginning, when it is switched to next. At the end of it switches to `back`. It
        /// must have ended the one before.
        void set_body(std::function<void()> body, Fiber& back);

        /// Goes on with `to`; returns when somebody switches to `from`. The switch orders nothing:
        /// the thread sanitizer sees what only the atomics order.
        static void switch_to(Fiber& from, Fiber& to);

        /// All that was done before publish() happens before what comes after observe().
        static void publish();
        static void observe();

private:
        static void main(unsigned low, unsigned high);
        void arrive();

        ucontext_t context_{};
        std::size_t stack_bytes_ = 0;
        std::unique_ptr<std::byte[]> stack_;
        std::function<void()> body_;
        Fiber* back_ = nullptr;
        [[maybe_unused]] void* seen_by_sanitizer_ = nullptr;
        [[maybe_unused]] void* fake_stack_ = nullptr;
        const void* bottom_ = nullptr;
};

}  // namespace deterministic
