// SPDX-License-Identifier: MIT
// The daemon as a process: start, reload, stop, a changing machine, and everything that can be
// wrong about its surroundings.
#include "support/daemon.hpp"
#include "support/wire.hpp"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

using namespace test_support;

const std::string kMachine = FIXTURES "/machines/8";

Finished govern(std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), GOVERNORD);
        return run({std::move(arguments), {}, {}});
}

bool contains(const std::string& text, const std::string& part) {
        return text.find(part) != text.npos;
}

governor::v1::Advice advice(const Daemon& daemon) {
        return WireClient(daemon.socket()).call(query(0)).value().advice();
}

governor::v1::Cpus cpus(const Daemon& daemon) {
        governor::v1::Request request;
        request.set_protocol(1);
        request.mutable_cpus();
        return WireClient(daemon.socket()).call(request).value().cpus();
}

TEST(Daemon, StopsCleanlyOnSigtermAndTakesItsSocketAlong) {
        Daemon daemon(kMachine);
        daemon.start();
        daemon.process().signal(SIGTERM);
        EXPECT_EQ(daemon.process().wait(), 0);
        EXPECT_FALSE(std::filesystem::exists(daemon.socket()));
        EXPECT_TRUE(contains(daemon.process().err(), "stopped")) << daemon.process().err();
}

TEST(Daemon, LetsEveryUserConnect) {
        Daemon daemon(kMachine);
        daemon.start();
        struct stat status {};
        ASSERT_EQ(::stat(daemon.socket().c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777U, 0666U);
}

TEST(Daemon, ReloadsAGoodConfiguration) {
        Daemon daemon(kMachine, "[governor]\nthreshold = 5%\n");
        daemon.start();
        EXPECT_EQ(status(daemon.socket()).free(), 6U);
        daemon.configure("[governor]\nthreshold = 95%\nperiod = 50ms\n");
        daemon.process().signal(SIGHUP);
        EXPECT_TRUE(eventually([&] { return status(daemon.socket()).free() == 2; }));
        EXPECT_EQ(status(daemon.socket()).period_ms(), 50U);
}

TEST(Daemon, KeepsTheOldSettingsWhenTheNewOnesAreWrong) {
        Daemon daemon(kMachine, "[governor]\nthreshold = 50%\n");
        daemon.start();
        daemon.configure("[governor]\nperiod = 50ms\nthreshold = 101%\n");
        daemon.process().signal(SIGHUP);
        ASSERT_TRUE(eventually(
                [&] { return contains(daemon.process().err(), "old settings stay in force"); }));
        EXPECT_TRUE(contains(daemon.process().err(),
                             "governord.conf:3: `threshold = 101%` is not accepted; accepted: "
                             "0% .. 100%"))
                << daemon.process().err();
        EXPECT_EQ(status(daemon.socket()).threshold_permyriad(), 5000U);
        EXPECT_EQ(status(daemon.socket()).period_ms(), 1000U);
}

TEST(Daemon, WarnsWhenNoneOfItsCpusIsThere) {
        Daemon daemon(kMachine, "[governor]\ncpus = 100-200\n");
        daemon.start();
        EXPECT_EQ(status(daemon.socket()).cpus(), 0U);
        EXPECT_TRUE(contains(daemon.process().err(), "cpus = 100-200: none of them is online"))
                << daemon.process().err();
}

TEST(Daemon, GivesOutNoReservedCpus) {
        Daemon daemon(kMachine, "[governor]\nreserve = 0-1\n");
        daemon.start();
        EXPECT_EQ(status(daemon.socket()).cpus(), 6U);
        daemon.configure("[governor]\nreserve = 0-7\n");
        daemon.process().signal(SIGHUP);
        EXPECT_TRUE(eventually([&] { return status(daemon.socket()).cpus() == 0; }));
        EXPECT_TRUE(contains(daemon.process().err(),
                             "cpus = all, reserve = 0-7: none that is left is online"))
                << daemon.process().err();
}

TEST(Daemon, CountsOutCpusThatTheKernelKeepsApart) {
        FakeMachine machine;
        machine.runs({100, 100, 100, 100});
        machine.file("sys/devices/system/cpu/nohz_full", "1-3\n");
        Daemon daemon(machine.root());
        daemon.start();
        EXPECT_TRUE(contains(daemon.process().err(),
                             "info: the kernel keeps CPUs 1-3 apart (isolcpus=, nohz_full= or an "
                             "isolated cpuset partition), and they are not given out\n"))
                << daemon.process().err();
        EXPECT_EQ(status(daemon.socket()).cpus(), 1U);
        EXPECT_EQ(status(daemon.socket()).free(), 1U);
        EXPECT_EQ(status(daemon.socket()).budget(), 1U);
        EXPECT_EQ(advice(daemon).total(), 1U);
        const auto seen = cpus(daemon);
        ASSERT_EQ(seen.cpu_size(), 4);
        EXPECT_TRUE(seen.cpu(0).governed());
        EXPECT_FALSE(seen.cpu(2).governed());
        EXPECT_FALSE(seen.cpu(2).available());

        daemon.configure("[governor]\npolicy = threshold\n");
        daemon.process().signal(SIGHUP);
        EXPECT_TRUE(eventually([&] { return status(daemon.socket()).cpus() == 4; }))
                << "only fair leaves them out";
}

TEST(Daemon, WarnsWhenTheKernelKeepsAllOfItsCpusApart) {
        FakeMachine machine;
        machine.runs({100, 100, 100, 100});
        machine.file("sys/devices/system/cpu/isolated", "1-3\n");
        Daemon daemon(machine.root(), "[governor]\ncpus = 1-3\n");
        daemon.start();
        const std::string why =
                "cpus = 1-3: the kernel keeps apart all that are online (isolcpus=, "
                "nohz_full= or an isolated cpuset partition), so every program is "
                "advised 1 thread\n";
        EXPECT_TRUE(contains(daemon.process().err(), "warning: " + why)) << daemon.process().err();
        EXPECT_EQ(status(daemon.socket()).cpus(), 0U);
        const auto said = govern({"--check-config", "--root", machine.root(), "--config",
                                  daemon.directory().path("governord.conf")});
        EXPECT_TRUE(contains(said.out, "note: " + why)) << said.out;
}

TEST(Daemon, RefusesRulesThatAreWrong) {
        TemporaryDirectory directory;
        const auto bad = directory.write("bad.conf", "[program a]\nuser = no-such-user\n"
                                                     "[program b]\nweight = 0\n"
                                                     "[program a]\nmax = 1\n");
        for (const auto& [argument, status] :
             {std::pair{"--check-config", 2}, std::pair{"--root=/nonexistent", 1}}) {
                const auto wrong = govern({argument, "--config", bad});
                EXPECT_EQ(wrong.status, status);
                EXPECT_TRUE(contains(wrong.err, bad + ":2: `user = no-such-user`: no such user"))
                        << wrong.err;
                EXPECT_TRUE(contains(wrong.err, bad + ":4: `weight = 0` is not accepted"))
                        << wrong.err;
                EXPECT_TRUE(contains(wrong.err, bad + ":5: [program a] is in line 1 already"))
                        << wrong.err;
        }
        const auto idle = directory.write("idle.conf", "[program a]\nuser = root\n");
        const auto wrong = govern({"--check-config", "--config", idle});
        EXPECT_EQ(wrong.status, 2);
        EXPECT_TRUE(contains(wrong.err, idle + ":1: [program a] has no effect")) << wrong.err;
}

TEST(Daemon, ChecksAConfigurationWithoutStarting) {
        TemporaryDirectory directory;
        const auto good = directory.write("good.conf", "[governor]\nperiod = 2s\n");
        const auto bad = directory.write("bad.conf", "[governor]\n\nperod = 2s\n");
        const auto right = govern({"--check-config", "--config", good});
        EXPECT_EQ(right.status, 0) << right.err;
        const auto wrong = govern({"--check-config", "--config", bad});
        EXPECT_EQ(wrong.status, 2);
        EXPECT_TRUE(contains(wrong.err, bad + ":3: unknown key `perod`")) << wrong.err;
        const auto missing = govern({"--check-config", "--config", "/nonexistent.conf"});
        EXPECT_EQ(missing.status, 2);
        EXPECT_TRUE(contains(missing.err, "/nonexistent.conf: cannot be read")) << missing.err;
}

TEST(Daemon, NamesTheDropInsThatItChecks) {
        TemporaryDirectory directory;
        const auto file = directory.write("f.conf", "[governor]\nperiod = 2s\n");
        const auto second = directory.write("f.conf.d/b.conf", "[governor]\nmode = observe\n");
        const auto first = directory.write("f.conf.d/a.conf", "");
        directory.write("f.conf.d/a.conf.off", "");
        EXPECT_EQ(govern({"--check-config", "--root", kMachine, "--config", file}).out,
                  first + ": read, too\n" + second + ": read, too\n" + file +
                          ": the configuration is right\n");
}

TEST(Daemon, NotesWhatHasNoEffectWhenItChecks) {
        TemporaryDirectory directory;
        const auto file = directory.write("f.conf", "[governor]\npolicy = threshold\n"
                                                    "foreign_max = 7%\n"
                                                    "[program a]\nmax = 1\n");
        const auto said = govern({"--check-config", "--config", file});
        EXPECT_EQ(said.status, 0) << said.err;
        EXPECT_TRUE(contains(said.out, "note: " + file + ":3: `foreign_max` has no effect"))
                << said.out;
        EXPECT_TRUE(contains(said.out, "note: " + file + ":4: [program a] has no effect"))
                << said.out;
        EXPECT_TRUE(contains(said.out, ": the configuration is right\n")) << said.out;
}

TEST(Daemon, NotesThatItWouldGovernNothingHereWhenItChecks) {
        TemporaryDirectory directory;
        for (const std::string setting : {"reserve = 0-8191", "cpus = 4000-5000"}) {
                const auto file = directory.write("f.conf", "[governor]\n" + setting + "\n");
                const auto said = govern({"--check-config", "--root", kMachine, "--config", file});
                EXPECT_EQ(said.status, 0) << said.err;
                EXPECT_TRUE(contains(said.out, "note: cpus = ")) << said.out;
                EXPECT_TRUE(contains(said.out, "so every program is advised 1 thread\n"))
                        << said.out;
        }
        const auto some = directory.write("f.conf", "[governor]\nreserve = 0-6\n");
        const auto said = govern({"--check-config", "--root", kMachine, "--config", some});
        EXPECT_FALSE(contains(said.out, "note: ")) << said.out;
}

TEST(Daemon, NotesCpusThatTheMachineDoesNotHave) {
        TemporaryDirectory directory;
        const auto file = directory.write("f.conf", "[governor]\ncpus = 1-63\nreserve = 1,9\n");
        const auto said = govern({"--check-config", "--root", kMachine, "--config", file});
        EXPECT_EQ(said.status, 0) << said.err;
        const std::string cpus = "cpus = 1-63: CPUs 8-63 are not online here, and without effect "
                                 "until they are\n";
        const std::string reserve = "reserve = 1,9: CPU 9 is not online here, and without effect "
                                    "until it is\n";
        EXPECT_TRUE(contains(said.out, "note: " + cpus + "note: " + reserve)) << said.out;
        Daemon daemon(kMachine, "[governor]\ncpus = 1-63\nreserve = 1,9\n");
        daemon.start();
        EXPECT_TRUE(contains(daemon.process().err(), "governord: info: " + cpus))
                << daemon.process().err();
        EXPECT_TRUE(contains(daemon.process().err(), "governord: info: " + reserve));
}

TEST(Daemon, LeavesProgramsAloneWhereItsConfigurationIsWrongAtTheStart) {
        Daemon daemon(kMachine, "[governor]\nthreshold = 50%\nperiod = 49ms\n");
        daemon.start();
        EXPECT_TRUE(contains(daemon.process().err(), "governord.conf:3: `period = 49ms` is not"))
                << daemon.process().err();
        EXPECT_TRUE(contains(daemon.process().err(), "governord: warning: the configuration is "
                                                     "wrong: until a reload succeeds"))
                << daemon.process().err();
        const auto wrong = status(daemon.socket());
        EXPECT_EQ(wrong.mode(), "observe");
        EXPECT_EQ(wrong.threshold_permyriad(), 500U) << "the default";
        EXPECT_TRUE(contains(wrong.configuration_error(), "governord.conf:3: `period = 49ms`"));
        EXPECT_TRUE(contains(ctl(daemon, {"status"}).out, "  refused: "));
        EXPECT_TRUE(contains(ctl(daemon, {"status"}).out, "governord.conf:3: `period = 49ms`"));
        const auto shown = ctl(daemon, {"config"}).out;
        EXPECT_TRUE(contains(shown, "governord.conf:3: `period = 49ms`")) << shown;
        EXPECT_TRUE(contains(shown, "# fallback\nmode = observe\n")) << shown;

        daemon.process().signal(SIGHUP);  // as wrong as before
        ASSERT_TRUE(eventually(
                [&] { return contains(daemon.process().err(), "old settings stay in force"); }));
        EXPECT_EQ(status(daemon.socket()).mode(), "observe");
        daemon.configure("[governor]\nthreshold = 50%\n");
        daemon.process().signal(SIGHUP);
        ASSERT_TRUE(eventually([&] { return status(daemon.socket()).mode() == "govern"; }));
        EXPECT_EQ(status(daemon.socket()).threshold_permyriad(), 5000U);
        EXPECT_EQ(status(daemon.socket()).configuration_error(), "");
        EXPECT_FALSE(contains(ctl(daemon, {"status"}).out, "refused: "));
}

std::string policy_row(const Daemon& daemon) {
        const auto shown = ctl(daemon, {"status"}).out;
        const auto begin = shown.find("policy ");
        return shown.substr(begin, shown.find('\n', begin) - begin);
}

TEST(Daemon, SaysWhyItObserves) {
        Daemon daemon(kMachine, "[governor]\nperiod = 49ms\n");
        daemon.start();
        EXPECT_TRUE(policy_row(daemon).ends_with(
                " fair, observing (wrong configuration): programs are left alone"));
        daemon.configure("[governor]\nmode = observe\n");
        daemon.process().signal(SIGHUP);
        ASSERT_TRUE(eventually([&] { return contains(daemon.process().err(), "reloaded"); }));
        const auto as_configured = " fair, observing (mode = observe): programs are left alone";
        EXPECT_TRUE(policy_row(daemon).ends_with(as_configured)) << policy_row(daemon);
        daemon.configure("[governor]\nperiod = 49ms\n");
        daemon.process().signal(SIGHUP);
        ASSERT_TRUE(eventually([&] { return contains(daemon.process().err(), "not reloaded"); }));
        EXPECT_TRUE(policy_row(daemon).ends_with(as_configured)) << "the old settings stay";
        for (const auto* verb : {"status", "config", "doctor"})
                EXPECT_TRUE(contains(ctl(daemon, {verb}).out,
                                     "refused at reload, the settings of before are in force: "))
                        << verb;
        daemon.configure("[governor]\nmode = observe\n");
        daemon.process().signal(SIGHUP);
        EXPECT_TRUE(
                eventually([&] { return !contains(ctl(daemon, {"status"}).out, "refused at"); }));
}

TEST(Daemon, SaysHowManyMistakesThereAreAndWhatToDo) {
        Daemon daemon(kMachine, "[governor]\nperiod = 49ms\nthreshold = 101%\nturns = x\n");
        daemon.start();
        const auto wrong = status(daemon.socket()).configuration_error();
        EXPECT_TRUE(contains(wrong, "governord.conf:2: `period = 49ms`")) << wrong;
        EXPECT_TRUE(wrong.ends_with(" (and 2 more mistakes)")) << wrong;
        for (const auto* verb : {"status", "config"}) {
                const auto shown = ctl(daemon, {verb}).out;
                EXPECT_TRUE(contains(shown, " (and 2 more mistakes)\n")) << shown;
                EXPECT_TRUE(contains(shown,
                                     "governord --check-config [--config FILE] names all mistakes; "
                                     "once they are mended: systemctl reload governord, or "
                                     "SIGHUP\n"))
                        << shown;
        }
        daemon.configure("[governor]\nperiod = 49ms\nthreshold = 101%\n");
        daemon.process().signal(SIGHUP);
        EXPECT_TRUE(eventually([&] {
                return status(daemon.socket())
                        .configuration_error()
                        .ends_with(" (and 1 more mistake)");
        }));
}

TEST(Daemon, NamesAFileByItsWholePath) {
        TemporaryDirectory directory;
        const auto bad = directory.write("bad.conf", "[governor]\nperod = 2s\n");
        const auto wrong = run({{"/bin/sh", "-c",
                                 "cd " + directory.path().string() +
                                         " && exec " GOVERNORD " --check-config --config bad.conf"},
                                {},
                                {}});
        EXPECT_EQ(wrong.status, 2);
        EXPECT_TRUE(contains(wrong.err, " " + bad + ":2: unknown key `perod`")) << wrong.err;
}

TEST(Daemon, StartsWithoutTheFileThatItIsTold) {
        TemporaryDirectory directory;
        const auto socket = directory.path("socket");
        Process daemon({{GOVERNORD, "--config", "/nonexistent.conf", "--root", kMachine, "--socket",
                         socket},
                        {},
                        {}});
        ASSERT_TRUE(eventually([&] { return can_connect(socket); })) << daemon.err();
        EXPECT_EQ(status(socket).mode(), "observe");
        EXPECT_TRUE(contains(status(socket).configuration_error(), "cannot be read"));
}

TEST(Daemon, IsNotStartedByAWrongCommandLine) {
        EXPECT_EQ(govern({"--no-such-option"}).status, 2);
        EXPECT_EQ(govern({"--tcp", "nowhere"}).status, 2);
}

TEST(Daemon, TakesSignalsFromTheMomentItsSocketIsThere) {
        for (int i = 0; i < 20; i++) {
                Daemon daemon(kMachine);
                daemon.start();
                daemon.process().signal(SIGHUP);
                daemon.process().signal(SIGTERM);
                ASSERT_EQ(daemon.process().wait(), 0) << daemon.process().err();
        }
}

TEST(Daemon, SurvivesADropInThatIsNoFileAtReload) {
        Daemon daemon(kMachine);
        daemon.start();
        std::filesystem::create_directories(daemon.directory().path("governord.conf.d/1.conf"));
        daemon.process().signal(SIGHUP);
        EXPECT_TRUE(eventually(
                [&] { return contains(daemon.process().err(), "1.conf: cannot be read: Is a"); }));
        EXPECT_EQ(status(daemon.socket()).free(), 6U);
}

TEST(Daemon, SurvivesTheEndOfWhoeverReadsItsLog) {
        int pipe_ends[2];
        ASSERT_EQ(::pipe(pipe_ends), 0);
        TemporaryDirectory directory;
        const auto socket = directory.path("socket");
        const auto write_end = "/proc/self/fd/" + std::to_string(pipe_ends[1]);
        Process daemon({{"/bin/sh", "-c",
                         "exec " GOVERNORD " --socket " + socket + " --root " + kMachine + " 2>" +
                                 write_end},
                        {},
                        {}});
        ASSERT_TRUE(eventually([&] { return can_connect(socket); }));
        ::close(pipe_ends[0]);
        ::close(pipe_ends[1]);
        daemon.signal(SIGHUP);  // logs
        EXPECT_EQ(status(socket).free(), 6U);
        daemon.signal(SIGTERM);
        EXPECT_EQ(daemon.wait(), 0);
}

TEST(Daemon, MakesItsDirectoryForAllUsersWhateverTheUmask) {
        TemporaryDirectory directory;
        const auto socket = directory.path("run/socket");
        Process daemon(
                {{"/bin/sh", "-c",
                  "umask 077; exec " GOVERNORD " --socket " + socket + " --root " + kMachine},
                 {},
                 {}});
        ASSERT_TRUE(eventually([&] { return can_connect(socket); }));
        struct stat status {};
        ASSERT_EQ(::stat(directory.path("run").c_str(), &status), 0);
        EXPECT_EQ(status.st_mode & 0777U, 0755U);
}

TEST(Daemon, LeavesTheFirstAloneWhenASecondWantsItsSocket) {
        Daemon first(kMachine);
        first.start();
        const auto second = govern({"--socket", first.socket(), "--root", kMachine});
        EXPECT_EQ(second.status, 1);
        EXPECT_TRUE(contains(second.err, "another governord is listening there")) << second.err;
        EXPECT_EQ(status(first.socket()).free(), 6U);
}

TEST(Daemon, ReplacesTheSocketOfOneThatWasKilled) {
        Daemon daemon(kMachine);
        daemon.start();
        daemon.kill();
        ASSERT_TRUE(std::filesystem::exists(daemon.socket()));
        daemon.start();
        EXPECT_EQ(status(daemon.socket()).free(), 6U);
}

TEST(Daemon, DoesNotReplaceAFileThatIsNoSocket) {
        TemporaryDirectory directory;
        const auto path = directory.write("precious", "data");
        const auto refused = govern({"--socket", path, "--root", kMachine});
        EXPECT_EQ(refused.status, 1);
        EXPECT_TRUE(contains(refused.err, "not a governord's socket")) << refused.err;
        EXPECT_EQ(read_file(path), "data");
}

TEST(Daemon, SaysWhatIsWrongWithASocketPath) {
        const auto too_long = govern({"--socket", "/tmp/" + std::string(200, 'x')});
        EXPECT_EQ(too_long.status, 1);
        EXPECT_TRUE(contains(too_long.err, "the path has 205 bytes; accepted: 1 .. 107"))
                << too_long.err;
        const auto nowhere = govern({"--socket", "/proc/nowhere/socket"});
        EXPECT_EQ(nowhere.status, 1);
        EXPECT_TRUE(contains(nowhere.err, "cannot make the directory")) << nowhere.err;
}

TEST(Daemon, NeedsProcStat) {
        TemporaryDirectory empty;
        const auto refused = govern({"--socket", empty.path() / "socket", "--root", empty.path()});
        EXPECT_EQ(refused.status, 1);
        EXPECT_TRUE(contains(refused.err, "proc/stat: No such file or directory")) << refused.err;
}

TEST(Daemon, RefusesUnknownOptions) {
        const auto refused = govern({"--demonize"});
        EXPECT_EQ(refused.status, 2);
        EXPECT_TRUE(contains(refused.err, "--demonize")) << refused.err;
}

/// A machine that changes under the daemon, which samples it every 50 ms.
class ChangingMachine : public testing::Test {
protected:
        ChangingMachine() : daemon_(machine_.root(), "[governor]\nperiod = 50ms\n") {}

        [[nodiscard]] governor::v1::Status now() const { return status(daemon_.socket()); }

        FakeMachine machine_;
        Daemon daemon_;
};

TEST_F(ChangingMachine, CpusMayVanishAndComeBack) {
        machine_.runs({100, 100, 100, 0});
        daemon_.start();
        EXPECT_EQ(now().cpus(), 4U);
        EXPECT_EQ(now().free(), 3U);
        machine_.runs({100, 100});
        EXPECT_TRUE(eventually([&] { return now().cpus() == 2; }));
        EXPECT_EQ(now().free(), 2U);
        machine_.runs({0, 100, 100, 100});
        EXPECT_TRUE(eventually([&] { return now().cpus() == 4 && now().free() == 3; }));
}

TEST_F(ChangingMachine, CountersThatGoBackwardsKeepTheLastRatio) {
        machine_.runs({100, 0});
        daemon_.start();
        machine_.write("cpu  1\ncpu0 10 0 0 10 0\ncpu1 10 0 0 10 0\nintr 1\n");
        const auto samples = now().samples();
        EXPECT_TRUE(eventually([&] { return now().samples() > samples + 1; }));
        EXPECT_EQ(now().free(), 1U);
        EXPECT_EQ(now().discarded_samples(), 0U);
}

TEST_F(ChangingMachine, ShortReadsAreDiscardedAndCounted) {
        machine_.runs({100, 100, 0});
        const auto text = machine_.stat();
        daemon_.start();
        for (const auto& part :
             {std::string(), text.substr(0, text.size() / 2), text.substr(0, text.find("cpu2"))}) {
                const auto discarded = now().discarded_samples();
                machine_.write(part);
                EXPECT_TRUE(eventually([&] { return now().discarded_samples() > discarded; }))
                        << part;
                EXPECT_EQ(now().cpus(), 3U);
                EXPECT_EQ(now().free(), 2U);
        }
        std::filesystem::remove(machine_.root() + "/proc/stat");
        const auto discarded = now().discarded_samples();
        EXPECT_TRUE(eventually([&] { return now().discarded_samples() > discarded; }));
        machine_.runs({0, 0, 0});
        EXPECT_TRUE(eventually([&] { return now().free() == 0; }));
        daemon_.process().signal(SIGTERM);
        EXPECT_EQ(daemon_.process().wait(), 0);
        const auto log = daemon_.process().err();
        const auto first = log.find("discarded");
        EXPECT_NE(first, log.npos);
        EXPECT_EQ(log.find("discarded", first + 1), log.npos) << "once per minute:\n" << log;
}

}  // namespace
