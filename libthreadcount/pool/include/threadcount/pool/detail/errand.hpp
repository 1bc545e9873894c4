// SPDX-License-Identifier: MIT
//
// Something that another thread runs for the one who waits for it.
#pragma once

#include <threadcount/pool/detail/completion.hpp>
#include <threadcount/pool/future.hpp>

#include <exception>
#include <utility>

namespace threadcount::pool {

/// In the waiter's stack frame.
class Errand {
public:
        /// By who runs `f`; it may be gone afterwards.
        template <class F>
        void of(F& f) noexcept {
                try {
                        f();
                } catch (...) {
                        error_ = std::current_exception();
                }
                completion_.finish();
        }
        /// Nobody will run it.
        void cancel() noexcept {
                error_ = std::make_exception_ptr(FutureCancelled());
                completion_.finish();
        }

        /// Returns when it is done, and throws what was thrown.
        void get();

private:
        Completion completion_;
        std::exception_ptr error_;
};

/// The task that runs `f` for the errand; one that is destroyed without having run cancels it.
template <class F>
class ErrandTask {
public:
        ErrandTask(Errand& errand, F& f) noexcept : errand_(&errand), f_(&f) {}
        ErrandTask(ErrandTask&& other) noexcept
                : errand_(std::exchange(other.errand_, nullptr)), f_(other.f_) {}
        ErrandTask& operator=(ErrandTask&&) = delete;
        ~ErrandTask() {
                if (errand_ != nullptr)
                        errand_->cancel();
        }

        void operator()() noexcept { std::exchange(errand_, nullptr)->of(*f_); }

private:
        Errand* errand_;
        F* f_;
};

}  // namespace threadcount::pool
