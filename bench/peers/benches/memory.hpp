// SPDX-License-Identifier: MIT
// Memory: allocations of a submission that captures 48 bytes, and what a task takes while it waits
// in the queue. Needs the library of support/allocations.cpp to be preloaded.
#pragma once

#include "../support/crew.hpp"
#include "../support/options.hpp"
#include "../support/processes.hpp"
#include "../support/samples.hpp"

#include <dlfcn.h>

namespace peers {

/// One of the preloaded library's numbers; ends the program where that is missing.
inline double allocation_figure(const char* name) {
        const auto read = reinterpret_cast<std::size_t (*)()>(dlsym(RTLD_DEFAULT, name));
        if (read != nullptr)
                return static_cast<double>(read());
        std::fprintf(stderr, "liballocations.so is not preloaded\n");
        std::exit(1);
}

// Both fill whole pages with tasks of 64 bytes, so that none is counted twice.
constexpr std::size_t FIRST_QUEUED = 1'024;
constexpr std::size_t MOST_QUEUED = 100'352;

/// Six words, so that a task is a usual one.
struct Payload {
        std::array<std::uint64_t, 6> words{1, 2, 3, 4, 5, 6};

        void operator()() const {
                asm volatile("" : : "r"(words.data()) : "memory");
                Slots::count();
        }
};
static_assert(sizeof(Payload) == 48);

/// False where the pool is bounded and full.
template <typename Pool>
bool post_if_possible(Pool& pool) {
        if constexpr (requires { pool.try_post(Payload{}); }) {
                return pool.try_post(Payload{});
        } else {
                pool.post(Payload{});
                return true;
        }
}

/// Keeps all workers in a task from its beginning to its end.
template <typename Pool>
class BlockedWorkers {
public:
        BlockedWorkers(Pool& pool, unsigned workers) {
                std::atomic<unsigned> entered{0};
                for (unsigned index = 0; index < workers; ++index)
                        pool.post([this, &entered] { wait(entered); });
                while (entered.load() < workers)
                        sleep_for(20'000);
        }
        ~BlockedWorkers() { release(); }
        BlockedWorkers(const BlockedWorkers&) = delete;
        BlockedWorkers& operator=(const BlockedWorkers&) = delete;

        void release() {
                released_.store(true);
                while (inside_.load() > 0)
                        sleep_for(20'000);
        }

private:
        void wait(std::atomic<unsigned>& entered) {
                inside_.fetch_add(1);
                entered.fetch_add(1);
                while (!released_.load())
                        sleep_for(100'000);
                inside_.fetch_sub(1);
        }

        std::atomic<bool> released_{false};
        std::atomic<unsigned> inside_{0};
};

template <typename Pool>
void count_allocations(Pool& pool, std::size_t tasks) {
        constexpr std::size_t BATCH = 500;
        const double before = allocation_figure("peers_allocation_calls");
        for (std::size_t done = 0; done < tasks; done += BATCH) {
                const std::uint64_t counted = Slots::sum();
                for (std::size_t index = 0; index < BATCH; ++index)
                        pool.post(Payload{});
                Slots::await(counted + BATCH);
        }
        const double calls = allocation_figure("peers_allocation_calls") - before;
        report("allocations_per_task", calls / static_cast<double>(tasks));
}

/// The number of `tasks` that it took.
template <typename Pool>
std::size_t fill(Pool& pool, std::size_t tasks) {
        std::size_t queued = 0;
        while (queued < tasks && post_if_possible(pool))
                ++queued;
        return queued;
}

/// Measures what comes after the first of them, so that it is not of pages that are touched only
/// once.
template <typename Pool>
void measure_queue(Pool& pool, unsigned workers) {
        const std::uint64_t counted = Slots::sum();
        BlockedWorkers<Pool> blocked(pool, workers);
        const std::size_t first = fill(pool, FIRST_QUEUED);
        // The readers of the figures touch pages of their own for the first time.
        resident_bytes();
        allocation_figure("peers_allocated_bytes");
        const double resident = resident_bytes();
        const double allocated = allocation_figure("peers_allocated_bytes");
        const std::size_t queued = fill(pool, MOST_QUEUED - first);
        const double resident_now = resident_bytes();
        const double allocated_now = allocation_figure("peers_allocated_bytes");
        const auto tasks = static_cast<double>(queued);
        report("queued", static_cast<double>(first) + tasks);
        report("resident_bytes_per_task", (resident_now - resident) / tasks);
        report("allocated_bytes_per_task", (allocated_now - allocated) / tasks);
        blocked.release();
        Slots::await(counted + first + queued);
}

/// The queue first: memory that a pool keeps for later must not have been touched yet.
template <typename Pool, typename... Bound>
void measure_memory(unsigned workers, Bound... bound) {
        Crew<Pool> pool(workers, bound...);
        measure_queue(*pool, workers);
        count_allocations(*pool, 100'000);
}

/// A bounded pool is given the room that others have.
template <typename Pool>
void memory(const Options& options) {
        if constexpr (std::is_constructible_v<Pool, unsigned, std::size_t>)
                measure_memory<Pool>(options.workers, MOST_QUEUED);
        else
                measure_memory<Pool>(options.workers);
}

}  // namespace peers
