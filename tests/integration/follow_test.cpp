// SPDX-License-Identifier: MIT
// Programs that are linked with libthreadcount and the daemon that they follow or miss.
#include "support/as_user.hpp"
#include "support/daemon.hpp"
#include "support/impostor.hpp"
#include "support/tcp_port.hpp"
#include "support/wire.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <threadcount/threadcount.h>
#include <unistd.h>

namespace {

using namespace test_support;

bool contains(const std::string& text, const std::string& part) {
        return text.find(part) != text.npos;
}

/// The first answer may come late on a busy machine. A program starts with one thread then, and 300
/// regions (of 1 ms) are enough to see the next ones.
constexpr int kRegions = 300;

Finished follow(int regions, int max, std::vector<std::string> environment) {
        return run({{FOLLOWER, std::to_string(regions), std::to_string(max)},
                    std::move(environment),
                    {}});
}

/// A machine that a test fills and empties; programs ask every 50 ms.
class Follower : public testing::Test {
protected:
        Follower() : daemon_(machine_.root(), "[governor]\nperiod = 50ms\n") {
                machine_.runs({100, 100, 100, 0, 0, 0, 0, 0});
        }

        [[nodiscard]] std::unique_ptr<Process> start(int regions, int max,
                                                     std::vector<std::string> more = {}) const {
                more.push_back(daemon_.environment());
                more.emplace_back("THREADCOUNT_INTERVAL=50ms");
                return std::make_unique<Process>(
                        Command{{FOLLOWER, std::to_string(regions), std::to_string(max)},
                                std::move(more),
                                {}});
        }

        FakeMachine machine_;
        Daemon daemon_;
};

TEST_F(Follower, StartsWithTheFreeCpusAndGrowsByThoseThatBecomeFree) {
        daemon_.start();
        const auto program = start(0, 8);
        ASSERT_TRUE(eventually([&] { return contains(program->out(), "threads 3\n"); }))
                << program->out();
        machine_.runs({0, 0, 0, 0, 0, 0, 100, 100});
        EXPECT_TRUE(eventually([&] { return contains(program->out(), "threads 5\n"); }))
                << program->out();
}

TEST_F(Follower, DoesNotCountTheSameFreeCpusAgainBeforeItsThreadsShowInTheMeasurement) {
        daemon_.configure("[governor]\nperiod = 60s\n");
        daemon_.start();
        const auto program = start(500, 8);  // asking every 50 ms
        EXPECT_EQ(program->wait(), 0);
        EXPECT_TRUE(contains(program->out(), "threads 3\ndone 500")) << program->out();
        EXPECT_EQ(status(daemon_.socket()).queries(), 1U);
}

TEST_F(Follower, DoesNotGrowOnAFullMachine) {
        machine_.runs({0, 0, 0, 0, 0, 0, 0, 0});
        daemon_.start();
        machine_.runs({0, 0, 0, 0, 0, 0, 0, 0});
        ASSERT_TRUE(eventually([&] { return status(daemon_.socket()).free() == 0; }));
        const auto program = start(0, 8);
        ASSERT_TRUE(eventually([&] { return status(daemon_.socket()).queries() > 5; }));
        EXPECT_EQ(program->out(), "max 8\nthreads 1\n");
}

TEST_F(Follower, NeverShrinks) {
        daemon_.start();
        const auto program = start(0, 8);
        ASSERT_TRUE(eventually([&] { return contains(program->out(), "threads 3\n"); }));
        daemon_.kill();
        // The next governor distributes two CPUs only, and says so.
        daemon_.configure("[governor]\nperiod = 50ms\ncpus = 0-1\n");
        machine_.runs({100, 100, 0, 0, 0, 0, 0, 0});
        daemon_.start();
        ASSERT_TRUE(eventually([&] { return status(daemon_.socket()).queries() > 3; }));
        const auto out = program->out();
        EXPECT_TRUE(out.ends_with("threads 3\n")) << out;
}

TEST_F(Follower, IsNotFrozenByAnAnswerOfAGovernorThatIsStillMeasuring) {
        Daemon young("", "[governor]\npolicy = threshold\nperiod = 500ms\n");
        young.start();
        const auto program =
                run({{FOLLOWER, "2500", "64"},
                     {young.environment(), "THREADCOUNT=start-only", "THREADCOUNT_INTERVAL=100ms"},
                     {}});
        EXPECT_GE(status(young.socket()).queries(), 2U) << "it asks until there is an answer";
        EXPECT_FALSE(contains(program.out, "not known yet")) << program.out;
}

TEST_F(Follower, OutlivesAKilledGovernorAndFollowsTheNextOne) {
        daemon_.start();
        machine_.runs({0, 0, 0, 0, 0, 0, 0, 0});
        ASSERT_TRUE(eventually([&] { return status(daemon_.socket()).free() == 0; }));
        const auto program = start(0, 8);
        ASSERT_TRUE(eventually([&] { return contains(program->out(), "threads 1\n"); }))
                << program->out();
        daemon_.kill();
        std::this_thread::sleep_for(std::chrono::milliseconds{200});
        EXPECT_EQ(program->out(), "max 8\nthreads 1\n") << "it keeps what it has";
        daemon_.start();
        machine_.runs({0, 0, 0, 0, 0, 0, 100, 100});
        EXPECT_TRUE(eventually([&] { return contains(program->out(), "threads 8\n"); }))
                << program->out();
}

TEST_F(Follower, FinishesWhenTheGovernorIsKilled) {
        daemon_.start();
        const auto program = start(400, 8);
        ASSERT_TRUE(eventually([&] { return contains(program->out(), "threads "); }));
        daemon_.kill();
        EXPECT_EQ(program->wait(), 0);
        EXPECT_TRUE(contains(program->out(), "done 400")) << program->out();
}

TEST_F(Follower, AsksOnceWithStartOnly) {
        daemon_.start();
        const auto program = start(300, 8, {"THREADCOUNT=start-only"});
        EXPECT_EQ(program->wait(), 0);
        EXPECT_TRUE(contains(program->out(), "threads 3\ndone 300")) << program->out();
        EXPECT_EQ(status(daemon_.socket()).queries(), 1U);
}

TEST_F(Follower, ObeysItsUser) {
        daemon_.start();
        const auto socket = daemon_.environment();
        EXPECT_TRUE(contains(follow(3, 8, {socket, "THREADCOUNT=off"}).out, "threads 8\n"));
        EXPECT_TRUE(contains(follow(3, 8, {socket, "THREADCOUNT=fixed:5"}).out, "threads 5\n"));
        EXPECT_TRUE(contains(follow(3, 8, {socket, "THREADCOUNT=fixed:50"}).out, "threads 8\n"));
        const auto most = follow(kRegions, 8, {socket, "THREADCOUNT_MAX=2"}).out;
        EXPECT_TRUE(contains(most, "max 2\n") && contains(most, "threads 2\ndone")) << most;
        EXPECT_EQ(status(daemon_.socket()).queries(), 1U) << "only the last one asks";
}

TEST_F(Follower, AdaptsAndSaysSoWhenItsUserIsNotUnderstood) {
        daemon_.start();
        const auto program = follow(kRegions, 8, {daemon_.environment(), "THREADCOUNT=fixed:abc"});
        EXPECT_TRUE(contains(program.out, "threads 3\n")) << program.out;
        EXPECT_TRUE(contains(program.out, "\nTHREADCOUNT=fixed:abc is not understood, ignored; "
                                          "governor: 0 in use + 3 of 8 cpus"))
                << program.out;
}

TEST_F(Follower, DoesNotPrintToTheGovernorWhenItsStandardStreamsAreClosed) {
        daemon_.start();
        for (const std::string closed : {">&-", "<&- >&- 2>&-"}) {
                const auto program =
                        run({{"/bin/sh", "-c", "exec \"$0\" 300 8 " + closed, FOLLOWER},
                             {daemon_.environment(), "THREADCOUNT_INTERVAL=50ms"},
                             {}});
                EXPECT_EQ(program.status, 0) << closed;
        }
        const auto after = status(daemon_.socket());
        EXPECT_EQ(after.bad_messages(), 0U);
        EXPECT_GE(after.queries(), 2U) << "each has asked";
}

TEST(Granted, IsSaidInTheGovernorsWords) {
        Daemon daemon("");
        daemon.start();
        const auto program = follow(kRegions, 65536, {daemon.environment()});
        EXPECT_TRUE(contains(program.out, "\ngovernor: ")) << program.out;
        EXPECT_TRUE(contains(program.out, " -> ")) << program.out;
        EXPECT_EQ(status(daemon.socket()).queries(), 0U) << "it reads, and does not ask";
}

TEST(Granted, NothingIsTakenFromAProgramThatIsOnlyObserved) {
        Daemon daemon("", "[governor]\nmode = observe\n");
        daemon.start();
        const auto program = follow(kRegions, 65536, {daemon.environment()});
        EXPECT_TRUE(contains(program.out, "threads 65536\ndone")) << program.out;
        EXPECT_TRUE(contains(program.out,
                             "\nthe governor only observes: the program's own maximum, "
                             "65536\n"))
                << program.out;
}

TEST(Granted, ProgramsThatAreThereFollowAReloadOfTheMode) {
        Daemon daemon("", "[governor]\nmode = observe\n");
        daemon.start();
        Process program(Command{{FOLLOWER, "0", "65536"}, {daemon.environment()}, {}});
        const auto is_left_alone = [&] { return program.out().ends_with("threads 65536\n"); };
        ASSERT_TRUE(eventually(is_left_alone)) << program.out();
        daemon.configure("[governor]\nmode = govern\n");
        daemon.process().signal(SIGHUP);
        ASSERT_TRUE(eventually([&] { return !is_left_alone(); })) << program.out();
        daemon.configure("[governor]\nmode = observe\n");
        daemon.process().signal(SIGHUP);
        EXPECT_TRUE(eventually(is_left_alone)) << program.out();
}

TEST(WithoutAGovernor, ProgramsRunAtTheirOwnWidth) {
        const auto program = follow(3, 7, {"THREADCOUNT_SOCKET=/nonexistent/socket"});
        EXPECT_EQ(program.out, "max 7\nthreads 7\ndone 3\nno governor at /nonexistent/socket "
                               "(No such file or directory): the program's own maximum, 7\n");
        EXPECT_EQ(program.status, 0);
}

TEST(WithoutAGovernor, ProgramsRunAtTheirOwnWidthWhereNobodyListensOnTheTcpPort) {
        const TcpPort port;
        const auto program = follow(3, 7, {"THREADCOUNT_SOCKET=" + port.address()});
        EXPECT_EQ(program.out, "max 7\nthreads 7\ndone 3\nno governor at " + port.address() +
                                       " (Connection refused): the program's own maximum, 7\n");
        EXPECT_EQ(program.status, 0);
}

TEST(WithoutAGovernor, AnAddressThatCannotBeOneIsNamed) {
        const auto name = follow(3, 7, {"THREADCOUNT_SOCKET=tcp:some.name:99"});
        EXPECT_EQ(name.out, "max 7\nthreads 7\ndone 3\nno governor (THREADCOUNT_SOCKET="
                            "tcp:some.name:99: it needs a path or tcp:HOST:PORT with a numeric "
                            "address): the program's own maximum, 7\n");
        EXPECT_EQ(name.status, 0);
        const auto too_long = follow(3, 7, {"THREADCOUNT_SOCKET=/" + std::string(150, 'x')});
        EXPECT_TRUE(contains(too_long.out, "no governor (THREADCOUNT_SOCKET=/xxx")) << too_long.out;
        EXPECT_TRUE(contains(too_long.out, "xxx: File name too long): ")) << too_long.out;
}

TEST(WithoutAGovernor, TheLongestReasonIsWhole) {
        const auto longest = "/" + std::string(106, 'x');
        const auto program = follow(
                3, 65536,
                {"THREADCOUNT_SOCKET=" + longest, "THREADCOUNT_INTERVAL=" + std::string(60, '9')});
        EXPECT_TRUE(contains(program.out, "\nTHREADCOUNT_INTERVAL=999")) << program.out;
        EXPECT_TRUE(contains(program.out, " is not understood, ignored; no governor at " + longest +
                                                  " (No such file or directory): the program's "
                                                  "own maximum, 65536\n"))
                << program.out;
}

TEST(MuteTcpPort, CostsAProgramAtMostAQuarterOfASecondAtOneThread) {
        const TcpPort port;
        port.listen();
        const auto program = follow(600, 6, {"THREADCOUNT_SOCKET=" + port.address()});
        EXPECT_EQ(program.status, 0);
        EXPECT_TRUE(contains(program.out, "threads 6\ndone 600")) << program.out;
}

TEST(MuteSocket, CostsAProgramAtMostAQuarterOfASecondAtOneThread) {
        const Impostor mute;
        const auto program = follow(600, 6, {mute.environment(), "THREADCOUNT_INTERVAL=50ms"});
        EXPECT_EQ(program.status, 0);
        EXPECT_TRUE(contains(program.out, "threads 6\ndone 600")) << program.out;
}

TEST(DeadSocket, WithAFullBacklogDoesNotBlock) {
        const Impostor full(0);
        const auto program = follow(50, 6, {full.environment()});
        EXPECT_EQ(program.status, 0) << program.err;
        EXPECT_TRUE(contains(program.out, "done 50")) << program.out;
}

TEST(Rubbish, FromASocketIsNotFollowed) {
        const Impostor impostor;
        std::thread talker([&] {
                const int client = ::accept(impostor.fd(), nullptr, nullptr);
                const char rubbish[] = "\x04Oops";
                EXPECT_GT(::send(client, rubbish, sizeof(rubbish) - 1, MSG_NOSIGNAL), 0);
                for (char received = 0; ::recv(client, &received, 1, 0) > 0;)
                        continue;
                ::close(client);
        });
        const auto program = follow(20, 6, {impostor.environment()});
        EXPECT_TRUE(contains(program.out, "threads 6\n")) << program.out;
        EXPECT_TRUE(contains(program.out, "no governor of this version")) << program.out;
        ::shutdown(impostor.fd(), SHUT_RDWR);
        talker.join();
}

TEST(Stranger, IsNotFollowedAndHearsNothing) {
        if (!AsUser::is_possible())
                GTEST_SKIP() << "needs root, to be others";
        std::unique_ptr<Impostor> stranger;
        {
                const AsUser user(3100);
                stranger = std::make_unique<Impostor>();
        }
        const auto program = follow(3, 7, {stranger->environment()});
        EXPECT_EQ(program.status, 0);
        EXPECT_TRUE(contains(program.out,
                             "max 7\nthreads 7\ndone 3\nno governor at " +
                                     stranger->environment().substr(19) +
                                     " (user 3100 listens there, perhaps an impostor: nothing was "
                                     "sent, since only root's, this user's and that of the owner "
                                     "of /run/governord are believed): the program's own maximum, "
                                     "7\n"))
                << program.out;
        const int client = ::accept(stranger->fd(), nullptr, nullptr);
        char byte = 0;
        EXPECT_EQ(::recv(client, &byte, 1, 0), 0);
        ::close(client);
}

TEST(Reason, ShowsWhatItQuotesWithoutWhatSteersATerminal) {
        const auto program = follow(
                3, 7,
                {"THREADCOUNT_SOCKET=/no/\x1b]0;x\x07/\xc3\xbc\xff", "THREADCOUNT_MAX=\x1b[2J"});
        EXPECT_EQ(program.out, "max 7\nthreads 7\ndone 3\nTHREADCOUNT_MAX=?[2J is not understood, "
                               "ignored; no governor at /no/?]0;x?/\xc3\xbc? (No such file or "
                               "directory): the program's own maximum, 7\n");
}

TEST(WithoutDescriptors, AProgramRunsAtItsOwnWidthAndSaysSo) {
        Daemon daemon("");
        daemon.start();
        for (const std::string most : {"3", "4", "5"}) {
                const auto program = run(
                        {{"/bin/sh", "-c", "ulimit -n " + most + " && exec \"$0\" 20 7", FOLLOWER},
                         {daemon.environment()},
                         {}});
                if (contains(program.err, "error while loading"))
                        continue;  // not even that
                EXPECT_TRUE(contains(program.out, "threads 7\ndone 20\n")) << program.out;
                EXPECT_TRUE(contains(program.out,
                                     " (this process has no descriptors left for it, see ulimit "
                                     "-n): the program's own maximum, 7\n"))
                        << most << program.out;
        }
}

/// The library inside this test process.
class InProcess : public testing::Test {
protected:
        InProcess() : daemon_(FIXTURES "/machines/8", "[governor]\nperiod = 50ms\n") {
                for (const auto* name : {"THREADCOUNT", "THREADCOUNT_SOCKET", "THREADCOUNT_MAX",
                                         "THREADCOUNT_INTERVAL"})
                        ::unsetenv(name);
                options_.socket_path = daemon_.socket().c_str();
                options_.max_threads = 8;
                options_.interval_ms = 50;
        }

        /// On a busy machine the first answer may be late.
        static bool comes_to(threadcount_handle* handle, std::uint32_t threads) {
                return eventually([&] { return threadcount_threads(handle) == threads; });
        }

        Daemon daemon_;
        threadcount_options options_ = THREADCOUNT_OPTIONS_INIT;
};

TEST_F(InProcess, OptionsOutOfRangeAreRefusedAndNothingIsWritten) {
        threadcount_handle* const untouched = reinterpret_cast<threadcount_handle*>(&options_);
        threadcount_handle* handle = untouched;
        for (const auto& [max, interval] :
             {std::pair{65537U, 0U}, std::pair{0U, 49U}, std::pair{0U, 86'400'001U}}) {
                options_.max_threads = max;
                options_.interval_ms = interval;
                EXPECT_EQ(threadcount_open(&options_, &handle), -EINVAL);
                EXPECT_EQ(handle, untouched);
        }
        EXPECT_EQ(threadcount_open(nullptr, nullptr), -EINVAL);
        options_ = THREADCOUNT_OPTIONS_INIT;
        options_.size = 0;
        EXPECT_EQ(threadcount_open(&options_, &handle), -EINVAL);
}

TEST_F(InProcess, NullHandlesAnswerTheFallback) {
        EXPECT_GE(threadcount_threads(nullptr), 1U);
        EXPECT_EQ(threadcount_max(nullptr), threadcount_threads(nullptr));
        EXPECT_GT(threadcount_reason(nullptr, nullptr, 0), 0U);
        EXPECT_EQ(threadcount_close(nullptr), nullptr);
}

TEST_F(InProcess, AdviseAsksAtOnceAndLeavesTheCountAlone) {
        daemon_.start();
        threadcount_handle* handle = nullptr;
        ASSERT_EQ(threadcount_open(&options_, &handle), 0);
        threadcount_advice advice = THREADCOUNT_ADVICE_INIT;
        ASSERT_EQ(threadcount_advise(handle, 1, &advice), 0);
        EXPECT_EQ(advice.threads, 7U);
        EXPECT_EQ(advice.free, 6U);
        EXPECT_EQ(advice.total, 8U);
        EXPECT_EQ(advice.source, static_cast<unsigned>(THREADCOUNT_SOURCE_GOVERNOR));
        EXPECT_TRUE(comes_to(handle, 6));
        EXPECT_EQ(threadcount_advise(handle, 65537, &advice), -EINVAL);
        EXPECT_EQ(threadcount_advise(handle, 0, nullptr), -EINVAL);
        daemon_.kill();
        EXPECT_EQ(threadcount_advise(handle, 1, &advice), -ECONNREFUSED);
        EXPECT_EQ(advice.threads, 8U);
        EXPECT_EQ(advice.source, static_cast<unsigned>(THREADCOUNT_SOURCE_FALLBACK));
        threadcount_close(handle);
}

TEST_F(InProcess, AdviseTellsASettingOfTheUserFromAMistakeOfTheCaller) {
        options_.socket_path = "tcp:some.name:99";
        threadcount_handle* handle = nullptr;
        ASSERT_EQ(threadcount_open(&options_, &handle), 0);
        threadcount_advice advice = THREADCOUNT_ADVICE_INIT;
        EXPECT_EQ(threadcount_advise(handle, 1, &advice), -EDESTADDRREQ);
        EXPECT_EQ(advice.threads, 8U);
        EXPECT_EQ(threadcount_threads(handle), 8U);
        char text[512];
        threadcount_reason(handle, text, sizeof(text));
        EXPECT_TRUE(contains(text, "no governor (socket_path=tcp:some.name:99: it needs a path"))
                << text;
        threadcount_close(handle);
}

TEST_F(InProcess, ReasonIsCutToFitAndSaysItsWholeLength) {
        daemon_.start();
        threadcount_handle* handle = nullptr;
        ASSERT_EQ(threadcount_open(&options_, &handle), 0);
        ASSERT_TRUE(comes_to(handle, 6));
        char text[512];
        const auto length = threadcount_reason(handle, text, sizeof(text));
        EXPECT_EQ(std::string(text), "governor: 0 in use + 6 of 8 cpus idle >= 5% -> 6");
        EXPECT_EQ(length, std::string(text).size());
        char little[9];
        EXPECT_EQ(threadcount_reason(handle, little, sizeof(little)), length);
        EXPECT_EQ(std::string(little), "governor");
        threadcount_close(handle);
}

TEST_F(InProcess, AHandleIsInertInAForkedChildThatMayOpenItsOwn) {
        daemon_.start();
        threadcount_handle* handle = nullptr;
        ASSERT_EQ(threadcount_open_default(&options_, &handle), 0);
        EXPECT_EQ(threadcount_default(), handle);
        ASSERT_TRUE(comes_to(handle, 6));
        const pid_t child = ::fork();
        if (child == 0) {
                threadcount_advice advice = THREADCOUNT_ADVICE_INIT;
                const bool inert = threadcount_threads(handle) == 8 &&
                                   threadcount_advise(handle, 1, &advice) == -ENOTCONN;
                threadcount_handle* own = nullptr;
                const bool opened = threadcount_open_default(&options_, &own) == 0;
                // Beside the parent, which was told 6 of 8, its fair share is a half.
                const bool follows = own != handle && comes_to(own, 4);
                ::_exit((inert ? 0 : 1) + (opened ? 0 : 2) + (follows ? 0 : 4));
        }
        int result = -1;
        ASSERT_EQ(::waitpid(child, &result, 0), child);
        EXPECT_EQ(WEXITSTATUS(result), 0);
        EXPECT_EQ(threadcount_threads(handle), 6U) << "the parent's connection is its own";
}

threadcount_handle* of_the_handler = nullptr;
bool is_handler_on = false;

void open_in_a_child() {
        threadcount_options options = THREADCOUNT_OPTIONS_INIT;
        options.socket_path = "/nonexistent/socket";
        if (is_handler_on)
                (void)threadcount_open(&options, &of_the_handler);
}

bool is_inert(threadcount_handle* handle) {
        threadcount_advice advice = THREADCOUNT_ADVICE_INIT;
        return threadcount_advise(handle, 1, &advice) == -ENOTCONN;
}

/// The handler is called before the library's own if no test of this process has opened a handle.
TEST_F(InProcess, AHandleThatAHandlerOfTheForkOpensIsTheChilds) {
        ASSERT_EQ(::pthread_atfork(nullptr, nullptr, open_in_a_child), 0);
        threadcount_handle* handle = nullptr;
        ASSERT_EQ(threadcount_open(&options_, &handle), 0);
        is_handler_on = true;
        const pid_t child = ::fork();
        if (child == 0)
                ::_exit((is_inert(handle) ? 0 : 1) + (is_inert(of_the_handler) ? 2 : 0));
        is_handler_on = false;
        int result = -1;
        ASSERT_EQ(::waitpid(child, &result, 0), child);
        EXPECT_EQ(WEXITSTATUS(result), 0);
        threadcount_close(handle);
}

TEST_F(InProcess, TheHandleOfAllPartsIsNotClosedByOne) {
        daemon_.start();
        const pid_t child = ::fork();
        if (child == 0) {
                threadcount_handle* handle = nullptr;
                const bool opened = threadcount_open_default(&options_, &handle) == 0;
                threadcount_close(handle);
                ::_exit(opened && threadcount_default() == handle && comes_to(handle, 6) ? 0 : 1);
        }
        int result = -1;
        ASSERT_EQ(::waitpid(child, &result, 0), child);
        EXPECT_TRUE(WIFEXITED(result) && WEXITSTATUS(result) == 0) << result;
}

TEST_F(InProcess, ADescriptorThatTheProgramHasClosedUnderTheLibraryIsLeftAlone) {
        daemon_.start();
        threadcount_handle* handle = nullptr;
        const int probe = ::dup(STDIN_FILENO);  // the number that the library's socket will have
        ::close(probe);
        ASSERT_EQ(threadcount_open(&options_, &handle), 0);
        ASSERT_TRUE(comes_to(handle, 6));
        ASSERT_EQ(::close(probe), 0);
        int pair[2];
        ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
        ASSERT_TRUE(pair[0] == probe || pair[1] == probe);
        const auto queries = status(daemon_.socket()).queries();
        ASSERT_TRUE(eventually([&] {
                (void)threadcount_threads(handle);
                return status(daemon_.socket()).queries() > queries;
        })) << "it asks on a new connection";
        threadcount_close(handle);
        char byte = 0;
        for (const int end : pair)
                EXPECT_EQ(::recv(end, &byte, 1, MSG_DONTWAIT), -1) << "nothing was sent";
        for (const int end : pair)
                EXPECT_EQ(::close(end), 0) << "still the program's own";
}

TEST_F(InProcess, ManyThreadsMayUseOneHandleWhileTheGovernorComesAndGoes) {
        daemon_.start();
        threadcount_handle* handle = nullptr;
        ASSERT_EQ(threadcount_open(&options_, &handle), 0);
        std::atomic<bool> stop{false};
        std::atomic<unsigned> wrong{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; i++)
                threads.emplace_back([&, i] {
                        while (!stop) {
                                const auto count = threadcount_threads(handle);
                                wrong += count < 1 || count > 8;
                                char text[200];
                                if (i == 1)
                                        (void)threadcount_reason(handle, text, sizeof(text));
                                threadcount_advice advice = THREADCOUNT_ADVICE_INIT;
                                if (i == 2)
                                        (void)threadcount_advise(handle, 1, &advice);
                        }
                });
        for (int round = 0; round < 3; round++) {
                std::this_thread::sleep_for(std::chrono::milliseconds{150});
                daemon_.kill();
                daemon_.start();
        }
        stop = true;
        for (auto& thread : threads)
                thread.join();
        EXPECT_EQ(wrong, 0U);
        threadcount_close(handle);
}

}  // namespace
