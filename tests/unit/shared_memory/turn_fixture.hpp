// SPDX-License-Identifier: MIT
//
// A program of this process whose turn a made-up governor gives and takes.
#pragma once

#include "handle.hpp"
#include "made_up_governor.hpp"
#include "region.hpp"
#include "support/process.hpp"
#include "support/temporary_directory.hpp"

#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <memory>
#include <pthread.h>
#include <string>
#include <thread>
#include <threadcount/threadcount.h>
#include <unistd.h>

namespace shared_memory_test {

using test_support::eventually;

inline constexpr std::uint32_t kMax = 8;

/// A caller that begins a region, on a thread of its own.
class Beginner {
public:
        using Ask = std::uint32_t (*)(threadcount_handle*);

        explicit Beginner(threadcount_handle* handle, Ask ask = threadcount_region_begin)
                : thread_([this, handle, ask] {
                          threads_ = ask(handle);
                          threadcount_region_end(handle, 1);
                          is_done_ = true;
                  }) {}
        ~Beginner() {
                if (thread_.joinable())
                        thread_.join();
        }
        Beginner(const Beginner&) = delete;
        Beginner& operator=(const Beginner&) = delete;

        [[nodiscard]] bool is_done() const { return is_done_; }
        /// The number that it was told to use, when it could go on.
        [[nodiscard]] std::uint32_t threads() {
                thread_.join();
                return threads_;
        }
        [[nodiscard]] pthread_t id() { return thread_.native_handle(); }

private:
        std::atomic<bool> is_done_{false};
        std::uint32_t threads_ = 0;
        std::thread thread_;
};

class TurnTest : public testing::Test {
protected:
        TurnTest() : governor_(std::make_unique<MadeUpGovernor>(socket_)) {
                ::unsetenv("THREADCOUNT_SOCKET");
                threadcount::forget_regions();  // of the test before
        }
        ~TurnTest() override {
                governor_->die();
                threadcount_close(handle_);
                ::unsetenv("THREADCOUNT");
        }

        /// Starts the governor, whose grant is published already.
        void open_at_once() {
                governor_->start();
                threadcount_options options = THREADCOUNT_OPTIONS_INIT;
                options.socket_path = socket_.c_str();
                options.max_threads = kMax;
                ASSERT_EQ(threadcount_open(&options, &handle_), 0);
        }
        void open() {
                open_at_once();
                ASSERT_TRUE(eventually([&] {
                        (void)threadcount_threads(handle_);
                        return threadcount_version(handle_) != 0;
                }));
                threadcount_idle(handle_);
        }
        void another_governor_grants_three() {
                governor_->die();
                governor_ = std::make_unique<MadeUpGovernor>(socket_);
                governor_->publish(3, false);
                governor_->start();
                EXPECT_TRUE(eventually([&] { return threadcount_threads(handle_) == 3; }));
        }
        /// It has had 4 threads.
        void open_with_four() {
                governor_->publish(4, false);
                open();
                EXPECT_EQ(threadcount_region_begin(handle_), 4U);
                threadcount_region_end(handle_, 4);
        }
        /// A beginner waits for the end of a grant that parks it. Threads that began a region
        /// before do not share its grant any more: two heartbeats have passed, however slowly they
        /// come.
        void expect_parked(std::uint32_t epoch, const Beginner& beginner) {
                EXPECT_TRUE(eventually([&] {
                        const auto said = governor_->report();
                        return said.epoch == epoch && !said.in_region;
                }));
                const auto beats = governor_->beats();
                EXPECT_TRUE(eventually([&] { return governor_->beats() - beats >= 2; }));
                EXPECT_FALSE(beginner.is_done());
        }
        void give_turn(std::uint32_t threads) {
                governor_->publish(threads, false);
                governor_->call();
        }

        test_support::TemporaryDirectory directory_;
        std::string socket_ = directory_.path("socket");
        std::unique_ptr<MadeUpGovernor> governor_;
        threadcount_handle* handle_ = nullptr;
};

}  // namespace shared_memory_test
