// SPDX-License-Identifier: MIT
// A program and what it loads both have the pool linked in, and still know each other's lanes.
#include <threadcount/pool.hpp>

#include <atomic>
#include <cstdio>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

using threadcount::Pool;

namespace {

class Plugins : public testing::Test {
protected:
        ~Plugins() override { dlclose(library_); }

        void SetUp() override {
                ASSERT_NE(library_, nullptr) << dlerror();
                ASSERT_NE(waits_, nullptr);
                ASSERT_NE(submits_, nullptr);
                ASSERT_NE(pool_, nullptr);
        }

        bool waits_in_a_task(Pool& pool) { return waits_(&pool); }
        void submits(Pool& pool, std::atomic<bool>& ret_ran) { submits_(&pool, &ret_ran); }
        std::unique_ptr<Pool> new_pool() { return std::unique_ptr<Pool>(pool_()); }

private:
        template <class Function>
        Function* find(const char* name) {
                return library_ == nullptr ? nullptr
                                           : reinterpret_cast<Function*>(dlsym(library_, name));
        }

        void* const library_ = dlopen(PLUGIN, RTLD_NOW | RTLD_LOCAL);
        bool (*const waits_)(Pool*) = find<bool(Pool*)>("plugin_waits_in_a_task");
        void (*const submits_)(Pool*, std::atomic<bool>*) =
                find<void(Pool*, std::atomic<bool>*)>("plugin_submits");
        Pool* (*const pool_)() = find<Pool*()>("plugin_pool");
};

/// Nobody else can run what its tasks wait for.
void narrow(Pool& pool) { pool.set_mask(std::vector<int>{pool.cpus().front()}); }

}  // namespace

// The first one: the library's copy has made no pool yet.
TEST_F(Plugins, UseAPoolThatAChildHasMade) {
        { const Pool parents; }  // gone, so that no thread holds a lock of the C library
        const auto child = fork();
        if (child == 0) {
                std::atomic<bool> ran{false};
                bool is_right = false;
                try {
                        Pool pool;
                        submits(pool, ran);
                        pool.wait_idle();
                        is_right = ran;
                } catch (const std::logic_error& error) {
                        std::fprintf(stderr, "%s\n", error.what());
                }
                _exit(is_right ? 0 : 1);
        }
        int status = -1;
        ASSERT_EQ(waitpid(child, &status, 0), child);
        EXPECT_EQ(status, 0);
}

TEST_F(Plugins, WaitInTheTasksOfTheProgramsPool) {
        Pool pool;
        narrow(pool);
        bool is_right = false;
        pool.run([&] { is_right = waits_in_a_task(pool); });
        EXPECT_TRUE(is_right);
}

TEST_F(Plugins, LetTheProgramWaitInTheTasksOfTheirPool) {
        const auto theirs = new_pool();
        narrow(*theirs);
        theirs->run([&] {
                EXPECT_EQ(theirs->async([] { return 42; }).get(), 42);
                EXPECT_THROW(theirs->wait_idle(), std::logic_error);
        });
}

TEST_F(Plugins, KnowTheLanesBelowAGuestOfTheProgram) {
        const auto theirs = new_pool();
        Pool pool;
        narrow(pool);
        bool is_right = false;
        // A task of one pool takes part in the work of the other one, and waits for its own.
        pool.run([&] { theirs->fork_join([&] { is_right = waits_in_a_task(pool); }, [] {}); });
        EXPECT_TRUE(is_right);
        pool.run([&] { theirs->fork_join([&] { is_right = waits_in_a_task(*theirs); }, [] {}); });
        EXPECT_TRUE(is_right);
}

TEST_F(Plugins, KnowTheTaskThatTheProgramRunsInTheCaller) {
        Pool pool({.capacity = 1, .when_full = threadcount::WhenFull::RunInCaller});
        narrow(pool);
        std::atomic<bool> has_begun{false};
        std::atomic<bool> may_end{false};
        pool.submit([&] {
                has_begun = true;
                has_begun.notify_one();
                may_end.wait(false);
        });
        has_begun.wait(false);
        pool.submit([] {});  // the queue is full
        std::atomic<bool> ran{false};
        bool ran_inside = true;
        bool is_right = false;
        pool.submit([&] {
                submits(pool, ran);
                ran_inside = ran;
                // Otherwise it would wait for ever.
                is_right = !ran_inside && waits_in_a_task(pool);
        });
        EXPECT_FALSE(ran_inside) << "tasks that submit tasks fill the stack";
        EXPECT_TRUE(is_right);
        may_end = true;
        may_end.notify_one();
        pool.wait_idle();
        EXPECT_TRUE(ran);
}
