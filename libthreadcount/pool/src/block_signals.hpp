// SPDX-License-Identifier: MIT
//
// For threads that are not the program's own.
#pragma once

#include <csignal>

namespace threadcount::pool {

/// Threads that are created while it lives block all signals: those are for the program's own
/// threads. But not what a thread brings about itself, nor what a sampling profiler sends, unless
/// the calling thread blocks it: such a signal may be pending there, and must not be delivered.
class BlockSignals {
public:
        BlockSignals() {
                sigset_t all;
                sigfillset(&all);
                for (const int own :
                     {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT, SIGPROF})
                        sigdelset(&all, own);
                pthread_sigmask(SIG_BLOCK, &all, &before_);
        }
        ~BlockSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
        BlockSignals(const BlockSignals&) = delete;
        BlockSignals& operator=(const BlockSignals&) = delete;

private:
        sigset_t before_{};
};

}  // namespace threadcount::pool
