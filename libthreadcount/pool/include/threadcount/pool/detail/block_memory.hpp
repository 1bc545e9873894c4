// SPDX-License-Identifier: MIT
//
// Memory for what one thread makes, another one writes, and is soon gone.
#pragma once

#include <cstddef>

namespace threadcount::pool {

/// Blocks of whole cache lines. Two threads often change neighbours at the same time, which would
/// cost more than the rest of a task if they shared a line. A thread keeps the blocks that it gives
/// back for those that it takes next. With too many it leaves a batch to threads that take more
/// than they give back. All comes from the heap, and goes there when the thread ends. MT-Safe.
///
/// Cost: some 5 ns for both, or what the heap takes; up to 80 KiB for each thread, and 2.5 MiB for
/// the process.
struct BlockMemory {
        static constexpr std::size_t kAlignment = 64;
        /// The most blocks of 1, 2, 3 and 4 lines, each, that a thread keeps.
        static constexpr std::size_t kMostKept = 128;
        /// The most of each size that wait for any thread: the tasks of a full queue of Pool may
        /// come and go.
        static constexpr std::size_t kMostShared = 4096;

        /// `bytes` > 0, aligned to kAlignment. Throws std::bad_alloc.
        [[nodiscard]] static void* take(std::size_t bytes);
        /// Takes back what take(bytes) has returned, to any thread.
        static void give_back(void* memory, std::size_t bytes) noexcept;
};

}  // namespace threadcount::pool
