// SPDX-License-Identifier: MIT
// signalfd(2), and dying and stopping by one's own hand.
#include "run/signals.hpp"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace ctl::run {

namespace {

sigset_t passed_on() {
        sigset_t signals;
        ::sigfillset(&signals);
        // A fault of `run` itself; blocked, it would kill by another way.
        for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS})
                ::sigdelset(&signals, fault);
        return signals;
}

void unblock(int number) {
        sigset_t one;
        ::sigemptyset(&one);
        ::sigaddset(&one, number);
        ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
}

}  // namespace

Signals::Signals() {
        const auto signals = passed_on();
        ::sigprocmask(SIG_BLOCK, &signals, &given_);
        // The kernel would reap the command and forget how it ended where children are ignored.
        struct sigaction standard {};
        standard.sa_handler = SIG_DFL;
        ::sigaction(SIGCHLD, &standard, &given_child_);
        ::sigemptyset(&before_fork_);
        fd_ = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

Signals::~Signals() {
        if (fd_ >= 0)
                ::close(fd_);
        give_back();
}

std::optional<signalfd_siginfo> Signals::next() const {
        signalfd_siginfo info{};
        if (::read(fd_, &info, sizeof(info)) != ssize_t{sizeof(info)})
                return std::nullopt;
        return info;
}

void Signals::keep_in_mind() { ::sigpending(&before_fork_); }

void Signals::give_back() const {
        ::sigaction(SIGCHLD, &given_child_, nullptr);
        ::sigprocmask(SIG_SETMASK, &given_, nullptr);
}

void Signals::stop(int number) {
        // A shell on the terminal continues what has stopped.
        if (number == SIGSTOP || !has_terminal())
                return;
        struct sigaction now {};
        ::sigaction(number, nullptr, &now);
        // A signal that was ignored when `run` began stops nobody.
        const int stop = now.sa_handler == SIG_DFL ? number : SIGSTOP;
        ::raise(stop);
        if (stop == SIGSTOP)
                return;
        unblock(stop);
        const auto signals = passed_on();
        ::sigprocmask(SIG_BLOCK, &signals, nullptr);
}

bool Signals::kills(int number) {
        constexpr std::array kHarmless{SIGCHLD, SIGCONT, SIGURG, SIGWINCH};
        struct sigaction now {};
        ::sigaction(number, nullptr, &now);
        return now.sa_handler == SIG_DFL && !is_stop(number) &&
               std::ranges::find(kHarmless, number) == kHarmless.end();
}

void Signals::die(int number) {
        // The command has left its core; this one would replace it.
        const rlimit none{0, 0};
        ::setrlimit(RLIMIT_CORE, &none);
        ::prctl(PR_SET_DUMPABLE, 0);
        struct sigaction standard {};
        standard.sa_handler = SIG_DFL;
        ::sigaction(number, &standard, nullptr);
        ::kill(::getpid(), number);
        unblock(number);
}

bool has_terminal() {
        const int fd = ::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        if (fd >= 0)
                ::close(fd);
        return fd >= 0;
}

bool is_stop(int number) {
        return number == SIGSTOP || number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

bool went_to_the_group(const signalfd_siginfo& signal, bool is_session_leader) {
        constexpr std::array kOfTerminals{SIGINT,  SIGQUIT, SIGTSTP,  SIGTTIN,
                                          SIGTTOU, SIGHUP,  SIGWINCH, SIGCONT};
        const int number = static_cast<int>(signal.ssi_signo);
        if (signal.ssi_code <= 0 || std::ranges::find(kOfTerminals, number) == kOfTerminals.end())
                return false;
        return !is_session_leader || (number != SIGHUP && number != SIGCONT);
}

}  // namespace ctl::run
