// SPDX-License-Identifier: MIT
// The place where a task keeps its captures, and that it is destroyed exactly once.
#include <threadcount/pool/task.hpp>

#include <array>
#include <gtest/gtest.h>
#include <memory>
#include <utility>

using threadcount::Task;
using threadcount::TaskSource;

namespace {

/// Counts how many of it are alive.
template <std::size_t Size>
struct Counted {
        explicit Counted(int& alive) : alive_(&alive) { ++*alive_; }
        Counted(const Counted& other) : alive_(other.alive_) { ++*alive_; }
        Counted(Counted&& other) noexcept : alive_(other.alive_) { ++*alive_; }
        Counted& operator=(const Counted&) = delete;
        ~Counted() { --*alive_; }
        void operator()() const { ran++; }

        int* alive_;
        std::array<char, Size - sizeof(int*)> padding_{};
        static inline int ran = 0;
};

template <class Held>
void expect_destroyed_once() {
        int alive = 0;
        Held::ran = 0;
        {
                Task task{Held(alive)};
                EXPECT_EQ(alive, 1);
                Task other(std::move(task));
                EXPECT_FALSE(task);
                EXPECT_TRUE(other);
                task = std::move(other);
                task();
                EXPECT_EQ(alive, 0);
                EXPECT_FALSE(task);
                task = Task{Held(alive)};
                task = Task{Held(alive)};
                EXPECT_EQ(alive, 1);
        }
        EXPECT_EQ(alive, 0);
        EXPECT_EQ(Held::ran, 1);
}

}  // namespace

TEST(Task, DestroysWhatItHoldsOnceWhereverThatIs) {
        expect_destroyed_once<Counted<16>>();
        expect_destroyed_once<Counted<48>>();
        expect_destroyed_once<Counted<64>>();
}

TEST(Task, KeepsFortyEightBytesInsideAndNoMore) {
        EXPECT_TRUE(Task::kIsKeptInside<Counted<48>>);
        EXPECT_FALSE(Task::kIsKeptInside<Counted<56>>);
        struct alignas(16) Aligned {
                void operator()() const {}
        };
        EXPECT_FALSE(Task::kIsKeptInside<Aligned>);
}

TEST(Task, WithoutAnythingIsEmpty) {
        const Task task{};
        EXPECT_FALSE(task);
}

TEST(TaskSource, LeavesWhatItRefersToUntilThereIsAPlace) {
        auto held = std::make_unique<int>(3);
        int seen = 0;
        auto callable = [held = std::move(held), &seen] { seen = *held; };
        { const TaskSource source(callable); }
        const TaskSource source(callable);
        source.make()();
        EXPECT_EQ(seen, 3);
}
