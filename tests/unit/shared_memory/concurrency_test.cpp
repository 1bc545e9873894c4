// SPDX-License-Identifier: MIT
// Readers see whole grants, whatever the writer and the owner of the mapping do meanwhile.
#include "arena.hpp"
#include "server/sharing/arena.hpp"
#include "shared_memory/patterns.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

namespace shared_memory_test {
namespace {

using Daemon = governor::server::Arena;
using Program = threadcount::Arena;

constexpr int kReaders = 4;

/// A daemon of many, whose grants tell which.
struct Host {
        Host(std::uint32_t number, std::uint32_t slots, std::uint32_t cpus)
                : patterns(number, cpus), daemon(slots, cpus) {}

        Patterns patterns;
        Daemon daemon;
};

int attach(Program& program, const Host& host, std::uint32_t slot) {
        return program.attach(host.daemon.grants_fd(), host.daemon.reports_fd(), slot);
}

struct Seen {
        std::uint64_t whole = 0;
        std::uint64_t wrong = 0;
};

/// Reads once and notes it.
using Look = std::function<void(Seen&)>;

/// Looks at the grant, which must be a pattern of one of the hosts (number 1 first), or nothing.
Look look_at_grants(const Program& program, const std::vector<const Host*>& hosts) {
        return [&program, hosts](Seen& seen) {
                thread_local std::vector<std::uint64_t> set;
                set.resize(GOVERNOR_ARENA_SET_WORDS_MAX / 4);
                std::uint64_t word = 0;
                governor_grant_reason reason{};
                const int words = program.read_set(set.data(), set.size(), &word, &reason);
                if (words == -EAGAIN || words == -ENOTCONN)
                        return;
                const auto host = reason.cpus - 1;
                const bool whole = words > 0 && host < hosts.size() &&
                                   hosts[host]->patterns.contain(word, reason, set);
                (whole ? seen.whole : seen.wrong)++;
        };
}

/// Does `work` while others look, all the time; nothing that they see is wrong.
void beside_readers(const Look& look, const std::function<void()>& work) {
        std::atomic<bool> stop{false};
        std::array<Seen, kReaders> seen{};
        std::vector<std::thread> readers;
        for (auto& own : seen)
                readers.emplace_back([&] {
                        Seen sum;
                        while (!stop.load())
                                look(sum);
                        look(sum);  // nothing changes any more: this one succeeds
                        own = sum;
                });
        work();
        stop = true;
        std::uint64_t whole = 0;
        for (std::size_t i = 0; i < readers.size(); i++) {
                readers[i].join();
                EXPECT_EQ(seen[i].wrong, 0U);
                whole += seen[i].whole;
        }
        EXPECT_GT(whole, 0U);
}

TEST(ConcurrencyTest, EverySetThatIsReadFitsItsWord) {
        Host host(1, 1, 1024);
        host.daemon.publish(0, host.patterns.of(0));
        Program program;
        ASSERT_EQ(attach(program, host, 0), 0);
        beside_readers(look_at_grants(program, {&host}), [&] {
                for (std::uint32_t i = 0; i < 100'000; i++) {
                        host.daemon.publish(0, host.patterns.of(i));
                        if (i % 1024 == 0)
                                std::this_thread::yield();
                }
        });
}

TEST(ConcurrencyTest, NobodyFaultsWhileOneArenaReplacesAnother) {
        // The arenas have different sizes: most replace each other in place, the fourth needs a new
        // range.
        std::array<Host, 5> hosts{
                {{1, 64, 64}, {2, 512, 1024}, {3, 64, 512}, {4, 8192, 1024}, {5, 1, 65}}};
        Program program;
        std::atomic<bool> stop{false};
        std::thread reporter([&] {
                while (!stop.load()) {
                        program.report(1, 2, true);
                        program.count_region();
                        (void)program.heartbeat();
                        (void)program.word()->load();
                }
        });
        beside_readers(
                look_at_grants(program, {&hosts[0], &hosts[1], &hosts[2], &hosts[3], &hosts[4]}),
                [&] {
                        std::minstd_rand random(3);
                        for (std::uint32_t i = 0; i < 1'000; i++) {
                                auto& host = hosts[i < hosts.size() ? i : random() % hosts.size()];
                                const auto slot =
                                        static_cast<std::uint32_t>(random()) % host.daemon.slots();
                                host.daemon.publish(slot, host.patterns.of(i));
                                ASSERT_EQ(attach(program, host, slot), 0);
                                host.daemon.publish(slot, host.patterns.of(i + 1));
                                if (i % 16 == 0)
                                        std::this_thread::yield();
                                if (i % 100 == 0)
                                        program.detach();
                        }
                });
        stop = true;
        reporter.join();
}

TEST(ConcurrencyTest, ArenasWithTheSameWordAreNotMixed) {
        constexpr std::uint32_t kCpus = 16'384;  // so that reading takes its time
        std::array<Host, 2> hosts{{{1, 1, kCpus}, {2, 1, kCpus}}};
        for (auto& host : hosts)
                host.daemon.publish(0, host.patterns.of(7));
        Program program;
        beside_readers(look_at_grants(program, {&hosts[0], &hosts[1]}), [&] {
                for (std::size_t i = 0; i < 15'000; i++)
                        ASSERT_EQ(attach(program, hosts[i % 2], 0), 0);
        });
}

}  // namespace
}  // namespace shared_memory_test
