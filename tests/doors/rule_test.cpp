// SPDX-License-Identifier: MIT
// Teams follow the grant by a rule of the administrator, where the user of the program says
// nothing.
#include "integration/run_fixture.hpp"

#include <string>
#include <vector>

namespace {

using namespace test_support;
using Words = std::vector<std::string>;

const std::string kRule = "[program solver]\nlabel = counts\nteams = adapt\n";
constexpr auto kByRule = "as a rule of the administrator says";
constexpr auto kLabel = "THREADCOUNT_LABEL=counts";

class TeamsByRule : public RunTest {
protected:
        TeamsByRule() { govern_with(kRule); }

        /// By a daemon that begins with these rules.
        void govern_with(const std::string& rules) {
                daemon_.kill();
                daemon_.configure(kFair + rules);
                daemon_.start();
        }
        static std::string program(const std::string& name = "counts") {
                return PROGRAMS "/" + name;
        }
        /// A program that asks for its number of threads, and prints which teams it had.
        [[nodiscard]] Finished counts(const Words& options, const Words& environment = {}) {
                Words all{"OMP_NUM_THREADS=3"};
                all.insert(all.end(), environment.begin(), environment.end());
                return run({run_words(options, {program(), "ask", "1"}), all, {}});
        }
        [[nodiscard]] Finished dry(const Words& options, const Words& environment = {}) {
                auto all = options;
                all.emplace_back("--dry-run");
                return counts(all, environment);
        }
        /// THREADCOUNT_ADOPT of a command with the label of the rule; empty: it has none.
        [[nodiscard]] std::string adopts(const Words& options, const Words& environment = {}) {
                Words all{kLabel};
                all.insert(all.end(), environment.begin(), environment.end());
                const auto done = run({sh("echo $THREADCOUNT_ADOPT", options), all, {}});
                return done.out.substr(0, done.out.find('\n'));
        }
        [[nodiscard]] bool acts(const Running& running, const std::string& expected) const {
                return eventually([&] {
                        const auto client = lease(static_cast<std::uint32_t>(running.run->pid()));
                        return client && client->acts() == expected;
                });
        }
        [[nodiscard]] bool has_team(const Running& running, std::uint32_t threads) const {
                return eventually([&] {
                        const auto client = lease(static_cast<std::uint32_t>(running.command));
                        return client && client->in_use() == threads;
                });
        }
};

bool says(const std::string& text, const std::string& words) {
        return text.find(words) != text.npos;
}

TEST_F(TeamsByRule, FollowTheGrantDownAndUp) {
        if (everything() < 2)
                GTEST_SKIP() << "needs two CPUs";
        const auto running =
                start(run_words({}, {program(), "nothing", "60000"}), {"OMP_NUM_THREADS=2"});
        EXPECT_TRUE(acts(running, "teams of gcc's openmp follow"));
        EXPECT_TRUE(has_team(running, 2));
        const auto pid = std::to_string(running.run->pid());
        ASSERT_EQ(ctl(daemon_, {"set", pid, "--max", "1"}).status, 0);
        EXPECT_TRUE(has_team(running, 1));
        ASSERT_EQ(ctl(daemon_, {"set", pid, "--max", "2"}).status, 0);
        EXPECT_TRUE(has_team(running, 2));
}

TEST_F(TeamsByRule, BeginAsWithAdapt) {
        govern_with(kRule + "max = 1\n");
        const auto ruled = counts({});
        EXPECT_EQ(ruled.out, "right, teams 1\n");
        EXPECT_EQ(ruled.status, 0);
        EXPECT_TRUE(ruled.err.ends_with("; it follows with its threads at regions of gcc's OpenMP "
                                        "(preload), as a rule of the administrator says\n"))
                << ruled.err;
        const auto asked = counts({"--adapt"});
        EXPECT_EQ(asked.out, "right, teams 1\n");
        EXPECT_FALSE(says(asked.err, kByRule)) << asked.err;
        // No variable of threads is lowered, and no fence is there.
        const auto script = "echo $OMP_NUM_THREADS; exec grep Cpus_allowed: /proc/self/status";
        const auto beside = [&](const Words& options) {
                return run({sh(script, options), {"OMP_NUM_THREADS=3", kLabel}, {}}).out;
        };
        EXPECT_TRUE(beside({}).starts_with("3\n"));
        EXPECT_EQ(beside({}), beside({"--adapt"}));
}

TEST_F(TeamsByRule, AreKeptWhereTheUserSaysSo) {
        govern_with(kRule + "max = 1\n");
        EXPECT_EQ(counts({"--keep"}).out, "right, teams 3\n");
        EXPECT_EQ(counts({}, {"THREADCOUNT=keep"}).out, "right, teams 3\n");
        EXPECT_FALSE(says(counts({"--keep"}).err, kByRule));
}

TEST_F(TeamsByRule, DoNotFollowWhereTheUserHasSaidSomethingElse) {
        EXPECT_EQ(adopts({}), "adapt");
        EXPECT_EQ(adopts({"--keep"}), "keep");
        EXPECT_EQ(adopts({"--batch"}), "keep");
        EXPECT_EQ(adopts({"--no-preload"}), "");
        EXPECT_EQ(adopts({"--exec"}), "");
        for (const auto* wish : {"off", "start-only", "fixed:1"})
                EXPECT_EQ(adopts({}, {std::string("THREADCOUNT=") + wish}), "") << wish;
        for (const auto* around : {"keep", "off"})
                EXPECT_EQ(adopts({}, {std::string("THREADCOUNT_ADOPT=") + around}), around);
        EXPECT_EQ(adopts({}, {"OMP_DYNAMIC=FALSE"}), "");
}

TEST_F(TeamsByRule, AreFittedAsEverWithoutOne) {
        for (const std::string rules : {"", "[program solver]\nlabel = other\nteams = adapt\n"}) {
                govern_with(rules);
                EXPECT_EQ(adopts({}), "");
                EXPECT_EQ(counts({"--max", "1"}).out, "right, teams 1\n");
                EXPECT_TRUE(says(counts({"--max", "1"}).err, "OMP_NUM_THREADS 3 -> 1"));
                EXPECT_FALSE(says(dry({}).out, kByRule));
        }
        govern_with(kRule + "[program later]\nteams = keep\n");
        EXPECT_EQ(adopts({}), "");
}

TEST_F(TeamsByRule, AreFittedAsEverWhereNothingCanBePreloaded) {
        govern_with("[program all]\nteams = adapt\nmax = 1\n");
        const Words linked_statically{program("hello_static")};
        const auto told = run({run_words({}, linked_statically), {"OMP_NUM_THREADS=3"}, {}});
        EXPECT_TRUE(says(told.err, "OMP_NUM_THREADS 3 -> 1")) << told.err;
        EXPECT_FALSE(says(told.err, kByRule));
        const auto dry = run({run_words({"--dry-run"}, linked_statically), {}, {}});
        EXPECT_FALSE(says(dry.out, kByRule)) << dry.out;
}

TEST_F(TeamsByRule, AreLeftAloneWhereTheProgramIs) {
        govern_with(kRule + "ignore = yes\n");
        EXPECT_EQ(adopts({}), "");
        govern_with("mode = observe\n" + kRule);
        EXPECT_EQ(adopts({}), "");
}

TEST_F(TeamsByRule, NameItWhereTheyAreToldDry) {
        const auto told = dry({});
        EXPECT_TRUE(says(told.out, "\na lease, and it follows with its threads at regions of gcc's "
                                   "OpenMP (preload), as a rule of the administrator says\n"))
                << told.out;
        EXPECT_TRUE(says(told.out, "\nset THREADCOUNT_ADOPT (not set) -> adapt\n"));
        EXPECT_TRUE(says(told.out, "\nfence: none"));
        EXPECT_FALSE(says(told.out, "set OMP_NUM_THREADS"));
        for (const auto* word : {"--keep", "--adapt", "--batch", "--no-preload", "--exec"})
                EXPECT_FALSE(says(dry({word}).out, kByRule)) << word;
        EXPECT_FALSE(says(dry({}, {"THREADCOUNT=keep"}).out, kByRule));
        EXPECT_FALSE(says(dry({}, {"THREADCOUNT_LABEL=other"}).out, kByRule));
}

TEST_F(TeamsByRule, FollowTheNextDaemonToo) {
        const auto running =
                start(run_words({}, {program(), "nothing", "60000"}), {"OMP_NUM_THREADS=2"});
        EXPECT_TRUE(acts(running, "teams of gcc's openmp follow"));
        govern_with("[program solver]\nlabel = counts\nmax = 1\n");
        EXPECT_TRUE(acts(running, "teams of gcc's openmp follow")) << "it is as it was started";
        EXPECT_TRUE(has_team(running, 1));
}

TEST_F(TeamsByRule, AreExplained) {
        const auto running = start(run_words({}, {program(), "nothing", "60000"}));
        const auto explained = ctl(daemon_, {"explain", std::to_string(running.run->pid())}).out;
        EXPECT_TRUE(says(explained, "rules: solver")) << explained;
        EXPECT_TRUE(says(explained, "a rule lets its teams follow the grant")) << explained;
        EXPECT_TRUE(says(ctl(daemon_, {"clients", "--json"}).out, "\"adapts\":true") ||
                    says(ctl(daemon_, {"clients", "--json"}).out, "\"adapts\": true"));
}

}  // namespace
