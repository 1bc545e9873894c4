// SPDX-License-Identifier: MIT
// A counter that pthread_atfork() moves on.
#include "fork_generation.hpp"

#include "binding.hpp"
#include "pool_report.hpp"
#include "region.hpp"

#include <atomic>
#include <pthread.h>

namespace threadcount {

std::atomic<unsigned> forks{0};

namespace {

pthread_once_t once = PTHREAD_ONCE_INIT;
int result = 0;

void in_child() {
        forks.fetch_add(1, std::memory_order_relaxed);
        process_binding().in_child();
        forget_regions();
        forget_pools();
}

void start() { result = pthread_atfork(nullptr, nullptr, in_child); }

}  // namespace

bool watch_forks() {
        pthread_once(&once, start);
        return result == 0;
}

}  // namespace threadcount
