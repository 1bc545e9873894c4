// SPDX-License-Identifier: MIT
// Programs that take leases, run regions in several threads, fork, leave and are killed, beside a
// daemon that is killed and started anew, and stopped and started. In the end everything is quiet:
// no lease is left, and one program alone gets all there is.
//
//      lease_stress [SECONDS [PROGRAMS]]
//
// Exits 0, or 1 and says what is wrong.
#include "support/daemon.hpp"
#include "support/lease_client.hpp"

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <random>
#include <sys/wait.h>
#include <thread>
#include <threadcount/threadcount.h>
#include <unistd.h>

namespace {

using namespace test_support;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::uint32_t kMax = 64;

class Handle {
public:
        explicit Handle(const std::string& socket) {
                threadcount_options options = THREADCOUNT_OPTIONS_INIT;
                options.socket_path = socket.c_str();
                options.max_threads = kMax;
                if (threadcount_open(&options, &handle_) < 0)
                        ::_exit(1);
        }
        ~Handle() { threadcount_close(handle_); }
        Handle(const Handle&) = delete;
        Handle& operator=(const Handle&) = delete;

        /// Regions of `pause` until then; a count that cannot be ends the program.
        void run(milliseconds duration, std::chrono::microseconds pause) const {
                for (const auto end = Clock::now() + duration; Clock::now() < end;) {
                        const auto threads = threadcount_region_begin(handle_);
                        if (threads < 1 || threads > kMax)
                                ::_exit(1);
                        std::this_thread::sleep_for(pause);
                        threadcount_region_end(handle_, threads);
                }
        }

private:
        threadcount_handle* handle_ = nullptr;
};

/// Says hello by hand, lies, and goes as it likes.
void speak_by_hand(const std::string& socket, std::mt19937& random) {
        try {
                LeaseClient client(socket);
                if (client.hello() == nullptr)
                        return;
                constexpr auto kWords = sizeof(governor_report_slot) / sizeof(std::uint64_t);
                auto* words = reinterpret_cast<std::uint64_t*>(&client.memory().report());
                for (int i = 0; i < 100; i++) {
                        __atomic_store_n(&words[random() % kWords], random(), __ATOMIC_RELAXED);
                        if (random() % 20 == 0)
                                (void)client.update(static_cast<std::uint32_t>(random() % 5));
                        std::this_thread::sleep_for(milliseconds{1});
                }
                if (random() % 2 == 0)
                        (void)client.bye();
        } catch (const std::runtime_error&) {
                // The daemon is just not there.
        }
}

void run_threads(const std::string& socket, std::mt19937& random) {
        const Handle handle(socket);
        std::vector<std::thread> threads;
        for (auto i = random() % 3; i > 0; i--)
                threads.emplace_back(
                        [&] { handle.run(milliseconds{300}, std::chrono::microseconds{100}); });
        handle.run(milliseconds{random() % 500}, std::chrono::microseconds{50});
        for (auto& thread : threads)
                thread.join();
}

/// The child goes on with a handle of its own, and may outlive its parent.
void fork_in_between(const std::string& socket, std::mt19937& random) {
        const Handle handle(socket);
        handle.run(milliseconds{random() % 100}, std::chrono::microseconds{500});
        const pid_t child = ::fork();
        if (child == 0) {
                handle.run(milliseconds{20}, std::chrono::microseconds{500});
                const Handle own(socket);
                own.run(milliseconds{random() % 300}, std::chrono::microseconds{500});
                ::_exit(0);
        }
        handle.run(milliseconds{random() % 200}, std::chrono::microseconds{500});
        if (random() % 2 == 0)
                ::_exit(0);
        ::waitpid(child, nullptr, 0);
}

void live(const std::string& socket, unsigned seed) {
        std::mt19937 random(seed);
        switch (random() % 4) {
        case 0:
                return speak_by_hand(socket, random);
        case 1:
                return fork_in_between(socket, random);
        default:
                return run_threads(socket, random);
        }
}

[[nodiscard]] bool fails(const char* what) {
        std::fprintf(stderr, "%s\n", what);
        return false;
}

/// `programs` at a time; every third one is killed. False: one of them ended otherwise badly.
class Crowd {
public:
        Crowd(std::string socket, std::size_t programs)
                : socket_(std::move(socket)), programs_(programs) {}

        void add() {
                running_.push_back(std::make_unique<ForkedProgram>(
                        [this] { live(socket_, static_cast<unsigned>(begun_)); }));
                begun_++;
        }
        [[nodiscard]] bool go_on() {
                while (running_.size() < programs_)
                        add();
                const auto oldest = std::move(running_.front());
                running_.pop_front();
                if (begun_ % 3 == 0)
                        oldest->kill();
                else if (!oldest->finishes())
                        return fails("a program got a count that cannot be, or died");
                return true;
        }
        [[nodiscard]] unsigned begun() const { return begun_; }

private:
        std::string socket_;
        std::size_t programs_;
        std::deque<std::unique_ptr<ForkedProgram>> running_;
        unsigned begun_ = 0;
};

/// Killed twice, then stopped as one should, and so on.
[[nodiscard]] bool restart(Daemon& daemon, int times) {
        if (times % 3 != 2) {
                daemon.kill();
        } else {
                daemon.process().signal(SIGTERM);
                if (daemon.process().wait() != 0)
                        return fails("the daemon did not stop as asked");
        }
        daemon.start();
        return true;
}

[[nodiscard]] bool is_quiet(const Daemon& daemon) {
        const auto socket = daemon.socket();
        if (!eventually([&] { return status(socket).clients() == 0; }))
                return fails("leases are left although all programs have gone");
        const ForkedProgram last([&] { hold_a_lease(socket); });
        const auto cpus = std::min(status(socket).cpus(), std::thread::hardware_concurrency());
        if (!eventually([&] {
                    const auto client = lease_of(socket, last.pid());
                    return client && client->granted() == cpus &&
                           cpus_of(client->cpus()).size() == cpus;
            }))
                return fails("a program alone does not get all there is");
        return true;
}

[[nodiscard]] bool run_for(std::chrono::seconds duration, std::size_t programs) {
        Daemon daemon("", "[governor]\npolicy = fair\nforeign_max = 0%\nperiod = 50ms\n");
        daemon.start();
        int restarts = 0;
        {
                Crowd crowd(daemon.socket(), programs);
                const auto end = Clock::now() + duration;
                for (auto next = Clock::now() + std::chrono::seconds{1}; Clock::now() < end;) {
                        if (!crowd.go_on())
                                return false;
                        if (Clock::now() < next)
                                continue;
                        if (daemon.process().wait(milliseconds{0}) != -1)
                                return fails(daemon.process().err().c_str());
                        if (!restart(daemon, restarts++))
                                return false;
                        next = Clock::now() + std::chrono::seconds{1};
                }
                std::printf("%u programs, %d restarts\n", crowd.begun(), restarts);
        }
        return is_quiet(daemon);
}

}  // namespace

int main(int argc, char** argv) {
        const auto seconds = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 4;
        const auto programs = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 8;
        try {
                return run_for(std::chrono::seconds{seconds}, programs) ? 0 : 1;
        } catch (const std::exception& error) {
                std::fprintf(stderr, "%s\n", error.what());
                return 1;
        }
}
