// SPDX-License-Identifier: MIT
// Counts the work of each thread without contention: a slot of its own for every thread.
#pragma once

#include "clock.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace peers {

/// Written by one thread only, read by all.
struct alignas(128) Slot {
        std::atomic<std::uint64_t> count{0};
        std::atomic<std::uint64_t> epoch{0};
        std::atomic<Nanoseconds> first{0};  // the first time that something was counted in `epoch`
        std::atomic<std::uintptr_t> lowest{UINTPTR_MAX};
        std::atomic<std::uintptr_t> highest{0};
};

/// All slots of this process; a thread takes one when it needs it and never gives it back.
class Slots {
public:
        static constexpr std::size_t MOST = 8192;

        static Slot& mine() {
                if (mine_ == nullptr) [[unlikely]]
                        mine_ = take();
                return *mine_;
        }

        /// Counts one for the calling thread.
        static void count() {
                auto& count = mine().count;
                count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_release);
        }

        static std::size_t size() { return taken_.load(); }
        static Slot& at(std::size_t index) { return all_[index]; }

        static std::uint64_t sum() {
                std::uint64_t sum = 0;
                for (std::size_t index = 0; index < size(); ++index)
                        sum += at(index).count.load(std::memory_order_acquire);
                return sum;
        }

        /// Sleeps until that many have been counted since the start of the program. It looks every
        /// 20 us or later, so as not to take a CPU from those it waits for.
        static void await(std::uint64_t expected) {
                const FineSleep fine;
                while (sum() < expected)
                        sleep_for(20'000);
        }

private:
        static Slot* take() {
                const std::size_t index = taken_.fetch_add(1);
                if (index < MOST)
                        return &all_[index];
                std::fprintf(stderr, "more than %zu threads\n", MOST);
                std::exit(1);
        }

        inline static std::array<Slot, MOST> all_;
        inline static std::atomic<std::size_t> taken_{0};
        inline static thread_local constinit Slot* mine_ = nullptr;
};

}  // namespace peers
