// SPDX-License-Identifier: MIT
#include <threadcount/pool/detail/block_memory.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <malloc.h>
#include <set>
#include <thread>
#include <utility>
#include <vector>

using threadcount::pool::BlockMemory;

namespace {

constexpr auto kMostKept = BlockMemory::kMostKept;

/// The bytes that the heap has given out; 0 if it does not tell, as those of sanitizers.
std::size_t heap_in_use() { return mallinfo2().uordblks; }

/// A block that is full of its own address.
class Block {
public:
        explicit Block(std::size_t bytes) : bytes_(bytes), memory_(BlockMemory::take(bytes)) {
                std::memset(memory_, mark(), bytes);
        }
        Block(Block&& other) noexcept
                : bytes_(other.bytes_), memory_(std::exchange(other.memory_, nullptr)) {}
        Block& operator=(Block&&) = delete;
        Block(const Block&) = delete;
        Block& operator=(const Block&) = delete;
        ~Block() {
                if (memory_ == nullptr)
                        return;
                EXPECT_TRUE(is_whole());
                BlockMemory::give_back(memory_, bytes_);
        }

        [[nodiscard]] std::uintptr_t address() const {
                return reinterpret_cast<std::uintptr_t>(memory_);
        }

private:
        [[nodiscard]] unsigned char mark() const {
                return static_cast<unsigned char>(address() / BlockMemory::kAlignment % 251);
        }
        [[nodiscard]] bool is_whole() const {
                const auto* const bytes = static_cast<const unsigned char*>(memory_);
                return std::all_of(bytes, bytes + bytes_,
                                   [this](unsigned char byte) { return byte == mark(); });
        }

        std::size_t bytes_;
        void* memory_;
};

std::vector<Block> take(std::size_t count, std::size_t bytes) {
        std::vector<Block> blocks;
        blocks.reserve(count);
        for (std::size_t i = 0; i < count; i++)
                blocks.emplace_back(bytes);
        return blocks;
}

void note(std::set<std::uintptr_t>& addresses, const std::vector<Block>& blocks) {
        for (const auto& block : blocks)
                addresses.insert(block.address());
}

}  // namespace

TEST(BlockMemory, BlocksAreWholeLinesAndDoNotOverlap) {
        std::vector<Block> blocks;
        for (std::size_t bytes = 1; bytes <= 400; bytes++) {
                for (auto& block : take(3, bytes))
                        blocks.push_back(std::move(block));
                EXPECT_EQ(blocks.back().address() % BlockMemory::kAlignment, 0U) << bytes;
        }
        // A block that another one has written into says so when it is given back.
}

TEST(BlockMemory, ThereAreMoreBlocksThanAThreadKeeps) {
        for (int round = 0; round < 2; round++) {
                const auto blocks = take(3 * kMostKept, 100);
                std::set<std::uintptr_t> addresses;
                note(addresses, blocks);
                EXPECT_EQ(addresses.size(), blocks.size());
        }
}

#ifndef GOVERNOR_KEEPS_NO_BLOCKS
TEST(BlockMemory, WhatIsGivenBackIsTakenAgain) {
        std::set<std::uintptr_t> addresses;
        for (int round = 0; round < 100; round++)
                note(addresses, take(kMostKept, 60));
        EXPECT_EQ(addresses.size(), kMostKept);
}

TEST(BlockMemory, WhatOneThreadGivesBackOthersTake) {
        auto blocks = take(10 * kMostKept, 200);
        std::thread([&blocks] { blocks.clear(); }).join();
        std::vector<Block> others;
        others.reserve(8 * kMostKept);
        const auto before = heap_in_use();
        for (std::size_t i = 0; i < 8 * kMostKept; i++)
                others.emplace_back(std::size_t{200});
        EXPECT_EQ(heap_in_use(), before);
}
#endif

TEST(BlockMemory, AThreadThatOnlyGivesBackKeepsABoundedNumber) {
        std::vector<Block> blocks;
        blocks.reserve(20 * kMostKept);
        const auto before = heap_in_use();
        std::thread([&blocks] {
                for (auto& block : take(20 * kMostKept, 250))
                        blocks.push_back(std::move(block));
        }).join();
        blocks.clear();
        EXPECT_LE(heap_in_use(), before + 2 * (kMostKept + BlockMemory::kMostShared) * 320);
}

TEST(BlockMemory, AThreadThatEndsKeepsNothingAndMayTakeAndGiveBackToTheEnd) {
        struct Last {
                std::vector<Block> blocks;
                ~Last() {
                        const auto taken_late = take(10, 200);
                        blocks.clear();
                }
        };
        const auto before = heap_in_use();
        for (int round = 0; round < 100; round++)
                std::thread([] {
                        // Made before what the thread keeps, and so destroyed after it.
                        thread_local Last last;
                        last.blocks = take(100, 200);
                        const auto others = take(100, 200);
                }).join();
        EXPECT_LE(heap_in_use(), before + 200'000);
}

TEST(BlockMemory, ManyThreadsExchangeBlocks) {
        constexpr int kThreads = 4;
        constexpr int kRounds = 200;
        std::vector<std::thread> threads;
        for (int i = 0; i < kThreads; i++)
                threads.emplace_back([] {
                        std::vector<Block> others;
                        for (int round = 0; round < kRounds; round++) {
                                auto mine = take(150, 64);
                                std::thread([its = std::move(others)]() mutable {
                                        its.clear();
                                }).join();
                                others = std::move(mine);
                        }
                });
        for (auto& thread : threads)
                thread.join();
}
