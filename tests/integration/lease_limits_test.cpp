// SPDX-License-Identifier: MIT
// Crowds that hold leases, and what nobody can do with the descriptors that come with them.
#include "support/as_user.hpp"
#include "support/daemon.hpp"
#include "support/descriptor_limit.hpp"
#include "support/lease_client.hpp"

#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <poll.h>
#include <threadcount/threadcount.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace test_support;
using governor::v1::Error;

constexpr uid_t kGreedy = 12345;
constexpr uid_t kOther = 12346;
constexpr uid_t kNobody = 65534;
constexpr rlim_t kDescriptors = 328;  // 264 for clients, of which 64 are kept for newcomers

/// Programs that each say hello, tell what came of it, and stay if they got a lease.
class Crowd {
public:
        explicit Crowd(std::string socket) : socket_(std::move(socket)) {}

        /// The answer to one more; UNKNOWN: a welcome. UNKNOWN_REQUEST: nothing.
        Error::Code add(uid_t uid) {
                int told[2];
                EXPECT_EQ(::pipe(told), 0);
                programs_.push_back(std::make_unique<ForkedProgram>([&] { live(told[1]); }, uid));
                ::close(told[1]);
                auto code = Error::UNKNOWN_REQUEST;
                (void)!::read(told[0], &code, sizeof(code));
                ::close(told[0]);
                return code;
        }

private:
        void live(int told) const {
                LeaseClient client(socket_);
                const bool is_welcome = client.hello() != nullptr;
                const auto code = is_welcome ? Error::UNKNOWN : client.last().error().code();
                if (is_welcome || client.last().has_error())
                        (void)!::write(told, &code, sizeof(code));
                while (is_welcome)
                        ::pause();
        }

        std::string socket_;
        std::vector<std::unique_ptr<ForkedProgram>> programs_;
};

class LeaseLimits : public testing::Test {
protected:
        void SetUp() override {
                if (!AsUser::is_possible())
                        GTEST_SKIP() << "needs root, to be several users";
        }
        void start() {
                const DescriptorLimit limit(kDescriptors);
                daemon_.start();
        }
        [[nodiscard]] std::size_t open_descriptors() {
                const auto path = "/proc/" + std::to_string(daemon_.process().pid()) + "/fd";
                const std::filesystem::directory_iterator all(path);
                return static_cast<std::size_t>(std::distance(begin(all), end(all)));
        }
        /// Adds as many as are welcome, and a few that are not.
        [[nodiscard]] std::size_t fill(Crowd& crowd, std::size_t refused) const {
                std::size_t welcome = 0;
                for (std::size_t i = 0; i < 100 && refused > 0; i++) {
                        const auto code = crowd.add(kGreedy);
                        welcome += code == Error::UNKNOWN ? 1 : 0;
                        refused -= code == Error::TOO_MANY ? 1 : 0;
                        EXPECT_TRUE(code == Error::UNKNOWN || code == Error::TOO_MANY) << code;
                }
                EXPECT_EQ(refused, 0U);
                return welcome;
        }

        Daemon daemon_{"", "[governor]\npolicy = fair\n"};
};

TEST_F(LeaseLimits, ACrowdIsToldThatItIsTooManyBeforeDescriptorsRunOut) {
        start();
        Crowd crowd(daemon_.socket());
        const auto welcome = fill(crowd, 30);
        EXPECT_GE(welcome, 25U);
        EXPECT_LE(welcome, 34U) << "each takes two, and one may take half";
        EXPECT_EQ(crowd.add(kOther), Error::UNKNOWN) << "there is room for others";
        const auto now = status(daemon_.socket());
        EXPECT_EQ(now.clients(), welcome + 1);
        EXPECT_EQ(now.refused_connections(), 0U);
        EXPECT_LT(open_descriptors(), kDescriptors);
        EXPECT_EQ(daemon_.process().err().find("cannot accept"), std::string::npos);
}

TEST_F(LeaseLimits, TheLogSaysWhichOneAProgramMetAndWhatItDoesWithout) {
        start();
        Crowd crowd(daemon_.socket());
        (void)fill(crowd, 2);
        const auto log = daemon_.process().err();
        EXPECT_NE(log.find("] of user " + std::to_string(kGreedy) +
                           " was refused a lease, so it runs at its own maximum and asks again: "
                           "its user holds as many connections and leases as leave "
                           "descriptors for others\n"),
                  std::string::npos)
                << log;
}

TEST_F(LeaseLimits, RootsCrowdDoesNotTakeTheLastDescriptorsEither) {
        start();
        Crowd crowd(daemon_.socket());
        std::size_t welcome = 0;
        for (auto code = crowd.add(0); code != Error::TOO_MANY && welcome < 200; welcome++) {
                ASSERT_EQ(code, Error::UNKNOWN);
                code = crowd.add(0);
        }
        EXPECT_LT(welcome, 100U);
        EXPECT_EQ(crowd.add(kOther), Error::UNKNOWN) << "its first lease";
        EXPECT_EQ(crowd.add(kOther), Error::TOO_MANY);
        EXPECT_LT(open_descriptors(), kDescriptors);
}

TEST_F(LeaseLimits, AProgramBeyondThemRunsAsIfNobodyGoverned) {
        start();
        Crowd crowd(daemon_.socket());
        (void)fill(crowd, 1);
        ForkedProgram program(
                [&] {
                        threadcount_options options = THREADCOUNT_OPTIONS_INIT;
                        options.socket_path = daemon_.socket().c_str();
                        options.max_threads = 7;
                        threadcount_handle* handle = nullptr;
                        if (threadcount_open(&options, &handle) != 0)
                                ::_exit(1);
                        for (int i = 0; i < 100; i++)
                                if (threadcount_threads(handle) != 7)
                                        ::_exit(1);
                        char why[300];
                        threadcount_reason(handle, why, sizeof(why));
                        if (std::strstr(why, " gives no lease: this user, or all together, hold as "
                                             "many as there is room for: the program's own "
                                             "maximum, 7") == nullptr)
                                ::_exit(1);
                        threadcount_close(handle);
                },
                kGreedy);
        EXPECT_TRUE(program.finishes());
}

std::string hellos(int count) {
        governor::v1::Request request;
        request.set_protocol(1);
        request.mutable_hello();
        std::string all;
        for (int i = 0; i < count; i++)
                all += frame(request.SerializeAsString());
        return all;
}

/// The kernel lets a user have so many descriptors under way as it may have open; root as many as
/// it likes.
TEST_F(LeaseLimits, DescriptorsThatNobodyReceivesDoNotStopThoseOfOthers) {
        daemon_.run_as(kNobody);
        start();
        std::vector<std::unique_ptr<WireClient>> deaf;
        for (int i = 0; i < 60; i++) {
                const AsUser greedy(kGreedy);
                deaf.push_back(std::make_unique<WireClient>(daemon_.socket()));
                EXPECT_TRUE(deaf.back()->send_bytes(hellos(50)));
        }
        for (const auto& client : deaf) {
                pollfd answered{client->fd(), POLLIN, 0};
                ASSERT_EQ(::poll(&answered, 1, 20'000), 1);
        }
        EXPECT_TRUE(deaf.front()->receive()->has_welcome());
        Crowd others(daemon_.socket());
        for (int i = 0; i < 5; i++)
                EXPECT_EQ(others.add(kOther), Error::UNKNOWN);
}

TEST_F(LeaseLimits, WhoReadsLateGetsEachOfItsWelcomes) {
        start();
        for (int i = 0; i < 200; i++) {
                WireClient client(daemon_.socket());
                ASSERT_TRUE(client.send_bytes(hellos(5)));
                for (int n = 0; n < 5; n++) {
                        const auto reply = client.receive();
                        ASSERT_TRUE(reply && reply->has_welcome()) << i;
                }
                const auto descriptors = client.take_descriptors();
                EXPECT_EQ(descriptors.size(), 10U);
                for (const int fd : descriptors)
                        ::close(fd);
        }
}

}  // namespace
