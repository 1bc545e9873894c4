// SPDX-License-Identifier: MIT
// Each thread keeps free blocks; all are the heap's, a line larger there than they are here.
#include <threadcount/pool/detail/future_memory.hpp>

#include <array>
#include <cstdint>
#include <new>
#include <utility>

namespace threadcount::pool {

namespace {

constexpr std::size_t kLine = FutureMemory::kAlignment;
constexpr std::size_t kMostLines = 4;  // of a block that is kept

// With blocks that are kept, AddressSanitizer would not see who uses what he has given back.
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

/// Where the heap's own address of a block is noted: right before it.
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

/// What a thread keeps.
class FreeBlocks {
public:
        FreeBlocks() = default;
        FreeBlocks(const FreeBlocks&) = delete;
        FreeBlocks& operator=(const FreeBlocks&) = delete;
        ~FreeBlocks() {
                has_ended = true;
                for (auto& its : sizes_)
                        while (its.first != nullptr)
                                give_back_to_heap(std::exchange(its.first, its.first->next));
        }

        [[nodiscard]] void* take(std::size_t lines) {
                auto& its = sizes_[lines - 1];
                if (its.first == nullptr)
                        return take_from_heap(lines);
                its.count--;
                return std::exchange(its.first, its.first->next);
        }
        void give_back(void* block, std::size_t lines) {
                auto& its = sizes_[lines - 1];
                if (its.count == FutureMemory::kMostKept)
                        return give_back_to_heap(block);
                its.count++;
                its.first = ::new (block) Free{its.first};
        }

private:
        struct Free {
                Free* next;
        };
        struct OfOneSize {
                Free* first = nullptr;
                std::size_t count = 0;
        };
        std::array<OfOneSize, kMostLines> sizes_{};
};

thread_local FreeBlocks kept;

bool is_kept(std::size_t lines) { return THREADCOUNT_KEEPS && lines <= kMostLines && !has_ended; }

}  // namespace

void* FutureMemory::take(std::size_t bytes) {
        const auto lines = lines_in(bytes);
        return is_kept(lines) ? kept.take(lines) : take_from_heap(lines);
}

void FutureMemory::give_back(void* memory, std::size_t bytes) noexcept {
        const auto lines = lines_in(bytes);
        if (is_kept(lines))
                kept.give_back(memory, lines);
        else
                give_back_to_heap(memory);
}

}  // namespace threadcount::pool
