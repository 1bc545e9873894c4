// SPDX-License-Identifier: MIT
// A reader that stands still between any two instructions while its arena is replaced by another.
#include "arena.hpp"
#include "server/sharing/arena.hpp"
#include "shared_memory/patterns.hpp"

#include <atomic>
#include <csignal>
#include <functional>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sched.h>
#include <thread>
#include <vector>

namespace shared_memory_test {
namespace {

using Daemon = governor::server::Arena;
using Program = threadcount::Arena;

std::atomic<bool> stands{false};
std::atomic<bool> may_go{false};

void stand_still(int) {
        stands = true;
        while (!may_go)
                sched_yield();
        stands = false;
}

/// A thread that reads on and on, and counts what `is_right` (which reads once) does not find so.
class StoppableReader {
public:
        explicit StoppableReader(const std::function<bool()>& is_right)
                : thread_([this, is_right] {
                          while (!end_)
                                  wrong_ += is_right() ? 0 : 1;
                  }) {
                struct sigaction action {};
                action.sa_handler = &stand_still;
                ::sigaction(SIGUSR1, &action, nullptr);
        }

        ~StoppableReader() { end(); }
        StoppableReader(const StoppableReader&) = delete;
        StoppableReader& operator=(const StoppableReader&) = delete;

        /// Stops it wherever it is, and lets it go on after `work`.
        void stop_during(const std::function<void()>& work) {
                may_go = false;
                ASSERT_EQ(::pthread_kill(thread_.native_handle(), SIGUSR1), 0);
                while (!stands)
                        sched_yield();
                work();
                may_go = true;
                while (stands)
                        sched_yield();
        }

        [[nodiscard]] std::uint64_t wrong() {
                end();
                return wrong_;
        }

private:
        void end() {
                end_ = true;
                if (thread_.joinable())
                        thread_.join();
        }

        std::atomic<bool> end_{false};
        std::uint64_t wrong_ = 0;
        std::thread thread_;
};

TEST(StoppedReaderTest, DoesNotTakeAWordOfAnotherArenaForItsOwn) {
        // The other one has nothing but CPUs in the place of the words.
        Daemon words(64, 64);
        Daemon cpus(1, 65'536);
        governor::policy::fair::Grant all;
        all.cpus = governor::policy::CpuMask::range(0, 65'536);
        cpus.publish(0, all);
        cpus.publish(0, all);
        Program program;
        StoppableReader reader([&] {
                bool right = true;
                for (int i = 0; i < 1'000; i++)  // nowhere else is much time spent
                        right = governor_word_threads(program.load()) <= 1 && right;
                return right;
        });
        for (std::uint32_t i = 0; i < 2'000; i++) {
                ASSERT_EQ(program.attach(words.grants_fd(), words.reports_fd(), 63), 0);
                reader.stop_during([&] {
                        ASSERT_EQ(program.attach(cpus.grants_fd(), cpus.reports_fd(), 0), 0);
                });
        }
        EXPECT_EQ(reader.wrong(), 0U);
}

TEST(StoppedReaderTest, DoesNotMixASetOfTwoArenasThatHaveTheSameWord) {
        constexpr std::uint32_t kCpus = 1024;
        const Patterns patterns[] = {{1, kCpus}, {2, kCpus}};
        Daemon daemons[] = {{1, kCpus}, {1, kCpus}};
        Program program;
        for (std::size_t i = 0; i < 2; i++)
                daemons[i].publish(0, patterns[i].of(7));
        StoppableReader reader([&] {
                thread_local std::vector<std::uint64_t> set(kCpus / 64);
                std::uint64_t word = 0;
                governor_grant_reason reason{};
                if (program.read_set(set.data(), set.size(), &word, &reason) < 0)
                        return true;
                return patterns[reason.cpus == 2].contain(word, reason, set);
        });
        for (std::size_t i = 0; i < 1'500; i++)
                reader.stop_during([&] {
                        auto& daemon = daemons[i % 2];
                        ASSERT_EQ(program.attach(daemon.grants_fd(), daemon.reports_fd(), 0), 0);
                });
        EXPECT_EQ(reader.wrong(), 0U);
}

}  // namespace
}  // namespace shared_memory_test
