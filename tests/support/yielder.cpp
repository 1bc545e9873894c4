// SPDX-License-Identifier: MIT
// yielder PLACE COMMAND [ARG...]: runs a command whose tree waits for its turn, as `governorctl
// run` would. SIGUSR1: it is its turn; SIGUSR2: it waits again; SIGTERM: all is given back. Prints
// what acts. Ends with its command. $GOVERNORCTL is the guardian's program;
// $SHARES_SESSION: the command gets no session of its own; $WAITS_WHEN_TOLD: it waits from the
// first SIGUSR2 on, not from its start on.
#include "outside/yielding.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

sigset_t signals() {
        sigset_t set;
        ::sigemptyset(&set);
        for (const int number : {SIGUSR1, SIGUSR2, SIGTERM, SIGCHLD})
                ::sigaddset(&set, number);
        return set;
}

/// Returns when the command is executed, in a session of its own.
pid_t start(char** command) {
        int pipe[2];
        char nothing = 0;
        if (::pipe2(pipe, O_CLOEXEC) < 0)
                return -1;
        const auto pid = ::fork();
        if (pid != 0) {
                ::close(pipe[1]);
                (void)!::read(pipe[0], &nothing, 1);
                ::close(pipe[0]);
                return pid;
        }
        const auto set = signals();
        ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
        if (std::getenv("SHARES_SESSION") == nullptr)
                ::setsid();
        ::execvp(command[0], command);
        ::_exit(127);
}

int next_signal(std::optional<std::chrono::milliseconds> within) {
        const auto set = signals();
        const auto wait = within.value_or(std::chrono::hours{1}).count();
        const timespec patience{static_cast<time_t>(wait / 1000),
                                static_cast<long>(wait % 1000) * 1'000'000};
        return ::sigtimedwait(&set, nullptr, &patience);
}

}  // namespace

int main(int argc, char** argv) {
        if (argc < 3)
                return 2;
        const auto set = signals();
        ::sigprocmask(SIG_BLOCK, &set, nullptr);
        ::prctl(PR_SET_CHILD_SUBREAPER, 1UL);
        const auto command = start(argv + 2);
        const char* installed = std::getenv("GOVERNORCTL");
        ctl::outside::Yielding yielding(argv[1], installed != nullptr ? installed : GOVERNORCTL);
        yielding.want(std::getenv("WAITS_WHEN_TOLD") == nullptr);
        std::string said;
        for (;;) {
                const auto within = yielding.work(ctl::outside::Yielding::Clock::now());
                if (yielding.acts() != said) {
                        said = yielding.acts();
                        std::printf("%s\n", said.c_str());
                        std::fflush(stdout);
                }
                const int signal = next_signal(within);
                if (signal == SIGUSR1 || signal == SIGUSR2)
                        yielding.want(signal == SIGUSR2);
                const bool ended = signal == SIGCHLD && ::waitpid(command, nullptr, WNOHANG) != 0;
                if (ended || signal == SIGTERM)
                        break;
        }
        yielding.end();
        return 0;
}
