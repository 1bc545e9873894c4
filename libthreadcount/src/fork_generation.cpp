// SPDX-License-Identifier: MIT
// A counter that pthread_atfork() moves on, in a page that is cleared by whatever forks.
#include "fork_generation.hpp"

#include "binding.hpp"
#include "pool_report.hpp"
#include "region.hpp"

#include <atomic>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

namespace threadcount {

namespace {

constinit std::atomic<unsigned> not_cleared{0};
constinit std::atomic<unsigned> last{0};  // of this process and its parents

pthread_once_t once = PTHREAD_ONCE_INIT;
int result = 0;

void begin_generation() {
        generation_word->store(last.fetch_add(1, std::memory_order_relaxed) + 1,
                               std::memory_order_relaxed);
}

void in_child() {
        begin_generation();
        process_binding().in_child();
        forget_regions();
        forget_pools();
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
        result = pthread_atfork(nullptr, nullptr, in_child);
}

}  // namespace

constinit std::atomic<unsigned>* generation_word = &not_cleared;

bool watch_forks() {
        pthread_once(&once, start);
        if (fork_generation() == 0)
                in_child();
        return result == 0;
}

}  // namespace threadcount
