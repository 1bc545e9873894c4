// SPDX-License-Identifier: MIT
// Sums over the pools of the process, in the memory that it shares with the governor.
#include "pool_report.hpp"

#include "handle.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>

using namespace threadcount;

namespace {

/// sizeof(threadcount_pool_totals) of version 1.0; later ones are longer.
constexpr std::size_t kSmallestTotals =
        offsetof(threadcount_pool_totals, woken) + sizeof(std::uint64_t);
static_assert(sizeof(threadcount_pool_totals) == kSmallestTotals);

/// The numbers of governor_pool_report, and of the header's struct behind its size.
constexpr auto kNumbers = Arena::kPoolNumbers;
static_assert(kSmallestTotals ==
              offsetof(threadcount_pool_totals, lanes) + kNumbers * sizeof(std::uint64_t));
using Numbers = std::uint64_t[kNumbers];

// The sums are the process's: it has one slot, however many handles. A governor that is restarted
// has another slot, with nothing in it.
constinit std::atomic<std::uint64_t> sums[kNumbers] = {};
constinit std::atomic<std::uint64_t> changes{0};

bool is_sound(const threadcount_pool_totals* totals) {
        return totals != nullptr && totals->size >= kSmallestTotals;
}

void copy(const threadcount_pool_totals& from, Numbers& numbers) {
        memcpy(numbers, &from.lanes, sizeof(numbers));
}

/// Two pools may report at the same time. The one whose stores come last has seen what the other
/// one has added. Both have a fence between what they write first and what they look at, or write,
/// then.
void tell(Lease& lease) {
        std::uint64_t seen = 0;
        do {
                seen = changes.load(std::memory_order_acquire);
                Numbers numbers;
                for (std::size_t i = 0; i < kNumbers; i++)
                        numbers[i] = sums[i].load(std::memory_order_relaxed);
                lease.report_pool(numbers);
                std::atomic_thread_fence(std::memory_order_seq_cst);
        } while (changes.load(std::memory_order_relaxed) != seen);
}

}  // namespace

int threadcount_pool_report(threadcount_handle* handle, const threadcount_pool_totals* now,
                            threadcount_pool_totals* told) {
        if (!is_sound(now) || !is_sound(told))
                return -EINVAL;
        if (handle == nullptr || is_inert(*handle))
                return 0;
        Numbers to;
        Numbers from;
        copy(*now, to);
        copy(*told, from);
        for (std::size_t i = 0; i < kNumbers; i++)
                sums[i].fetch_add(to[i] - from[i], std::memory_order_relaxed);
        changes.fetch_add(1, std::memory_order_release);
        std::atomic_thread_fence(std::memory_order_seq_cst);
        tell(handle->lease);
        memcpy(&told->lanes, to, sizeof(to));
        return 0;
}

void threadcount::forget_pools() {
        for (auto& sum : sums)
                sum.store(0, std::memory_order_relaxed);
}
