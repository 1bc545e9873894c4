// SPDX-License-Identifier: MIT
// Each thread keeps free blocks, and hands batches of them on to others; all are the heap's, a line
// larger there than they are here.
#include <threadcount/pool/detail/block_memory.hpp>

#include "locks/mutex.hpp"

#include <threadcount/pool/detail/machine.hpp>

#include <array>
#include <cstdint>
#include <new>
#include <utility>

namespace threadcount::pool {

namespace {

constexpr std::size_t kLine = BlockMemory::kAlignment;
constexpr std::size_t kMostLines = 4;  // of a block that is kept

// With blocks that are kept, AddressSanitizer would not see the use of a block that was given back.
#if defined(__SANITIZE_ADDRESS__)
#define THREADCOUNT_KEEPS false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define THREADCOUNT_KEEPS false
#endif
#endif
#ifndef THREADCOUNT_KEEPS
#define THREADCOUNT_KEEPS true
#endif

constexpr std::size_t lines_in(std::size_t bytes) { return (bytes + kLine - 1) / kLine; }

/// The place right before a block, where the heap's own address of it is noted.
void*& origin_of(void* block) { return static_cast<void**>(block)[-1]; }

/// The heap's own aligned allocation takes four times as long.
void* take_from_heap(std::size_t lines) {
        void* const origin = ::operator new((lines + 1) * kLine);
        // By the heap's alignment there is room for a pointer in between.
        const auto from_line = reinterpret_cast<std::uintptr_t>(origin) % kLine;
        void* const block = static_cast<std::byte*>(origin) + (kLine - from_line);
        origin_of(block) = origin;
        return block;
}
static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= sizeof(void*));

void give_back_to_heap(void* block) noexcept { ::operator delete(origin_of(block)); }

// Has no destructor, and so is there longer than what has one.
thread_local bool has_ended = false;

struct Free {
        Free* next;
};

/// Free blocks of one size.
struct Batch {
        static constexpr std::size_t kMost = BlockMemory::kMostKept / 2;

        Free* first = nullptr;
        std::size_t count = 0;

        void put(void* block) {
                first = ::new (block) Free{first};
                count++;
        }
        [[nodiscard]] void* take() {
                count--;
                return std::exchange(first, first->next);
        }
};

/// Full batches of threads that give back more than they take, for those that take more. Never
/// waits: a thread that finds it locked uses the heap, as does a child of fork() that came then.
class alignas(kApart) Depot {
public:
        [[nodiscard]] bool put(Batch batch) {
                if (!mutex_.try_lock())
                        return false;
                const MutexLock lock(mutex_, MutexLock::Adopt::Locked);
                if (count_ == kMostBatches)
                        return false;
                batches_[count_++] = batch;
                return true;
        }
        /// Empty: there is none.
        [[nodiscard]] Batch take() {
                if (!mutex_.try_lock())
                        return {};
                const MutexLock lock(mutex_, MutexLock::Adopt::Locked);
                return count_ == 0 ? Batch{} : batches_[--count_];
        }

private:
        static constexpr auto kMostBatches = BlockMemory::kMostShared / Batch::kMost;

        Mutex mutex_;
        std::array<Batch, kMostBatches> batches_ THREADCOUNT_GUARDED_BY(mutex_){};
        std::size_t count_ THREADCOUNT_GUARDED_BY(mutex_) = 0;
};

constinit std::array<Depot, kMostLines> depots;  // by size; never destroyed

/// The blocks that a thread keeps.
class FreeBlocks {
public:
        FreeBlocks() = default;
        FreeBlocks(const FreeBlocks&) = delete;
        FreeBlocks& operator=(const FreeBlocks&) = delete;
        ~FreeBlocks() {
                has_ended = true;
                for (auto& its : sizes_) {
                        empty(its.current);
                        empty(its.spare);
                }
        }

        [[nodiscard]] void* take(std::size_t lines) {
                auto& its = sizes_[lines - 1];
                if (its.current.count == 0) {
                        std::swap(its.current, its.spare);
                        if (its.current.count == 0)
                                its.current = depots[lines - 1].take();
                        if (its.current.count == 0)
                                return take_from_heap(lines);
                }
                return its.current.take();
        }
        void give_back(void* block, std::size_t lines) {
                auto& its = sizes_[lines - 1];
                if (its.current.count == Batch::kMost) {
                        if (its.spare.count != 0 && !depots[lines - 1].put(its.spare))
                                return give_back_to_heap(block);
                        its.spare = std::exchange(its.current, {});
                }
                its.current.put(block);
        }

private:
        // The spare one is full, or empty.
        struct OfOneSize {
                Batch current;
                Batch spare;
        };

        static void empty(Batch& batch) {
                while (batch.count != 0)
                        give_back_to_heap(batch.take());
        }

        std::array<OfOneSize, kMostLines> sizes_{};
};

thread_local FreeBlocks kept;

bool is_kept(std::size_t lines) { return THREADCOUNT_KEEPS && lines <= kMostLines && !has_ended; }

}  // namespace

void* BlockMemory::take(std::size_t bytes) {
        const auto lines = lines_in(bytes);
        return is_kept(lines) ? kept.take(lines) : take_from_heap(lines);
}

void BlockMemory::give_back(void* memory, std::size_t bytes) noexcept {
        const auto lines = lines_in(bytes);
        if (is_kept(lines))
                kept.give_back(memory, lines);
        else
                give_back_to_heap(memory);
}

}  // namespace threadcount::pool
