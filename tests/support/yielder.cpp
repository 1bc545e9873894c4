// SPDX-License-Identifier: MIT
// yielder PLACE COMMAND [ARG...]: runs a command whose tree waits for its turn, as `governorctl
// run` would. SIGUSR1: it is its turn; SIGUSR2: it waits again; SIGTERM: all is given back. Prints
// what acts. Ends with its command.
#include "outside/yielding.hpp"

#include <csignal>
#include <cstdio>
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

pid_t start(char** command) {
        const auto pid = ::fork();
        if (pid != 0)
                return pid;
        const auto set = signals();
        ::sigprocmask(SIG_UNBLOCK, &set, nullptr);
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
        ctl::outside::Yielding yielding(argv[1], GOVERNORCTL);
        yielding.want(true);
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
