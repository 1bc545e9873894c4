// SPDX-License-Identifier: MIT
//
// For threads that are not the program's own.
#pragma once

#include <csignal>

namespace threadcount::pool {

/// While it lives, threads that are created block all signals: those are for the program's own
/// threads. But not what a thread brings about itself, nor what a sampling profiler sends.
class AllSignalsBlocked {
public:
        AllSignalsBlocked() {
                sigset_t all;
                sigfillset(&all);
                for (const int own :
                     {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF})
                        sigdelset(&all, own);
                pthread_sigmask(SIG_SETMASK, &all, &before_);
        }
        ~AllSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
        AllSignalsBlocked(const AllSignalsBlocked&) = delete;
        AllSignalsBlocked& operator=(const AllSignalsBlocked&) = delete;

private:
        sigset_t before_{};
};

}  // namespace threadcount::pool
