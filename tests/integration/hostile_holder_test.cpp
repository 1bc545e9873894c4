// SPDX-License-Identifier: MIT
// Programs that hold leases and do not play by the rules: nobody else loses by it for longer than
// handover_max. Nothing here depends on how many CPUs there are.
#include "lease_fixture.hpp"

#include <array>
#include <csignal>
#include <functional>

namespace {

using namespace test_support;

/// Holds a lease, says that it is in a region with all that it was granted, and does `meanwhile`.
void stay_in_a_region(const std::string& socket, const std::function<void()>& meanwhile) {
        LeaseClient client(socket);
        if (client.hello() == nullptr)
                throw std::runtime_error(client.last().error().message());
        auto& memory = client.memory();
        if (!eventually([&] { return memory.threads() >= 1; }))
                throw std::runtime_error("nothing granted");
        __atomic_store_n(&memory.report().regions, 1, __ATOMIC_RELAXED);
        __atomic_store_n(&memory.report().word,
                         governor_word(governor_word_epoch(memory.word()), memory.threads(),
                                       GOVERNOR_REPORT_IN_REGION),
                         __ATOMIC_RELEASE);
        meanwhile();
}

/// The CPUs that hostile programs may keep from others, and for how long.
class HostileHolder : public LeaseTest {
protected:
        HostileHolder() {
                daemon_.configure(kFair + "period = 50ms\nhandover_max = 100ms\n");
                daemon_.process().signal(SIGHUP);
                EXPECT_TRUE(eventually([&] { return status(daemon_.socket()).period_ms() == 50; }));
        }
        /// All but one CPU, which whoever is there may keep.
        [[nodiscard]] bool has_the_rest(std::uint32_t pid) const {
                return eventually([&] {
                        const auto client = lease(pid);
                        return client && client->granted() + 1 >= everything() &&
                               client->granted() >= 1;
                });
        }
        /// Half, or what it can use.
        [[nodiscard]] bool has_its_share(std::uint32_t pid) const {
                return eventually([&] {
                        const auto client = lease(pid);
                        return client && client->granted() >= std::max(everything() / 2, 1U) &&
                               (!client->shared() || everything() == 1);
                });
        }
};

TEST_F(HostileHolder, ThatIsStoppedInARegionLosesWhatOthersCanUse) {
        ForkedProgram stopped(
                [&] { stay_in_a_region(daemon_.socket(), [] { ::raise(SIGSTOP); }); });
        ASSERT_TRUE(becomes(1));
        const auto honest = holder();
        EXPECT_TRUE(has_everything(honest->pid()));
        stopped.kill();
        EXPECT_TRUE(has_everything(honest->pid()));
}

TEST_F(HostileHolder, ThatLoopsInOneRegionKeepsNoMoreThanItBurns) {
        // One thread for ever, and it says that there are many.
        ForkedProgram looping([&] {
                stay_in_a_region(daemon_.socket(), [] {
                        for (;;)
                                __asm__ volatile("");
                });
        });
        ASSERT_TRUE(becomes(1));
        const auto honest = holder();
        EXPECT_TRUE(has_the_rest(honest->pid()));
        looping.kill();
        EXPECT_TRUE(has_everything(honest->pid()));
}

TEST_F(HostileHolder, ThatClaimsEverythingGetsItsShare) {
        const auto honest = holder();
        ASSERT_TRUE(has_everything(honest->pid()));
        LeaseClient liar(daemon_.socket());
        governor::v1::Hello hello;
        hello.set_holds(std::string(1024, '\xff'));
        hello.mutable_wishes()->set_min(65'536);
        ASSERT_NE(liar.hello(hello), nullptr);
        EXPECT_TRUE(has_its_share(honest->pid()));
        EXPECT_TRUE(eventually([&] { return liar.memory().threads() >= 1; }));
        EXPECT_LE(liar.memory().threads(), everything());
}

TEST_F(HostileHolder, ThatClaimsEverythingFirstGivesANewcomerItsShare) {
        LeaseClient liar(daemon_.socket());
        governor::v1::Hello hello;
        hello.set_holds(std::string(1024, '\xff'));
        hello.mutable_wishes()->set_min(65'536);
        ASSERT_NE(liar.hello(hello), nullptr);
        const auto honest = holder();
        EXPECT_TRUE(has_its_share(honest->pid()));
}

TEST_F(HostileHolder, ThatClaimsToRunEverywhereGetsItsShare) {
        LeaseClient liar(daemon_.socket());
        governor::v1::Hello hello;
        hello.set_affinity(std::string(1024, '\xff'));
        ASSERT_NE(liar.hello(hello), nullptr);
        const auto honest = holder();
        EXPECT_TRUE(has_its_share(honest->pid()));
        EXPECT_TRUE(eventually([&] { return liar.memory().threads() >= 1; }));
        EXPECT_LE(liar.memory().threads(), status(daemon_.socket()).cpus());
}

TEST_F(HostileHolder, WithAbsurdNumbersInItsReportHurtsNobodyElse) {
        constexpr auto kMost = UINT64_MAX;
        const auto honest = holder();
        LeaseClient liar(daemon_.socket());
        ASSERT_NE(liar.hello(), nullptr);
        auto& report = liar.memory().report();
        for (const auto& [word, regions, done, total] :
             {std::array{kMost, kMost, kMost, kMost},
              std::array{kMost, std::uint64_t{0}, kMost, std::uint64_t{0}},
              std::array{std::uint64_t{1} << 63, kMost / 2, kMost, std::uint64_t{1}}}) {
                __atomic_store_n(&report.progress_total, total, __ATOMIC_RELAXED);
                __atomic_store_n(&report.progress_done, done, __ATOMIC_RELAXED);
                __atomic_store_n(&report.regions, regions, __ATOMIC_RELAXED);
                __atomic_store_n(&report.word, word, __ATOMIC_RELEASE);
                const auto samples = status(daemon_.socket()).samples();
                ASSERT_TRUE(eventually(
                        [&] { return status(daemon_.socket()).samples() > samples + 5; }));
                EXPECT_TRUE(has_its_share(honest->pid()));
        }
}

}  // namespace
