// SPDX-License-Identifier: MIT
// One question and every kind of peer that may answer it.
#include "transport.hpp"

#include "clock.hpp"
#include "library/messages.hpp"
#include "support/tcp_port.hpp"
#include "support/temporary_directory.hpp"

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <governor/v1/frame.h>
#include <governor/v1/governor.pb.h>
#include <gtest/gtest.h>
#include <iterator>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <memory>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pb_decode.h>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace threadcount {
namespace {

using test_support::TcpPort;
using test_support::TemporaryDirectory;

std::uint64_t within_ms(std::uint64_t ms) { return now_ns() + ms * 1'000'000; }

/// For what must come; nobody waits that long.
std::uint64_t in_good_time() { return within_ms(20'000); }

std::string error_reply() {
        governor_v1_Reply reply = governor_v1_Reply_init_zero;
        reply.which_kind = governor_v1_Reply_error_tag;
        reply.kind.error.code = governor_v1_Error_Code_UNSUPPORTED_PROTOCOL;
        std::string("protocol is 1")
                .copy(reply.kind.error.message, sizeof(reply.kind.error.message) - 1);
        return encode(reply);
}

const std::string kAdvice = advice(5, governor_v1_Advice_Reason_FREE_CPUS);

/// Reads one message of the client; empty if there is none.
std::string read_message(int fd) {
        std::string bytes;
        for (char c = 0; read(fd, &c, 1) == 1;) {
                bytes += c;
                std::size_t begin = 0;
                std::size_t end = 0;
                if (governor_frame_parse(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                         bytes.size(), GOVERNOR_REQUEST_MAX, &begin,
                                         &end) == GOVERNOR_FRAME_COMPLETE)
                        return bytes.substr(begin, end - begin);
        }
        return {};
}

void write_all(int fd, const std::string& bytes) {
        for (std::size_t sent = 0; sent < bytes.size();) {
                const auto n = send(fd, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
                if (n <= 0)
                        return;
                sent += static_cast<std::size_t>(n);
        }
}

/// Waits until the client has closed its end.
void wait_for_eof(int fd) {
        char c = 0;
        while (read(fd, &c, 1) > 0) {
        }
}

enum class Kind { Unix, Tcp, Tcp6 };

void PrintTo(Kind kind, std::ostream* out) {
        *out << (kind == Kind::Unix ? "Unix" : kind == Kind::Tcp ? "Tcp" : "Tcp6");
}

/// A governor of one connection, which does what a test says.
class TransportTest : public ::testing::TestWithParam<Kind> {
protected:
        using Behaviour = std::function<void(int fd)>;

        void SetUp() override {
                try {
                        listen();
                } catch (const std::runtime_error& error) {
                        GTEST_SKIP() << error.what();
                }
        }
        ~TransportTest() override {
                transport_.disconnect();
                if (peer_.joinable())
                        peer_.join();
                close(listener_);
        }

        /// Says hello; the welcome has come, and is to be received.
        void await_welcome();

        void listen() {
                if (GetParam() != Kind::Unix) {
                        const TcpPort port(GetParam() == Kind::Tcp6);
                        listener_ = dup(port.fd());
                        addresses_ = std::make_unique<Addresses>(port.address().c_str(), nullptr);
                } else {
                        listener_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
                        addresses_ = std::make_unique<Addresses>(
                                directory_.path("governor.sock").c_str(), nullptr);
                        const auto& address = *addresses_->begin();
                        EXPECT_EQ(bind(listener_, &address.any, address.length), 0);
                }
                EXPECT_EQ(::listen(listener_, 0), 0);
        }
        void connect_to(Behaviour behaviour) {
                ASSERT_EQ(transport_.connect(*addresses_, in_good_time()), 0);
                EXPECT_EQ(transport_.peer(), addresses_->begin());
                peer_ = std::thread([this, behaviour = std::move(behaviour)] {
                        const int fd = accept(listener_, nullptr, nullptr);
                        behaviour(fd);
                        close(fd);
                });
        }
        /// Connects to a peer that reads the question and sends `bytes`; then asks.
        void ask(const std::string& bytes, bool then_wait = true) {
                connect_to([=](int fd) {
                        read_message(fd);
                        write_all(fd, bytes);
                        if (then_wait)
                                wait_for_eof(fd);
                });
                ASSERT_EQ(transport_.send({2, 8}), 0);
        }
        void expect_no_answer(int error) {
                Answer answer{77, 0, 0, false, 0, 0, "untouched"};
                EXPECT_EQ(transport_.receive(in_good_time(), &answer), error);
                EXPECT_FALSE(transport_.connected());
                EXPECT_EQ(answer.threads, 77U);
                EXPECT_STREQ(answer.explanation, "untouched");
        }

        TemporaryDirectory directory_;
        std::unique_ptr<Addresses> addresses_;
        Transport transport_;
        Answer answer_;
        int listener_ = -1;
        std::thread peer_;
};

TEST_P(TransportTest, AsksInTheLanguageOfTheProtocol) {
        governor_v1_Request request = governor_v1_Request_init_zero;
        connect_to([&](int fd) {
                const auto message = read_message(fd);
                auto stream = pb_istream_from_buffer(
                        reinterpret_cast<const std::uint8_t*>(message.data()), message.size());
                EXPECT_TRUE(pb_decode(&stream, governor_v1_Request_fields, &request));
        });
        ASSERT_EQ(transport_.send({3, 65536}), 0);
        peer_.join();
        EXPECT_EQ(request.protocol, 1U);
        EXPECT_EQ(request.which_kind, governor_v1_Request_query_tag);
        EXPECT_EQ(request.kind.query.current, 3U);
        EXPECT_EQ(request.kind.query.max, 65536U);
}

TEST_P(TransportTest, TakesAWholeAnswer) {
        ask(framed(kAdvice));
        ASSERT_EQ(transport_.receive(in_good_time(), &answer_), 0);
        EXPECT_EQ(answer_.threads, 5U);
        EXPECT_EQ(answer_.free, 3U);
        EXPECT_EQ(answer_.total, 8U);
        EXPECT_FALSE(answer_.warming_up);
        EXPECT_EQ(answer_.warm_in_ms, 0U);
        EXPECT_STREQ(answer_.explanation, "because");
        EXPECT_TRUE(transport_.connected());
}

TEST_P(TransportTest, TakesTheLongestExplanation) {
        const std::string longest(160, 'e');
        ask(framed(advice(1, governor_v1_Advice_Reason_WARMING_UP, 370, longest)));
        ASSERT_EQ(transport_.receive(in_good_time(), &answer_), 0);
        EXPECT_EQ(answer_.explanation, longest);
        EXPECT_TRUE(answer_.warming_up);
        EXPECT_EQ(answer_.warm_in_ms, 370U);
}

TEST_P(TransportTest, PutsTogetherAnAnswerThatComesByteByByte) {
        connect_to([](int fd) {
                read_message(fd);
                for (const char c : framed(kAdvice)) {
                        write_all(fd, std::string(1, c));
                        std::this_thread::sleep_for(std::chrono::milliseconds{1});
                }
                wait_for_eof(fd);
        });
        ASSERT_EQ(transport_.send({}), 0);
        ASSERT_EQ(transport_.receive(in_good_time(), &answer_), 0);
        EXPECT_EQ(answer_.threads, 5U);
}

TEST_P(TransportTest, CollectsALateAnswerWithoutWaiting) {
        int go[2];
        ASSERT_EQ(pipe(go), 0);
        connect_to([&](int fd) {
                read_message(fd);
                char c = 0;
                EXPECT_EQ(read(go[0], &c, 1), 1);
                write_all(fd, framed(kAdvice).substr(0, 4));
                EXPECT_EQ(read(go[0], &c, 1), 1);
                write_all(fd, framed(kAdvice).substr(4));
                wait_for_eof(fd);
        });
        ASSERT_EQ(transport_.send({}), 0);
        EXPECT_EQ(transport_.receive(0, &answer_), -EAGAIN);
        ASSERT_EQ(write(go[1], "1", 1), 1);
        EXPECT_EQ(transport_.receive(within_ms(50), &answer_), -EAGAIN);  // half of it
        EXPECT_TRUE(transport_.connected());
        ASSERT_EQ(write(go[1], "2", 1), 1);
        int result = -EAGAIN;
        for (int i = 0; i < 20'000 && result == -EAGAIN; i++) {
                result = transport_.receive(0, &answer_);
                std::this_thread::sleep_for(std::chrono::milliseconds{1});
        }
        EXPECT_EQ(result, 0);
        EXPECT_EQ(answer_.threads, 5U);
        close(go[0]);
        close(go[1]);
}

TEST_P(TransportTest, AsksManyQuestionsOverOneConnection) {
        connect_to([](int fd) {
                for (std::uint32_t n = 1; !read_message(fd).empty(); n++)
                        write_all(fd, framed(advice(n, governor_v1_Advice_Reason_FREE_CPUS)));
        });
        for (std::uint32_t n = 1; n <= 200; n++) {
                ASSERT_EQ(transport_.send({n, 0}), 0);
                ASSERT_EQ(transport_.receive(in_good_time(), &answer_), 0);
                ASSERT_EQ(answer_.threads, n);
        }
}

TEST_P(TransportTest, WaitsAsLongAsItWasToldAndStaysConnected) {
        connect_to(wait_for_eof);
        ASSERT_EQ(transport_.send({}), 0);
        const auto start = std::chrono::steady_clock::now();
        EXPECT_EQ(transport_.receive(within_ms(30), &answer_), -EAGAIN);
        EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds{30});
        EXPECT_TRUE(transport_.connected());
        EXPECT_EQ(transport_.receive(0, &answer_), -EAGAIN);
}

TEST_P(TransportTest, TakesARefusalForAProtocolError) {
        ask(framed(error_reply()));
        expect_no_answer(-EPROTO);
}

TEST_P(TransportTest, RefusesGarbage) {
        ask(framed("\xff\xff garbage"));
        expect_no_answer(-EPROTO);
}

TEST_P(TransportTest, RefusesAnEmptyReply) {
        ask(framed(""));
        expect_no_answer(-EPROTO);
}

TEST_P(TransportTest, RefusesALengthAboveTheLimit) {
        ask("\xff\xff\x7f");
        expect_no_answer(-EPROTO);
}

TEST_P(TransportTest, RefusesALengthThatDoesNotEnd) {
        ask("\xff\xff\xff\xff");
        expect_no_answer(-EPROTO);
}

TEST_P(TransportTest, RefusesAReplyThatIsLongerThanAnyAnswer) {
        ask(framed(std::string(4000, '\0')));
        expect_no_answer(-EPROTO);
}

TEST_P(TransportTest, RefusesAnExplanationThatIsTooLong) {
        const std::string explanation(161, 'e');
        const std::string inner = "\x08\x05\x2a" + framed(explanation);
        ask(framed("\x12" + framed(inner)));
        expect_no_answer(-EPROTO);
}

TEST_P(TransportTest, RefusesBytesBehindTheAnswer) {
        ask(framed(kAdvice) + framed(kAdvice));
        expect_no_answer(-EPROTO);
}

TEST_P(TransportTest, SeesThatThePeerWentWithoutAnAnswer) {
        ask("", false);
        expect_no_answer(-ECONNRESET);
}

TEST_P(TransportTest, SeesThatThePeerWentInsideAnAnswer) {
        ask(framed(kAdvice).substr(0, 7), false);
        expect_no_answer(-ECONNRESET);
}

TEST_P(TransportTest, SurvivesSendingToAPeerThatWent) {
        connect_to([](int) {});
        peer_.join();
        // TCP learns from the answer to what it sends.
        int result = transport_.send({});
        if (result == 0)
                result = transport_.receive(in_good_time(), &answer_);
        EXPECT_EQ(result, GetParam() == Kind::Unix ? -EPIPE : -ECONNRESET);
        EXPECT_FALSE(transport_.connected());
}

TEST_P(TransportTest, DoesNotMixUpTheAnswersOfTwoConnections) {
        ask(framed(kAdvice).substr(0, 7), true);
        EXPECT_EQ(transport_.receive(within_ms(50), &answer_), -EAGAIN);
        transport_.disconnect();
        EXPECT_FALSE(transport_.connected());
        peer_.join();
        ask(framed(advice(6, governor_v1_Advice_Reason_FREE_CPUS)));
        ASSERT_EQ(transport_.receive(in_good_time(), &answer_), 0);
        EXPECT_EQ(answer_.threads, 6U);
}

TEST_P(TransportTest, DoesNotWaitForAGovernorThatAcceptsNobody) {
        Transport others[8];
        int result = 0;
        for (auto& other : others)
                if (result == 0)
                        result = other.connect(*addresses_, within_ms(5));
        EXPECT_EQ(result, -ETIMEDOUT);
}

TEST_P(TransportTest, LeavesAloneWhatHasTheNumberOfItsDescriptorNow) {
        const int number = dup(listener_);  // the lowest that is free: the next socket's
        close(number);
        connect_to(wait_for_eof);
        ASSERT_TRUE(transport_.connected());
        ASSERT_EQ(dup2(STDIN_FILENO, number), number);
        EXPECT_FALSE(transport_.connected());
        EXPECT_EQ(close(number), 0) << "still the program's own";
}

/// 0 if numbers 0 to 2 are all free, else 1 + the first that is not.
int taken_stream() {
        for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++)
                if (fcntl(number, F_GETFD) >= 0)
                        return number + 1;
        return 0;
}

TEST_P(TransportTest, DoesNotTakeThePlaceOfAStandardStreamThatTheProgramHasClosed) {
        const pid_t child = fork();
        if (child == 0) {
                for (int number = STDIN_FILENO; number <= STDERR_FILENO; number++)
                        close(number);
                Transport transport;
                const bool connected = transport.connect(*addresses_, in_good_time()) == 0 &&
                                       transport.connected() && transport.send({2, 8}) == 0;
                const int taken = taken_stream();
                transport.disconnect();
                _exit(connected ? taken : 10);
        }
        int result = -1;
        ASSERT_EQ(waitpid(child, &result, 0), child);
        ASSERT_TRUE(WIFEXITED(result));
        EXPECT_EQ(WEXITSTATUS(result), 0);
}

/// A Welcome to slot 0 with two descriptors.
void send_welcome(int fd) {
        char bytes[] = "\2\x32";  // with its 0
        iovec reply{bytes, sizeof(bytes)};
        const int passed[2] = {fd, fd};
        alignas(cmsghdr) char control[CMSG_SPACE(sizeof(passed))] = {};
        msghdr message{};
        message.msg_iov = &reply;
        message.msg_iovlen = 1;
        message.msg_control = control;
        message.msg_controllen = sizeof(control);
        auto* header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(passed));
        memcpy(CMSG_DATA(header), passed, sizeof(passed));
        EXPECT_EQ(sendmsg(fd, &message, MSG_NOSIGNAL), ssize_t{sizeof(bytes)});
}

void TransportTest::await_welcome() {
        connect_to([&](int fd) {
                read_message(fd);
                send_welcome(fd);
                wait_for_eof(fd);
        });
        ASSERT_EQ(transport_.send({2, 8}), 0);
        pollfd answer{transport_.fd(), POLLIN, 0};
        ASSERT_EQ(poll(&answer, 1, 20'000), 1);
}

TEST_P(TransportTest, SaysThatNoDescriptorIsLeftForWhatComesWithAWelcome) {
        if (GetParam() != Kind::Unix)
                GTEST_SKIP() << "nothing comes over TCP";
        ASSERT_NO_FATAL_FAILURE(await_welcome());
        const int next = dup(STDIN_FILENO);
        close(next);
        rlimit before{};
        ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
        // Room for one of the two.
        const rlimit few{static_cast<rlim_t>(next) + 1, before.rlim_max};
        ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
        Welcome welcome;
        const int result = transport_.receive(in_good_time(), &welcome);
        ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
        EXPECT_EQ(result, -EMFILE);
        EXPECT_FALSE(transport_.connected());
        EXPECT_EQ(fcntl(next, F_GETFD), -1) << "nothing of it stays open";
}

TEST_P(TransportTest, TakesNoStandardStreamForWhatComesWithAWelcome) {
        if (GetParam() != Kind::Unix)
                GTEST_SKIP() << "nothing comes over TCP";
        ASSERT_NO_FATAL_FAILURE(await_welcome());
        const int input = dup(STDIN_FILENO);
        close(STDIN_FILENO);
        Welcome welcome;
        const int result = transport_.receive(in_good_time(), &welcome);
        EXPECT_EQ(fcntl(STDIN_FILENO, F_GETFD), -1);
        ASSERT_EQ(dup2(input, STDIN_FILENO), STDIN_FILENO);
        close(input);
        EXPECT_EQ(result, 0);
        EXPECT_GT(welcome.grants, STDERR_FILENO);
        EXPECT_GT(welcome.reports, STDERR_FILENO);
        close(welcome.grants);
        close(welcome.reports);
}

INSTANTIATE_TEST_SUITE_P(Over, TransportTest, ::testing::Values(Kind::Unix, Kind::Tcp, Kind::Tcp6),
                         ::testing::PrintToStringParamName());

/// Every fstat() fails from now on.
bool refuse_fstat() {
        constexpr unsigned kFails = SECCOMP_RET_ERRNO | EPERM;
        sock_filter filter[] = {
                BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fstat, 1, 0),
                BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_newfstatat, 0, 1),
                BPF_STMT(BPF_RET | BPF_K, kFails),
                BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        };
        const sock_fprog program{std::size(filter), filter};
        return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
               prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(TransportInASandbox, KeepsNoSocketThatItCannotKnowAgain) {
        const Addresses addresses("/nonexistent/socket", nullptr);
        const auto child = fork();
        if (child == 0) {
                if (!refuse_fstat())
                        _exit(2);
                const int next = dup(STDIN_FILENO);
                close(next);
                Transport transport;
                const bool fails = transport.connect(addresses, 0) == -EPERM;
                _exit(fails && dup(STDIN_FILENO) == next ? 0 : 1);
        }
        int result = -1;
        ASSERT_EQ(waitpid(child, &result, 0), child);
        ASSERT_TRUE(WIFEXITED(result));
        if (WEXITSTATUS(result) == 2)
                GTEST_SKIP() << "no filters of system calls here";
        EXPECT_EQ(WEXITSTATUS(result), 0);
}

TEST(TransportOverTcp, SendsAQuestionAtOnce) {
        const TcpPort port;
        port.listen();
        const Addresses addresses(port.address().c_str(), nullptr);
        const int number = dup(port.fd());
        close(number);
        Transport transport;
        ASSERT_EQ(transport.connect(addresses, in_good_time()), 0);
        int on = 0;
        socklen_t length = sizeof(on);
        ASSERT_EQ(getsockopt(number, IPPROTO_TCP, TCP_NODELAY, &on, &length), 0);
        EXPECT_NE(on, 0);
}

TEST(TransportWithoutGovernor, SaysWhyItCannotConnect) {
        const TemporaryDirectory directory;
        Transport transport;
        const auto connect = [&](const std::string& path) {
                return transport.connect(Addresses(path.c_str(), nullptr), in_good_time());
        };
        EXPECT_EQ(connect(directory.path("nobody")), -ENOENT);
        EXPECT_EQ(connect(directory.write("file", "")), -ECONNREFUSED);
        EXPECT_EQ(connect(directory.path("file/below")), -ENOTDIR);
        EXPECT_EQ(connect(std::string(200, 'x')), -ENAMETOOLONG);
        EXPECT_EQ(connect("tcp:some.name:1"), -EINVAL);
        EXPECT_EQ(connect(TcpPort().address()), -ECONNREFUSED);
        EXPECT_FALSE(transport.connected());
}

TEST(TransportWithoutGovernor, DoesNotTakeItselfForOne) {
        // Neighbours of a port that bind() chooses are chosen by connect(), one after the other:
        // sooner or later it is the very port that it looks for.
        const auto port = TcpPort().number() ^ 1U;
        const Addresses addresses(("tcp:127.0.0.1:" + std::to_string(port)).c_str(), nullptr);
        Transport transport;
        for (int i = 0; i < 20'000; i++)
                ASSERT_EQ(transport.connect(addresses, in_good_time()), -ECONNREFUSED) << i;
}

TEST(TransportWithoutGovernor, LooksAtTheUsersSocketWhenThereIsNoneOfTheSystem) {
        if (access("/run/governord/governord.sock", F_OK) == 0)
                GTEST_SKIP() << "this machine has a governor";
        const TemporaryDirectory directory;
        std::filesystem::create_directory(directory.path("governord"));
        const Addresses addresses(nullptr, directory.path().c_str());
        Transport transport;
        EXPECT_EQ(transport.connect(addresses, 0), -ENOENT);
        EXPECT_EQ(transport.peer(), addresses.begin() + 1);
        const int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const auto& users = addresses.begin()[1];
        ASSERT_EQ(bind(listener, &users.any, users.length), 0);
        ASSERT_EQ(listen(listener, 1), 0);
        EXPECT_EQ(transport.connect(addresses, 0), 0);
        EXPECT_TRUE(transport.connected());
        close(listener);
}

TEST_P(TransportTest, UnderstandsAnAnswerWhoseReasonItDoesNotKnow) {
        const std::string inner = "\x08\x05\x20\x18";  // threads 5, reason 24
        ask(framed("\x12" + framed(inner)));
        ASSERT_EQ(transport_.receive(in_good_time(), &answer_), 0);
        EXPECT_EQ(answer_.threads, 5U);
        EXPECT_FALSE(answer_.warming_up);
}

}  // namespace
}  // namespace threadcount
