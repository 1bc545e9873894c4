// SPDX-License-Identifier: MIT
// The THREADCOUNT variables.
#include "environment.hpp"

#include <gtest/gtest.h>
#include <map>
#include <string>

namespace threadcount {
namespace {

TEST(ModeVariable, KnowsFiveModes) {
        const std::pair<const char*, Mode> rows[] = {{"adapt", Mode::Adapt},
                                                     {"start-only", Mode::StartOnly},
                                                     {"keep", Mode::Keep},
                                                     {"off", Mode::Off},
                                                     {"fixed:1", Mode::Fixed}};
        for (const auto& [text, mode] : rows) {
                ModeSetting setting{mode == Mode::Adapt ? Mode::Off : Mode::Adapt, 0};
                EXPECT_TRUE(parse_mode(text, &setting)) << text;
                EXPECT_EQ(setting.mode, mode) << text;
                EXPECT_TRUE(setting.is_set) << text;
        }
}

TEST(ModeVariable, TakesTheNumberOfFixed) {
        for (const auto count : {1U, 7U, 65536U}) {
                ModeSetting setting;
                EXPECT_TRUE(parse_mode(("fixed:" + std::to_string(count)).c_str(), &setting));
                EXPECT_EQ(setting.fixed, count);
        }
}

TEST(ModeVariable, IsLeftAloneByWhatIsNoMode) {
        for (const auto* text :
             {"", "Adapt", "adapt ", " adapt", "startonly", "start_only", "on", "fixed",
              "fixed:", "fixed:0", "fixed:-1", "fixed:65537", "fixed:1x", "fixed: 1", "fixed:1:2",
              "fixed:18446744073709551617", "8"}) {
                ModeSetting setting{Mode::StartOnly, 42};
                EXPECT_FALSE(parse_mode(text, &setting)) << '"' << text << '"';
                EXPECT_EQ(setting.mode, Mode::StartOnly);
                EXPECT_FALSE(setting.is_set);
                EXPECT_EQ(setting.fixed, 42U);
        }
}

TEST(IntervalVariable, IsMillisecondsUnlessItSaysOtherwise) {
        const std::pair<const char*, std::uint32_t> rows[] = {{"50", 50},
                                                              {"50ms", 50},
                                                              {"1000", 1000},
                                                              {"1s", 1000},
                                                              {"10s", 10'000},
                                                              {"2min", 120'000},
                                                              {"1h", 3'600'000},
                                                              {"24h", 86'400'000},
                                                              {"86400s", 86'400'000},
                                                              {"0050", 50},
                                                              {"86400000", 86'400'000}};
        for (const auto& [text, ms] : rows) {
                std::uint32_t interval = 0;
                EXPECT_TRUE(parse_interval(text, &interval)) << text;
                EXPECT_EQ(interval, ms) << text;
        }
}

TEST(IntervalVariable, IsLeftAloneByWhatIsNoInterval) {
        for (const auto* text : {"",
                                 "0",
                                 "49",
                                 "49ms",
                                 "0s",
                                 "86400001",
                                 "86401s",
                                 "25h",
                                 "1441min",
                                 "-1s",
                                 "+1s",
                                 " 1s",
                                 "1s ",
                                 "1 s",
                                 "1.5s",
                                 "s",
                                 "1S",
                                 "1sec",
                                 "0x50",
                                 "99999999999999999999",
                                 "99999999999999999999h",
                                 "18446744073709551666"}) {
                std::uint32_t interval = 777;
                EXPECT_FALSE(parse_interval(text, &interval)) << '"' << text << '"';
                EXPECT_EQ(interval, 777U);
        }
}

TEST(ShrinkVariable, IsKeepOrRelease) {
        bool releases = true;
        EXPECT_TRUE(parse_shrink("keep", &releases));
        EXPECT_FALSE(releases);
        EXPECT_TRUE(parse_shrink("release", &releases));
        EXPECT_TRUE(releases);
        for (const auto* text : {"", "Release", "yes", "released"}) {
                EXPECT_FALSE(parse_shrink(text, &releases)) << '"' << text << '"';
                EXPECT_FALSE(releases);
        }
}

TEST(CountVariable, GoesFromOneToTheMostThreads) {
        const std::pair<const char*, std::uint32_t> rows[] = {
                {"1", 1}, {"8", 8}, {"0008", 8}, {"65536", 65536}};
        for (const auto& [text, expected] : rows) {
                std::uint32_t count = 0;
                EXPECT_TRUE(parse_count(text, &count)) << text;
                EXPECT_EQ(count, expected) << text;
        }
        for (const auto* text : {"", "0", "65537", "-1", "+1", " 1", "1 ", "1.0", "1e3", "0x8",
                                 "all", "4294967297", "18446744073709551617"}) {
                std::uint32_t count = 777;
                EXPECT_FALSE(parse_count(text, &count)) << '"' << text << '"';
                EXPECT_EQ(count, 777U);
        }
}

std::map<std::string, std::string>& variables() {
        static std::map<std::string, std::string> table;
        return table;
}

char* fake_getenv(const char* name) {
        const auto found = variables().find(name);
        return found != variables().end() ? found->second.data() : nullptr;
}

Environment read(const std::map<std::string, std::string>& table) {
        variables() = table;
        return read_environment(fake_getenv);
}

TEST(EnvironmentOfAProgram, IsTheDefaultIfNothingIsSet) {
        const auto environment = read({});
        EXPECT_EQ(environment.mode.mode, Mode::Adapt);
        EXPECT_EQ(environment.interval_ms, 0U);
        EXPECT_EQ(environment.max, 0U);
        EXPECT_EQ(environment.socket, nullptr);
        EXPECT_EQ(environment.misunderstood, nullptr);
        EXPECT_STREQ(environment.misunderstood_value, "");
}

TEST(EnvironmentOfAProgram, TakesAnEmptyValueAsNotSet) {
        const auto environment = read({{"THREADCOUNT", ""},
                                       {"THREADCOUNT_INTERVAL", ""},
                                       {"THREADCOUNT_MAX", ""},
                                       {"THREADCOUNT_SOCKET", ""}});
        EXPECT_EQ(environment.misunderstood, nullptr);
        EXPECT_EQ(environment.socket, nullptr);
}

TEST(EnvironmentOfAProgram, HasAllItsVariables) {
        const auto environment = read({{"THREADCOUNT", "fixed:6"},
                                       {"THREADCOUNT_INTERVAL", "10s"},
                                       {"THREADCOUNT_MAX", "12"},
                                       {"THREADCOUNT_SOCKET", "/a/b"}});
        EXPECT_EQ(environment.mode.mode, Mode::Fixed);
        EXPECT_EQ(environment.mode.fixed, 6U);
        EXPECT_EQ(environment.interval_ms, 10'000U);
        EXPECT_EQ(environment.max, 12U);
        EXPECT_STREQ(environment.socket, "/a/b");
        EXPECT_EQ(environment.misunderstood, nullptr);
}

TEST(EnvironmentOfAProgram, HasALabelThatCanBeSent) {
        EXPECT_STREQ(read({}).label, "");
        EXPECT_STREQ(read({{"THREADCOUNT_LABEL", "solver"}}).label, "solver");
        EXPECT_STREQ(read({{"THREADCOUNT_LABEL", "a\xff\tb"}}).label, "a__b");
        EXPECT_STREQ(read({{"THREADCOUNT_LABEL", "  "}}).label, "") << "as if it were not set";
        EXPECT_STREQ(read({{"THREADCOUNT_LABEL", " a "}}).label, " a ");
        EXPECT_STREQ(read({{"THREADCOUNT_LABEL", std::string(100, 'x')}}).label,
                     std::string(63, 'x').c_str());
}

TEST(EnvironmentOfAProgram, TellsWhichJobItBelongsTo) {
        EXPECT_STREQ(read({}).job, "");
        EXPECT_FALSE(read({}).is_rank);
        EXPECT_STREQ(read({{"SLURM_STEP_ID", "3"}}).job, "");
        const std::pair<const char*, const char*> later_first[] = {{"LSB_JOBID", "1"},
                                                                   {"PBS_JOBID", "2"},
                                                                   {"FLUX_JOB_ID", "3"},
                                                                   {"PMI_JOBID", "4"},
                                                                   {"OMPI_MCA_ess_base_jobid", "5"},
                                                                   {"SLURM_JOB_ID", "6"},
                                                                   {"PMIX_NAMESPACE", "7"},
                                                                   {"THREADCOUNT_JOB", "8"}};
        std::map<std::string, std::string> set;
        for (const auto& [name, job] : later_first) {
                set[name] = job;
                EXPECT_STREQ(read(set).job, job) << name;
        }
        EXPECT_STREQ(read({{"SLURM_STEP_ID", "3"}, {"SLURM_JOB_ID", "7"}}).job, "7.3");
        EXPECT_STREQ(read({{"LSB_JOBINDEX", "3"}, {"LSB_JOBID", "7"}}).job, "7.3");
        EXPECT_STREQ(read({{"PMIX_NAMESPACE", std::string(100, 'x') + "@1"}}).job,
                     (std::string(61, 'x') + "@1").c_str())
                << "what tells one from the other is at the end";
        EXPECT_STREQ(read({{"THREADCOUNT_JOB", "\xe9t\n d"}}).job, "_t_ d");
        EXPECT_STREQ(read({{"THREADCOUNT_JOB", std::string(100, 'x')}}).job,
                     std::string(63, 'x').c_str());
}

TEST(EnvironmentOfAProgram, TellsOfARankWhoseJobHasNoName) {
        EXPECT_TRUE(read({{"PMI_RANK", "0"}}).is_rank);
        EXPECT_TRUE(read({{"PMI_ID", "1"}}).is_rank);
        EXPECT_FALSE(read({{"PMI_RANK", ""}}).is_rank);
        EXPECT_FALSE(read({{"PMI_RANK", "0"}, {"THREADCOUNT_JOB", "x"}}).is_rank);
}

TEST(EnvironmentOfAProgram, SaysWhetherThreadsAreBound) {
        EXPECT_EQ(read({}).binding, BindingSetting::Unset);
        EXPECT_EQ(read({{"THREADCOUNT_BINDING", "none"}}).binding, BindingSetting::None);
        EXPECT_EQ(read({{"THREADCOUNT_BINDING", "cores"}}).binding, BindingSetting::Cores);
        const auto misread = read({{"THREADCOUNT_BINDING", "threads"}});
        EXPECT_EQ(misread.binding, BindingSetting::Unset);
        EXPECT_STREQ(misread.misunderstood, "THREADCOUNT_BINDING");
}

TEST(EnvironmentOfAProgram, TellsWhereTheRuntimeBindsItsThreads) {
        EXPECT_FALSE(read({}).runtime_binds);
        EXPECT_FALSE(read({{"OMP_PROC_BIND", ""}, {"OMP_PLACES", ""}}).runtime_binds);
        for (const auto* value : {"true", "close", "SPREAD", "spread,close"})
                EXPECT_TRUE(read({{"OMP_PROC_BIND", value}}).runtime_binds) << value;
        for (const auto* name : {"OMP_PLACES", "GOMP_CPU_AFFINITY", "KMP_AFFINITY"}) {
                EXPECT_TRUE(read({{name, "0-3"}}).runtime_binds) << name;
                EXPECT_FALSE(read({{name, "0-3"}, {"OMP_PROC_BIND", "FALSE"}}).runtime_binds)
                        << name;
        }
}

TEST(EnvironmentOfAProgram, NamesEachVariableThatIsNotUnderstoodAndKeepsItsDefault) {
        for (const auto* name : {"THREADCOUNT", "THREADCOUNT_INTERVAL", "THREADCOUNT_MAX"}) {
                const auto environment = read({{name, "nonsense"}});
                EXPECT_STREQ(environment.misunderstood, name);
                EXPECT_STREQ(environment.misunderstood_value, "nonsense");
                EXPECT_EQ(environment.mode.mode, Mode::Adapt);
                EXPECT_EQ(environment.interval_ms, 0U);
                EXPECT_EQ(environment.max, 0U);
        }
}

TEST(EnvironmentOfAProgram, UsesTheOthersWhenOneIsNotUnderstood) {
        const auto environment = read({{"THREADCOUNT", "nonsense"}, {"THREADCOUNT_MAX", "3"}});
        EXPECT_EQ(environment.max, 3U);
        EXPECT_STREQ(environment.misunderstood, "THREADCOUNT");
}

TEST(EnvironmentOfAProgram, CutsALongValueToFit) {
        const auto environment = read({{"THREADCOUNT", std::string(10'000, 'x')}});
        EXPECT_EQ(environment.misunderstood_value,
                  std::string(sizeof(environment.misunderstood_value) - 1, 'x'));
}

}  // namespace
}  // namespace threadcount
