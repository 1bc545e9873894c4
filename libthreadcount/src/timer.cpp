// SPDX-License-Identifier: MIT
// The article's stop watch.
#include "clock.hpp"
#include "region.hpp"

#include <atomic>
#include <threadcount/threadcount.h>

namespace {

// Relaxed: used by one thread at a time; atomic only so that a mistake is not undefined.
std::atomic<std::uint64_t> started_ns{0};
std::atomic<std::uint64_t> total_ns{0};

}  // namespace

void threadcount_timer_start(void) {
        started_ns.store(threadcount::now_ns(), std::memory_order_relaxed);
}

uint64_t threadcount_timer_stop(void) {
        const auto started = started_ns.exchange(0, std::memory_order_relaxed);
        if (started == 0)
                return 0;
        const auto now = threadcount::now_ns();
        total_ns.fetch_add(now - started, std::memory_order_relaxed);
        threadcount::watched_region(now);
        return now - started;
}

uint64_t threadcount_timer_total_ns(void) { return total_ns.load(std::memory_order_relaxed); }
