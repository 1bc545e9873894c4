// SPDX-License-Identifier: MIT
//
// Memory for what one thread makes, another one writes, and is soon gone.
#pragma once

#include <cstddef>

namespace threadcount::pool {

/// Blocks of whole cache lines: neighbours are often changed by two threads at the same time, and
/// would cost more than the rest of a task if they shared one. What a thread gives back it keeps
/// for what it takes next. If it has too many it leaves a batch to threads that take more than they
/// give back. All comes from the heap, and goes there when the thread ends. MT-Safe.
///
/// Cost: some 5 ns for both, or what the heap takes; up to 80 KiB for each thread, and 2.5 MiB for
/// the process.
struct BlockMemory {
        static constexpr std::size_t kAlignment = 64;
        /// So many blocks of 1, 2, 3 and 4 lines, each, are kept by a thread at most.
        static constexpr std::size_t kMostKept = 128;
        /// So many of each size wait for any thread: what a full queue of Pool holds may come and
        /// go.
        static constexpr std::size_t kMostShared = 4096;

        /// `bytes` > 0, aligned to kAlignment. Throws std::bad_alloc.
        [[nodiscard]] static void* take(std::size_t bytes);
        /// What take(bytes) has returned, to any thread.
        static void give_back(void* memory, std::size_t bytes) noexcept;
};

}  // namespace threadcount::pool
