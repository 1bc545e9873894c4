// SPDX-License-Identifier: MIT
// The messages about a tree, as people read them.
#include "ctl/run/words.hpp"

#include "ctl/run/signals.hpp"

#include <governor/v1/reasons.h>
#include <gtest/gtest.h>

namespace ctl::run {
namespace {

Beginning numpy() {
        Beginning beginning;
        beginning.name = "numpy.py";
        beginning.threads = 14;
        beginning.cpus = 64;
        beginning.limit = GOVERNOR_LIMIT_FAIR_SHARE;
        beginning.changes = {{"OMP_NUM_THREADS", "32", "14"}, {"MKL_NUM_THREADS", {}, "14"}};
        beginning.fence = "at least 14 CPUs";
        return beginning;
}

TEST(RunSays, OnOneLineWhatTheUserHadSetOtherwise) {
        EXPECT_EQ(summary(numpy()),
                  "numpy.py: 14 of 64 CPUs, fair share; OMP_NUM_THREADS 32 -> 14");
        auto untouched = numpy();
        untouched.changes.clear();
        EXPECT_EQ(summary(untouched), "numpy.py: 14 of 64 CPUs, fair share");
}

TEST(RunSays, NoMoreThanThreeVariablesByName) {
        auto many = numpy();
        many.changes.clear();
        for (const auto* name : {"A", "B", "C", "D", "E"})
                many.changes.push_back({name, "9", "14"});
        EXPECT_EQ(
                summary(many),
                "numpy.py: 14 of 64 CPUs, fair share; A 9 -> 14, B 9 -> 14, C 9 -> 14 and 2 more");
}

TEST(RunSays, ThatItChangesNothing) {
        auto kept = numpy();
        kept.keeps = true;
        kept.changes.clear();
        EXPECT_EQ(summary(kept), "numpy.py: 14 of 64 CPUs, fair share; nothing of it is changed");
}

TEST(RunSays, NotThatAMaximumBindsWhatIsOnlyCounted) {
        auto kept = numpy();
        kept.keeps = true;
        kept.limit = GOVERNOR_LIMIT_OWN_MAX;
        kept.changes.clear();
        EXPECT_EQ(summary(kept),
                  "numpy.py: counted as at most 14 of 64 CPUs; nothing binds it from "
                  "outside");
}

Doors open_doors() {
        Doors doors;
        doors.is_open = true;
        doors.waits = "it waits";
        doors.changes = {{"LD_PRELOAD", "libfoo.so", "adopt.so:libfoo.so"}};
        doors.each = {"libgomp: opened"};
        return doors;
}

Doors shut_doors() {
        Doors doors;
        doors.why_shut = "it is linked statically";
        return doors;
}

TEST(RunSays, AtWhichDoorItWaitsOrWhyAtNone) {
        auto kept = numpy();
        kept.keeps = true;
        kept.changes.clear();
        kept.doors = open_doors();
        EXPECT_EQ(summary(kept), "numpy.py: 14 of 64 CPUs, fair share; it waits");
        EXPECT_EQ(acts(kept, false), "regions of gcc's openmp wait");
        kept.doors = shut_doors();
        EXPECT_EQ(summary(kept), "numpy.py: 14 of 64 CPUs, fair share; nothing of it is changed: "
                                 "it is linked statically");
        EXPECT_EQ(acts(kept, false), "only counted");
        kept.limit = GOVERNOR_LIMIT_OWN_MAX;
        EXPECT_EQ(summary(kept), "numpy.py: counted as at most 14 of 64 CPUs; nothing binds it "
                                 "from outside: it is linked statically");
        kept.doors = open_doors();
        EXPECT_EQ(summary(kept), "numpy.py: counted as at most 14 of 64 CPUs; it waits");
}

TEST(RunSays, ThatThreadsSleepInAFence) {
        auto fenced = numpy();
        fenced.doors = open_doors();
        fenced.doors.is_fenced = true;
        fenced.doors.waits = "its threads sleep where they lack CPUs (preload)";
        EXPECT_EQ(summary(fenced), "numpy.py: 14 of 64 CPUs, fair share; its threads sleep where "
                                   "they lack CPUs (preload); OMP_NUM_THREADS 32 -> 14");
        EXPECT_EQ(acts(fenced, true), "it was started with 14 threads, its cpus follow, its "
                                      "threads sleep where they lack cpus");
        EXPECT_EQ(acts(fenced, false), "it was started with 14 threads");
}

TEST(RunSays, WhetherABatchTreeAlsoWaitsByItself) {
        auto batch = numpy();
        batch.yields = batch.keeps = true;
        batch.doors = open_doors();
        batch.doors.waits = "it waits until then at regions of gcc's OpenMP (preload)";
        EXPECT_EQ(summary(batch), "numpy.py: batch, yields to all others until its turn; it waits "
                                  "until then at regions of gcc's OpenMP (preload)");
        batch.doors = shut_doors();
        EXPECT_EQ(summary(batch),
                  "numpy.py: batch, yields to all others until its turn; no region of "
                  "it waits: it is linked statically");
        batch.is_ungoverned = true;
        EXPECT_EQ(summary(batch), "numpy.py: left alone, as the governor observes, is paused or "
                                  "ignores it");
}

TEST(RunSays, WhatThereIsInsteadOfALease) {
        auto advised = numpy();
        advised.without_lease = "advised once, no lease (--exec)";
        EXPECT_EQ(summary(advised), "numpy.py: 14 of 64 CPUs, advised once, no lease (--exec); "
                                    "OMP_NUM_THREADS 32 -> 14");
        advised.cpus = 0;
        advised.threads = 1;
        advised.changes.clear();
        EXPECT_EQ(summary(advised), "numpy.py: 1 thread, advised once, no lease (--exec)");
}

TEST(RunSays, AllThatItSetsIfAsked) {
        EXPECT_EQ(details(numpy()), "set OMP_NUM_THREADS 32 -> 14\n"
                                    "set MKL_NUM_THREADS (not set) -> 14\n"
                                    "fence: at least 14 CPUs\n");
        Beginning kept;
        kept.doors = open_doors();
        EXPECT_EQ(details(kept), "libgomp: opened\n"
                                 "set LD_PRELOAD libfoo.so -> adopt.so:libfoo.so\n"
                                 "fence: none, it may use all CPUs that this process may use\n");
}

TEST(RunSays, TheGovernorWhatActs) {
        EXPECT_EQ(acts(numpy(), false), "it was started with 14 threads");
        EXPECT_EQ(acts(numpy(), true), "it was started with 14 threads, its cpus follow");
        EXPECT_EQ(acts(Beginning{}, true), "its cpus follow");
        EXPECT_EQ(acts(Beginning{}, false), "only counted");
        auto observed = numpy();
        observed.is_ungoverned = true;
        observed.threads = 1;
        EXPECT_EQ(acts(observed, true), "it was started with 1 thread");
}

TEST(RunSays, ThatContainersAreStartedElsewhere) {
        const std::string note =
                ": what runs in the container is not started by this command, and not governed; "
                "start `fairly` inside of the container (-v /run/governord:/run/governord)";
        EXPECT_EQ(outside({"/usr/bin/docker", "run", "image"}), "docker" + note);
        EXPECT_EQ(outside({"podman", "--log-level", "info", "exec", "c", "sh"}), "podman" + note);
        EXPECT_EQ(outside({"docker", "ps"}), "");
        EXPECT_EQ(outside({"make", "run"}), "");
}

signalfd_siginfo from(int number, int code) {
        signalfd_siginfo info{};
        info.ssi_signo = static_cast<std::uint32_t>(number);
        info.ssi_code = code;
        return info;
}

constexpr int kKernel = 0x80;

TEST(RunTakesForTheGroups, WhatTheTerminalSends) {
        for (const int number : {SIGINT, SIGQUIT, SIGTSTP, SIGHUP})
                EXPECT_TRUE(went_to_the_group(from(number, kKernel), false)) << number;
}

TEST(RunTakesForTheGroups, NoSignalOfAProcessNorOfATimer) {
        EXPECT_FALSE(went_to_the_group(from(SIGINT, SI_USER), false));
        EXPECT_FALSE(went_to_the_group(from(SIGINT, SI_QUEUE), false));
        EXPECT_FALSE(went_to_the_group(from(SIGALRM, kKernel), false));
}

TEST(RunTakesForTheGroups, NoHangupThatWasForTheLeaderOfASession) {
        EXPECT_FALSE(went_to_the_group(from(SIGHUP, kKernel), true));
        EXPECT_TRUE(went_to_the_group(from(SIGINT, kKernel), true));
}

}  // namespace
}  // namespace ctl::run
