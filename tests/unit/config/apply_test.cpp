// SPDX-License-Identifier: MIT
// One file's text becomes settings, origins and errors in exact words.
#include "config/apply.hpp"

#include <gtest/gtest.h>

namespace governor::config {
namespace {

struct Applied {
        Settings settings;
        Errors errors;
};

Applied apply(std::string_view text) {
        Applied out;
        config::apply(text, "f.conf", out.settings, out.errors);
        return out;
}

std::string only_error(std::string_view text) {
        const auto out = apply(text);
        EXPECT_EQ(out.errors.size(), 1U);
        return out.errors.empty() ? "" : out.errors.front().text();
}

TEST(Configuration, TakesEveryKey) {
        const auto out = apply("[governor]\n"
                               "policy = threshold\n"
                               "threshold = 20%\n"
                               "period = 250ms\n"
                               "cpus = 0-3,8\n"
                               "reserve = 0\n"
                               "foreign_max = 25%\n"
                               "handover_max = 5s\n"
                               "turns = no\n"
                               "turns_across_users = yes\n"
                               "turn_quantum = 5s\n"
                               "turn_max_wait = 10min\n"
                               "tcp = 7777\n"
                               "log_level = debug\n");
        EXPECT_EQ(out.errors, Errors{});
        EXPECT_EQ(out.settings.threshold.threshold_permyriad, 2000U);
        EXPECT_EQ(out.settings.period, std::chrono::milliseconds{250});
        EXPECT_EQ(out.settings.pool.cpus, (policy::CpuSet{0, 1, 2, 3, 8}));
        EXPECT_EQ(out.settings.pool.reserve, (policy::CpuSet{0}));
        EXPECT_EQ(out.settings.fair.foreign_max_permyriad, 2500U);
        EXPECT_EQ(out.settings.fair.handover_max, std::chrono::seconds{5});
        EXPECT_FALSE(out.settings.fair.turns);
        EXPECT_TRUE(out.settings.fair.turns_across_users);
        EXPECT_EQ(out.settings.fair.turn_quantum, std::chrono::seconds{5});
        EXPECT_EQ(out.settings.fair.turn_max_wait, std::chrono::minutes{10});
        EXPECT_EQ(out.settings.tcp, (TcpAddress{"127.0.0.1", 7777}));
        EXPECT_EQ(out.settings.log_level, LogLevel::Debug);
}

TEST(Configuration, RemembersWhereEachKeyWasSet) {
        const auto out = apply("# a comment\n[governor]\nthreshold = 20%\n\nperiod = 2s\n");
        EXPECT_EQ(out.settings.origins, (std::map<std::string, Origin>{{"threshold", {"f.conf", 3}},
                                                                       {"period", {"f.conf", 5}}}));
}

TEST(Configuration, LetsTheLastOfTwoAssignmentsWin) {
        const auto out = apply("[governor]\nthreshold = 20%\nthreshold = 30%\n");
        EXPECT_EQ(out.errors, Errors{});
        EXPECT_EQ(out.settings.threshold.threshold_permyriad, 3000U);
        EXPECT_EQ(out.settings.origins.at("threshold").text(), "f.conf:3");
}

TEST(Configuration, IsTheDefaultIfEverythingIsCommentedOut) {
        const auto out = apply("[governor]\n#threshold = 20%\n;period = 2s\n");
        EXPECT_EQ(out.errors, Errors{});
        EXPECT_TRUE(out.settings.origins.empty());
        EXPECT_EQ(out.settings.threshold.threshold_permyriad, 500U);
}

TEST(Configuration, MayStateItsSectionTwice) {
        const auto out = apply("[governor]\nthreshold = 20%\n[governor]\nperiod = 2s\n");
        EXPECT_EQ(out.errors, Errors{});
        EXPECT_EQ(out.settings.origins.size(), 2U);
}

TEST(Configuration, NamesTheAcceptedRangeOfAValue) {
        EXPECT_EQ(only_error("[governor]\nthreshold = 101%\n"),
                  "f.conf:2: `threshold = 101%` is not accepted; accepted: 0% .. 100%, with the "
                  "sign");
        EXPECT_EQ(
                only_error("[governor]\nperiod = 49ms\n"),
                "f.conf:2: `period = 49ms` is not accepted; accepted: 50ms .. 60s, with the unit");
        EXPECT_EQ(only_error("[governor]\ncpus =\n"),
                  "f.conf:2: `cpus = ` is not accepted; accepted: all, or a list of CPUs 0 .. 8191 "
                  "such as 0-3,8 or 0-14:2");
        EXPECT_EQ(only_error("[governor]\nlog_level = loud\n"),
                  "f.conf:2: `log_level = loud` is not accepted; accepted: debug, info, warning or "
                  "error");
        EXPECT_EQ(only_error("[governor]\npolicy = best\n"),
                  "f.conf:2: `policy = best` is not accepted; accepted: fair or threshold");
}

TEST(Configuration, NamesTheKnownKeysForAnUnknownOne) {
        EXPECT_EQ(only_error("[governor]\n\ntreshold = 5%\n"),
                  "f.conf:3: unknown key `treshold`; known: policy, mode, threshold, period, "
                  "cpus, reserve, foreign_max, handover_max, turns, turns_across_users, "
                  "turn_quantum, turn_max_wait, tcp, log_level");
}

TEST(Configuration, NamesTheKnownSectionForAnUnknownOne) {
        EXPECT_EQ(only_error("[govenor]\nthreshold = 5%\n"),
                  "f.conf:1: unknown section [govenor]; known: [governor], [program NAME]");
        EXPECT_EQ(only_error("[governor]\n\n[empty]\n"),
                  "f.conf:3: unknown section [empty]; known: [governor], [program NAME]");
}

TEST(Configuration, SaysWhereToPutAKeyThatStandsBeforeAnySection) {
        EXPECT_EQ(only_error("threshold = 5%\n"),
                  "f.conf:1: `threshold` stands before any section; put it below [governor]");
}

TEST(Configuration, ReportsLinesThatAreNoIni) {
        EXPECT_EQ(only_error("[governor]\nrubbish\n"),
                  "f.conf:2: not of the form `key = value` or `[section]`");
        EXPECT_EQ(only_error("[governor]\n[oops\n"), "f.conf:2: not of the form `[section]`");
        EXPECT_EQ(only_error(std::string_view("[governor]\n\0\n", 13)),
                  "f.conf:2: line with a NUL byte");
        EXPECT_EQ(only_error("[governor]\ncpus = " + std::string(9000, '1') + "\n"),
                  "f.conf:2: line longer than 8192 bytes");
}

TEST(Configuration, DoesNotGiveTheKeysBelowARefusedSectionToTheOneBefore) {
        for (const std::string broken : {"[program x", "[govenor]", "[program]"}) {
                const auto out = apply("[governor]\nperiod = 2s\n" + broken +
                                       "\nperiod = 3s\nmax = 4\n[governor]\nthreshold = 9%\n");
                ASSERT_EQ(out.errors.size(), 1U) << broken;
                EXPECT_EQ(out.errors[0].origin.line, 3U);
                EXPECT_EQ(out.settings.period, std::chrono::seconds{2});
                EXPECT_EQ(out.settings.threshold.threshold_permyriad, 900U);
        }
}

TEST(Configuration, ReportsEveryMistakeNotOnlyTheFirst) {
        const auto out = apply("[governor]\nthreshold = 5\nperiod = 1s\nnonsense = 1\nrubbish\n");
        EXPECT_EQ(out.errors.size(), 3U);
        EXPECT_EQ(out.settings.origins.count("threshold"), 0U);
        EXPECT_EQ(out.settings.origins.at("period").text(), "f.conf:3");
}

TEST(Configuration, ReadsWindowsLineEndingsAndIndentedLines) {
        const auto out = apply("[governor]\r\n  threshold = 20%\r\n\tperiod = 2s\r\n");
        EXPECT_EQ(out.errors, Errors{});
        EXPECT_EQ(out.settings.threshold.threshold_permyriad, 2000U);
        EXPECT_EQ(out.settings.period, std::chrono::seconds{2});
}

}  // namespace
}  // namespace governor::config
