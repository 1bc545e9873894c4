// SPDX-License-Identifier: MIT
//
// A mutex that clang knows: std::mutex of libstdc++ is not annotated. Needs libc only.
#pragma once

#include "locks/thread_annotations.h"

#include <pthread.h>

namespace threadcount {

/// A mutex of one process, not recursive, constant initialisation.
class THREADCOUNT_CAPABILITY("mutex") Mutex {
public:
        Mutex() = default;
        Mutex(const Mutex&) = delete;
        Mutex& operator=(const Mutex&) = delete;

        void lock() THREADCOUNT_ACQUIRE() { pthread_mutex_lock(&mutex_); }
        /// True: it was free, and is locked. Never waits.
        [[nodiscard]] bool try_lock() THREADCOUNT_TRY_ACQUIRE(true) {
                return pthread_mutex_trylock(&mutex_) == 0;
        }
        void unlock() THREADCOUNT_RELEASE() { pthread_mutex_unlock(&mutex_); }

private:
        pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
};

/// Holds a mutex to the end of a scope.
class THREADCOUNT_SCOPED_CAPABILITY MutexLock {
public:
        enum class Adopt { Locked };

        explicit MutexLock(Mutex& mutex) THREADCOUNT_ACQUIRE(mutex) : mutex_(mutex) {
                mutex_.lock();
        }
        /// The caller has locked it, by Mutex::try_lock().
        MutexLock(Mutex& mutex, Adopt) THREADCOUNT_REQUIRES(mutex) : mutex_(mutex) {}
        ~MutexLock() THREADCOUNT_RELEASE() { mutex_.unlock(); }
        MutexLock(const MutexLock&) = delete;
        MutexLock& operator=(const MutexLock&) = delete;

private:
        Mutex& mutex_;
};

}  // namespace threadcount
