// SPDX-License-Identifier: MIT
//
// A callable that another thread runs for the one that waits for it.
#pragma once

#include <threadcount/pool/detail/completion.hpp>
#include <threadcount/pool/future.hpp>

#include <exception>
#include <utility>

namespace threadcount::pool {

/// In the waiter's stack frame.
class RunAndWait {
public:
        /// Called by the thread that runs `f`; it may be gone afterwards.
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

/// The task that runs `f` for the run_and_wait; one that is destroyed without having run cancels
/// it.
template <class F>
class SyncTask {
public:
        SyncTask(RunAndWait& run_and_wait, F& f) noexcept : run_and_wait_(&run_and_wait), f_(&f) {}
        SyncTask(SyncTask&& other) noexcept
                : run_and_wait_(std::exchange(other.run_and_wait_, nullptr)), f_(other.f_) {}
        SyncTask& operator=(SyncTask&&) = delete;
        ~SyncTask() {
                if (run_and_wait_ != nullptr)
                        run_and_wait_->cancel();
        }

        void operator()() noexcept { std::exchange(run_and_wait_, nullptr)->of(*f_); }

private:
        RunAndWait* run_and_wait_;
        F* f_;
};

}  // namespace threadcount::pool
