// SPDX-License-Identifier: MIT
// Each key of the configuration: its default, its range and its way there and back.
#include "config/keys.hpp"

#include <gtest/gtest.h>
#include <set>

namespace governor::config {
namespace {

using std::chrono::milliseconds;

bool set(Settings& settings, std::string_view key, std::string_view value) {
        const auto* row = find_key(keys(), key);
        return row != nullptr && row->set(settings, value);
}

std::string get(const Settings& settings, std::string_view key) {
        const auto* row = find_key(keys(), key);
        return row != nullptr ? row->get(settings) : "no such key";
}

void expect_accepts(std::string_view key,
                    const std::vector<std::pair<const char*, const char*>>& rows) {
        for (const auto& [value, canonical] : rows) {
                SCOPED_TRACE(value);
                Settings settings;
                EXPECT_TRUE(set(settings, key, value));
                EXPECT_EQ(get(settings, key), canonical);
                Settings again;
                EXPECT_TRUE(set(again, key, canonical));
                EXPECT_EQ(get(again, key), canonical);
        }
}

void expect_refuses(std::string_view key, const std::vector<const char*>& values) {
        for (const auto* value : values) {
                SCOPED_TRACE(value);
                Settings settings;
                const auto before = get(settings, key);
                EXPECT_FALSE(set(settings, key, value));
                EXPECT_EQ(get(settings, key), before);
        }
}

TEST(Keys, AreFoundByTheirNameOnly) {
        std::set<std::string_view> names;
        for (const auto& key : keys()) {
                EXPECT_EQ(find_key(keys(), key.name), &key);
                EXPECT_TRUE(names.insert(key.name).second) << key.name << " comes twice";
                EXPECT_FALSE(key.accepted.empty());
                EXPECT_FALSE(key.meaning.empty());
        }
        EXPECT_EQ(names, (std::set<std::string_view>{
                                 "policy", "mode", "threshold", "period", "cpus", "reserve",
                                 "foreign_max", "handover_max", "turns", "turns_across_users",
                                 "turn_quantum", "turn_max_wait", "tcp", "log_level"}));
        for (const auto* name : {"", "Threshold", "threshold ", "thresh", "no_such_key"})
                EXPECT_EQ(find_key(keys(), name), nullptr) << name;
}

TEST(Keys, HaveTheDefaultsOfTheManual) {
        const Settings settings;
        EXPECT_EQ(get(settings, "policy"), "fair");
        EXPECT_EQ(get(settings, "mode"), "govern");
        EXPECT_EQ(get(settings, "threshold"), "5%");
        EXPECT_EQ(get(settings, "period"), "1s");
        EXPECT_EQ(get(settings, "cpus"), "all");
        EXPECT_EQ(get(settings, "reserve"), "off");
        EXPECT_EQ(get(settings, "foreign_max"), "50%");
        EXPECT_EQ(get(settings, "handover_max"), "2s");
        EXPECT_EQ(get(settings, "turns"), "yes");
        EXPECT_EQ(get(settings, "turns_across_users"), "no");
        EXPECT_EQ(get(settings, "turn_quantum"), "8s");
        EXPECT_EQ(get(settings, "turn_max_wait"), "5min");
        EXPECT_EQ(get(settings, "tcp"), "off");
        EXPECT_EQ(get(settings, "log_level"), "info");
}

TEST(Keys, AcceptTheirOwnDefaults) {
        for (const auto& key : keys()) {
                Settings settings;
                EXPECT_TRUE(key.set(settings, key.get(Settings{}))) << key.name;
        }
}

TEST(PolicyKey, IsTheFairOneOrTheArticles) {
        expect_accepts("policy", {{"fair", "fair"}, {"threshold", "threshold"}});
        expect_refuses("policy", {"", "Fair", "unfair", "Threshold", "threshold "});
}

TEST(ModeKey, GovernsOrObserves) {
        expect_accepts("mode", {{"govern", "govern"}, {"observe", "observe"}});
        expect_refuses("mode", {"", "off", "Observe", "observe "});
}

TEST(ThresholdKey, GoesFromNothingToAHundredPercent) {
        expect_accepts("threshold",
                       {{"0%", "0%"}, {"5%", "5%"}, {"2.50%", "2.5%"}, {"100%", "100%"}});
        expect_refuses("threshold", {"", "5", "100.01%", "101%", "-1%", "0.5"});
        Settings settings;
        ASSERT_TRUE(set(settings, "threshold", "12.34%"));
        EXPECT_EQ(settings.threshold.threshold_permyriad, 1234U);
}

TEST(PeriodKey, GoesFromFiftyMillisecondsToAMinute) {
        expect_accepts("period", {{"50ms", "50ms"},
                                  {"0.05s", "50ms"},
                                  {"1000ms", "1s"},
                                  {"1.5s", "1500ms"},
                                  {"60s", "1min"},
                                  {"1min", "1min"}});
        expect_refuses("period", {"", "1", "0s", "49ms", "60001ms", "61s", "1h", "-1s"});
        Settings settings;
        ASSERT_TRUE(set(settings, "period", "250ms"));
        EXPECT_EQ(settings.period, milliseconds{250});
}

TEST(CpusKey, IsAllOrAListWithAtLeastOneCpu) {
        expect_accepts("cpus", {{"all", "all"},
                                {"0", "0"},
                                {"3,1,2", "1-3"},
                                {"0-3,8", "0-3,8"},
                                {"0-6:2", "0,2,4,6"},
                                {"0-6:2/3", "0-1,3-4,6"},
                                {"8191", "8191"}});
        expect_refuses("cpus", {"", "ALL", "none", "0-", "8192", "1;2", "0, 1"});
        Settings settings;
        ASSERT_TRUE(set(settings, "cpus", "0-2"));
        EXPECT_EQ(settings.pool.cpus, (policy::CpuSet{0, 1, 2}));
        EXPECT_FALSE(set(settings, "cpus", "nonsense"));
        EXPECT_EQ(settings.pool.cpus, (policy::CpuSet{0, 1, 2}));
        ASSERT_TRUE(set(settings, "cpus", "all"));
        EXPECT_FALSE(settings.pool.cpus.has_value());
}

/// A reply of the governor has at most 65536 bytes and shows two lists.
TEST(CpusKey, IsShownInLessThanHalfAReply) {
        Settings settings;
        ASSERT_TRUE(set(settings, "cpus", "0-8191:2/3"));
        EXPECT_LT(get(settings, "cpus").size(), 30'000U);
}

TEST(ReserveKey, IsOffOrAListWithAtLeastOneCpu) {
        expect_accepts("reserve", {{"off", "off"}, {"0", "0"}, {"3,1,2", "1-3"}});
        expect_refuses("reserve", {"", "OFF", "none", "all", "0-", "8192", "2 cpus"});
        Settings settings;
        ASSERT_TRUE(set(settings, "reserve", "0-1"));
        EXPECT_EQ(settings.pool.reserve, (policy::CpuSet{0, 1}));
        ASSERT_TRUE(set(settings, "reserve", "off"));
        EXPECT_TRUE(settings.pool.reserve.empty());
}

TEST(ForeignMaxKey, GoesFromNothingToAHundredPercent) {
        expect_accepts("foreign_max", {{"0%", "0%"}, {"33.33%", "33.33%"}, {"100%", "100%"}});
        expect_refuses("foreign_max", {"", "50", "100.01%", "-1%"});
        Settings settings;
        ASSERT_TRUE(set(settings, "foreign_max", "12.34%"));
        EXPECT_EQ(settings.fair.foreign_max_permyriad, 1234U);
}

TEST(HandoverMaxKey, GoesFromATenthOfASecondToAMinute) {
        expect_accepts("handover_max", {{"100ms", "100ms"}, {"2s", "2s"}, {"60s", "1min"}});
        expect_refuses("handover_max", {"", "2", "0s", "99ms", "60001ms"});
        Settings settings;
        ASSERT_TRUE(set(settings, "handover_max", "500ms"));
        EXPECT_EQ(settings.fair.handover_max, milliseconds{500});
}

TEST(TurnKeys, AreYesOrNo) {
        for (const auto* key : {"turns", "turns_across_users"}) {
                expect_accepts(key, {{"yes", "yes"}, {"no", "no"}});
                expect_refuses(key, {"", "on", "Yes", "1", "true"});
        }
        Settings settings;
        ASSERT_TRUE(set(settings, "turns", "no"));
        EXPECT_FALSE(settings.fair.turns);
        ASSERT_TRUE(set(settings, "turns_across_users", "yes"));
        EXPECT_TRUE(settings.fair.turns_across_users);
}

TEST(TurnQuantumKey, GoesFromATenthOfASecondToAMinute) {
        expect_accepts("turn_quantum", {{"100ms", "100ms"}, {"2s", "2s"}, {"60s", "1min"}});
        expect_refuses("turn_quantum", {"", "2", "0s", "99ms", "60001ms"});
        Settings settings;
        ASSERT_TRUE(set(settings, "turn_quantum", "500ms"));
        EXPECT_EQ(settings.fair.turn_quantum, milliseconds{500});
}

TEST(TurnMaxWaitKey, GoesFromASecondToAnHour) {
        expect_accepts("turn_max_wait", {{"1s", "1s"}, {"60s", "1min"}, {"60min", "1h"}});
        expect_refuses("turn_max_wait", {"", "60", "0s", "999ms", "3600001ms"});
        Settings settings;
        ASSERT_TRUE(set(settings, "turn_max_wait", "5s"));
        EXPECT_EQ(settings.fair.turn_max_wait, milliseconds{5'000});
}

TEST(LogLevelKey, KnowsFourLevels) {
        expect_accepts(
                "log_level",
                {{"debug", "debug"}, {"info", "info"}, {"warning", "warning"}, {"error", "error"}});
        expect_refuses("log_level", {"", "Debug", "warn", "trace", "0"});
        Settings settings;
        ASSERT_TRUE(set(settings, "log_level", "warning"));
        EXPECT_EQ(settings.log_level, LogLevel::Warning);
}

}  // namespace
}  // namespace governor::config
