// SPDX-License-Identifier: MIT
// governorctl run as the parent of its command: signals, stops, exit codes, orphans.
#include "integration/run_fixture.hpp"
#include "support/pseudo_terminal.hpp"

#include <fcntl.h>
#include <filesystem>
#include <poll.h>
#include <pty.h>
#include <regex>
#include <sys/prctl.h>

namespace {

using namespace test_support;
using std::chrono::milliseconds;

class Run : public RunTest {
protected:
        /// A command that writes "got NAME" for each signal, one a line, "ready" when it listens,
        /// and goes on.
        [[nodiscard]] static std::string listener() {
                return "for s in HUP INT TERM USR1 ALRM; do trap \"echo got $s\" $s; done; "
                       "echo ready; while :; do sleep 0.05; done";
        }
        static std::size_t count(const std::string& text, const std::string& part) {
                std::size_t n = 0;
                for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1))
                        n++;
                return n;
        }
};

/// The status that waitpid() gives.
int wait_status(std::vector<std::string> words) {
        const auto argv = as_pointers(words);
        const pid_t pid = fork_child();
        if (pid == 0) {
                ::close(STDERR_FILENO);
                ::open("/dev/null", O_WRONLY);
                ::execv(argv[0], argv.data());
                ::_exit(127);
        }
        int status = 0;
        ::waitpid(pid, &status, 0);
        return status;
}

TEST_F(Run, EndsAsItsCommandEnds) {
        const auto exited = wait_status(sh("exit 7"));
        EXPECT_TRUE(WIFEXITED(exited));
        EXPECT_EQ(WEXITSTATUS(exited), 7);
        for (const int number : {SIGTERM, SIGINT, SIGKILL, SIGSEGV, SIGUSR1}) {
                const auto status = wait_status(sh("kill -" + std::to_string(number) + " $$"));
                EXPECT_TRUE(WIFSIGNALED(status)) << number;
                EXPECT_EQ(WTERMSIG(status), number);
        }
}

TEST_F(Run, LeavesNoCoreOfItsOwn) {
        if (read_file("/proc/sys/kernel/core_pattern").starts_with("core") == false)
                GTEST_SKIP() << "cores go elsewhere";
        TemporaryDirectory directory;
        const auto inner = directory.path("inner");
        std::filesystem::create_directory(inner);
        auto words = sh("cd inner; kill -SEGV $$");
        std::string line = "cd " + directory.path().string() + "; ulimit -c unlimited; exec \"$@\"";
        words.insert(words.begin(), {"/bin/sh", "-c", line, "sh"});
        (void)wait_status(words);
        std::size_t files = 0;
        for (const auto& entry : std::filesystem::directory_iterator(directory.path()))
                files += entry.is_regular_file() ? 1 : 0;
        EXPECT_EQ(files, 0U);
}

TEST_F(Run, PassesSignalsOnThatAreSentToItAlone) {
        const auto running = start(sh(listener()));
        ASSERT_TRUE(eventually([&] { return running.run->out() == "ready\n"; }));
        std::string expected = "ready\n";
        const std::pair<int, const char*> signals[] = {
                {SIGTERM, "TERM"}, {SIGHUP, "HUP"}, {SIGINT, "INT"}, {SIGUSR1, "USR1"}};
        for (const auto& [number, name] : signals) {
                running.run->signal(number);
                expected += std::string("got ") + name + "\n";
                EXPECT_TRUE(eventually([&] { return running.run->out() == expected; }))
                        << running.run->out();
        }
}

TEST_F(Run, PassesOnTheAlarmThatWasSetBeforeIt) {
        auto words = run_words({}, {"/bin/sleep", "30"});
        const auto argv = as_pointers(words);
        const pid_t pid = fork_child();
        if (pid == 0) {
                ::alarm(1);
                ::execv(argv[0], argv.data());
                ::_exit(127);
        }
        int status = 0;
        ::waitpid(pid, &status, 0);
        EXPECT_TRUE(WIFSIGNALED(status));
        EXPECT_EQ(WTERMSIG(status), SIGALRM);
}

TEST_F(Run, DoesNotGiveATreeTwiceWhatItSendsToItsGroup) {
        auto words = sh("trap 'echo got TERM' TERM; kill -TERM 0; sleep 0.3; echo end");
        words.insert(words.begin(), {"/usr/bin/setsid", "--wait"});
        const auto done = run({words, {}, {}});
        EXPECT_EQ(done.out, "got TERM\nend\n");
}

/// The command takes each signal as it comes: a handler of a shell would take two for one.
TEST_F(Run, IsInterruptedByTheTerminalOnce) {
        const std::string count_them =
                "import signal as s; s.pthread_sigmask(s.SIG_BLOCK, [s.SIGINT]);"
                "print('ready', flush=True)\n"
                "while s.sigwaitinfo([s.SIGINT]): print('got INT', flush=True)";
        PseudoTerminal terminal({run_words({}, {PYTHON, "-c", count_them}), {}, {}});
        ASSERT_TRUE(eventually([&] { return count(terminal.output(), "ready") == 1; }))
                << terminal.output();
        terminal.type("\x03");
        ASSERT_TRUE(eventually([&] { return count(terminal.output(), "got INT") == 1; }))
                << terminal.output();
        std::this_thread::sleep_for(milliseconds{300});
        EXPECT_EQ(count(terminal.output(), "got INT"), 1U) << terminal.output();
}

/// The command is no member of the group yet.
TEST_F(Run, GivesItsCommandAnInterruptThatCameJustBeforeThat) {
        PseudoTerminal terminal({run_words({}, {"/bin/sleep", "28"}),
                                 {"LD_PRELOAD=" SLOW_LIBC, "TEST_INTERRUPT=yes"},
                                 {}});
        ASSERT_TRUE(eventually([&] { return count(terminal.output(), "waits") == 1; }))
                << terminal.output();
        terminal.type("\x03");
        EXPECT_EQ(terminal.wait(std::chrono::seconds{15}), 128 + SIGINT) << terminal.output();
}

/// A terminal that hangs up tells the leader of its session alone: here that is `run`.
TEST_F(Run, PassesTheHangupOfItsTerminalOn) {
        TemporaryDirectory directory;
        const auto file = directory.path("out");
        const auto has = [&](const std::string& text) {
                return eventually(
                        [&] { return std::filesystem::exists(file) && read_file(file) == text; });
        };
        auto words = sh("trap 'echo got HUP >> " + file + "; exit 9' HUP; echo ready > " + file +
                        "; while :; do sleep 0.05; done");
        const auto argv = as_pointers(words);
        int terminal = -1;
        const pid_t leader = ::forkpty(&terminal, nullptr, nullptr, nullptr);
        if (leader == 0) {
                ::execv(argv[0], argv.data());
                ::_exit(127);
        }
        EXPECT_TRUE(has("ready\n"));
        ::close(terminal);
        if (!has("ready\ngot HUP\n")) {
                ADD_FAILURE() << "it goes on without its terminal";
                for (const auto pid : descendants_of(leader))
                        ::kill(pid, SIGKILL);
        }
        int status = 0;
        ::waitpid(leader, &status, 0);
        EXPECT_EQ(WEXITSTATUS(status), 9);
}

/// Its own process group is none that the terminal knows.
TEST_F(Run, InterruptsACommandThatHasMadeAProcessGroupOfItsOwn) {
        PseudoTerminal terminal({run_words({}, {"/usr/bin/timeout", "30", "/bin/sh", "-c",
                                                "echo ready; exec sleep 28"}),
                                 {},
                                 {}});
        ASSERT_TRUE(eventually([&] { return count(terminal.output(), "ready") == 1; }))
                << terminal.output();
        terminal.type("\x03");
        EXPECT_EQ(terminal.wait(std::chrono::seconds{5}), 128 + SIGINT);
}

class JobControl : public Run {
protected:
        JobControl()
                : shell_({{"/bin/bash", "--norc", "--noprofile", "-i"},
                          {"PS1=$ ", "HISTFILE=", "G=" GOVERNORCTL " --socket " + daemon_.socket()},
                          {}}) {}
        [[nodiscard]] bool sees(const std::string& text, std::size_t times = 1) {
                return eventually([&] { return count(shell_.output(), text) >= times; });
        }
        /// "pid=N"; 0: it does not.
        [[nodiscard]] pid_t pid_it_writes() {
                static const std::regex kPid("pid=([0-9]+)");
                std::smatch found;
                std::string output;
                const bool writes = eventually([&] {
                        output = shell_.output();
                        return std::regex_search(output, found, kPid);
                });
                return writes ? std::stoi(found[1]) : 0;
        }
        PseudoTerminal shell_;
};

/// No child of the shell: one that is stopped before its exec keeps its parent from stopping.
TEST_F(JobControl, CtrlZStopsBothAndForegroundContinuesThem) {
        shell_.type("$G run -- /bin/sh -c 'echo pid=$$; exec sleep 60'\n");
        const auto command = pid_it_writes();
        ASSERT_GT(command, 0) << shell_.output();
        shell_.type("\x1a");
        ASSERT_TRUE(sees("Stopped")) << shell_.output();
        EXPECT_EQ(state_of(command), 'T');
        shell_.type("fg\n");
        EXPECT_TRUE(eventually([&] { return state_of(command) == 'S'; }));
        shell_.type("\x03");
        shell_.type("echo rc=$?\n");
        EXPECT_TRUE(sees("rc=130")) << shell_.output();
}

TEST_F(JobControl, AProgramInTheBackgroundThatReadsTheTerminalStops) {
        shell_.type("$G run -- /bin/sh -c 'echo pid=$$; exec cat' &\n");
        const auto command = pid_it_writes();
        ASSERT_GT(command, 0) << shell_.output();
        ASSERT_TRUE(eventually([&] { return state_of(command) == 'T'; }));
        ASSERT_TRUE(eventually([&] {
                shell_.type("jobs\n");
                std::this_thread::sleep_for(milliseconds{50});
                return count(shell_.output(), "Stopped") > 0;
        })) << shell_.output();
        shell_.type("fg\n");
        EXPECT_TRUE(eventually([&] { return state_of(command) == 'S'; }));
        shell_.type("hello\n");
        EXPECT_TRUE(sees("hello", 2)) << shell_.output();
        shell_.type("\x04");
        shell_.type("echo rc=$?\n");
        EXPECT_TRUE(sees("rc=0")) << shell_.output();
}

/// The program that stops the command continues the command, and not `run`.
TEST_F(Run, GoesOnWhileItsCommandIsStoppedBySigstop) {
        const auto running = start(run_words({}, {"/bin/sleep", "60"}));
        ::kill(running.command, SIGSTOP);
        EXPECT_TRUE(eventually([&] { return state_of(running.command) == 'T'; }));
        ::kill(running.command, SIGCONT);
        EXPECT_TRUE(eventually([&] { return state_of(running.command) == 'S'; }));
        ::kill(running.command, SIGTERM);
        EXPECT_EQ(running.run->wait(std::chrono::seconds{5}), 128 + SIGTERM);
}

/// In a process group that is not orphaned: there the kernel ignores SIGTSTP.
TEST_F(Run, GoesOnWhileItsCommandIsStoppedWithoutATerminal) {
        auto words = sh("echo $$; exec sleep 60");
        words.insert(words.begin(), {"/usr/bin/setsid", "--wait", "/bin/bash", "-c",
                                     "set -m; \"$@\"; exit $?", "bash"});
        Process session({words, {}, {}});
        pid_t command = 0;
        ASSERT_TRUE(eventually([&] {
                return static_cast<bool>(std::istringstream(session.out()) >> command) &&
                       status_line(command, "Name") == "sleep";
        }));
        ::kill(command, SIGTSTP);
        EXPECT_TRUE(eventually([&] { return state_of(command) == 'T'; }));
        ::kill(command, SIGCONT);
        EXPECT_TRUE(eventually([&] { return state_of(command) == 'S'; }));
        ::kill(command, SIGTERM);
        EXPECT_EQ(session.wait(std::chrono::seconds{5}), 128 + SIGTERM);
}

TEST_F(Run, ContinuesACommandThatIsStopped) {
        const auto running = start(run_words({}, {"/bin/sleep", "60"}));
        ::kill(running.command, SIGSTOP);
        EXPECT_TRUE(eventually([&] { return state_of(running.command) == 'T'; }));
        running.run->signal(SIGCONT);
        EXPECT_TRUE(eventually([&] { return state_of(running.command) == 'S'; }));
}

TEST_F(JobControl, ACommandThatAnotherStopsIsNotTheShellsToContinue) {
        shell_.type("$G run -- /bin/sh -c 'echo pid=$$; exec sleep 60'\n");
        const auto command = pid_it_writes();
        ASSERT_GT(command, 0) << shell_.output();
        ::kill(command, SIGSTOP);
        EXPECT_TRUE(eventually([&] { return state_of(command) == 'T'; }));
        ::kill(command, SIGCONT);
        ::kill(command, SIGTERM);
        shell_.type("echo rc=$?\n");
        EXPECT_TRUE(sees("rc=143")) << shell_.output();
        EXPECT_EQ(count(shell_.output(), "Stopped"), 0U) << shell_.output();
}

TEST_F(Run, GivesTheCommandTheSignalsThatItWasGiven) {
        const auto masks = [](const std::string& out) {
                std::string found;
                std::istringstream text(out);
                for (std::string line; std::getline(text, line);)
                        if (line.starts_with("Sig") || line.starts_with("Shd"))
                                found += line.find("Pnd") == line.npos &&
                                                         line.find("SigQ") == line.npos
                                                 ? line + "\n"
                                                 : "";
                return found;
        };
        const auto with = [&](std::vector<std::string> words) {
                const std::string before =
                        "trap '' HUP USR2 CHLD; exec /usr/bin/env --block-signal=WINCH,TERM \"$@\"";
                words.insert(words.begin(), {"/bin/bash", "-c", before, "bash"});
                return masks(run({words, {}, {}}).out);
        };
        const std::vector<std::string> command{"/bin/cat", "/proc/self/status"};
        const auto plain = with(command);
        EXPECT_NE(plain.find("SigIgn"), plain.npos) << plain;
        EXPECT_EQ(with(run_words({}, command)), plain);
}

TEST_F(Run, OfAServiceManagerGivesTheCommandItsDescriptors) {
        const std::string script = "echo $LISTEN_PID $WATCHDOG_PID $$";
        auto words = sh(script);
        words.insert(words.begin(),
                     {"/bin/sh", "-c", "export LISTEN_PID=$$ WATCHDOG_PID=$$; exec \"$@\"", "sh"});
        std::istringstream out(run({words, {}, {}}).out);
        int listens = 0;
        int watched = 0;
        int own = 1;
        out >> listens >> watched >> own;
        EXPECT_EQ(listens, own);
        EXPECT_EQ(watched, own);
}

TEST_F(Run, LeaksNoDescriptorIntoItsCommand) {
        const std::vector<std::string> command{"/bin/ls", "/proc/self/fd"};
        EXPECT_EQ(run({run_words({}, command), {}, {}}).out, run({command, {}, {}}).out);
}

TEST_F(Run, WithoutStandardErrorDoesNotWriteToTheGovernorInstead) {
        auto words = run_words({}, {"/bin/sh", "-c", "ls /proc/self/fd; sleep 0.3; exit 3"});
        words.insert(words.begin(), {"/bin/sh", "-c", "exec \"$@\" 2>&-", "sh"});
        const auto done = run({words, {}, {}});
        EXPECT_EQ(done.status, 3);
        EXPECT_EQ(status(daemon_.socket()).bad_messages(), 0U);
}

TEST_F(Run, ReapsOrphansAndLeavesThemRunning) {
        TemporaryDirectory directory;
        const auto file = directory.path("late");
        const auto running = start(sh("for i in 1 2 3; do (sleep 0.2 & exec true); done; "
                                      "(setsid sh -c 'sleep 1.5; echo late > " +
                                      file + "' &); sleep 1"));
        EXPECT_TRUE(eventually([&] {
                std::size_t orphans = 0;
                for (const auto child : children_of(running.run->pid()))
                        orphans += child != running.command ? 1 : 0;
                return orphans == 1;
        })) << "the others were reaped, and this one is in the tree";
        for (const auto child : children_of(running.run->pid()))
                EXPECT_NE(state_of(child), 'Z');
        EXPECT_EQ(running.run->wait(), 0);
        EXPECT_TRUE(becomes(0));
        EXPECT_TRUE(eventually([&] { return std::filesystem::exists(file); }));
}

TEST_F(Run, EndsWithACommandThatBecomesADaemon) {
        const auto began = std::chrono::steady_clock::now();
        const auto done = run({sh("setsid sleep 5 >/dev/null 2>&1 & exit 4"), {}, {}});
        EXPECT_EQ(done.status, 4);
        EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds{4});
}

TEST_F(Run, IsNotDisturbedByACommandThatClosesAllItsDescriptors) {
        const auto done = run({run_words({}, {"/bin/bash", "-c",
                                              "for fd in $(ls /proc/self/fd); do eval \"exec "
                                              "$fd>&-\"; done; exit 5"}),
                               {},
                               {}});
        EXPECT_EQ(done.status, 5);
}

TEST_F(Run, DiesWithAParentThatTakesItAlong) {
        // fork_child() asks the kernel for it: the command asks for the same.
        const auto running = start(run_words({}, {"/bin/sleep", "60"}));
        running.run->signal(SIGKILL);
        EXPECT_TRUE(eventually([&] {
                return state_of(running.command) == ' ' || state_of(running.command) == 'Z';
        }));
}

TEST_F(Run, KeepsNothingOpenThatItsCommandHasClosed) {
        int out[2];
        int other[2];
        ASSERT_EQ(::pipe2(out, O_CLOEXEC), 0);
        ASSERT_EQ(::pipe2(other, O_CLOEXEC), 0);
        auto words =
                run_words({}, {"/bin/bash", "-c", "exec <&- >&- 9>&-; exec sleep 20 2>/dev/null"});
        const auto argv = as_pointers(words);
        const pid_t pid = fork_child();
        if (pid == 0) {
                ::dup2(out[1], STDOUT_FILENO);
                ::dup2(other[1], 9);
                ::execv(argv[0], argv.data());
                ::_exit(127);
        }
        for (const auto& pipe : {out, other}) {
                ::close(pipe[1]);
                pollfd ready{pipe[0], POLLIN, 0};
                EXPECT_EQ(::poll(&ready, 1, 5000), 1);
                EXPECT_NE(ready.revents & POLLHUP, 0);
                ::close(pipe[0]);
        }
        EXPECT_TRUE(becomes(1)) << "it has its lease all the same";
        ::kill(pid, SIGTERM);
        ::waitpid(pid, nullptr, 0);
}

class RunWithAPipe : public Run {
protected:
        [[nodiscard]] static int status_with(int stderr_end, std::vector<std::string> words) {
                const auto argv = as_pointers(words);
                const pid_t pid = fork_child();
                if (pid == 0) {
                        ::dup2(stderr_end, STDERR_FILENO);
                        ::execv(argv[0], argv.data());
                        ::_exit(127);
                }
                int status = 0;
                const bool ends =
                        eventually([&] { return ::waitpid(pid, &status, WNOHANG) == pid; },
                                   std::chrono::seconds{5});
                if (!ends) {
                        ::kill(pid, SIGKILL);
                        ::waitpid(pid, nullptr, 0);
                }
                return ends ? status : -1;
        }
};

TEST_F(RunWithAPipe, StartsItsCommandThoughNobodyReadsItsWarning) {
        daemon_.kill();
        int pipe[2];
        ASSERT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
        ::close(pipe[0]);
        const auto status = status_with(pipe[1], sh("exit 7"));
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
        const auto killed = status_with(pipe[1], sh("kill -PIPE $$"));
        EXPECT_TRUE(WIFSIGNALED(killed) && WTERMSIG(killed) == SIGPIPE)
                << "the command has it as it was";
        ::close(pipe[1]);
}

TEST_F(RunWithAPipe, DoesNotWaitForAReaderOfItsFirstLine) {
        int pipe[2];
        ASSERT_EQ(::pipe2(pipe, O_CLOEXEC | O_NONBLOCK), 0);
        const std::string full(65536, 'x');
        while (::write(pipe[1], full.data(), full.size()) > 0)
                ;
        ::fcntl(pipe[1], F_SETFL, 0);
        const auto status = status_with(pipe[1], sh("exit 7"));
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
        ::close(pipe[0]);
        ::close(pipe[1]);
}

TEST_F(Run, DoesNotWaitForAWriterOfAFileThatIsNoProgram) {
        TemporaryDirectory directory;
        const auto file = directory.path("fifo");
        ASSERT_EQ(::mkfifo(file.c_str(), 0755), 0);
        Process process({run_words({}, {file}), {}, {}});
        EXPECT_EQ(process.wait(std::chrono::seconds{5}), 126) << process.err();
}

/// setpriv makes itself root wholly: it may not be signalled any more.
TEST_F(Run, DoesItselfWhatASignalAsksOfACommandThatHasBecomeRoot) {
        if (::geteuid() != 0)
                GTEST_SKIP() << "needs a file of root's";
        TemporaryDirectory directory;
        const auto file = directory.path("setpriv");
        std::filesystem::copy_file("/usr/bin/setpriv", file);
        std::filesystem::permissions(directory.path(), std::filesystem::perms(0755));
        ASSERT_EQ(::chmod(file.c_str(), 04755), 0);
        let_others_in();
        auto words = run_words(
                {}, {file, "--reuid", "0", "--regid", "0", "--clear-groups", "/bin/sleep", "60"});
        words.insert(words.begin(),
                     {"/usr/bin/setpriv", "--reuid", "3110", "--regid", "3110", "--clear-groups"});
        const auto running = start(words);
        ASSERT_TRUE(eventually([&] { return status_line(running.command, "Name") == "sleep"; }));
        running.run->signal(SIGWINCH);
        running.run->signal(SIGTERM);
        EXPECT_EQ(running.run->wait(std::chrono::seconds{5}), 128 + SIGTERM);
        EXPECT_NE(running.run->err().find("cannot pass signal 15 on"), std::string::npos)
                << running.run->err();
        ::kill(running.command, SIGKILL);
}

TEST_F(Run, OutlivesASignalThatStopsATracedCommand) {
        const std::string trace_me = "import ctypes, os, signal\n"
                                     "ctypes.CDLL(None).ptrace(0, 0, None, None)\n"
                                     "os.kill(os.getpid(), signal.SIGUSR1)";
        const auto running = start(run_words({}, {PYTHON, "-c", trace_me}));
        ASSERT_TRUE(eventually([&] { return state_of(running.command) == 't'; }));
        std::this_thread::sleep_for(milliseconds{200});
        ::kill(running.command, SIGKILL);
        EXPECT_EQ(running.run->wait(), 128 + SIGKILL);
}

TEST_F(Run, WithoutRoomForOneProcessMoreBecomesItsCommand) {
        if (::geteuid() != 0)
                GTEST_SKIP() << "needs another user without processes";
        let_others_in();
        auto words = run_words({}, {"/bin/echo", "it runs"});
        words.insert(words.begin(), {"/usr/bin/setpriv", "--reuid", "3107", "--clear-groups",
                                     "/usr/bin/prlimit", "--nproc=1", "--"});
        const auto done = run({words, {}, {}});
        EXPECT_EQ(done.out, "it runs\n") << done.err;
        EXPECT_EQ(done.status, 0);
}

TEST_F(Run, OutlivesAForkBombOfAnOrdinaryUser) {
        if (::geteuid() != 0)
                GTEST_SKIP() << "needs another user without processes";
        let_others_in();
        auto words = run_words({}, {"/bin/bash", "-c",
                                    "for i in $(seq 200); do sleep 1 & done 2>/dev/null; exit 6"});
        words.insert(words.begin(), {"/usr/bin/setpriv", "--reuid", "3108", "--clear-groups",
                                     "/usr/bin/prlimit", "--nproc=40", "--"});
        const auto done = run({words, {}, {}});
        EXPECT_NE(done.status, -1);
        EXPECT_TRUE(becomes(0));
}

}  // namespace
