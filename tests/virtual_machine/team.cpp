// SPDX-License-Identifier: MIT
// A program with a lease: regions of 20 ms, each with the threads of the moment. Prints a line at
// every change: CLOCK_MONOTONIC in ms, and the threads. After SIGUSR1 its region never ends.
//
//      team MAX BUSY
//
// MAX 0: the library's own limit. At most BUSY threads of a team keep a CPU busy. They spin with
// PAUSE, at which an emulated CPU lets the next one run, so that an emulated machine stays
// responsive. Those that would only wait for them are not even started.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <thread>
#include <threadcount/threadcount.h>

namespace {

constexpr std::chrono::milliseconds kRegion{20};

volatile std::sig_atomic_t endless = 0;

void relax() {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
}

/// The other busy threads of the team; those that it has no room for sleep.
class Others {
public:
        /// The team is `team` threads from now on, the caller included.
        void resize(std::uint32_t team) {
                while (seats_.size() + 1 < team) {
                        auto& seat = seats_.emplace_back(0);
                        std::thread([&seat] { work(seat); }).detach();
                }
                for (std::size_t i = 0; i < seats_.size(); i++) {
                        const int is_in = i + 1 < team ? 1 : 0;
                        if (seats_[i].exchange(is_in) < is_in)
                                seats_[i].notify_one();
                }
        }

private:
        using Seat = std::atomic<int>;  // what futexes are made of

        [[noreturn]] static void work(const Seat& seat) {
                for (;;) {
                        while (seat.load(std::memory_order_relaxed) != 0)
                                relax();
                        seat.wait(0, std::memory_order_relaxed);
                }
        }

        std::deque<Seat> seats_;
};

void print(std::uint32_t threads) {
        using std::chrono::milliseconds;
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        std::printf("%lld %u\n",
                    static_cast<long long>(std::chrono::duration_cast<milliseconds>(now).count()),
                    threads);
        std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
        threadcount_options options = THREADCOUNT_OPTIONS_INIT;
        if (argc != 3)
                return 2;
        options.max_threads = static_cast<std::uint32_t>(std::strtoul(argv[1], nullptr, 10));
        const auto busy = static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10));
        threadcount_handle* handle = nullptr;
        if (threadcount_open(&options, &handle) < 0)
                return 1;
        std::signal(SIGUSR1, [](int) { endless = 1; });
        Others others;
        for (std::uint32_t last = 0;;) {
                const auto threads = threadcount_threads(handle);
                if (threads != last) {
                        print(threads);
                        others.resize(std::min(threads, busy));
                }
                last = threads;
                const auto end = std::chrono::steady_clock::now() + kRegion;
                while (std::chrono::steady_clock::now() < end || endless != 0)
                        relax();
        }
}
