// SPDX-License-Identifier: MIT
// What is advised on made-up machines, counted by hand in fixtures/machines/README.md, and what
// governorctl makes of it on this one.
#include "support/daemon.hpp"
#include "support/lease_client.hpp"
#include "support/wire.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <sched.h>
#include <unistd.h>

namespace {

using namespace test_support;

struct Case {
        const char* machine;
        int threshold;
        int free;
        int total;
};

void PrintTo(const Case& c, std::ostream* out) {
        *out << c.machine << " cpus at " << c.threshold << "%";
}

class Advice : public testing::TestWithParam<Case> {};

governor::v1::Advice advice(const Daemon& daemon, std::uint32_t current, std::uint32_t max) {
        const auto reply = WireClient(daemon.socket()).call(query(current, max));
        return reply ? reply->advice() : governor::v1::Advice();
}

TEST_P(Advice, IsTheNumberOfFreeCpusCountedByHand) {
        const auto& [machine, threshold, free, total] = GetParam();
        Daemon daemon(std::string(FIXTURES "/machines/") + machine,
                      "[governor]\nthreshold = " + std::to_string(threshold) + "%\n");
        daemon.start();
        const auto answer = advice(daemon, 0, 0);
        const auto n = std::to_string(free);
        EXPECT_EQ(answer.threads(), static_cast<std::uint32_t>(free));
        EXPECT_EQ(answer.free(), static_cast<std::uint32_t>(free));
        EXPECT_EQ(answer.total(), static_cast<std::uint32_t>(total));
        EXPECT_EQ(answer.explanation(), "0 in use + " + n + " of " + std::to_string(total) +
                                                " cpus idle >= " + std::to_string(threshold) +
                                                "% -> " + n);
}

INSTANTIATE_TEST_SUITE_P(MadeUpMachines, Advice,
                         testing::Values(Case{"8", 5, 6, 8}, Case{"8", 50, 4, 8},
                                         Case{"8", 95, 2, 8}, Case{"64", 5, 48, 64},
                                         Case{"64", 50, 32, 64}, Case{"64", 95, 16, 64},
                                         Case{"sparse", 5, 4, 5}, Case{"sparse", 50, 3, 5},
                                         Case{"sparse", 95, 2, 5}));

TEST(Advise, CountsWhatIsInUseAndItsOwnMaximum) {
        Daemon daemon(FIXTURES "/machines/64");
        daemon.start();
        EXPECT_EQ(advice(daemon, 4, 100).threads(), 52U);
        EXPECT_EQ(advice(daemon, 40, 100).threads(), 64U);
        EXPECT_EQ(advice(daemon, 4, 7).threads(), 7U);
}

TEST(Advise, IsPrintedAsANumberOrAsJson) {
        Daemon daemon(FIXTURES "/machines/8");
        daemon.start();
        EXPECT_EQ(ctl(daemon, {"advise", "--max", "1"}).out, "1\n");
        const auto answer = ctl(daemon, {"advise", "--json", "--max", "1"});
        EXPECT_EQ(answer.out, "{\"threads\":1,\"free\":6,\"total\":8,\"reason\":\"" +
                                      advice(daemon, 0, 1).explanation() + "\"}\n");
        EXPECT_EQ(answer.err, "");
        EXPECT_EQ(answer.status, 0);
}

TEST(Advise, IsNeverMoreThanTheCpusThatTheCallerMayUse) {
        Daemon daemon(FIXTURES "/machines/64");
        daemon.start();
        cpu_set_t all;
        CPU_ZERO(&all);
        ASSERT_EQ(::sched_getaffinity(0, sizeof(all), &all), 0);
        const auto threads = std::stoi(ctl(daemon, {"advise", "--current", "40"}).out);
        EXPECT_GE(threads, 1);
        EXPECT_LE(threads, CPU_COUNT(&all));
        std::size_t first = 0;
        while (!CPU_ISSET(first, &all))
                first++;
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET(first, &one);
        ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
        EXPECT_EQ(ctl(daemon, {"advise"}).out, "1\n");
        EXPECT_EQ(ctl(daemon, {"advise", "--max", "50"}).out, "1\n");
        EXPECT_EQ(ctl(daemon, {"run", "--", "/usr/bin/printenv", "OMP_NUM_THREADS"}).out, "1\n");
        ASSERT_EQ(::sched_setaffinity(0, sizeof(all), &all), 0);
}

TEST(Advise, DoesNotTakePartInTheSharing) {
        Daemon daemon(FIXTURES "/machines/8");
        daemon.start();
        EXPECT_EQ(ctl(daemon, {"advise"}, {"THREADCOUNT=start-only"}).status, 0);
        const auto run = ctl(daemon, {"run", "--", "/usr/bin/printenv", "THREADCOUNT"},
                             {"THREADCOUNT=start-only"});
        EXPECT_EQ(run.out, "start-only\n") << "what the program sees";
        governor::v1::Request request;
        request.set_protocol(1);
        request.mutable_events();
        const auto reply = WireClient(daemon.socket()).call(request);
        ASSERT_TRUE(reply.has_value());
        for (const auto& event : reply->events().event())
                EXPECT_EQ(event.id(), 0U) << event.text();
}

/// The promises are over before a slow machine has asked all.
class Stopwatch {
public:
        [[nodiscard]] bool is_too_late() const {
                return std::chrono::steady_clock::now() - started_ >= std::chrono::seconds{2};
        }

private:
        std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

/// The advice to so many processes, each of which asks once. In the order in which they were told.
std::vector<std::uint32_t> advice_of_processes(const Daemon& daemon, std::size_t count) {
        std::array<int, 2> told{};
        EXPECT_EQ(::pipe(told.data()), 0);
        std::vector<std::unique_ptr<ForkedProgram>> processes;
        for (std::size_t i = 0; i < count; i++)
                processes.push_back(std::make_unique<ForkedProgram>([&] {
                        const auto threads = advice(daemon, 0, 0).threads();
                        if (::write(told[1], &threads, sizeof(threads)) != sizeof(threads))
                                ::_exit(1);
                }));
        std::vector<std::uint32_t> threads(count);
        for (auto& one : threads)
                EXPECT_EQ(::read(told[0], &one, sizeof(one)), sizeof(one));
        ::close(told[0]);
        ::close(told[1]);
        std::ranges::sort(threads, std::greater{});
        return threads;
}

TEST(Advise, IsAFairShareForEachOfAHerd) {
        FakeMachine machine;
        machine.runs(std::vector<unsigned>(64, 100));
        Daemon daemon(machine.root());
        daemon.start();
        const std::vector<std::uint32_t> fair{64, 32, 21, 16, 12, 10, 9, 8};
        const Stopwatch watch;
        const auto told = advice_of_processes(daemon, 8);
        const auto next = advice(daemon, 0, 0);
        if (watch.is_too_late())
                GTEST_SKIP() << "this machine is too busy";
        EXPECT_EQ(told, fair);
        EXPECT_EQ(next.threads(), 7U);
        EXPECT_EQ(next.reason(), governor::v1::Advice::FAIR_SHARE);
        EXPECT_EQ(next.explanation(),
                  "0 in use + 64 of 64 cpus idle >= 5%, at most its share of 7 -> 7 (beside 0 with "
                  "a lease and 8 just advised, of its user)");
        EXPECT_EQ(advice(daemon, 9, 0).threads(), 9U) << "it has these";
        EXPECT_TRUE(eventually([&] { return advice(daemon, 0, 0).threads() == 64; }))
                << "who starts nothing is forgotten";
}

TEST(Advise, OfEightCommandsAtOnceIsAFairShareForEach) {
        FakeMachine machine;
        Daemon daemon(machine.root());
        const auto most = std::stoul(ctl(daemon, {"advise"}).out);  // nobody answers yet
        machine.runs(std::vector<unsigned>(most, 100));
        daemon.start();
        const Stopwatch watch;
        std::vector<std::unique_ptr<Process>> commands;
        for (int i = 0; i < 8; i++)
                commands.push_back(std::make_unique<Process>(
                        Command{{GOVERNORCTL, "--socket", daemon.socket(), "advise"}, {}, {}}));
        std::vector<unsigned long> told;
        for (const auto& command : commands) {
                EXPECT_EQ(command->wait(), 0);
                told.push_back(std::stoul(command->out()));
        }
        if (watch.is_too_late())
                GTEST_SKIP() << "this machine is too busy";
        std::ranges::sort(told, std::greater{});
        for (std::size_t i = 0; i < told.size(); i++)
                EXPECT_EQ(told[i], std::max(most / (i + 1), 1UL));
}

TEST(Advise, IsNobodysShareWhereNobodyIsGoverned) {
        FakeMachine machine;
        machine.runs(std::vector<unsigned>(64, 100));
        for (const auto* setting : {"policy = threshold", "mode = observe"}) {
                Daemon daemon(machine.root(), std::string("[governor]\n") + setting + "\n");
                daemon.start();
                EXPECT_EQ(advice_of_processes(daemon, 3), (std::vector<std::uint32_t>{64, 64, 64}))
                        << setting;
        }
}

TEST(Advise, OfAProgramWithALeaseIsNotLimitedByWhoAsked) {
        Daemon daemon("", "[governor]\nthreshold = 0%\n");
        daemon.start();
        ASSERT_TRUE(eventually([&] { return advice(daemon, 0, 1).free() > 0; })) << "warm";
        const auto all = advice(daemon, 0, 0).total();
        ASSERT_EQ(advice_of_processes(daemon, 1).size(), 1U);
        EXPECT_EQ(advice(daemon, 0, 0).threads(), std::max(all / 2, 1U));
        LeaseClient self(daemon.socket());
        ASSERT_NE(self.hello(), nullptr);
        EXPECT_EQ(advice(daemon, 0, 0).threads(), all);
}

TEST(Advise, IsAtLeastOneOnAFullMachine) {
        FakeMachine machine;
        machine.runs({0, 0, 0});
        Daemon daemon(machine.root());
        daemon.start();
        EXPECT_EQ(ctl(daemon, {"advise"}).out, "1\n");
}

TEST(Advise, OnlyCountsTheCpusThatAreGoverned) {
        Daemon daemon(FIXTURES "/machines/sparse", "[governor]\ncpus = 0-5,40\n");
        daemon.start();
        const auto answer = advice(daemon, 0, 100);
        EXPECT_EQ(answer.threads(), 2U);
        EXPECT_EQ(answer.explanation(), "0 in use + 2 of 3 cpus idle >= 5% -> 2");
}

TEST(Advise, SaysSoWhenTheGovernorIsStillMeasuring) {
        Daemon daemon("", "[governor]\nperiod = 60s\n");
        daemon.start();
        const auto answer = ctl(daemon, {"advise"});
        EXPECT_EQ(answer.status, 0);
        EXPECT_EQ(answer.out, "1\n");
        EXPECT_NE(answer.err.find("still measuring"), std::string::npos) << answer.err;
}

}  // namespace
