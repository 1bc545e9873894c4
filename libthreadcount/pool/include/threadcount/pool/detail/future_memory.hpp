// SPDX-License-Identifier: MIT
//
// Memory for what is made by one thread, written by another one, and soon gone.
#pragma once

#include <cstddef>

namespace threadcount::pool {

/// Blocks of whole cache lines: two that are neighbours are often changed by two threads at once,
/// which cost more than the rest of a task. Each thread keeps some of them, and exchanges them in
/// batches with all others, after J. Bonwick and J. Adams, "Magazines and Vmem" (2001). MT-Safe.
///
/// Cost: 3 ns each, and a lock for every 64th block if one thread takes what another one gives
/// back. Of each size there are 16,384 blocks, which are kept once they were used: 1 MiB for each
/// line of 64 bytes, of which a block has 1 to 4. What exceeds that comes from the heap.
struct FutureMemory {
        static constexpr std::size_t kAlignment = 64;

        /// At least `bytes`, aligned to kAlignment. Throws std::bad_alloc.
        [[nodiscard]] static void* take(std::size_t bytes);
        /// What take(bytes) has returned.
        static void give_back(void* memory, std::size_t bytes) noexcept;
};

}  // namespace threadcount::pool
