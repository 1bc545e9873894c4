// SPDX-License-Identifier: MIT
// Whatever governord accepts, what governorctl config prints of it says the same.
#include "config/apply.hpp"
#include "config/keys.hpp"
#include "support/daemon.hpp"

#include <gtest/gtest.h>
#include <random>

namespace {

using namespace test_support;
using governor::config::Errors;
using governor::config::Settings;

/// Settings of a text that may be wrong.
Settings read(const std::string& text, Errors& errors) {
        Settings settings;
        governor::config::apply(text, "f.conf", settings, errors);
        if (errors.empty())
                governor::config::check(settings, errors);
        return settings;
}

bool is_accepted(const std::string& text) {
        Errors errors;
        read(text, errors);
        return errors.empty();
}

/// Rules with one random assignment each, of those that are accepted.
std::string random_rules(std::size_t count) {
        constexpr std::string_view kBytes = ";;##==::[[]]!*?/\\\"'%$ \t.-az09~";
        const std::vector<std::string> starts{
                "label=", "label = ", "executable:", "executable =", " label =\t"};
        std::mt19937 random(11);
        std::string text;
        for (std::size_t n = 0; n < count;) {
                auto line = starts[random() % starts.size()];
                const auto size = random() % 8 != 0 ? random() % 12 : 180 + random() % 14;
                for (std::size_t i = 0; i < size; i++)
                        line += kBytes[random() % kBytes.size()];
                const auto rule = "[program p" + std::to_string(n) + "]\nmax = 1\n" + line + "\n";
                if (!is_accepted(rule))
                        continue;
                text += rule;
                n++;
        }
        return text;
}

/// The longest line that there can be.
std::string many_cpus() {
        std::string line = "cpus=0";
        for (unsigned cpu = 2; line.size() + 4 <= 198; cpu += 2)
                line += "," + std::to_string(cpu);
        return line + "\n";
}

TEST(WhatConfigPrints, ReadsBackAsWhatWasAccepted) {
        const auto text = "[governor]\nthreshold = 2.5 %\nperiod=1.5s\n" + many_cpus() +
                          "handover_max = 0.5min ; why\n" + random_rules(400);
        Errors errors;
        const auto settings = read(text, errors);
        ASSERT_EQ(errors, Errors{});
        ASSERT_EQ(settings.programs.size(), 400U);
        Daemon daemon(FIXTURES "/machines/8", text);
        daemon.start();
        const auto printed = ctl(daemon, {"config"});
        ASSERT_EQ(printed.status, 0) << printed.err;
        const auto again = read(printed.out, errors);
        EXPECT_EQ(errors, Errors{});
        EXPECT_EQ(again.programs, settings.programs);
        for (const auto& key : governor::config::keys())
                EXPECT_EQ(key.get(again), key.get(settings)) << key.name;
}

}  // namespace
