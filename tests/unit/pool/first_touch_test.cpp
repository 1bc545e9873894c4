// SPDX-License-Identifier: MIT
// Fresh memory is not read before it is written: that would be two page faults instead of one, and
// an interrupt for every CPU.
#include "ring.hpp"
#include "zero_memory.hpp"

#include <threadcount/pool/detail/deque.hpp>
#include <threadcount/pool/detail/machine.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <sys/resource.h>

using threadcount::pool::Deque;
using threadcount::pool::Machine;
using threadcount::pool::Ring;
using threadcount::pool::ZeroMemory;

// A sanitizer has pages of its own for each of ours, and other machines than this kind may take an
// atomic instruction for a reader.
#if defined(__x86_64__) && !defined(GOVERNOR_SANITIZED)

namespace {

struct alignas(8) Item {
        std::array<std::byte, 56> bytes{};
};

constexpr std::size_t kItems = 64 * 128;
constexpr std::size_t kPages = kItems * 64 / 4096;

/// The page faults of this thread, so far.
std::size_t page_faults() {
        rusage usage{};
        getrusage(RUSAGE_THREAD, &usage);
        return static_cast<std::size_t>(usage.ru_minflt);
}

void make_item(void* place) { ::new (place) Item; }

}  // namespace

TEST(FirstTouch, OfARingWhoseConsumersLookIsOnePageFaultForEachPage) {
        ZeroMemory memory(ZeroMemory::bytes_for<Ring<Item>::Cell>(kItems));
        Ring<Item> ring(memory.take<Ring<Item>::Cell>(kItems), kItems);
        ring.touch();
        const auto before = page_faults();
        Item item;
        for (std::size_t i = 0; i < kItems; i++) {
                ASSERT_TRUE(ring.empty());
                ASSERT_TRUE(ring.push(make_item));
                ASSERT_TRUE(ring.pop(item));
        }
        EXPECT_LT(page_faults() - before, kPages + kPages / 4);
}

TEST(FirstTouch, OfADequeIsOnePageFaultForEachPage) {
        using TaskDeque = Deque<Item>;
        ZeroMemory memory(ZeroMemory::bytes_for<TaskDeque::Slot>(kItems));
        TaskDeque deque(memory.take<TaskDeque::Slot>(kItems), kItems);
        const auto before = page_faults();
        for (std::size_t i = 0; i < kItems; i++)
                ASSERT_NE(deque.push(make_item, TaskDeque::Announce::First), TaskDeque::Pushed::No);
        EXPECT_LT(page_faults() - before, kPages + kPages / 4);
}

#endif

TEST(FirstTouch, LeavesWhatIsThere) {
        std::atomic<std::uint64_t> word{7};
        Machine::touch(word);
        EXPECT_EQ(word, 7U);
        word = 0;
        Machine::touch(word);
        EXPECT_EQ(word, 0U);
}
