// SPDX-License-Identifier: MIT
// From a file to a sample, with a machine below a temporary root.
#include "probe/sampler.hpp"

#include "support/temporary_directory.hpp"

#include <cerrno>
#include <gtest/gtest.h>

namespace governor::probe {
namespace {

using std::chrono::milliseconds;
using test_support::TemporaryDirectory;

constexpr milliseconds kSecond{1000};

class SamplerTest : public ::testing::Test {
protected:
        Sampler::Outcome take() {
                return sampler_.take(TimePoint{} + milliseconds{moments_++}, kSecond);
        }
        void machine(const std::string& text) { root_.write("proc/stat", text); }
        std::uint32_t idle(std::size_t i) {
                return sampler_.sample().cpus.at(i).idle_permyriad.value();
        }

        TemporaryDirectory root_;
        Sampler sampler_{root_.path()};
        int moments_ = 0;
};

TEST_F(SamplerTest, MakesASampleOfOneFile) {
        machine("cpu  0 0 0 0\ncpu0 25 0 0 75\ncpu2 90 0 0 10\nintr 1\n");
        EXPECT_EQ(take(), Sampler::Outcome::Accepted);
        ASSERT_EQ(sampler_.sample().cpus.size(), 2U);
        EXPECT_EQ(sampler_.sample().cpus[1].cpu, 2U);
        EXPECT_EQ(idle(0), 7500U);
        EXPECT_EQ(idle(1), 1000U);
        EXPECT_FALSE(sampler_.sample().warming_up);
        EXPECT_EQ(sampler_.warm_in(TimePoint{}, kSecond), milliseconds{0});
        EXPECT_EQ(sampler_.accepted(), 1U);
        EXPECT_EQ(sampler_.discarded(), 0U);
        EXPECT_EQ(sampler_.error(), 0);
        EXPECT_EQ(sampler_.path(), root_.path("proc/stat"));
}

TEST_F(SamplerTest, FollowsAFileThatATestReplaces) {
        machine("cpu0 0 0 0 100\nintr 1\n");
        EXPECT_EQ(take(), Sampler::Outcome::Accepted);
        EXPECT_EQ(idle(0), 10000U);
        std::filesystem::rename(root_.write("proc/next", "cpu0 90 0 0 110\nintr 1\n"),
                                root_.path("proc/stat"));
        EXPECT_EQ(take(), Sampler::Outcome::Accepted);
        EXPECT_EQ(idle(0), 1000U);
}

TEST_F(SamplerTest, SaysWhyTheFileCannotBeRead) {
        EXPECT_EQ(take(), Sampler::Outcome::Unreadable);
        EXPECT_EQ(sampler_.error(), ENOENT);
        EXPECT_EQ(sampler_.accepted(), 0U);
        EXPECT_EQ(sampler_.discarded(), 1U);
        EXPECT_TRUE(sampler_.sample().warming_up);
        EXPECT_TRUE(sampler_.sample().cpus.empty());
}

TEST_F(SamplerTest, KeepsTheLastSampleWhenAReadingIsNoUse) {
        machine("cpu0 25 0 0 75\nintr 1\n");
        EXPECT_EQ(take(), Sampler::Outcome::Accepted);
        for (const auto* broken : {"", "cpu0 1 2 3", "cpu0 1 2 3 900\n", "rubbish\n"}) {
                machine(broken);
                EXPECT_EQ(take(), Sampler::Outcome::Discarded) << broken;
                EXPECT_EQ(sampler_.error(), 0);
                EXPECT_EQ(idle(0), 7500U);
        }
        std::filesystem::remove(root_.path("proc/stat"));
        EXPECT_EQ(take(), Sampler::Outcome::Unreadable);
        EXPECT_EQ(idle(0), 7500U);
        EXPECT_EQ(sampler_.accepted(), 1U);
        EXPECT_EQ(sampler_.discarded(), 5U);
        machine("cpu0 75 0 0 125\nintr 1\n");
        EXPECT_EQ(take(), Sampler::Outcome::Accepted);
        EXPECT_EQ(idle(0), 5000U);
        EXPECT_EQ(sampler_.error(), 0);
}

TEST_F(SamplerTest, KnowsNothingWhenReadingsHaveBeenNoUseForThreeWindows) {
        machine("cpu0 25 0 0 75\nintr 1\n");
        EXPECT_EQ(take(), Sampler::Outcome::Accepted);
        machine("rubbish\n");
        moments_ = 3000;
        EXPECT_EQ(take(), Sampler::Outcome::Discarded);
        EXPECT_FALSE(sampler_.sample().warming_up);
        EXPECT_EQ(take(), Sampler::Outcome::Discarded);
        EXPECT_TRUE(sampler_.sample().warming_up);
        EXPECT_FALSE(sampler_.sample().cpus.at(0).idle_permyriad.has_value());
        machine("cpu0 50 0 0 150\nintr 1\n");
        EXPECT_EQ(take(), Sampler::Outcome::Accepted);
        EXPECT_EQ(idle(0), 7500U);
}

TEST(SamplerOfThisMachine, WarmsUpFirst) {
        Sampler sampler("");
        EXPECT_EQ(sampler.path(), "/proc/stat");
        const auto now = std::chrono::steady_clock::now();
        ASSERT_EQ(sampler.take(now, kSecond), Sampler::Outcome::Accepted);
        EXPECT_TRUE(sampler.sample().warming_up);
        EXPECT_FALSE(sampler.sample().cpus.empty());
        EXPECT_EQ(sampler.warm_in(now, kSecond), kSecond);
}

TEST_F(SamplerTest, TicksBesideItsSamples) {
        machine("cpu0 25 0 0 75\nintr 1\n");
        EXPECT_EQ(take(), Sampler::Outcome::Accepted);
        machine("cpu0 25 0 0 90\nintr 1\n");
        const auto* tick = sampler_.tick(TimePoint{} + kSecond);
        ASSERT_NE(tick, nullptr);
        EXPECT_EQ(idle(0), 7500U) << "as of the last sample";
        machine("cpu0 35 0 0 100\nintr 1\n");
        tick = sampler_.tick(TimePoint{} + 2 * kSecond);
        ASSERT_NE(tick, nullptr);
        EXPECT_FALSE(tick->warming_up);
        EXPECT_EQ(tick->cpus.at(0).idle_permyriad, 5000U) << "10 of 20 ticks, 200 ms";
        machine("rubbish\n");
        EXPECT_EQ(sampler_.tick(TimePoint{} + 3 * kSecond), nullptr);
        EXPECT_EQ(sampler_.accepted(), 1U);
}

}  // namespace
}  // namespace governor::probe
