// SPDX-License-Identifier: MIT
// The lease of a tree that nobody modified, and what acts on it: variables and CPUs.
#include "integration/run_fixture.hpp"

#include <filesystem>
#include <signal.h>
#include <sys/stat.h>

namespace {

using namespace test_support;

class RunTree : public RunTest {
protected:
        void SetUp() override {
                if (everything() < 2)
                        GTEST_SKIP() << "there is nothing to choose from on one CPU";
        }
        [[nodiscard]] static std::string pid_text(pid_t pid) { return std::to_string(pid); }
        /// Orders it like the administrator: it acts at once.
        void order_max(const Running& running, const std::string& max) const {
                const auto done = ctl(daemon_, {"set", pid_text(running.run->pid()), "--max", max});
                EXPECT_EQ(done.status, 0) << done.err;
        }
        [[nodiscard]] static std::string own_cpus() { return cpus_allowed(::getpid()); }
        [[nodiscard]] static bool is_one_cpu(const std::string& list) {
                return !list.empty() && list.find_first_of(",-") == list.npos;
        }
        [[nodiscard]] static std::vector<pid_t> descendants(const Running& running) {
                return descendants_of(running.run->pid());
        }
        /// To all CPUs but its fence's.
        static void bind_elsewhere(pid_t pid) {
                cpu_set_t cpus;
                CPU_ZERO(&cpus);
                ::sched_getaffinity(::getpid(), sizeof(cpus), &cpus);
                cpu_set_t fence;
                CPU_ZERO(&fence);
                ::sched_getaffinity(pid, sizeof(fence), &fence);
                CPU_XOR(&cpus, &cpus, &fence);
                EXPECT_EQ(::sched_setaffinity(pid, sizeof(cpus), &cpus), 0);
        }
        /// In a directory that is XDG_RUNTIME_DIR.
        [[nodiscard]] static std::size_t runs_recorded(const std::string& runtime) {
                return records_in(runtime + "/governorctl");
        }
        [[nodiscard]] static std::size_t records_in(const std::string& place) {
                std::error_code none;
                std::size_t n = 0;
                for (const auto& file : std::filesystem::directory_iterator(place, none))
                        n += file.path().filename().string().starts_with("run-") ? 1 : 0;
                return n;
        }
        /// 0: there is none.
        [[nodiscard]] static pid_t guardian_of(const std::string& place) {
                const auto wanted =
                        std::string("governorctl") + '\0' + "guard" + '\0' + place + '\0';
                for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
                        const auto name = entry.path().filename().string();
                        if (name.find_first_not_of("0123456789") == name.npos &&
                            read_file(entry.path() / "cmdline") == wanted)
                                return static_cast<pid_t>(std::stoi(name));
                }
                return 0;
        }
        /// A child of the command that executes `name` by now; 0: there is none.
        [[nodiscard]] static pid_t child_called(const Running& running, const std::string& name) {
                pid_t found = 0;
                EXPECT_TRUE(eventually([&] {
                        for (const auto child : children_of(running.command))
                                if (status_line(child, "Name") == name)
                                        found = child;
                        return found != 0;
                })) << name;
                return found;
        }
};

TEST_F(RunTree, InsideOfAnotherBeginsWithWhatThatMayUse) {
        const auto inner = std::string(GOVERNORCTL) + " --socket " + daemon_.socket() +
                           " run -q -- /bin/sh -c 'echo $OMP_NUM_THREADS'";
        const auto done = test_support::run({sh(inner), {}, {}});
        EXPECT_EQ(done.status, 0) << done.err;
        EXPECT_EQ(done.out, std::to_string(everything()) + "\n");
}

constexpr auto kSleeper = "/bin/sleep";

TEST_F(RunTree, IsListedAsOneProgramWithTheNameOfItsCommand) {
        const auto running = start(sh("sleep 1 & exec sleep 60"));
        const auto client = lease(static_cast<std::uint32_t>(running.run->pid()));
        ASSERT_TRUE(client.has_value());
        EXPECT_EQ(client->label(), "sh");
        EXPECT_EQ(count(), 1U);
        ::kill(running.command, SIGTERM);
        (void)running.run->wait();
        EXPECT_TRUE(becomes(0));
}

TEST_F(RunTree, IsShownWithWhatActsOnItAndHowManyProcessesItHas) {
        const auto running = start(sh("sleep 1 & exec sleep 60"));
        const auto pid = static_cast<std::uint32_t>(running.run->pid());
        EXPECT_TRUE(eventually([&] {
                const auto client = lease(pid);
                return client && client->processes() >= 1;
        }));
        const auto client = lease(pid);
        ASSERT_TRUE(client.has_value());
        EXPECT_EQ(client->tree(), client->id());
        EXPECT_EQ(client->acts(), "it was started with " + std::to_string(everything()) +
                                          " threads, its cpus follow");
        EXPECT_EQ(client->share(), everything());
}

TEST_F(RunTree, OfARunInsideOfARunIsAMemberOfTheOuterTree) {
        const auto running =
                start(sh(std::string(GOVERNORCTL) + " run -- sleep 60 & exec sleep 61"),
                      {"THREADCOUNT_SOCKET=" + daemon_.socket()});
        EXPECT_TRUE(becomes(2));
        const auto outer = lease(static_cast<std::uint32_t>(running.run->pid()));
        ASSERT_TRUE(outer.has_value());
        for (const auto& client : leases(daemon_.socket()))
                EXPECT_EQ(client.tree(), outer->id()) << client.label();
}

TEST_F(RunTree, IsCalledAndClassedAsTheUserSays) {
        const auto running = start(run_words({}, {kSleeper, "60"}),
                                   {"THREADCOUNT_LABEL=night", "THREADCOUNT_CLASS=batch"});
        const auto client = lease(static_cast<std::uint32_t>(running.run->pid()));
        ASSERT_TRUE(client.has_value());
        EXPECT_EQ(client->label(), "night");
        EXPECT_EQ(client->scheduling_class(), governor::v1::BATCH);
}

TEST_F(RunTree, BeginsOnTheCpusOfItsShareWhileRunItselfKeepsAll) {
        const auto running = start(run_words({"--max", "1"}, {kSleeper, "60"}));
        EXPECT_TRUE(is_one_cpu(cpus_allowed(running.command))) << cpus_allowed(running.command);
        EXPECT_EQ(cpus_allowed(running.run->pid()), own_cpus());
}

TEST_F(RunTree, FollowsTheGrantDownAndUp) {
        const auto running = start(sh("sleep 60 & sleep 61"));
        EXPECT_EQ(cpus_allowed(running.command), own_cpus());
        order_max(running, "1");
        const auto all_are = [&](auto&& holds) {
                return eventually([&] {
                        const auto all = descendants(running);
                        return all.size() == 3 && std::ranges::all_of(all, [&](pid_t pid) {
                                       return holds(cpus_allowed(pid));
                               });
                });
        };
        EXPECT_TRUE(all_are(is_one_cpu));
        EXPECT_EQ(cpus_allowed(running.run->pid()), own_cpus());
        order_max(running, "0");
        EXPECT_TRUE(all_are([](const std::string& list) { return list == own_cpus(); }));
}

TEST_F(RunTree, MissesNoProcessThatIsForkedWhileTheFenceMoves) {
        const auto running = start(sh(
                "for i in 1 2; do (for j in $(seq 250); do sleep 30 & done; wait) & done; wait"));
        order_max(running, "1");
        EXPECT_TRUE(eventually([&] { return descendants(running).size() == 503; }));
        EXPECT_TRUE(eventually([&] {
                return std::ranges::all_of(descendants(running), [&](pid_t pid) {
                        return is_one_cpu(cpus_allowed(pid));
                });
        }));
}

TEST_F(RunTree, LeavesAloneWhatHasBoundItself) {
        cpu_set_t allowed;
        CPU_ZERO(&allowed);
        ::sched_getaffinity(0, sizeof(allowed), &allowed);
        std::string script;
        std::vector<std::string> bound;
        for (std::size_t cpu = 0; cpu < CPU_SETSIZE && bound.size() < 2; cpu++)
                if (CPU_ISSET(cpu, &allowed)) {
                        bound.push_back(std::to_string(cpu));
                        script += "taskset -c " + bound.back() + " sleep 60 & ";
                }
        const auto running = start(sh(script + "exec cat /dev/zero > /dev/null"));
        order_max(running, "1");
        EXPECT_TRUE(eventually([&] { return is_one_cpu(cpus_allowed(running.command)); }));
        const auto fence = cpus_allowed(running.command);
        const auto others = [&] {
                std::size_t n = 0;
                for (const auto child : children_of(running.command))
                        n += is_one_cpu(cpus_allowed(child)) && cpus_allowed(child) != fence ? 1
                                                                                             : 0;
                return n;
        };
        EXPECT_EQ(others(), 1U) << "the one that is bound elsewhere";
        order_max(running, "0");
        EXPECT_TRUE(eventually([&] { return cpus_allowed(running.command) == own_cpus(); }));
        EXPECT_EQ(others(), 1U);
}

/// The threads behave like a team of libgomp: with fewer CPUs than threads it takes many times as
/// long.
TEST_F(RunTree, DoesNotNarrowAProcessWhoseThreadsSpin) {
        const auto running =
                start(sh("LD_PRELOAD=libgomp.so.1 sleep 60 & exec python3 -c 'import time; "
                         "time.sleep(60)' 2>/dev/null || sleep 60"));
        const auto spins = child_called(running, "sleep");
        const bool has_loaded = eventually(
                [&] {
                        return read_file("/proc/" + pid_text(spins) + "/maps").find("libgomp") !=
                               std::string::npos;
                },
                std::chrono::seconds{2});
        if (!has_loaded)
                GTEST_SKIP() << "libgomp is not installed";
        order_max(running, "1");
        EXPECT_TRUE(eventually([&] { return is_one_cpu(cpus_allowed(running.command)); }));
        EXPECT_EQ(cpus_allowed(spins), own_cpus());
}

TEST_F(RunTree, GivesBackAllCpusToWhatGoesOnAfterIt) {
        TemporaryDirectory directory;
        const auto file = directory.path("pid");
        const auto done =
                run({sh("setsid sleep 60 > /dev/null 2>&1 & echo $! > " + file + "; sleep 0.2",
                        {"--max", "1"}),
                     {},
                     {}});
        EXPECT_EQ(done.status, 0) << done.err;
        const auto orphan = static_cast<pid_t>(std::stoi(read_file(file)));
        EXPECT_EQ(cpus_allowed(orphan), own_cpus());
        ::kill(orphan, SIGKILL);
}

/// By the guardian (governorctl guard), which ends when it has done so.
/// Whoever kills by name kills `run`, and a shell of that name, but not what the shell has started.
TEST_F(RunTree, WhoseRunAndParentAreKilledHasAllCpusAgainWithinASecond) {
        TemporaryDirectory directory;
        auto words = sh("sleep 0.6; sleep 60 & wait", {"--max", "1"});
        const std::vector<std::string> as{"/usr/bin/setpriv", "--pdeathsig", "clear"};
        words.insert(words.begin(), as.begin(), as.end());
        const auto running = start(words, {"XDG_RUNTIME_DIR=" + directory.path().string()});
        pid_t late = 0;
        EXPECT_TRUE(eventually([&] {
                for (const auto child : children_of(running.command))
                        if (read_file("/proc/" + std::to_string(child) + "/cmdline") ==
                            std::string("sleep\00060\0", 9))
                                late = child;
                return late != 0;
        }));
        std::this_thread::sleep_for(std::chrono::milliseconds{1'500});
        EXPECT_TRUE(is_one_cpu(cpus_allowed(late)));
        running.run->signal(SIGKILL);
        ::kill(running.command, SIGKILL);
        EXPECT_TRUE(eventually([&] { return cpus_allowed(late) == own_cpus(); },
                               std::chrono::seconds{1}));
        ::kill(late, SIGKILL);
}

TEST_F(RunTree, WhoseRunIsKilledHasAllCpusAgainWithinASecond) {
        let_others_in();
        for (const uid_t user : {uid_t{0}, uid_t{3109}}) {
                if (::geteuid() != 0 && user != 0)
                        break;
                TemporaryDirectory directory;
                std::filesystem::permissions(directory.path(), std::filesystem::perms(0755));
                const auto runtime = directory.path("runtime");
                ASSERT_EQ(::mkdir(runtime.c_str(), 0700), 0);
                auto words = sh("sleep 60 & (sleep 61 & sleep 0.4); exec cat /dev/zero >/dev/null",
                                {"--max", "1"});
                // Else the command would die with its run, which dies with the test.
                std::vector<std::string> as{"/usr/bin/setpriv", "--pdeathsig", "clear"};
                if (::geteuid() == 0) {
                        ASSERT_EQ(::chown(runtime.c_str(), user, user), 0);
                        const auto id = std::to_string(user);
                        as.insert(as.end(), {"--reuid", id, "--regid", id, "--clear-groups"});
                }
                words.insert(words.begin(), as.begin(), as.end());
                const auto running = start(words, {"XDG_RUNTIME_DIR=" + runtime});
                // The last of them is an orphan.
                EXPECT_TRUE(eventually([&] {
                        return children_of(running.run->pid()).size() == 2 &&
                               descendants(running).size() == 3;
                }));
                std::this_thread::sleep_for(std::chrono::milliseconds{1'200});
                const auto all = descendants(running);
                for (const auto pid : all)
                        EXPECT_TRUE(is_one_cpu(cpus_allowed(pid))) << user;
                const auto bound = all.back();
                ASSERT_NE(bound, running.command);
                bind_elsewhere(bound);
                const auto elsewhere = cpus_allowed(bound);
                running.run->signal(SIGKILL);
                EXPECT_TRUE(eventually(
                        [&] {
                                return std::ranges::all_of(all, [&](pid_t pid) {
                                        return pid == bound || cpus_allowed(pid) == own_cpus();
                                });
                        },
                        std::chrono::seconds{1}))
                        << user << " " << read_file("/proc/self/loadavg");
                EXPECT_EQ(cpus_allowed(bound), elsewhere) << "it has bound itself";
                EXPECT_TRUE(eventually([&] { return runs_recorded(runtime) == 0; }));
                for (const auto pid : all)
                        ::kill(pid, SIGKILL);
        }
}

/// As a user that is in no database and has no folder in /run/user: its last place is the first.
class RunTreeOfANobody : public RunTree {
protected:
        void SetUp() override {
                if (::geteuid() != 0)
                        GTEST_SKIP() << "needs root, to be two users";
                RunTree::SetUp();
                let_others_in();
                std::filesystem::remove_all(place_);
        }
        void TearDown() override { std::filesystem::remove_all(place_); }

        [[nodiscard]] Running start_as_nobody(const std::vector<std::string>& environment) {
                auto words = sh("exec sleep 60", {"--max", "1"});
                words.insert(words.begin(), {"/usr/bin/setpriv", "--reuid", user_, "--regid", user_,
                                             "--clear-groups"});
                return start(words, environment);
        }

        // Of this process alone: tests run beside each other.
        const std::string user_ = std::to_string(1'000'000 + ::getpid());
        const std::string place_ = "/tmp/governorctl-" + user_;
};

TEST_F(RunTreeOfANobody, HasNoFenceWhereAnotherUserHasTakenThePlaceOfItsRecord) {
        ASSERT_EQ(::mkdir(place_.c_str(), 0755), 0);
        const auto running = start_as_nobody({});
        EXPECT_EQ(cpus_allowed(running.command), own_cpus());
        const auto said = running.run->err();
        EXPECT_NE(said.find("governorctl: the program has no fence, since that cannot be "
                            "recorded: " +
                            place_ + " belongs to user 0; "),
                  said.npos)
                << said;
        const auto client = lease(static_cast<std::uint32_t>(running.run->pid()));
        ASSERT_TRUE(client);
        EXPECT_EQ(client->acts(), "it was started with 1 thread");
}

TEST_F(RunTreeOfANobody, PassesOverARuntimeFolderThatIsAnotherUsers) {
        TemporaryDirectory directory;
        std::filesystem::permissions(directory.path(), std::filesystem::perms(0777));
        const auto running = start_as_nobody({"XDG_RUNTIME_DIR=" + directory.path().string()});
        EXPECT_TRUE(is_one_cpu(cpus_allowed(running.command)));
        EXPECT_FALSE(std::filesystem::exists(directory.path("governorctl")));
        EXPECT_EQ(records_in(place_), 1U);
}

/// The home folder may be on a server that does not answer: a run with a better place leaves it to
/// its guardian.
TEST_F(RunTreeOfANobody, WhoseRecordInTheHomeFolderWasLeftHasAllCpusAgainWithTheNextGuardian) {
        TemporaryDirectory home;
        TemporaryDirectory runtime;
        const auto id = static_cast<uid_t>(std::stoul(user_));
        for (const auto* directory : {&home, &runtime})
                ASSERT_EQ(::chown(directory->path().c_str(), id, id), 0);
        std::vector<std::string> environment{"LD_PRELOAD=" SLOW_LIBC,
                                             "TEST_HOME=" + home.path().string()};
        const auto killed = start_as_nobody(environment);
        const auto place = home.path(".local/state/governorctl");
        pid_t guardian = 0;
        ASSERT_TRUE(eventually([&] { return (guardian = guardian_of(place)) != 0; }));
        killed.run->signal(SIGSTOP);  // it would start another one
        ::kill(guardian, SIGKILL);
        killed.run->signal(SIGKILL);
        EXPECT_TRUE(eventually([&] { return guardian_of(place) == 0; }));
        EXPECT_TRUE(is_one_cpu(cpus_allowed(killed.command)));
        environment.push_back("XDG_RUNTIME_DIR=" + runtime.path().string());
        {
                const auto next = start_as_nobody(environment);
                EXPECT_TRUE(
                        eventually([&] { return guardian_of(runtime.path("governorctl")) != 0; }));
        }
        EXPECT_TRUE(eventually([&] { return cpus_allowed(killed.command) == own_cpus(); }));
        EXPECT_TRUE(eventually([&] { return records_in(place) == 0; }));
        ::kill(killed.command, SIGKILL);
}

/// A run that changes nothing repairs what another one has left.
TEST_F(RunTree, WhoseRunIsKilledTogetherWithTheGuardianHasAllCpusAgainWithTheNextRun) {
        for (const auto& options : std::vector<std::vector<std::string>>{{"--keep"}, {}}) {
                TemporaryDirectory directory;
                const std::vector<std::string> place{"XDG_RUNTIME_DIR=" +
                                                     directory.path().string()};
                auto words = run_words({"--max", "1"}, {kSleeper, "60"});
                // The command would die with its run otherwise, which dies with the test.
                words.insert(words.begin(), {"/usr/bin/setpriv", "--pdeathsig", "clear"});
                const auto killed = start(words, place);
                pid_t guardian = 0;
                ASSERT_TRUE(eventually([&] {
                        guardian = guardian_of(directory.path("governorctl"));
                        return guardian != 0;
                }));
                killed.run->signal(SIGSTOP);  // it would start another one
                ::kill(guardian, SIGKILL);
                killed.run->signal(SIGKILL);
                EXPECT_TRUE(eventually(
                        [&] { return guardian_of(directory.path("governorctl")) == 0; }));
                EXPECT_TRUE(is_one_cpu(cpus_allowed(killed.command)));
                const auto next = start(run_words(options, {kSleeper, "60"}), place);
                EXPECT_TRUE(eventually([&] { return cpus_allowed(killed.command) == own_cpus(); }));
                EXPECT_TRUE(
                        eventually([&] { return runs_recorded(directory.path().string()) == 0; }));
                ::kill(killed.command, SIGKILL);
        }
}

/// Neither for the records that others have left nor for its own.
TEST_F(RunTree, DoesNotWaitForADatabaseOfUsersWhereItHasAnotherPlace) {
        for (const auto& options : {std::vector<std::string>{"--keep"}, {"--max", "1"}}) {
                TemporaryDirectory directory;
                const auto began = std::chrono::steady_clock::now();
                const auto done = run(
                        {run_words(options, {kSleeper, "0.5"}),
                         {"XDG_RUNTIME_DIR=" + directory.path().string(), "LD_PRELOAD=" SLOW_LIBC},
                         {}});
                EXPECT_EQ(done.status, 0) << done.err;
                EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds{15});
        }
}

TEST_F(RunTree, WhoseCommandCannotBeExecutedLeavesNoRecord) {
        TemporaryDirectory directory;
        const auto done = run({run_words({"--max", "1"}, {directory.path("none")}),
                               {"XDG_RUNTIME_DIR=" + directory.path().string()},
                               {}});
        EXPECT_EQ(done.status, 127) << done.err;
        EXPECT_TRUE(std::filesystem::exists(directory.path("governorctl")));
        EXPECT_EQ(runs_recorded(directory.path().string()), 0U);
}

TEST_F(RunTree, WithoutAFenceHasNoRecordAndNoGuardian) {
        TemporaryDirectory directory;
        const auto running = start(run_words({}, {kSleeper, "60"}),
                                   {"XDG_RUNTIME_DIR=" + directory.path().string()});
        std::this_thread::sleep_for(std::chrono::milliseconds{1'200});
        EXPECT_FALSE(std::filesystem::exists(directory.path("governorctl")));
}

TEST_F(RunTree, LeavesNoRecordOfAFenceThatItHasTakenDown) {
        TemporaryDirectory directory;
        EXPECT_EQ(run({run_words({"--max", "1"}, {"/bin/true"}),
                       {"XDG_RUNTIME_DIR=" + directory.path().string()},
                       {}})
                          .status,
                  0);
        EXPECT_TRUE(std::filesystem::exists(directory.path("governorctl")));
        EXPECT_EQ(runs_recorded(directory.path().string()), 0U);
}

TEST_F(RunTree, OfKeepHasALeaseAndNothingOfItIsChanged) {
        const auto running =
                start(sh("echo x$OMP_NUM_THREADS; sleep 60", {"--max", "1", "--keep"}));
        EXPECT_TRUE(eventually([&] { return running.run->out() == "x\n"; }));
        EXPECT_EQ(cpus_allowed(running.command), own_cpus());
        EXPECT_EQ(count(), 1U);
}

TEST_F(RunTree, OfAProgramThatIsToKeepItsThreadsIsNotChanged) {
        const auto done = run({sh("echo x$OMP_NUM_THREADS $THREADCOUNT", {"--max", "1"}),
                               {"THREADCOUNT=keep"},
                               {}});
        EXPECT_EQ(done.out, "x keep\n") << done.err;
        EXPECT_EQ(run({sh("exit 3", {"--exec"}), {"THREADCOUNT=keep"}, {}}).status, 3);
}

/// A number that is set at its start would be its maximum for good.
TEST_F(RunTree, OfAProgramThatFollowsByItselfIsNotHeldToItsShareAtTheStart) {
        const auto holder = this->holder();
        const auto running = start(run_words({}, {FOLLOWER, "0", "0"}));
        EXPECT_EQ(cpus_allowed(running.command), own_cpus());
        const auto environment = read_file("/proc/" + pid_text(running.command) + "/environ");
        EXPECT_EQ(environment.find("OMP_NUM_THREADS"), std::string::npos);
        EXPECT_NE(running.run->err().find("nothing of it is changed"), std::string::npos);
}

/// Its tree has no fence. It is held to what the outer one was held to when it began.
TEST_F(RunTree, InsideOfANarrowOneGrowsWithThatThoughNothingFencesIt) {
        const auto sleeper = std::string(kSleeper) + " 60";
        for (const auto& words : {"--keep -- " + sleeper, "--batch -- " + sleeper,
                                  "-- " + std::string(FOLLOWER) + " 0 0"}) {
                TemporaryDirectory directory;
                const auto go = directory.path("go");
                const auto running = start(sh("while ! [ -e " + go + " ]; do sleep 0.05; done; " +
                                              GOVERNORCTL + " run " + words + " & wait"),
                                           {"THREADCOUNT_SOCKET=" + daemon_.socket()});
                order_max(running, "1");
                EXPECT_TRUE(eventually([&] { return is_one_cpu(cpus_allowed(running.command)); }));
                std::this_thread::sleep_for(std::chrono::milliseconds{700});  // it moves no more
                directory.write("go", "");
                const auto inner = child_called(running, "governorctl");
                ASSERT_TRUE(eventually([&] { return !children_of(inner).empty(); })) << words;
                const auto program = children_of(inner).front();
                EXPECT_TRUE(is_one_cpu(cpus_allowed(program))) << words;
                order_max(running, "0");
                EXPECT_TRUE(eventually([&] { return cpus_allowed(program) == own_cpus(); },
                                       std::chrono::seconds{5}))
                        << words << ": " << cpus_allowed(program);
        }
}

/// Nobody but root could move it again.
TEST_F(RunTree, OfAProgramThatBecomesRootHasNoFence) {
        if (::geteuid() != 0)
                GTEST_SKIP() << "needs a file of root's";
        TemporaryDirectory directory;
        const auto file = directory.path("sleep");
        std::filesystem::copy_file(kSleeper, file);
        std::filesystem::permissions(directory.path(), std::filesystem::perms(0755));
        ASSERT_EQ(::chmod(file.c_str(), 04755), 0);
        let_others_in();
        for (const auto& [program, cpus] :
             {std::pair{file, own_cpus()}, std::pair{std::string(kSleeper), std::string()}}) {
                auto words = run_words({"--max", "1"}, {program, "60"});
                words.insert(words.begin(),
                             {"/usr/bin/setpriv", "--reuid", "3109", "--clear-groups"});
                const auto running = start(words);
                const auto list = cpus_allowed(running.command);
                EXPECT_TRUE(cpus.empty() ? is_one_cpu(list) : list == cpus)
                        << program << " " << list;
        }
}

TEST_F(RunTree, OfExecHasNoLeaseAndNoParentAndSaysSo) {
        const auto become = [&](const std::string& option) {
                return run({run_words({"--exec", option, "--max", "1"},
                                      {"/bin/sh", "-c", "echo $OMP_NUM_THREADS $PPID"}),
                            {"OMP_NUM_THREADS=8"},
                            {}});
        };
        const auto done = become("--exec");
        EXPECT_EQ(done.out, "1 " + std::to_string(::getpid()) + "\n");
        EXPECT_EQ(done.err, "governorctl: sh: 1 of " +
                                    std::to_string(status(daemon_.socket()).cpus()) +
                                    " CPUs, advised once, no lease (--exec); "
                                    "OMP_NUM_THREADS 8 -> 1\n");
        EXPECT_EQ(become("-q").err, "");
}

TEST_F(RunTree, WithoutALeaseSaysWhyThereIsNone) {
        const auto with = [&](const std::string& mode) {
                return run({run_words({}, {"/bin/true"}), {"THREADCOUNT=" + mode}, {}}).err;
        };
        EXPECT_EQ(with("fixed:1"),
                  "governorctl: true: 1 thread, as THREADCOUNT=fixed says, no lease\n");
        EXPECT_TRUE(with("start-only")
                            .ends_with(" CPUs, advised once, no lease (THREADCOUNT=start-only)\n"));
        Daemon stateless("", "[governor]\npolicy = threshold\n");
        stateless.start();
        const auto told = ctl(stateless, {"run", "--", "/bin/true"}).err;
        EXPECT_TRUE(told.ends_with(", advised once, no lease (the governor refuses: there are no "
                                   "leases under the policy in force)\n"))
                << told;
}

TEST_F(RunTree, CannotBeKeptWithoutALease) {
        const auto done = run({run_words({"--keep", "--exec"}, {"/bin/echo", "no"}), {}, {}});
        EXPECT_EQ(done.status, 2);
        EXPECT_EQ(done.out, "");
        EXPECT_EQ(done.err, "governorctl: --keep and --exec exclude each other: --keep holds a "
                            "lease, and --exec takes none\n");
}

TEST_F(RunTree, OutlivesTheGovernorAndComesBackToTheNextOne) {
        const auto running = start(run_words({"--max", "1"}, {kSleeper, "60"}));
        const auto fence = cpus_allowed(running.command);
        daemon_.kill();
        std::this_thread::sleep_for(std::chrono::milliseconds{300});
        EXPECT_EQ(state_of(running.command), 'S');
        EXPECT_EQ(cpus_allowed(running.command), fence);
        daemon_.start();
        EXPECT_TRUE(becomes(1));
        const auto client = lease(static_cast<std::uint32_t>(running.run->pid()));
        ASSERT_TRUE(client.has_value());
        EXPECT_EQ(client->label(), "sleep");
        EXPECT_EQ(client->max(), 1U);
        ::kill(running.command, SIGTERM);
        EXPECT_EQ(running.run->wait(), 128 + SIGTERM);
}

TEST_F(RunTree, WaitsForItsCommandWhileTheGovernorIsStopped) {
        const auto running = start(run_words({}, {kSleeper, "60"}));
        daemon_.process().signal(SIGSTOP);
        running.run->signal(SIGTERM);
        EXPECT_EQ(running.run->wait(), 128 + SIGTERM);
        daemon_.process().signal(SIGCONT);
}

TEST_F(RunTree, SaysOnOneLineWhatItHasChanged) {
        const auto done = run({run_words({"--max", "1"}, {"/bin/true"}),
                               {"OMP_NUM_THREADS=32", "MKL_NUM_THREADS=1"},
                               {}});
        EXPECT_EQ(done.err, "governorctl: true: 1 of " +
                                    std::to_string(status(daemon_.socket()).cpus()) +
                                    " CPUs, its maximum; OMP_NUM_THREADS 32 -> 1\n");
        EXPECT_EQ(run({run_words({"-q"}, {"/bin/true"}), {}, {}}).err, "");
}

TEST_F(RunTree, ToldDryStartsNothingAndTakesNoLease) {
        const auto done = run({run_words({"--dry-run", "--max", "1"}, {"/bin/sh", "-c", "echo no"}),
                               {"OMP_NUM_THREADS=32"},
                               {}});
        EXPECT_EQ(done.status, 0);
        EXPECT_NE(done.out.find("set OMP_NUM_THREADS 32 -> 1\n"), std::string::npos) << done.out;
        EXPECT_NE(done.out.find("a lease, whose share takes the place of this number: 1\n"),
                  std::string::npos)
                << done.out;
        EXPECT_NE(done.out.find("fence: 1 CPU\n"), std::string::npos) << done.out;
        EXPECT_EQ(done.out.find("\nno\n"), std::string::npos);
        governor::v1::Request request;
        request.set_protocol(1);
        request.mutable_events();
        const auto reply = WireClient(daemon_.socket()).call(request);
        ASSERT_TRUE(reply.has_value());
        for (const auto& event : reply->events().event())
                EXPECT_EQ(event.id(), 0U) << event.text();
}

TEST_F(RunTree, ToldDryPromisesNoMoreThanHappens) {
        const std::vector<std::string> dry{"run", "--dry-run", "--max", "1", "--", "/bin/true"};
        Daemon observer("", kFair + "mode = observe\n");
        observer.start();
        const auto observed = ctl(observer, dry).out;
        EXPECT_TRUE(observed.starts_with("true: the governor only observes: programs are left "
                                         "alone\nset OMP_NUM_THREADS (not set) -> 1\n"))
                << observed;
        const auto batch =
                run({run_words({"--dry-run", "--batch", "--job", "j"}, {"/bin/true"}), {}, {}}).out;
        EXPECT_NE(batch.find("set THREADCOUNT_CLASS (not set) -> batch\n"
                             "set THREADCOUNT_JOB (not set) -> j\n"),
                  batch.npos)
                << batch;
        const auto kept =
                run({run_words({"--dry-run", "--keep", "--no-preload"}, {"/bin/true"}), {}, {}})
                        .out;
        EXPECT_NE(kept.find("a lease, and nothing of it is changed: --no-preload\n"), kept.npos)
                << kept;
        EXPECT_NE(kept.find("\nfence: none"), kept.npos) << kept;
        Daemon stateless("", "[governor]\npolicy = threshold\n");
        stateless.start();
        const auto advised = ctl(stateless, dry).out;
        EXPECT_NE(advised.find("no lease, this number for as long as it runs\n"), advised.npos);
        for (const auto& text : {observed, advised})
                EXPECT_TRUE(text.ends_with("fence: none, it may use all CPUs that this process "
                                           "may use\n"))
                        << text;
        daemon_.kill();
        const auto alone = ctl(daemon_, dry).out;
        EXPECT_NE(alone.find("; /bin/true runs with at most 1\nset OMP_NUM_THREADS"), alone.npos)
                << alone;
}

TEST_F(RunTree, ToldDryFindsACommandThatIsNotThere) {
        const auto missing = run({run_words({"--dry-run"}, {"/nonexistent"}), {}, {}});
        EXPECT_EQ(missing.status, 127);
        EXPECT_EQ(missing.out, "");
        EXPECT_EQ(missing.err, "governorctl: cannot run /nonexistent: No such file or directory\n");
        EXPECT_EQ(run({run_words({"--dry-run"}, {"/etc/passwd"}), {}, {}}).status, 126);
}

TEST_F(RunTree, OfAGovernorThatOnlyObservesIsLeftAlone) {
        Daemon observer("", kFair + "mode = observe\n");
        observer.start();
        const std::vector<std::string> command{
                "/bin/sh", "-c",
                "echo x$OMP_NUM_THREADS; grep Cpus_allowed_list /proc/self/status"};
        const auto with = [&](const std::vector<std::string>& options) {
                std::vector<std::string> words{GOVERNORCTL, "--socket", observer.socket(), "run"};
                words.insert(words.end(), options.begin(), options.end());
                words.insert(words.end(), command.begin(), command.end());
                return run({words, {}, {}});
        };
        EXPECT_EQ(with({"--"}).out, "x\nCpus_allowed_list:\t" + own_cpus() + "\n");
        EXPECT_EQ(with({"--max", "1", "--"}).out, "x1\nCpus_allowed_list:\t" + own_cpus() + "\n");
        EXPECT_EQ(with({"--"}).err, "governorctl: sh: left alone, as the governor observes, is "
                                    "paused or ignores it\n");
}

TEST_F(RunTree, WhoseCommandIsNotThereLeavesNoLease) {
        EXPECT_EQ(run({run_words({}, {"/nonexistent"}), {}, {}}).status, 127);
        EXPECT_EQ(run({run_words({}, {"/etc/passwd"}), {}, {}}).status, 126);
        EXPECT_TRUE(becomes(0));
}

}  // namespace
