// SPDX-License-Identifier: MIT
//
// The calling thread cannot be cancelled for a while.
#pragma once

#include <pthread.h>

namespace threadcount {

/// Keeps the calling thread from being cancelled until this goes, or end() was called.
class Uncancelled {
public:
        Uncancelled() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
        ~Uncancelled() { end(); }
        Uncancelled(const Uncancelled&) = delete;
        Uncancelled& operator=(const Uncancelled&) = delete;

        void end() { pthread_setcancelstate(before_, nullptr); }

private:
        int before_ = PTHREAD_CANCEL_ENABLE;
};

}  // namespace threadcount
