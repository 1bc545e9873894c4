// SPDX-License-Identifier: MIT
// The doors that open for a command before its start, and the variables that go into its
// environment.
#include "ctl/run/doors.hpp"

#include "ctl/run/made_up_environment.hpp"
#include "support/temporary_directory.hpp"

#include <gtest/gtest.h>

namespace ctl::run {
namespace {

using test_support::TemporaryDirectory;

constexpr const char* kObject = "/opt/lib/threadcount/doors/$LIB/keep.so";
constexpr const char* kFollowing = "/opt/lib/threadcount/doors/$LIB/adopt.so";

Image linked_with(std::vector<std::string> needed) {
        return {Image::Kind::Dynamic, "/lib64/ld-linux-x86-64.so.2", std::move(needed)};
}

Circumstances installed() {
        Circumstances circumstances;
        circumstances.object = kObject;
        return circumstances;
}

Doors doors_of(const Image& image, const Circumstances& circumstances = installed()) {
        return run::doors_of(image, circumstances, environment());
}

std::string after(const Doors& doors, const std::string& name) {
        for (const auto& change : doors.changes)
                if (change.name == name)
                        return change.after;
        return "as it was";
}

TEST(Doors, OpenForGccsOpenmp) {
        const auto doors = doors_of(linked_with({"libgomp.so.1", "libc.so.6"}));
        EXPECT_TRUE(doors.is_open);
        EXPECT_EQ(doors.waits,
                  "it sleeps or waits for its round at regions of gcc's OpenMP (preload)");
        ASSERT_EQ(doors.each.size(), 4U);
        EXPECT_EQ(doors.each[0], "libgomp (it is linked with it): opened by preload, what is "
                                 "loaded or started later counts");
}

TEST(Doors, OpenForWhatMayLoadItLater) {
        for (const auto& image : {linked_with({"libpython3.11.so.1.0"}), Image{}}) {
                const auto doors = doors_of(image);
                EXPECT_TRUE(doors.is_open);
                EXPECT_EQ(doors.waits,
                          "what it loads or starts of gcc's OpenMP sleeps or waits for its "
                          "round (preload)");
        }
}

TEST(Doors, SayTurnOnceWhereProgramsTakeTurns) {
        auto batch = installed();
        batch.takes_turns = true;
        EXPECT_EQ(doors_of(linked_with({"libgomp.so.1"}), batch).waits,
                  "it waits until then at regions of gcc's OpenMP (preload)");
}

TEST(Doors, SayThatProgramsFollowWhereTheyMay) {
        auto adapting = installed();
        adapting.adapts = true;
        const auto doors = doors_of(linked_with({"libgomp.so.1"}), adapting);
        EXPECT_EQ(doors.waits, "it follows with its threads at regions of gcc's OpenMP (preload)");
        EXPECT_EQ(after(doors, "THREADCOUNT_ADOPT"), "adapt");
}

TEST(Doors, SayThatARuleLetsProgramsFollow) {
        auto ruled = installed();
        ruled.adapts = ruled.is_by_rule = true;
        const auto doors = doors_of(linked_with({"libgomp.so.1"}), ruled);
        EXPECT_EQ(doors.waits, "it follows with its threads at regions of gcc's OpenMP (preload), "
                               "as a rule of the administrator says");
        EXPECT_EQ(after(doors, "THREADCOUNT_ADOPT"), "adapt");
}

TEST(Doors, LeaveAloneWhatDoesNotSpinForLong) {
        for (const auto* name : {"libomp.so.5", "libomp5-14.so", "libiomp5.so"}) {
                const auto doors = doors_of(linked_with({name}));
                EXPECT_TRUE(doors.is_open) << "it may start others";
                EXPECT_TRUE(doors.waits.starts_with("libomp is left alone, its threads do not "
                                                    "spin for long; "))
                        << doors.waits;
                EXPECT_EQ(doors.each[1], "libomp, libiomp5 (it is linked with it): not opened, "
                                         "their threads do not spin for long");
        }
}

TEST(Doors, AreNotThereForOtherThreads) {
        const auto doors = doors_of(linked_with({"libopenblas.so.0"}));
        EXPECT_EQ(doors.each[2], "OpenBLAS with threads of its own (it is linked with it): not "
                                 "opened, there is no such door");
        EXPECT_EQ(doors.each[3], "make's jobserver: not opened, there is no such door");
}

void expect_shut(const Image& image, const Circumstances& circumstances, const std::string& why) {
        const auto doors = doors_of(image, circumstances);
        EXPECT_FALSE(doors.is_open) << why;
        EXPECT_EQ(doors.why_shut, why);
        EXPECT_EQ(doors.changes.size(), circumstances.has_lease ? 1U : 0U) << why;
        EXPECT_EQ(after(doors, "GOMP_SPINCOUNT"), circumstances.has_lease ? "30000" : "as it was");
        EXPECT_TRUE(doors.each[0].ends_with(": not opened, " + why)) << doors.each[0];
}

TEST(Doors, AreShutToProgramsThatPreloadNothing) {
        const auto gomp = linked_with({"libgomp.so.1"});
        expect_shut({Image::Kind::Static, "", {}}, installed(), "it is linked statically");
        expect_shut({Image::Kind::Foreign, "", {}}, installed(), "it is of another word size");
        expect_shut({Image::Kind::Dynamic, "/lib/ld-musl-x86_64.so.1", {}}, installed(),
                    "its libc is musl");
        auto privileged = installed();
        privileged.gains_privilege = true;
        expect_shut(gomp, privileged, "it gains privileges");
}

TEST(Doors, AreShutToWhatFollowsByItself) {
        expect_shut(linked_with({"libgomp.so.1", "libthreadcount.so.1"}), installed(),
                    "it follows by itself");
}

TEST(Doors, AreShutWithoutALeaseAndWithoutAnObject) {
        const auto gomp = linked_with({"libgomp.so.1"});
        auto without = installed();
        without.has_lease = false;
        expect_shut(gomp, without, "there is no lease");
        auto missing = installed();
        missing.object = tl::unexpected(std::string("there is no keep.so in /opt"));
        expect_shut(gomp, missing, "there is no keep.so in /opt");
}

TEST(Doors, AreShutWhereTheUserWantsNone) {
        auto refused = installed();
        refused.is_refused = true;
        expect_shut(linked_with({"libgomp.so.1"}), refused, "--no-preload");
        const auto inner = run::doors_of(linked_with({"libgomp.so.1"}), refused,
                                         environment({{"THREADCOUNT_ADOPT", "keep"}}));
        EXPECT_EQ(after(inner, "THREADCOUNT_ADOPT"), "off") << "another run had opened it";
}

TEST(DoorsSet, WhatTheObjectNeeds) {
        const auto doors = doors_of(linked_with({"libgomp.so.1"}));
        EXPECT_EQ(after(doors, "LD_PRELOAD"), kObject);
        EXPECT_EQ(after(doors, "THREADCOUNT_ADOPT"), "keep");
        EXPECT_EQ(after(doors, "ASAN_OPTIONS"), "verify_asan_link_order=0");
        EXPECT_EQ(after(doors, "GOMP_SPINCOUNT"), "30000");
        EXPECT_EQ(after(doors, "OMP_WAIT_POLICY"), "passive");
        EXPECT_EQ(after(doors, "KMP_BLOCKTIME"), "200") << "libomp's default";
        EXPECT_EQ(after(doors, "THREADCOUNT"), "as it was");
}

TEST(DoorsSet, NoWayToWaitWhereTheUserHasChosenOne) {
        for (const auto* name : {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY"}) {
                const auto doors = run::doors_of(linked_with({"libgomp.so.1"}), installed(),
                                                 environment({{name, "active"}}));
                for (const auto* none : {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY", "KMP_BLOCKTIME"})
                        EXPECT_EQ(after(doors, none), "as it was") << name;
        }
        const auto doors = run::doors_of(linked_with({"libgomp.so.1"}), installed(),
                                         environment({{"KMP_BLOCKTIME", "0"}}));
        EXPECT_EQ(after(doors, "KMP_BLOCKTIME"), "as it was");
        const auto told = run::doors_of(linked_with({"libgomp.so.1"}), installed(),
                                        environment({{"KMP_LIBRARY", "turnaround"}}));
        EXPECT_EQ(after(told, "OMP_WAIT_POLICY"), "as it was") << "libomp would say so on stderr";
        EXPECT_EQ(after(told, "GOMP_SPINCOUNT"), "30000");
}

TEST(DoorsSet, NothingInThePlaceOfWhatTheUserHasSet) {
        const auto doors = run::doors_of(
                linked_with({"libgomp.so.1"}), installed(),
                environment({{"LD_PRELOAD", "libfoo.so libbar.so"}, {"ASAN_OPTIONS", "color=1"}}));
        EXPECT_EQ(after(doors, "LD_PRELOAD"), std::string(kObject) + ":libfoo.so libbar.so");
        EXPECT_EQ(after(doors, "ASAN_OPTIONS"), "color=1:verify_asan_link_order=0");
        EXPECT_EQ(doors.changes[0].before, "libfoo.so libbar.so");
}

/// LD_PRELOAD where `object` is to be preloaded and the variable has been `before`.
std::string preloaded(const std::string& object, const std::string& before) {
        auto circumstances = installed();
        circumstances.object = object;
        return after(run::doors_of(linked_with({"libgomp.so.1"}), circumstances,
                                   environment({{"LD_PRELOAD", before.c_str()}})),
                     "LD_PRELOAD");
}

TEST(DoorsSet, NothingTwiceInsideOfAnotherTree) {
        const auto with_users = std::string(kObject) + ":libfoo.so";
        const auto doors =
                run::doors_of(linked_with({"libgomp.so.1"}), installed(),
                              environment({{"LD_PRELOAD", with_users.c_str()},
                                           {"ASAN_OPTIONS", "color=1:verify_asan_link_order=0"}}));
        EXPECT_EQ(after(doors, "LD_PRELOAD"), "as it was");
        EXPECT_EQ(after(doors, "ASAN_OPTIONS"), "as it was");
        EXPECT_EQ(after(doors, "THREADCOUNT_ADOPT"), "keep");
        EXPECT_EQ(preloaded(kObject, std::string("libfoo.so:") + kObject), with_users);
}

TEST(DoorsSet, OneObjectInThePlaceOfTheOneOfATreeAround) {
        EXPECT_EQ(preloaded(kFollowing, kObject), kFollowing);
        EXPECT_EQ(preloaded(kObject, kFollowing), kObject);
        EXPECT_EQ(preloaded(kObject, std::string(kFollowing) + ":libfoo.so libbar.so"),
                  std::string(kObject) + ":libfoo.so libbar.so");
        EXPECT_EQ(preloaded(kObject, std::string("libfoo.so ") + kObject + ":" + kFollowing),
                  std::string(kObject) + ":libfoo.so");
        EXPECT_EQ(preloaded(kObject, "/home/me/lib/threadcount/doors/$LIB/adopt.so"), kObject)
                << "of another installation";
        EXPECT_EQ(preloaded(kObject, "/home/me/keep.so"),
                  std::string(kObject) + ":/home/me/keep.so");
}

TEST(TheObject, IsNamedAsTheDynamicLinkerFindsIt) {
        for (const auto* lib : {"lib64", "lib/x86_64-linux-gnu"}) {
                const TemporaryDirectory directory;
                directory.write(std::string(lib) + "/adopt.so", "");
                EXPECT_EQ(object_in(directory.path(), Teams::Adapt).value_or(""),
                          directory.path("$LIB/adopt.so"));
                EXPECT_FALSE(object_in(directory.path(), Teams::Keep));
                directory.write(std::string(lib) + "/keep.so", "");
                EXPECT_EQ(object_in(directory.path(), Teams::Keep).value_or(""),
                          directory.path("$LIB/keep.so"));
        }
}

TEST(TheObject, IsNoneWhereThereIsNoFile) {
        const TemporaryDirectory directory;
        const auto nowhere = "there is no adopt.so in " + directory.path().string();
        directory.write("adopt.so", "");
        directory.write("lib/a/b/adopt.so", "");
        directory.write("lib64/adopt.so/file", "");
        EXPECT_EQ(object_in(directory.path(), Teams::Adapt).error(), nowhere);
        EXPECT_EQ(object_in("/nonexistent", Teams::Keep).error(),
                  "there is no keep.so in /nonexistent");
}

TEST(TheObject, IsNoneWhereLdPreloadCannotNameIt) {
        const TemporaryDirectory directory;
        for (const auto* name : {"a b", "a:b", "a$LIB"}) {
                directory.write(std::string(name) + "/lib/keep.so", "");
                EXPECT_EQ(object_in(directory.path(name), Teams::Keep).error(),
                          "LD_PRELOAD cannot name what is in " + directory.path(name));
        }
}

TEST(TeamsOfACommand, FollowWhereTheUserPermitsIt) {
        verbs::RunOptions options;
        options.keeps = true;
        EXPECT_EQ(teams_of(options, environment()), Teams::Keep);
        for (const auto* is_true : {"true", " TRUE\t", "True"})
                EXPECT_EQ(teams_of(options, environment({{"OMP_DYNAMIC", is_true}})), Teams::Adapt);
        for (const auto* is_false : {"", " ", "false", "truely", "tru", "1"})
                EXPECT_EQ(teams_of(options, environment({{"OMP_DYNAMIC", is_false}})), Teams::Keep)
                        << is_false;
        options.adapts = true;
        EXPECT_EQ(teams_of(options, environment({{"OMP_DYNAMIC", "false"}})), Teams::Adapt);
        EXPECT_EQ(teams_of(options, environment({{"THREADCOUNT", "keep"}})), Teams::Keep);
}

Circumstances fenced() {
        auto circumstances = installed();
        circumstances.is_fenced = true;
        return circumstances;
}

const Image kGomp = linked_with({"libgomp.so.1", "libc.so.6"});

/// Of a program of gcc's OpenMP without any option.
Doors in_fence(const std::map<std::string, std::string>& variables,
               const Circumstances& circumstances = fenced()) {
        return run::doors_of(kGomp, circumstances, environment(variables));
}

TEST(DoorsInAFence, LetThreadsSleepWhereTheyLackCpus) {
        const auto doors = in_fence({});
        EXPECT_TRUE(doors.is_open);
        EXPECT_TRUE(doors.is_fenced);
        EXPECT_FALSE(doors.adapts);
        EXPECT_EQ(doors.waits, "its threads sleep where they lack CPUs (preload)");
        EXPECT_EQ(after(doors, "LD_PRELOAD"), kObject);
        EXPECT_EQ(after(doors, "THREADCOUNT_ADOPT"), "fenced");
        EXPECT_EQ(after(doors, "ASAN_OPTIONS"), "verify_asan_link_order=0");
        EXPECT_EQ(after(doors, "GOMP_SPINCOUNT"), "30000");
        EXPECT_EQ(after(doors, "OMP_WAIT_POLICY"), "passive");
        EXPECT_EQ(after(doors, "KMP_BLOCKTIME"), "200");
        EXPECT_TRUE(doors.each.empty());
}

void expect_shut_in_fence(const Doors& doors, const std::string& spins, const std::string& what) {
        EXPECT_FALSE(doors.is_open) << what;
        EXPECT_FALSE(doors.is_fenced) << what;
        EXPECT_EQ(doors.why_shut, "") << what;
        EXPECT_EQ(doors.waits, "") << what;
        EXPECT_TRUE(doors.each.empty()) << what;
        EXPECT_EQ(doors.changes.size(), spins == "30000" ? 1U : 0U) << what;
        EXPECT_EQ(after(doors, "GOMP_SPINCOUNT"), spins) << what;
}

TEST(DoorsInAFence, AreShutWhereNothingCouldBePreloaded) {
        expect_shut_in_fence(run::doors_of({Image::Kind::Static, "", {}}, fenced(), environment()),
                             "30000", "static");
        for (const auto* set : {"is_refused", "gains_privilege", "has_little_memory"}) {
                auto circumstances = fenced();
                circumstances.is_refused = std::string(set) == "is_refused";
                circumstances.gains_privilege = std::string(set) == "gains_privilege";
                circumstances.has_little_memory = std::string(set) == "has_little_memory";
                expect_shut_in_fence(in_fence({}, circumstances), "30000", set);
        }
        auto circumstances = fenced();
        circumstances.object = tl::unexpected(std::string("there is no fence"));
        expect_shut_in_fence(in_fence({}, circumstances), "30000", "no object");
        circumstances.has_lease = false;
        expect_shut_in_fence(in_fence({}, circumstances), "as it was", "no lease");
}

TEST(DoorsInAFence, AreShutToAllButGccsOpenmp) {
        for (const auto& needed :
             std::vector<std::vector<std::string>>{{"libpython3.11.so.1.0"},
                                                   {"libomp.so.5"},
                                                   {"libgomp.so.1", "libomp.so.5"},
                                                   {"libgomp.so.1", "libopenblas.so.0"},
                                                   {"libgomp.so.1", "libthreadcount.so.1"}})
                expect_shut_in_fence(run::doors_of(linked_with(needed), fenced(), environment()),
                                     "30000", needed.back());
}

TEST(DoorsInAFence, AreShutWhereTheUserHasAWordInTheThreads) {
        for (const auto* name :
             {"OMP_PROC_BIND", "OMP_PLACES", "GOMP_CPU_AFFINITY", "OMP_STACKSIZE", "GOMP_STACKSIZE",
              "OMP_DISPLAY_AFFINITY", "OMP_THREAD_LIMIT"})
                expect_shut_in_fence(in_fence({{name, "false"}}), "30000", name);
        expect_shut_in_fence(in_fence({{"OMP_DYNAMIC", " True"}}), "30000", "OMP_DYNAMIC");
        EXPECT_TRUE(in_fence({{"OMP_DYNAMIC", "false"}}).is_open);
        for (const auto* name : {"GOMP_SPINCOUNT", "OMP_WAIT_POLICY"})
                expect_shut_in_fence(in_fence({{name, "active"}}), "as it was", name);
}

TEST(DoorsInAFence, LeaveWhatATreeAroundHasSaid) {
        for (const auto* around : {"keep", "adapt", "off"})
                expect_shut_in_fence(in_fence({{"THREADCOUNT_ADOPT", around}}), "30000", around);
        const std::map<std::string, std::string> of_fence{{"LD_PRELOAD", kObject},
                                                          {"THREADCOUNT_ADOPT", "fenced"},
                                                          {"GOMP_SPINCOUNT", "30000"},
                                                          {"OMP_WAIT_POLICY", "passive"}};
        const auto inner = in_fence(of_fence);
        EXPECT_TRUE(inner.is_open);
        EXPECT_EQ(after(inner, "LD_PRELOAD"), "as it was");
        EXPECT_EQ(after(inner, "THREADCOUNT_ADOPT"), "fenced");
        auto refused = fenced();
        refused.is_refused = true;
        EXPECT_EQ(after(in_fence(of_fence, refused), "THREADCOUNT_ADOPT"), "off");
        EXPECT_EQ(after(in_fence(of_fence, installed()), "THREADCOUNT_ADOPT"), "keep");
        // A script in the fence has the number of spins only.
        EXPECT_EQ(after(in_fence({{"GOMP_SPINCOUNT", "30000"}}), "OMP_WAIT_POLICY"), "passive");
        EXPECT_EQ(after(in_fence({{"GOMP_SPINCOUNT", "30000"}}, installed()), "OMP_WAIT_POLICY"),
                  "passive");
}

TEST(LookForDoors, OnlyWhereTheProgramIsKeptOrTakesTurnsOrIsOfGccsOpenmp) {
        verbs::RunOptions options;
        options.command = {"/bin/sh"};
        EXPECT_TRUE(look_for_doors(options, true).each.empty());
        EXPECT_FALSE(look_for_doors(options, true).is_open);
        EXPECT_EQ(look_for_doors(options, true).why_shut, "");
        options.is_batch = true;
        EXPECT_FALSE(look_for_doors(options, true).each.empty());
        EXPECT_EQ(look_for_doors(options, false).why_shut, "there is no lease");
}

}  // namespace
}  // namespace ctl::run
