// SPDX-License-Identifier: MIT
// What `governorctl doctor` makes of what it is told.
#include "verbs/findings.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

namespace {

using namespace ctl::verbs;
using Kind = Finding::Kind;

governor::v1::Status governing() {
        governor::v1::Status status;
        status.set_version("1.2");
        status.set_policy("fair");
        status.set_mode("govern");
        return status;
}

/// The kind of the first finding on a subject; Good where there is none.
Kind kind_of(const std::vector<Finding>& findings, const std::string& subject) {
        const auto found = std::ranges::find(findings, subject, &Finding::subject);
        return found != findings.end() ? found->kind : Kind::Good;
}

std::vector<Finding> in(const std::map<std::string, std::string>& environment) {
        return of_environment([&](const char* name) {
                const auto found = environment.find(name);
                return found != environment.end() ? found->second.c_str() : nullptr;
        });
}

TEST(Doctor, FindsNothingWhereTheGovernorGoverns) {
        const auto findings = of_governor(governing(), false);
        ASSERT_EQ(findings.size(), 1U);
        EXPECT_EQ(findings[0].kind, Kind::Good);
        EXPECT_EQ(findings[0].text, "version 1.2 answers, policy fair");
}

TEST(Doctor, TellsWhyTheGovernorLeavesProgramsAlone) {
        auto paused = governing();
        paused.set_paused(true);
        EXPECT_EQ(kind_of(of_governor(paused, false), "mode"), Kind::Problem);
        auto observing = governing();
        observing.set_mode("observe");
        EXPECT_EQ(kind_of(of_governor(observing, false), "mode"), Kind::Problem);
        auto wrong = observing;
        wrong.set_fallback(true);
        wrong.set_configuration_error("governord.conf:3: no");
        const auto findings = of_governor(wrong, false);
        EXPECT_EQ(kind_of(findings, "configuration"), Kind::Problem);
        EXPECT_EQ(kind_of(findings, "mode"), Kind::Good) << "one cause, one problem";
}

TEST(Doctor, NotesWhatIsLeftToOthers) {
        auto busy = governing();
        busy.set_cpus(8);
        busy.set_foreign(3);
        const auto findings = of_governor(busy, false);
        EXPECT_EQ(kind_of(findings, "load"), Kind::Note);
        EXPECT_EQ(findings[1].text, "3 of 8 cpus are left to programs that are not governed");
}

TEST(Doctor, NotesWhereThereAreNoLeases) {
        EXPECT_EQ(kind_of(of_governor(governing(), true), "socket"), Kind::Note);
        auto threshold = governing();
        threshold.set_policy("threshold");
        EXPECT_EQ(kind_of(of_governor(threshold, false), "policy"), Kind::Note);
}

TEST(Doctor, NotesTheShellsOwnLimits) {
        EXPECT_EQ(of_limit(16, 16).front().kind, Kind::Good);
        EXPECT_EQ(of_limit(4, 16).front().kind, Kind::Note);
        EXPECT_NE(of_limit(4, 16).front().text.find("4 of 16"), std::string::npos);
}

TEST(Doctor, KnowsTheVariablesThatChangeWhatProgramsDo) {
        EXPECT_TRUE(in({}).empty());
        EXPECT_TRUE(in({{"THREADCOUNT", "keep"}, {"OMP_PROC_BIND", "False"}}).empty());
        EXPECT_EQ(kind_of(in({{"THREADCOUNT", "off"}}), "THREADCOUNT=off"), Kind::Problem);
        EXPECT_EQ(kind_of(in({{"THREADCOUNT", "fixed:4"}}), "THREADCOUNT=fixed:4"), Kind::Note);
        EXPECT_EQ(kind_of(in({{"THREADCOUNT", "start-only"}}), "THREADCOUNT=start-only"),
                  Kind::Note);
        const auto wrong = in({{"THREADCOUNT", "4"}});
        EXPECT_EQ(kind_of(wrong, "THREADCOUNT=4"), Kind::Problem);
        EXPECT_NE(wrong.front().text.find("accepted: adapt, keep"), std::string::npos);
        EXPECT_EQ(kind_of(in({{"OMP_WAIT_POLICY", "ACTIVE"}}), "OMP_WAIT_POLICY=active"),
                  Kind::Problem);
        EXPECT_EQ(kind_of(in({{"OMP_PLACES", "cores"}}), "OMP_PLACES=cores"), Kind::Note);
        EXPECT_EQ(kind_of(in({{"MKL_NUM_THREADS", "8"}}), "MKL_NUM_THREADS=8"), Kind::Note);
        EXPECT_EQ(kind_of(in({{"OMP_NUM_THREADS", "1"}}), "OMP_NUM_THREADS=1"), Kind::Note);
}

TEST(Doctor, LetsNoValueSteerTheTerminal) {
        EXPECT_EQ(in({{"OMP_PLACES", "\x1b[2J"}}).front().subject.find('\x1b'), std::string::npos);
}

TEST(Doctor, TellsWhatRunCanDoToAProgram) {
        ctl::run::Image linked;
        linked.needed = {"libthreadcount.so.1"};
        EXPECT_EQ(of_program("md", linked, {}).front().kind, Kind::Good);
        ctl::run::Doors shut;
        shut.why_shut = "it is linked statically";
        const auto findings = of_program("busybox", {}, shut);
        EXPECT_EQ(findings.front().kind, Kind::Note);
        EXPECT_NE(findings.front().text.find("it is linked statically"), std::string::npos);
        ctl::run::Doors open;
        open.is_open = true;
        open.each = {"libgomp: opened"};
        EXPECT_EQ(of_program("md", {}, open).size(), 2U);
}

}  // namespace
