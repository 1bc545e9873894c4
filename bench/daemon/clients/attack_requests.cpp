// SPDX-License-Identifier: MIT
// Requests that cost the governor more than they look like, and connections.
#include "attack.hpp"

#include "questions.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <csignal>
#include <functional>
#include <governor/v1/governor.pb.h>
#include <optional>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace bench {

using governor::v1::Request;

namespace {

constexpr std::size_t kBurstPairs = 270;
constexpr std::size_t kFloodPairs = 32;
constexpr int kJoinWithin = 60'000;  // ms
constexpr int kConnectsAtOnce = 100;

std::string bytes_of(Request request) {
        request.set_protocol(1);
        return framed(request.SerializeAsString());
}

std::string hello() {
        Request request;
        request.mutable_hello();
        return bytes_of(request);
}

std::string bye() {
        Request request;
        request.mutable_bye();
        return bytes_of(request);
}

std::string update(std::uint32_t max) {
        Request request;
        request.mutable_update()->mutable_wishes()->set_max(max);
        return bytes_of(request);
}

std::string pause(bool resumes) {
        Request request;
        const auto pid = static_cast<std::uint32_t>(::getpid());
        if (resumes)
                request.mutable_resume()->set_pid(pid);
        else
                request.mutable_pause()->set_pid(pid);
        return bytes_of(request);
}

std::string pair(const std::string& one, const std::string& other) { return one + other; }

/// The same pair of requests, `pairs` times in one write; then it waits for all answers.
class Flood : public Attack {
public:
        struct Manner {
                std::function<std::string()> requests;  ///< two of them
                std::size_t pairs;
                bool holds_lease;
        };

        Flood(const AttackOptions& options, Manner manner)
                : options_(options), manner_(std::move(manner)) {}

        std::uint32_t prepare() override {
                for (std::size_t i = 0; i < manner_.pairs; i++)
                        burst_ += manner_.requests();
                return start_threads(options_.members);
        }

        bool strike() override {
                if (!talk_ || !talk_->is_open()) {
                        talk_.emplace(options_.target);
                        if (manner_.holds_lease && (!talk_->say(hello(), 1) || !talk_->hear_all()))
                                return false;
                }
                return talk_->say(burst_, 2 * manner_.pairs) && talk_->hear_all();
        }

private:
        /// Threads that sleep until the process ends; returns how many there are.
        static std::uint32_t start_threads(std::uint32_t wanted) {
                pthread_attr_t attributes;
                pthread_attr_init(&attributes);
                pthread_attr_setstacksize(&attributes, static_cast<std::size_t>(PTHREAD_STACK_MIN));
                pthread_attr_setguardsize(&attributes, 0);
                pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
                const auto sleep = [](void*) -> void* {
                        for (;;)
                                ::pause();
                };
                sigset_t all;
                sigset_t before;
                sigfillset(&all);
                ::pthread_sigmask(SIG_SETMASK, &all, &before);
                std::uint32_t count = 0;
                for (pthread_t thread; count < wanted && !was_told_to_end(); count++)
                        if (::pthread_create(&thread, &attributes, sleep, nullptr) != 0)
                                break;
                ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
                pthread_attr_destroy(&attributes);
                return count;
        }

        const AttackOptions& options_;
        Manner manner_;
        std::string burst_;
        std::optional<Talk> talk_;
};

/// Connects and leaves.
class Storm : public Attack {
public:
        explicit Storm(const AttackOptions& options) : socket_(options.target.socket) {}

        bool strike() override {
                for (int i = 0; i < kConnectsAtOnce; i++)
                        if (!connect_to(socket_))
                                ::sched_yield();
                return true;
        }

private:
        std::string socket_;
};

/// Processes that take a lease and sleep.
class Holders : public Attack {
public:
        explicit Holders(const AttackOptions& options) : options_(options) {}
        ~Holders() override {
                for (const auto pid : members_)
                        ::kill(pid, SIGKILL);
                for (const auto pid : members_)
                        ::waitpid(pid, nullptr, 0);
        }

        /// Returns the number of members that were given one.
        std::uint32_t prepare() override {
                std::array<int, 2> ends{};
                if (::pipe(ends.data()) < 0)
                        throw std::system_error(errno, std::generic_category(), "pipe");
                const UniqueFd from_members(ends[0]);
                UniqueFd to_parent(ends[1]);
                for (std::uint32_t i = 0; i < options_.members && !was_told_to_end(); i++)
                        if (!start(to_parent.get()))
                                break;
                to_parent = UniqueFd();
                return welcomed(from_members.get());
        }

        bool strike() override {
                rest_ms(100);
                return true;
        }

private:
        bool start(int to_parent) {
                const auto parent = ::getpid();
                const auto pid = ::fork();
                if (pid < 0)
                        return false;
                if (pid > 0) {
                        members_.push_back(pid);
                        return true;
                }
                ::prctl(PR_SET_PDEATHSIG, SIGKILL);
                if (::getppid() != parent)
                        ::_exit(1);
                try {
                        Talk talk(options_.target);
                        // With the question even the shortest hello is a request for the echo.
                        if (talk.say(hello() + question(), 2) && talk.hear_all())
                                (void)!::write(to_parent, talk.is_welcome() ? "y" : "n", 1);
                        for (;;)
                                ::pause();
                } catch (const std::exception&) {
                        (void)!::write(to_parent, "n", 1);
                        ::_exit(1);
                }
        }

        [[nodiscard]] std::uint32_t welcomed(int from_members) const {
                const auto until_ns = now_ns() + std::int64_t{kJoinWithin} * 1'000'000;
                std::uint32_t count = 0;
                for (std::size_t heard = 0; heard < members_.size();) {
                        pollfd news{from_members, POLLIN, 0};
                        if (was_told_to_end() || now_ns() > until_ns)
                                break;
                        if (::poll(&news, 1, 100) != 1)
                                continue;
                        std::array<char, 4096> said;
                        const auto n = ::read(from_members, said.data(), said.size());
                        if (n <= 0)
                                break;
                        heard += static_cast<std::size_t>(n);
                        count += static_cast<std::uint32_t>(
                                std::count(said.begin(), said.begin() + n, 'y'));
                }
                return count;
        }

        const AttackOptions& options_;
        std::vector<pid_t> members_;
};

std::unique_ptr<Attack> flood(const AttackOptions& options, std::function<std::string()> requests,
                              std::size_t pairs, bool holds_lease) {
        return std::make_unique<Flood>(options,
                                       Flood::Manner{std::move(requests), pairs, holds_lease});
}

std::string leave_and_come() { return pair(hello(), bye()); }

std::unique_ptr<Attack> burst(const AttackOptions& options) {
        return flood(options, leave_and_come, kBurstPairs, false);
}

std::unique_ptr<Attack> pairs(const AttackOptions& options) {
        return flood(options, leave_and_come, 1, false);
}

std::unique_ptr<Attack> cpus(const AttackOptions& options) {
        Request request;
        request.mutable_cpus();
        const auto bytes = bytes_of(request);
        return flood(
                options, [bytes] { return pair(bytes, bytes); }, kFloodPairs, false);
}

std::unique_ptr<Attack> clients(const AttackOptions& options) {
        Request request;
        request.mutable_clients();
        const auto bytes = bytes_of(request);
        return flood(
                options, [bytes] { return pair(bytes, bytes); }, kFloodPairs, false);
}

std::unique_ptr<Attack> updates(const AttackOptions& options) {
        return flood(
                options, [] { return pair(update(1), update(2)); }, kFloodPairs, true);
}

std::unique_ptr<Attack> pauses(const AttackOptions& options) {
        return flood(
                options, [] { return pair(pause(false), pause(true)); }, kFloodPairs, true);
}

template <class Kind>
std::unique_ptr<Attack> plain(const AttackOptions& options) {
        return std::make_unique<Kind>(options);
}

constexpr std::array<AttackKind, 8> kRequestAttacks{{
        {"burst", "270 times hello and bye in one write, by a process of --members threads", burst},
        {"pairs", "hello and bye, again and again, likewise", pairs},
        {"cpus", "requests for the CPUs, 64 in one write", cpus},
        {"clients", "requests for the programs, likewise", clients},
        {"update", "updates of an own lease, likewise", updates},
        {"pause", "pause and resume of the own process, likewise", pauses},
        {"storm", "connects and leaves", plain<Storm>},
        {"hold", "--members processes that take a lease and sleep", plain<Holders>},
}};

}  // namespace

std::span<const AttackKind> request_attacks() { return kRequestAttacks; }

}  // namespace bench
