// SPDX-License-Identifier: MIT
// A counter that pthread_atfork() moves on, in a page that is cleared by whatever forks.
#include "fork_generation.hpp"

#include "binding.hpp"
#include "lease.hpp"
#include "pool_report.hpp"
#include "region.hpp"

#include <atomic>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

namespace threadcount {

namespace {

/// No generation: a thread is about to begin one.
constexpr unsigned kForgetting = ~0U;

constinit std::atomic<unsigned> not_cleared{0};
constinit std::atomic<unsigned> last{0};  // of this process and its parents

pthread_once_t once = PTHREAD_ONCE_INIT;
int result = 0;

void begin_generation() {
        // Release: a thread that sees the number sees what was forgotten before it.
        generation_word->store(last.fetch_add(1, std::memory_order_relaxed) + 1,
                               std::memory_order_release);
}

void in_child() {
        process_binding().in_child();
        forget_regions();
        forget_pools();
        Lease::forget_progress();
        begin_generation();
}

/// A handler that was called before this one may have opened a handle, and have noticed the fork.
void in_child_of_libc() {
        const bool is_cleared = generation_word != &not_cleared;
        if (!is_cleared || generation_word->load(std::memory_order_relaxed) == 0)
                in_child();
}

/// One thread forgets, and the others wait for it: it would forget what they begin meanwhile.
void notice_fork_without_libc() {
        unsigned seen = 0;
        if (generation_word->compare_exchange_strong(seen, kForgetting, std::memory_order_acquire))
                in_child();
        while (generation_word->load(std::memory_order_acquire) == kForgetting)
                sched_yield();
}

/// nullptr: this kernel does not clear pages.
void* map_cleared_page() {
        const auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        void* page =
                mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (page == MAP_FAILED)
                return nullptr;
        if (madvise(page, size, MADV_WIPEONFORK) == 0)
                return page;
        munmap(page, size);
        return nullptr;
}

void start() {
        if (void* page = map_cleared_page(); page != nullptr)
                generation_word = new (page) std::atomic<unsigned>(0);
        begin_generation();
        result = pthread_atfork(nullptr, nullptr, in_child_of_libc);
}

}  // namespace

constinit std::atomic<unsigned>* generation_word = &not_cleared;

bool watch_forks() {
        pthread_once(&once, start);
        notice_fork_without_libc();
        return result == 0;
}

}  // namespace threadcount
