// SPDX-License-Identifier: MIT
//
// A result that somebody waits for, with a mutex and a condition variable of its own.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>

namespace examples::pi {

/// One thread sets it, one waits.
class MutexFuture {
public:
        void set(double value) {
                const std::lock_guard lock(mutex_);
                value_ = value;
                // Under the lock: who waits may destroy this as soon as it is free.
                is_set_.notify_one();
        }
        [[nodiscard]] double get() {
                std::unique_lock lock(mutex_);
                is_set_.wait(lock, [this] { return value_.has_value(); });
                return *value_;
        }

private:
        std::mutex mutex_;
        std::condition_variable is_set_;
        std::optional<double> value_;
};

}  // namespace examples::pi
