// SPDX-License-Identifier: MIT
// Magazines of free blocks: two per thread and size, all others in a depot.
#include <threadcount/pool/detail/future_memory.hpp>

#include <array>
#include <atomic>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <utility>

namespace threadcount::pool {

namespace {

constexpr std::size_t kLine = FutureMemory::kAlignment;
// So many lines has the largest block that is kept.
constexpr std::size_t kMostLines = 4;
constexpr std::size_t kBlocks = 64;  // in a magazine

// With blocks that are kept, nobody would see who uses what he has given back.
#if defined(__SANITIZE_ADDRESS__)
#define THREADCOUNT_KEEPS false
#elif defined(__has_feature)
#define THREADCOUNT_KEEPS !__has_feature(address_sanitizer)
#else
#define THREADCOUNT_KEEPS true
#endif

constexpr std::size_t lines_in(std::size_t bytes) { return (bytes + kLine - 1) / kLine; }

void* take_from_heap(std::size_t lines) {
        return ::operator new (lines* kLine, std::align_val_t{kLine});
}
void give_back_to_heap(void* block) noexcept { ::operator delete (block, std::align_val_t{kLine}); }

/// A stack of free blocks. Not thread-safe.
class Magazine {
public:
        [[nodiscard]] bool is_empty() const { return top_ == nullptr; }
        [[nodiscard]] bool is_full() const { return size_ == kBlocks; }
        void push(void* block) {
                top_ = ::new (block) Free{top_, nullptr, 0};
                size_++;
        }
        [[nodiscard]] void* pop() {
                size_--;
                return std::exchange(top_, top_->next);
        }

private:
        friend class Depot;
        struct Free {
                Free* next;
                Free* next_magazine;  // of the top one in a depot
                std::size_t size;     // likewise
        };

        Free* top_ = nullptr;
        std::size_t size_ = 0;
};

/// All blocks of one size, and the magazines that no thread keeps. MT-Safe. Never destroyed:
/// other destructors at the end of the program may still have futures.
class Depot {
public:
        /// An empty one, if there is none, and all blocks are in use.
        [[nodiscard]] Magazine take(std::size_t lines) {
                const std::lock_guard lock(mutex_);
                Magazine taken;
                if (first_ != nullptr) {
                        taken.top_ = std::exchange(first_, first_->next_magazine);
                        taken.size_ = taken.top_->size;
                } else if (fresh_ < kMostBlocks && map(lines)) {
                        // Neighbours follow one another, as processors expect.
                        fresh_ += kBlocks;
                        for (std::size_t i = 1; i <= kBlocks; i++)
                                taken.push(start_.load(std::memory_order_relaxed) +
                                           (fresh_ - i) * lines * kLine);
                }
                return taken;
        }
        void give(const Magazine& magazine) {
                if (magazine.is_empty())
                        return;
                const std::lock_guard lock(mutex_);
                magazine.top_->size = magazine.size_;
                magazine.top_->next_magazine = std::exchange(first_, magazine.top_);
        }
        /// Is it one of its own?
        [[nodiscard]] bool has(const void* block, std::size_t lines) const {
                const auto* const start = start_.load(std::memory_order_relaxed);
                const auto* const its = static_cast<const std::byte*>(block);
                return start != nullptr &&
                       static_cast<std::size_t>(its - start) < kMostBlocks * lines * kLine;
        }

private:
        static constexpr std::size_t kMostBlocks = 16'384;
        static_assert(kMostBlocks % kBlocks == 0);

        bool map(std::size_t lines) {
                if (start_.load(std::memory_order_relaxed) != nullptr)
                        return true;
                auto* const mapped =
                        mmap(nullptr, kMostBlocks * lines * kLine, PROT_READ | PROT_WRITE,
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
                if (mapped == MAP_FAILED)
                        return false;
                start_.store(static_cast<std::byte*>(mapped), std::memory_order_relaxed);
                return true;
        }

        std::mutex mutex_;
        Magazine::Free* first_ = nullptr;
        std::size_t fresh_ = 0;  // blocks from here on were never used
        std::atomic<std::byte*> start_{nullptr};
};

constinit std::array<Depot, kMostLines> depots{};  // by lines - 1

// Has no destructor, and so is there longer than what has one.
thread_local bool has_ended = false;

/// What a thread keeps.
class Kept {
public:
        ~Kept() {
                has_ended = true;
                for (std::size_t i = 0; i < kMostLines; i++) {
                        depots[i].give(sizes_[i].loaded);
                        depots[i].give(sizes_[i].spare);
                }
        }

        /// nullptr: all blocks are in use.
        [[nodiscard]] void* take(std::size_t lines) {
                auto& [loaded, spare] = sizes_[lines - 1];
                if (loaded.is_empty())
                        std::swap(loaded, spare);
                if (loaded.is_empty())
                        loaded = depots[lines - 1].take(lines);
                return loaded.is_empty() ? nullptr : loaded.pop();
        }
        void give_back(void* block, std::size_t lines) {
                auto& [loaded, spare] = sizes_[lines - 1];
                if (loaded.is_full()) {
                        depots[lines - 1].give(spare);
                        spare = std::exchange(loaded, {});
                }
                loaded.push(block);
        }

private:
        struct OfOneSize {
                Magazine loaded;
                Magazine spare;  // full or empty: who takes and gives back by turns needs no depot
        };
        std::array<OfOneSize, kMostLines> sizes_{};
};

thread_local Kept kept;

}  // namespace

void* FutureMemory::take(std::size_t bytes) {
        const auto lines = lines_in(bytes);
        void* block = nullptr;
        if (THREADCOUNT_KEEPS && lines <= kMostLines && !has_ended)
                block = kept.take(lines);
        return block != nullptr ? block : take_from_heap(lines);
}

void FutureMemory::give_back(void* memory, std::size_t bytes) noexcept {
        const auto lines = lines_in(bytes);
        if (lines > kMostLines || !depots[lines - 1].has(memory, lines))
                return give_back_to_heap(memory);
        if (!has_ended)
                return kept.give_back(memory, lines);
        Magazine one;
        one.push(memory);
        depots[lines - 1].give(one);
}

}  // namespace threadcount::pool
