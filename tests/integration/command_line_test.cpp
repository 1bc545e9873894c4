// SPDX-License-Identifier: MIT
// governorctl as people and scripts meet it: output, exit codes, errors.
#include "support/as_user.hpp"
#include "support/daemon.hpp"
#include "support/impostor.hpp"
#include "support/tcp_port.hpp"
#include "support/wire.hpp"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <netinet/in.h>
#include <regex>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

namespace {

using namespace test_support;

bool contains(const std::string& text, const std::string& part) {
        return text.find(part) != text.npos;
}

Finished ctl_without_governor(std::vector<std::string> arguments,
                              std::vector<std::string> environment = {}) {
        arguments.insert(arguments.begin(), {GOVERNORCTL, "--socket", "/nonexistent/socket"});
        return run({std::move(arguments), std::move(environment), {}});
}

class CommandLine : public testing::Test {
protected:
        CommandLine() : daemon_(FIXTURES "/machines/sparse", "[governor]\nthreshold = 50%\n") {
                daemon_.start();
        }

        Daemon daemon_;
};

TEST_F(CommandLine, StatusShowsThePolicyAndTheCpus) {
        const auto plain = ctl(daemon_, {"status"});
        EXPECT_EQ(plain.status, 0);
        EXPECT_TRUE(contains(plain.out, "policy               fair\n")) << plain.out;
        EXPECT_TRUE(contains(plain.out, "5, 3 free (idle >= 50% over 1000 ms)")) << plain.out;
        EXPECT_TRUE(contains(plain.out, "0 programs on ")) << plain.out;
        EXPECT_TRUE(contains(plain.out, "connections refused  0\n")) << plain.out;
        const auto json = ctl(daemon_, {"status", "--json"});
        EXPECT_TRUE(contains(json.out, R"("policy":"fair","mode":"govern","clients":0,)"))
                << json.out;
        EXPECT_TRUE(contains(json.out,
                             R"("paused":false,"fallback":false,"configuration_error":null})"))
                << json.out;
        EXPECT_EQ(json.out.find("null"), json.out.rfind("null")) << json.out;
}

TEST_F(CommandLine, StatusOfTheArticlesPolicyKeepsNoAccounts) {
        Daemon daemon(FIXTURES "/machines/sparse", "[governor]\npolicy = threshold\n");
        daemon.start();
        const auto plain = ctl(daemon, {"status"}).out;
        EXPECT_TRUE(contains(plain, "policy               threshold\n")) << plain;
        EXPECT_FALSE(contains(plain, "share")) << plain;
        const auto json = ctl(daemon, {"status", "--json"}).out;
        EXPECT_TRUE(contains(json, R"({"cpus":5,"budget":null,"foreign":null,)"
                                   R"("policy":"threshold","mode":"govern","clients":0,)"))
                << json;
}

TEST_F(CommandLine, CpusShowsABarPerCore) {
        const auto plain =
                run({{GOVERNORCTL, "--socket", daemon_.socket(), "cpus"}, {"LC_ALL=C"}, {}});
        EXPECT_EQ(plain.status, 0);
        EXPECT_TRUE(contains(plain.out, "CPU    IDLE                        STATE  HOLDER"))
                << plain.out;
        EXPECT_TRUE(contains(plain.out, "\n  6   70.0%  ##############......  free ")) << plain.out;
        const auto utf8 =
                run({{GOVERNORCTL, "--socket", daemon_.socket(), "cpus"}, {"LC_ALL=C.UTF-8"}, {}});
        EXPECT_TRUE(contains(utf8.out, "██████████████······")) << utf8.out;
        EXPECT_TRUE(contains(ctl(daemon_, {"cpus", "--json"}).out,
                             R"({"cpu":6,"idle_permyriad":7000,"available":true,"core":null,)"
                             R"("package":null,"node":null,"holder":null,"governed":true})"));
}

TEST_F(CommandLine, ConfigTellsWhereASettingComesFrom) {
        const auto plain = ctl(daemon_, {"config"});
        EXPECT_TRUE(
                contains(plain.out, "governord.conf:2\nthreshold = 50%\n# default\nperiod = 1s"))
                << plain.out;
        EXPECT_TRUE(contains(ctl(daemon_, {"config", "--json"}).out,
                             R"({"key":"period","value":"1s","origin":"default","program":null})"));
        TemporaryDirectory directory;
        const auto file = directory.write("again.conf", plain.out);
        EXPECT_EQ(run({{GOVERNORD, "--check-config", "--config", file}, {}, {}}).status, 0)
                << "what it prints is a configuration";
}

TEST_F(CommandLine, ConfigShowsRulesBehindTheSettings) {
        Daemon daemon(FIXTURES "/machines/8",
                      "[governor]\nreserve = 1\n"
                      "[program nightly]\nuser = root\nlabel = night*\nclass = batch\n"
                      "[program own]\nmax = 4\n");
        daemon.start();
        const auto plain = ctl(daemon, {"config"});
        EXPECT_TRUE(contains(plain.out, "\n\n[program nightly]\n# ")) << plain.out;
        EXPECT_TRUE(contains(plain.out, "governord.conf:4\nuser = 0\n")) << plain.out;
        EXPECT_TRUE(contains(plain.out, "governord.conf:8\nmax = 4\n")) << plain.out;
        const auto json = ctl(daemon, {"config", "--json"});
        EXPECT_TRUE(contains(json.out, R"("program":null},{"key":"user","value":"0",)"))
                << json.out;
        EXPECT_TRUE(contains(json.out, R"(governord.conf:8","program":"own"}])")) << json.out;
        Daemon again(FIXTURES "/machines/8", plain.out);
        again.start();
        const auto without_origins = [](const std::string& text) {
                return std::regex_replace(text, std::regex("#.*\n"), "");
        };
        EXPECT_EQ(without_origins(ctl(again, {"config"}).out), without_origins(plain.out))
                << "what it prints says the same";
}

TEST_F(CommandLine, ConfigShowsAThousandRules) {
        std::string text;
        for (int i = 0; i < 1000; i++)
                text += "[program p" + std::to_string(i) + "]\nuser = " + std::to_string(i) +
                        "\nlabel = some-label-or-other\nweight = 50\n";
        Daemon daemon(FIXTURES "/machines/8", text);
        daemon.start();
        const auto plain = ctl(daemon, {"config"});
        EXPECT_EQ(plain.status, 0) << plain.err;
        EXPECT_TRUE(contains(plain.out, "[program p0]\n"));
        EXPECT_TRUE(contains(plain.out, "[program p999]\n"));
}

TEST_F(CommandLine, RunSetsTheThreadCountOfUnmodifiedPrograms) {
        const auto set =
                ctl(daemon_, {"run", "--max", "2", "--", "/usr/bin/printenv", "OMP_NUM_THREADS",
                              "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS",
                              "NUMEXPR_NUM_THREADS", "RAYON_NUM_THREADS", "THREADCOUNT_SOCKET"});
        EXPECT_EQ(set.out, "2\n2\n2\n2\n2\n2\n" + daemon_.socket() + "\n");
        EXPECT_EQ(set.status, 0);
}

TEST_F(CommandLine, RunMakesABatchProgramAJobOfItsOwnUnlessItWorksWithOthers) {
        const auto shell = [&](const std::string& options, const std::string& around,
                               const std::vector<std::string>& environment = {}) {
                const auto command = std::string(GOVERNORCTL) + " --socket " + daemon_.socket() +
                                     " run " + options +
                                     " -- /bin/sh -c 'echo $THREADCOUNT_CLASS,$THREADCOUNT_JOB,"
                                     "$OMP_NUM_THREADS' " +
                                     around;
                return run({{"/bin/sh", "-c", command}, environment, {}});
        };
        const auto alone = shell("--batch", "</dev/null");
        EXPECT_EQ(alone.err, "");
        EXPECT_TRUE(std::regex_match(alone.out, std::regex("batch,run-[0-9]+,\n"))) << alone.out;
        EXPECT_EQ(shell("--batch --job x", "</dev/null").out, "batch,x,\n");
        EXPECT_EQ(shell("--batch --job x", "| cat").out, "batch,x,\n");
        EXPECT_EQ(shell("--batch", "</dev/null | cat").out, "batch,,\n");
        EXPECT_EQ(shell("--batch", "</dev/null", {"THREADCOUNT_JOB=y"}).out, "batch,y,\n");
        for (const auto* rank : {"PMIX_NAMESPACE=a", "SLURM_STEP_ID=0", "OMPI_MCA_ess_base_jobid=1",
                                 "PMI_JOBID=7", "PMI_RANK=0", "PMI_ID=0"})
                EXPECT_EQ(shell("--batch", "</dev/null", {rank}).out, "batch,,\n") << rank;
        for (const auto* several :
             {"SLURM_JOB_ID=7", "PBS_JOBID=7", "LSB_JOBID=7", "FLUX_JOB_ID=7"})
                EXPECT_TRUE(shell("--batch", "</dev/null", {several}).out.starts_with("batch,run-"))
                        << several;
        EXPECT_EQ(shell("--batch", "</dev/null", {"THREADCOUNT=fixed:3", "THREADCOUNT_JOB=y"}).out,
                  "batch,y,3\n");
        for (const auto* name : {"''", "\"$(printf 'a\\nb')\"", "\"$(printf %064d 0)\""}) {
                const auto refused = shell(std::string("--batch --job ") + name, "</dev/null");
                EXPECT_EQ(refused.status, 2) << name;
                EXPECT_TRUE(contains(refused.err, "1 to 63 characters of printable ASCII")) << name;
        }
        EXPECT_EQ(shell("--batch --job \"$(printf %063d 0)\"", "</dev/null").out,
                  "batch," + std::string(63, '0') + ",\n");
        const auto unmodified = shell("--job x --max 1", "</dev/null");
        EXPECT_EQ(unmodified.out, ",x,1\n");
}

TEST_F(CommandLine, RunSaysThatABatchProgramWaitsForNoTurnWithoutAGovernor) {
        const auto done =
                run({{GOVERNORCTL, "--socket", "/nonexistent/s", "run", "--batch", "--max", "1",
                      "--", "/usr/bin/printenv", "THREADCOUNT_CLASS", "OMP_NUM_THREADS"},
                     {},
                     {}});
        EXPECT_EQ(done.out, "batch\n");
        EXPECT_TRUE(contains(done.err, "no governor at /nonexistent/s")) << done.err;
        EXPECT_TRUE(contains(done.err, "printenv runs with at most 1, and waits for no turn\n"))
                << done.err;
}

TEST(Run, RespectsWhatTheUserHasSet) {
        Daemon daemon(FIXTURES "/machines/64");  // so that all have 2 threads for their share
        daemon.start();
        const auto values = [&](const std::string& set) {
                return run({{"/usr/bin/env", set, GOVERNORCTL, "--socket", daemon.socket(), "run",
                             "--max", "2", "--", "/usr/bin/printenv", "OMP_NUM_THREADS"},
                            {},
                            {}})
                        .out;
        };
        EXPECT_EQ(values("OMP_NUM_THREADS=1"), "1\n");
        EXPECT_EQ(values("OMP_NUM_THREADS=9"), "2\n");
        EXPECT_EQ(values("OMP_NUM_THREADS=2,4"), "2,4\n");
        EXPECT_EQ(values("OMP_NUM_THREADS=9,4"), "2,4\n");
        EXPECT_EQ(values("OMP_NUM_THREADS=auto"), "2\n");
        EXPECT_EQ(values("OMP_NUM_THREADS=0"), "2\n");
}

TEST_F(CommandLine, RunPassesArgumentsAndExitStatusThrough) {
        const auto result = ctl(daemon_, {"run", "--", "/bin/sh", "-c", "echo \"$@\"; exit 7",
                                          "name", "--json", "--", "-x"});
        EXPECT_EQ(result.out, "--json -- -x\n");
        EXPECT_EQ(result.status, 7);
        EXPECT_EQ(ctl(daemon_, {"run", "--", "/nonexistent"}).status, 127);
        EXPECT_EQ(ctl(daemon_, {"run", "--", "/etc/passwd"}).status, 126);
}

TEST_F(CommandLine, RunIsOneWordByItsOtherName) {
        const auto fairly =
                std::string(GOVERNORCTL).substr(0, std::string(GOVERNORCTL).rfind('/')) + "/fairly";
        const auto done = run(
                {{fairly, "--max", "1", "sh", "-c", "echo $OMP_NUM_THREADS $0; exit 7", "--max"},
                 {"THREADCOUNT_SOCKET=" + daemon_.socket()},
                 {}});
        EXPECT_EQ(done.out, "1 --max\n") << done.err;
        EXPECT_TRUE(done.err.starts_with("fairly: sh: ")) << done.err;
        EXPECT_EQ(done.status, 7);
        const auto nothing = run({{fairly}, {}, {}});
        EXPECT_EQ(nothing.status, 2);
        EXPECT_EQ(nothing.err, "fairly: PROGRAM is required (see fairly --help)\n");
        EXPECT_EQ(run({{fairly, "--"}, {}, {}}).err, nothing.err);
        EXPECT_EQ(run({{fairly, "--bacth"}, {}, {}}).err,
                  "fairly: unknown option `--bacth` (see fairly --help)\n");
        EXPECT_EQ(run({{fairly, "/nonexistent"}, {}, {}}).err.substr(0, 8), "fairly: ");
        EXPECT_TRUE(contains(run({{fairly, "--help"}, {}, {}}).out, "\nUsage: fairly [OPTIONS] "));
        EXPECT_TRUE(run({{fairly, "--version"}, {}, {}}).out.starts_with("fairly "));
}

TEST_F(CommandLine, RunAndAdviseKeepToTheUsersMaximum) {
        const std::vector<std::string> max{"THREADCOUNT_MAX=1"};
        EXPECT_EQ(ctl(daemon_, {"advise", "--max", "5"}, max).out, "1\n");
        EXPECT_EQ(ctl(daemon_, {"run", "--", "/usr/bin/printenv", "OMP_NUM_THREADS"}, max).out,
                  "1\n");
        EXPECT_EQ(ctl(daemon_, {"run", "--max", "2", "--", "/usr/bin/printenv", "OMP_NUM_THREADS"},
                      {"THREADCOUNT=fixed:12"})
                          .out,
                  "2\n");
        EXPECT_EQ(ctl(daemon_, {"run", "--", "/usr/bin/printenv", "OMP_NUM_THREADS"},
                      {"THREADCOUNT=fixed:12", "THREADCOUNT_MAX=3"})
                          .out,
                  "3\n");
        EXPECT_EQ(run({{GOVERNORCTL, "--socket", "/nonexistent", "run", "--", "/usr/bin/printenv",
                        "OMP_NUM_THREADS"},
                       max,
                       {}})
                          .out,
                  "1\n");
        EXPECT_EQ(ctl(daemon_, {"run", "--max", "2", "--", "/usr/bin/printenv", "THREADCOUNT_MAX"})
                          .out,
                  "2\n");
}

TEST_F(CommandLine, SaysSoWhenItsOutputCannotBeWritten) {
        const auto result =
                run({{"/bin/sh", "-c",
                      GOVERNORCTL " --socket " + daemon_.socket() + " status >/dev/full"},
                     {},
                     {}});
        EXPECT_EQ(result.status, 1);
        EXPECT_TRUE(contains(result.err, "cannot write the result")) << result.err;
}

TEST_F(CommandLine, RunObeysThreadcount) {
        const auto with = [&](const std::string& mode) {
                return ctl(daemon_, {"run", "--", "/bin/sh", "-c", "echo x$OMP_NUM_THREADS"},
                           {"THREADCOUNT=" + mode});
        };
        EXPECT_EQ(with("off").out, "x\n");
        EXPECT_EQ(with("fixed:12").out, "x12\n");
        const auto refused = with("fixed:abc");
        EXPECT_EQ(refused.status, 2);
        EXPECT_EQ(refused.out, "");
        EXPECT_TRUE(contains(refused.err, "THREADCOUNT=fixed:abc is not accepted; accepted: adapt"))
                << refused.err;
}

TEST(WithoutAGovernor, AdviseStillPrintsANumberAndExits3) {
        const auto plain = ctl_without_governor({"advise"});
        EXPECT_EQ(plain.status, 3);
        EXPECT_GE(std::stoi(plain.out), 1);
        EXPECT_TRUE(contains(plain.err, "start one there by `governord --socket`")) << plain.err;
        const auto json = ctl_without_governor({"advise", "--json", "--max", "1"});
        EXPECT_TRUE(contains(json.out, R"({"threads":1,"free":0,"total":0,)")) << json.out;
}

TEST(WithoutAGovernor, RunChangesNothingAndWarnsOnce) {
        const auto result = ctl_without_governor(
                {"run", "--", "/bin/sh", "-c", "echo x$OMP_NUM_THREADS; exit 5"});
        EXPECT_EQ(result.out, "x\n");
        EXPECT_EQ(result.status, 5);
        EXPECT_TRUE(contains(result.err, "runs unchanged")) << result.err;
        EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << "one line: " << result.err;
}

TEST(WithoutAGovernor, OtherVerbsExit3) {
        for (const auto* verb : {"status", "cpus", "config"}) {
                const auto result = ctl_without_governor({verb});
                EXPECT_EQ(result.status, 3) << verb;
                EXPECT_EQ(result.out, "");
        }
}

TEST(WithoutAGovernor, ATcpPortWhereNobodyListensIsNamed) {
        const TcpPort port;
        for (const auto* verb : {"status", "advise"}) {
                const auto given = run({{GOVERNORCTL, "--socket", port.address(), verb}, {}, {}});
                EXPECT_EQ(given.status, 3) << given.err;
                EXPECT_TRUE(given.err.starts_with("governorctl: no governor at " + port.address() +
                                                  ": Connection refused; "))
                        << given.err;
                const auto set =
                        run({{GOVERNORCTL, verb}, {"THREADCOUNT_SOCKET=" + port.address()}, {}});
                EXPECT_EQ(set.status, 3);
                EXPECT_EQ(set.err, given.err);
        }
}

TEST(WithoutAGovernor, ATcpPortThatDoesNotAnswerIsNotReachable) {
        const TcpPort port;
        port.listen();
        const auto result = run({{GOVERNORCTL, "--socket", port.address(), "status"}, {}, {}});
        EXPECT_EQ(result.status, 3);
        EXPECT_EQ(result.err,
                  "governorctl: the governor at " + port.address() +
                          " does not answer; see systemctl status governord, or its log\n");
}

TEST(WithoutAGovernor, ATcpPortThatAcceptsNobodyIsNotReachable) {
        const TcpPort port;
        port.listen(0);
        sockaddr_in address{};
        socklen_t length = sizeof(address);
        ASSERT_EQ(::getsockname(port.fd(), reinterpret_cast<sockaddr*>(&address), &length), 0);
        int others[4];
        for (int& other : others) {
                other = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
                (void)::connect(other, reinterpret_cast<const sockaddr*>(&address), length);
        }
        const auto result = run({{GOVERNORCTL, "--socket", port.address(), "status"}, {}, {}});
        EXPECT_EQ(result.status, 3);
        EXPECT_TRUE(contains(result.err, port.address() + ": Connection timed out")) << result.err;
        for (const int other : others)
                ::close(other);
}

/// Runs governorctl against a server that gives this answer to each of its questions, on a TCP
/// port.
Finished ask_over_tcp(const std::vector<std::string>& arguments, const governor::v1::Reply& reply,
                      int* ret_questions = nullptr) {
        const TcpPort port;
        port.listen();
        int questions = 0;
        std::thread governor([&] {
                const int client = ::accept(port.fd(), nullptr, nullptr);
                const auto bytes = frame(reply.SerializeAsString());
                for (char question[64]; ::recv(client, question, sizeof(question), 0) > 0;) {
                        questions++;
                        EXPECT_GT(::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL), 0);
                }
                ::close(client);
        });
        std::vector<std::string> command{GOVERNORCTL, "--socket",
                                         "tcp:localhost:" + std::to_string(port.number())};
        command.insert(command.end(), arguments.begin(), arguments.end());
        auto result = run({std::move(command), {}, {}});
        ::shutdown(port.fd(), SHUT_RDWR);
        governor.join();
        EXPECT_GT(questions, 0);
        if (ret_questions != nullptr)
                *ret_questions = questions;
        return result;
}

TEST(OverTcp, AGovernorIsAsked) {
        governor::v1::Reply reply;
        reply.mutable_advice()->set_threads(1);
        const auto result = ask_over_tcp({"advise"}, reply);
        EXPECT_EQ(result.out, "1\n");
        EXPECT_EQ(result.status, 0) << result.err;
}

TEST(Liar, IsNotBelievedMoreThreadsThanWereAskedForOrMayBeUsed) {
        governor::v1::Reply reply;
        reply.mutable_advice()->set_threads(4'294'967'295);
        EXPECT_EQ(ask_over_tcp({"advise", "--max", "1"}, reply).out, "1\n");
        EXPECT_TRUE(ask_over_tcp({"advise", "--json", "--max", "1"}, reply)
                            .out.starts_with(R"({"threads":1,)"));
        EXPECT_EQ(ask_over_tcp({"run", "--max", "1", "--", "/usr/bin/printenv", "OMP_NUM_THREADS"},
                               reply)
                          .out,
                  "1\n");
        const auto cpus = std::stoul(run({{"/usr/bin/nproc"}, {}, {}}).out);
        EXPECT_LE(std::stoul(ask_over_tcp({"advise"}, reply).out), cpus);
        EXPECT_LE(std::stoul(
                          ask_over_tcp({"run", "--", "/usr/bin/printenv", "OMP_NUM_THREADS"}, reply)
                                  .out),
                  cpus);
}

TEST(Liar, ThatWelcomesATreeWithoutMemoryIsNoGovernorToRun) {
        governor::v1::Reply welcome;
        welcome.mutable_welcome()->set_slot(7);
        governor::v1::Reply advice;
        advice.mutable_advice()->set_threads(1);
        for (const auto& bytes : {frame(welcome.SerializeAsString()),
                                  frame(advice.SerializeAsString()), std::string(9000, '\xff')}) {
                const Impostor impostor;
                std::thread governor([&] {
                        const int client = ::accept(impostor.fd(), nullptr, nullptr);
                        char hello[512];
                        (void)!::recv(client, hello, sizeof(hello), 0);
                        (void)!::send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
                        while (::recv(client, hello, sizeof(hello), 0) > 0)
                                ;
                        ::close(client);
                });
                const auto result = run({{GOVERNORCTL, "run", "--", "/bin/sh", "-c",
                                          "echo x$OMP_NUM_THREADS; exit 5"},
                                         {impostor.environment()},
                                         {}});
                governor.join();
                EXPECT_EQ(result.out, "x\n");
                EXPECT_EQ(result.status, 5);
                EXPECT_TRUE(contains(result.err, "; /bin/sh runs unchanged\n")) << result.err;
        }
}

TEST(Liar, WhoseListHasNoEndIsLeft) {
        governor::v1::Reply reply;
        reply.mutable_clients()->add_client()->set_id(1);
        reply.mutable_clients()->set_more(true);
        int questions = 0;
        const auto result = ask_over_tcp({"clients"}, reply, &questions);
        EXPECT_EQ(result.status, 1);
        EXPECT_EQ(result.err, "governorctl: what answers is no governor: its list has no end\n");
        EXPECT_LE(questions, 5000);
}

TEST(Liar, WhoAnswersByteByByteIsLeftAfterFiveSeconds) {
        const TcpPort port;
        port.listen();
        std::thread dripping([&] {
                const int client = ::accept(port.fd(), nullptr, nullptr);
                const auto long_answer = frame(std::string(100, 'x'));
                for (const char byte : long_answer) {
                        if (::send(client, &byte, 1, MSG_NOSIGNAL) != 1)
                                break;
                        ::usleep(500'000);
                }
                ::close(client);
        });
        const auto start = std::chrono::steady_clock::now();
        const auto result = run({{GOVERNORCTL, "--socket", port.address(), "status"}, {}, {}});
        EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds{20});
        EXPECT_EQ(result.status, 3);
        EXPECT_TRUE(contains(result.err, "does not answer")) << result.err;
        dripping.join();
}

TEST(Liar, DoesNotSteerTheTerminal) {
        governor::v1::Reply reply;
        reply.mutable_error()->set_message("\x1b]0;title\x07\nGröße");
        reply.mutable_error()->set_accepted("\u202eall");
        EXPECT_EQ(ask_over_tcp({"status"}, reply).err,
                  "governorctl: the governor refuses: ?]0;title??Größe; accepted: ?all\n");
        reply.mutable_status()->set_version("1\x1b[2J");
        for (const auto* verb : {"status", "top"}) {
                const auto shown = ask_over_tcp({verb}, reply);
                EXPECT_FALSE(contains(shown.out + shown.err, "\x1b")) << verb;
        }
        const auto nobody = run({{GOVERNORCTL, "--socket", "/\x1b[2J", "status"}, {}, {}}).err;
        EXPECT_TRUE(contains(nobody, "no governor at /?[2J: ")) << nobody;
}

TEST(Stranger, IsNotAsked) {
        if (!AsUser::is_possible())
                GTEST_SKIP() << "needs root, to be others";
        std::unique_ptr<Impostor> stranger;
        {
                const AsUser user(3100);
                stranger = std::make_unique<Impostor>();
        }
        const auto path = stranger->environment().substr(19);
        for (const auto* verb : {"status", "clients", "monitor", "top"}) {
                const auto result = run({{GOVERNORCTL, verb}, {stranger->environment()}, {}});
                EXPECT_EQ(result.status, 3) << verb;
                EXPECT_EQ(result.out, "") << verb;
                EXPECT_EQ(result.err,
                          "governorctl: no governor at " + path +
                                  ": user 3100 listens there, perhaps an impostor: nothing was "
                                  "sent, since only root's, this user's and that of the owner of "
                                  "/run/governord are believed; tell the administrator, or name "
                                  "another socket with --socket\n");
        }
        const auto advice = run({{GOVERNORCTL, "advise"}, {stranger->environment()}, {}});
        EXPECT_EQ(advice.status, 3);
        EXPECT_GE(std::stoi(advice.out), 1) << "a number all the same";
        ASSERT_GE(::fcntl(stranger->fd(), F_SETFL, O_NONBLOCK), 0);
        int connections = 0;
        for (int client = 0; (client = ::accept(stranger->fd(), nullptr, nullptr)) >= 0;
             ::close(client)) {
                connections++;
                char byte = 0;
                EXPECT_EQ(::recv(client, &byte, 1, MSG_DONTWAIT), 0) << "gone without a word";
        }
        EXPECT_GE(connections, 5);
}

TEST(Stranger, IsNamedEvenIfNobodyListensAtTheNextPlace) {
        if (!AsUser::is_possible() || ::access("/run/governord/governord.sock", F_OK) == 0)
                GTEST_SKIP() << "needs root, to be others, and no governor of this machine";
        const TemporaryDirectory runtime;
        std::filesystem::create_directory(runtime.path("governord"));
        const int listener = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        runtime.path("governord/governord.sock")
                .copy(static_cast<char*>(address.sun_path), sizeof(address.sun_path) - 1);
        ASSERT_EQ(::bind(listener, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
        {
                const AsUser user(3100);
                ASSERT_EQ(::listen(listener, 8), 0);
        }
        const auto result =
                run({{GOVERNORCTL, "status"}, {"XDG_RUNTIME_DIR=" + runtime.path().string()}, {}});
        EXPECT_EQ(result.status, 3);
        EXPECT_TRUE(contains(result.err, "user 3100 listens there")) << result.err;
        ::close(listener);
}

TEST(Liar, IsNotBelievedThatNoThreadIsEnough) {
        governor::v1::Reply reply;
        reply.mutable_advice()->set_threads(0);
        EXPECT_EQ(ask_over_tcp({"advise"}, reply).out, "1\n");
        EXPECT_EQ(ask_over_tcp({"run", "--", "/usr/bin/printenv", "OMP_NUM_THREADS"}, reply).out,
                  "1\n");
}

TEST(Liar, ThatIsNeverDoneMeasuringIsNotAskedOverAndOver) {
        governor::v1::Reply reply;
        reply.mutable_advice()->set_threads(1);
        reply.mutable_advice()->set_reason(governor::v1::Advice::WARMING_UP);
        reply.mutable_advice()->set_warm_in_ms(4'294'967'295);
        int questions = 0;
        const auto result = ask_over_tcp({"advise", "--max", "4"}, reply, &questions);
        EXPECT_EQ(result.out, "1\n");
        EXPECT_EQ(questions, 2) << "at once, and when the patience is over";
}

TEST(OverTcp, WhatIsNotPermittedIsExit4) {
        governor::v1::Reply reply;
        reply.mutable_error()->set_code(governor::v1::Error::NOT_PERMITTED);
        reply.mutable_error()->set_message("not over TCP");
        const auto result = ask_over_tcp({"cpus"}, reply);
        EXPECT_EQ(result.status, 4);
        EXPECT_EQ(result.out, "");
        EXPECT_EQ(result.err, "governorctl: the governor refuses: not over TCP\n");
        reply.mutable_error()->set_code(governor::v1::Error::OUT_OF_RANGE);
        EXPECT_EQ(ask_over_tcp({"cpus"}, reply).status, 1);
}

TEST(Usage, OfAnAddressThatIsNoneIsExit2) {
        for (const std::vector<std::string>& verb :
             {std::vector<std::string>{"status"}, {"advise"}, {"run", "--", "/bin/echo", "ran"}}) {
                std::vector<std::string> arguments{GOVERNORCTL, "--socket", "tcp:some.name:99"};
                arguments.insert(arguments.end(), verb.begin(), verb.end());
                const auto result = run({arguments, {}, {}});
                EXPECT_EQ(result.status, 2) << verb.front();
                EXPECT_TRUE(contains(result.err,
                                     "tcp:some.name:99 is not accepted; accepted: the path of a "
                                     "socket, or tcp:HOST:PORT where HOST is a numeric"))
                        << result.err;
                EXPECT_FALSE(contains(result.out, "ran"));
        }
}

TEST(Usage, IsRefusedWithOneLineAndExit2) {
        for (const std::vector<std::string>& arguments : {std::vector<std::string>{},
                                                          {"frobnicate"},
                                                          {"advise", "--max", "0"},
                                                          {"advise", "--max", "many"},
                                                          {"run"},
                                                          {"status", "extra"}}) {
                const auto result = ctl_without_governor(arguments);
                EXPECT_EQ(result.status, 2) << (arguments.empty() ? "" : arguments.back());
                EXPECT_EQ(result.err.find('\n'), result.err.size() - 1) << result.err;
        }
}

TEST(Usage, AVerbThatThereIsNotIsNamedWithThoseThatThereAre) {
        EXPECT_EQ(run({{GOVERNORCTL, "--json", "foo", "--max", "4"}, {}, {}}).err,
                  "governorctl: unknown verb `foo`; known: status, advise, cpus, config, "
                  "clients, explain, top, monitor, set, pause, resume, run, doctor, demo (see "
                  "governorctl --help, governorctl VERB --help)\n");
        EXPECT_EQ(run({{GOVERNORCTL, "--json"}, {}, {}}).err,
                  "governorctl: a verb is needed; known: status, advise, cpus, config, "
                  "clients, explain, top, monitor, set, pause, resume, run, doctor, demo (see "
                  "governorctl --help, governorctl VERB --help)\n");
        EXPECT_EQ(run({{GOVERNORCTL, "--foo"}, {}, {}}).err,
                  "governorctl: unknown option `--foo` (see governorctl --help, governorctl VERB "
                  "--help)\n");
        EXPECT_TRUE(contains(run({{GOVERNORCTL, "run"}, {}, {}}).err, "PROGRAM"));
}

TEST(Usage, HelpNamesEveryVerbAndTheExitCodes) {
        const auto help = run({{GOVERNORCTL, "--help"}, {}, {}});
        EXPECT_EQ(help.status, 0);
        for (const auto* word : {"status", "advise", "cpus", "config", "run", "--json", "--socket",
                                 "3 governor not reachable"})
                EXPECT_TRUE(contains(help.out, word)) << word;
}

TEST(Usage, HelpOfAVerbNamesTheOptionsOfEveryVerb) {
        for (const auto* verb : {"status", "advise", "cpus", "config"}) {
                const auto help = run({{GOVERNORCTL, verb, "--help"}, {}, {}});
                EXPECT_EQ(help.status, 0);
                EXPECT_TRUE(contains(help.out, "--socket PATH|tcp:HOST:PORT")) << help.out;
                EXPECT_TRUE(contains(help.out, "--json")) << help.out;
        }
        const auto of_run = run({{GOVERNORCTL, "run", "--help"}, {}, {}}).out;
        EXPECT_TRUE(contains(of_run, "--socket PATH|"));
        EXPECT_TRUE(of_run.starts_with("Run a program, and all that it starts, on its share"));
        EXPECT_TRUE(contains(of_run, "Example: governorctl run -- "));
}

TEST(Permission, IsExit4) {
        Daemon daemon(FIXTURES "/machines/8");
        daemon.start();
        ASSERT_EQ(::chmod(daemon.socket().c_str(), 0), 0);
        Command command{{GOVERNORCTL, "--socket", daemon.socket(), "advise"}, {}, {}};
        if (::geteuid() == 0)
                command.uid = 65534;
        const auto result = run(command);
        if (result.status == 126 || result.status == 127)
                GTEST_SKIP() << "this build's directory is closed to other users";
        EXPECT_EQ(result.status, 4) << result.err;
        EXPECT_GE(std::stoi(result.out), 1) << "a number all the same";
}

TEST_F(CommandLine, DoctorSaysWhyProgramsAreNotGoverned) {
        const auto alone = ctl_without_governor({"doctor"});
        EXPECT_EQ(alone.status, 3);
        EXPECT_TRUE(contains(alone.out, "problem  governor ")) << alone.out;
        const std::vector<std::string> plain{"THREADCOUNT=", "OMP_WAIT_POLICY="};
        const auto with = [&](const Daemon& daemon, std::vector<std::string> words,
                              const std::vector<std::string>& environment) {
                words.insert(words.begin(), {GOVERNORCTL, "--socket", daemon.socket(), "doctor"});
                return run({std::move(words), environment, {}});
        };
        const auto governed = with(daemon_, {GOVERNORCTL}, plain);
        EXPECT_EQ(governed.status, 0) << governed.out;
        EXPECT_TRUE(contains(governed.out, "Nothing is wrong.")) << governed.out;
        EXPECT_TRUE(contains(governed.out, "governorctl ")) << "the program: " << governed.out;
        EXPECT_EQ(with(daemon_, {}, {"THREADCOUNT=off"}).status, 1);
        EXPECT_EQ(with(daemon_, {"/nonexistent/program"}, plain).status, 127);
        Daemon observing(FIXTURES "/machines/sparse", "[governor]\nmode = observe\n");
        observing.start();
        const auto observed = with(observing, {"--json"}, plain);
        EXPECT_EQ(observed.status, 1);
        EXPECT_TRUE(contains(observed.out, R"("kind":"problem","subject":"mode")")) << observed.out;
}

TEST_F(CommandLine, DoctorPrintsJsonAlsoOfBytesThatAreNoText) {
        const auto json = ctl(daemon_, {"--json", "doctor"}, {"THREADCOUNT=\xff"});
        EXPECT_EQ(json.status, 1) << json.err;
        EXPECT_TRUE(contains(json.out, R"({"kind":"problem","subject":"THREADCOUNT=?","text":)"
                                       R"("THREADCOUNT=? is not accepted; accepted: )"))
                << json.out;
        const auto alone = run({{GOVERNORCTL, "--socket", "/\xff", "--json", "doctor"}, {}, {}});
        EXPECT_EQ(alone.status, 3) << alone.err;
        EXPECT_TRUE(contains(alone.out, "no governor at /?")) << alone.out;
}

TEST_F(CommandLine, NoNameOfAProgramSteersTheTerminal) {
        TemporaryDirectory directory;
        const auto program = directory.write("\x1b]0;x\x07", "#!/bin/sh\n");
        ASSERT_EQ(::chmod(program.c_str(), 0755), 0);
        for (const std::vector<std::string>& words : {std::vector<std::string>{"doctor", program},
                                                      {"--json", "doctor", program},
                                                      {"run", "--dry-run", program}}) {
                const auto shown = ctl(daemon_, words);
                EXPECT_TRUE(contains(shown.out, "?]0;x?")) << shown.out << shown.err;
                EXPECT_FALSE(contains(shown.out + shown.err, "\x1b"));
        }
}

TEST(Usage, ThatIsWrongSteersNoTerminal) {
        for (const std::vector<std::string>& words : {std::vector<std::string>{"\x1b[2J"},
                                                      {"status", "\x1b[2J"},
                                                      {"advise", "--max", "\x1b[2J"}}) {
                const auto result = ctl_without_governor(words);
                EXPECT_EQ(result.status, 2);
                EXPECT_TRUE(contains(result.err, "?[2J")) << result.err;
                EXPECT_FALSE(contains(result.err, "\x1b"));
        }
}

}  // namespace
