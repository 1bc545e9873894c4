// SPDX-License-Identifier: MIT
// One loop around ppoll(2).
#include "run/parent.hpp"

#include "run/processes.hpp"
#include "run/say.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <poll.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace ctl::run {

namespace {

/// Signals and children that are seen to in one go.
constexpr int kAtOnce = 1000;

class Parent {
public:
        Parent(pid_t command, bool in_own_session, const Signals& signals, const Attend& attend)
                : command_(command), in_own_session_(in_own_session), signals_(signals),
                  attend_(attend), before_fork_(signals.before_fork()) {}

        int run() {
                while (!ended_) {
                        const auto attention = attend_();
                        wait(attention);
                        for (int i = 0; i < kAtOnce && !ended_; i++) {
                                const auto signal = signals_.next();
                                if (!signal)
                                        break;
                                take(*signal);
                        }
                }
                return *ended_;
        }

private:
        void wait(const Attention& attention) const {
                pollfd ready[] = {{signals_.fd(), POLLIN, 0}, {attention.fd, POLLIN, 0}};
                const int timeout =
                        attention.within ? static_cast<int>(attention.within->count()) : -1;
                (void)::poll(ready, 2, timeout);
        }

        void take(const signalfd_siginfo& signal) {
                if (signal.ssi_signo == SIGCHLD)
                        reap();
                else if (is_for_command(signal))
                        pass_on(signal);
        }

        [[nodiscard]] bool is_for_command(const signalfd_siginfo& signal) {
                const auto sender = static_cast<pid_t>(signal.ssi_pid);
                const int number = static_cast<int>(signal.ssi_signo);
                // It is older than the command: nothing else has brought it there.
                const bool is_first = ::sigismember(&before_fork_, number) == 1;
                ::sigdelset(&before_fork_, number);
                if (signal.ssi_code > 0)
                        return is_first || ::getpgid(command_) != ::getpgrp() ||
                               !went_to_the_group(signal, ::getsid(0) == ::getpid());
                // A tree that signals its own group must not get it twice.
                return sender != ::getpid() && !descends_from(sender, ::getpid());
        }

        void pass_on(const signalfd_siginfo& signal) {
                const int number = static_cast<int>(signal.ssi_signo);
                sigval value{};
                value.sival_ptr = reinterpret_cast<void*>(signal.ssi_ptr);
                const int result = signal.ssi_code == SI_QUEUE ? ::sigqueue(command_, number, value)
                                   : ends_a_group(number)      ? ::kill(-command_, number)
                                                               : ::kill(command_, number);
                if (result < 0 && errno == EPERM)
                        take_instead(number);
        }

        /// Nobody can tell whether the sender meant the whole group, as timeout(1) does, whose
        /// signal does not reach the group of a command in a session of its own.
        [[nodiscard]] bool ends_a_group(int number) const {
                constexpr std::array kEnds{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
                return in_own_session_ && ::getpgid(command_) == command_ &&
                       std::ranges::find(kEnds, number) != kEnds.end();
        }

        /// The command has become another user's, and goes on.
        void take_instead(int number) {
                say("cannot pass signal " + std::to_string(number) +
                    " on: " + std::strerror(EPERM));
                if (is_stop(number))
                        Signals::stop(number);
                else if (Signals::kills(number))
                        ended_ = number;
        }

        void reap() {
                int status = 0;
                for (int i = 0; i < kAtOnce; i++) {
                        const auto pid = ::waitpid(-1, &status, WNOHANG | WUNTRACED);
                        if (pid <= 0)
                                return;
                        if (pid == command_ && !WIFSTOPPED(status))
                                ended_ = status;
                        // One that is traced stops by any signal.
                        else if (pid == command_ && is_stop(WSTOPSIG(status)))
                                Signals::stop(WSTOPSIG(status));
                }
                // SIGCHLD will not come again for those that have ended already.
                ::raise(SIGCHLD);
        }

        pid_t command_;
        bool in_own_session_;
        const Signals& signals_;
        const Attend& attend_;
        sigset_t before_fork_;
        std::optional<int> ended_;
};

}  // namespace

int wait_for(pid_t command, bool in_own_session, const Signals& signals, const Attend& attend) {
        return Parent(command, in_own_session, signals, attend).run();
}

int end_as(int wait_status) {
        if (WIFEXITED(wait_status))
                return WEXITSTATUS(wait_status);
        const int number = WTERMSIG(wait_status);
        Signals::die(number);
        return 128 + number;
}

}  // namespace ctl::run
