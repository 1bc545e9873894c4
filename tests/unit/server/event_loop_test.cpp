// SPDX-License-Identifier: MIT
// Sources that come, change and go while the loop runs.
#include "server/kernel/event_loop.hpp"

#include "server/kernel/unique_fd.hpp"

#include <algorithm>
#include <csignal>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <vector>

namespace governor::server {

namespace {

using std::chrono::milliseconds;

/// Two ends of a connection.
struct Pair {
        Pair() {
                int fds[2];
                EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, fds), 0);
                ours = UniqueFd(fds[0]);
                theirs = UniqueFd(fds[1]);
        }

        void says_something() const { EXPECT_EQ(::send(theirs.get(), "x", 1, 0), 1); }
        void hears() const {
                char byte = 0;
                EXPECT_EQ(::recv(ours.get(), &byte, 1, 0), 1);
        }
        void leaves() { const auto gone = std::move(theirs); }

        UniqueFd ours;
        UniqueFd theirs;
};

class Loop : public testing::Test {
protected:
        /// Runs the loop for about so long.
        void run_for(milliseconds time) {
                const auto end = loop.on_time(std::chrono::steady_clock::now() + time,
                                              [this] { loop.exit(0); });
                EXPECT_EQ(loop.run(), 0);
        }

        /// Two sockets are ready together, and each one's callback does `deed` to the other's
        /// source: how many are called.
        int calls_of_two(void (*deed)(SocketSource& other)) {
                const Pair pairs[2];
                SocketSource sources[2];
                int calls = 0;
                for (int i = 0; i < 2; i++) {
                        sources[i] =
                                loop.on_io(pairs[i].ours.get(), EPOLLIN, [&, i](std::uint32_t) {
                                        calls++;
                                        deed(sources[1 - i]);
                                        pairs[i].hears();
                                });
                        pairs[i].says_something();
                }
                run_for(milliseconds{20});
                return calls;
        }

        EventLoop loop;
};

}  // namespace

TEST_F(Loop, CallsForWhatHasArrivedUntilItIsTaken) {
        const Pair pair;
        int calls = 0;
        const auto source = loop.on_io(pair.ours.get(), EPOLLIN, [&](std::uint32_t events) {
                EXPECT_EQ(events, EPOLLIN);
                if (++calls == 2)
                        pair.hears();
        });
        pair.says_something();
        run_for(milliseconds{20});
        EXPECT_EQ(calls, 2);
}

TEST_F(Loop, ManyThatAreReadyAtOnceAreAllServed) {
        std::vector<Pair> pairs(500);
        std::map<int, SocketSource> sources;
        for (auto& pair : pairs) {
                const int fd = pair.ours.get();
                sources.emplace(
                        fd, loop.on_io(fd, EPOLLIN, [&, fd](std::uint32_t) { sources.erase(fd); }));
                pair.leaves();
        }
        const auto done = loop.on_time(std::chrono::steady_clock::now() + std::chrono::seconds{60},
                                       [this] { loop.exit(1); });
        const Pair last;
        const auto end = loop.on_io(last.ours.get(), EPOLLOUT, [&](std::uint32_t) {
                if (sources.empty())
                        loop.exit(0);
        });
        EXPECT_EQ(loop.run(), 0);
        EXPECT_TRUE(sources.empty());
}

TEST_F(Loop, ACallbackMayDropAnotherSourceThatIsReadyToo) {
        EXPECT_EQ(calls_of_two([](SocketSource& other) { other = SocketSource(); }), 1);
}

TEST_F(Loop, ASourceThatWaitsForNothingHearsOfAHangUpOnly) {
        Pair pair;
        std::vector<std::uint32_t> heard;
        SocketSource source = loop.on_io(pair.ours.get(), EPOLLIN, [&](std::uint32_t events) {
                heard.push_back(events);
                source = SocketSource();
        });
        source.set_io_events(0);
        pair.says_something();
        const auto later = loop.on_time(std::chrono::steady_clock::now() + milliseconds{20}, [&] {
                EXPECT_TRUE(heard.empty());
                pair.leaves();
        });
        for (int i = 0; i < 100 && heard.empty(); i++)
                run_for(milliseconds{40});
        EXPECT_EQ(heard, (std::vector<std::uint32_t>{EPOLLHUP}));
}

TEST_F(Loop, ASourceThatIsGoneLeavesItsDescriptorToTheNext) {
        const Pair pair;
        int calls = 0;
        auto source = loop.on_io(pair.ours.get(), EPOLLIN, [](std::uint32_t) { FAIL(); });
        source = SocketSource();
        const auto next = loop.on_io(pair.ours.get(), EPOLLIN, [&](std::uint32_t) {
                calls++;
                pair.hears();
        });
        pair.says_something();
        run_for(milliseconds{20});
        EXPECT_EQ(calls, 1);
}

TEST_F(Loop, TimersAreNotStarvedBySocketsThatAreAlwaysReady) {
        const std::vector<Pair> pairs(100);
        std::vector<SocketSource> sources;
        for (const auto& pair : pairs)
                sources.push_back(loop.on_io(pair.ours.get(), EPOLLOUT, [](std::uint32_t) {}));
        run_for(milliseconds{20});
}

TEST_F(Loop, ATimerInTurnAndSocketsDoNotStarveEachOther) {
        const Pair pair;
        std::string order;
        EventSource timer;
        const auto source = loop.on_io(pair.ours.get(), EPOLLIN, [&](std::uint32_t) {
                order += 's';
                pair.hears();
                pair.says_something();
        });
        const auto now = std::chrono::steady_clock::now();
        timer = loop.on_time_in_turn(now, [&] {
                order += 't';
                if (std::ranges::count(order, 't') == 10)
                        loop.exit(0);
                timer.set_time(now);
        });
        pair.says_something();
        EXPECT_EQ(loop.run(), 0);
        order.erase(std::unique(order.begin(), order.end()), order.end());
        EXPECT_GE(order.size(), 19U) << order;
}

TEST_F(Loop, SignalsAreNotStarvedBySocketsThatAreAlwaysReady) {
        const std::vector<Pair> pairs(100);
        std::vector<SocketSource> sources;
        int calls = 0;
        for (const auto& pair : pairs)
                sources.push_back(
                        loop.on_io(pair.ours.get(), EPOLLOUT, [&](std::uint32_t) { calls++; }));
        const auto signal = loop.on_signal(SIGUSR1, [this] { loop.exit(0); });
        ::raise(SIGUSR1);
        EXPECT_EQ(loop.run(), 0);
        EXPECT_EQ(calls, 0);
}

TEST_F(Loop, ASourceMayOutliveIt) {
        const Pair pair;
        SocketSource source;
        {
                EventLoop shorter;
                source = shorter.on_io(pair.ours.get(), EPOLLIN, [](std::uint32_t) {});
        }
        source = SocketSource();
}

}  // namespace governor::server
