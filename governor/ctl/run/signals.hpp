// SPDX-License-Identifier: MIT
//
// The signals that `run` gets while it waits for its command, and what it was given of them.
#pragma once

#include <csignal>
#include <optional>
#include <sys/signalfd.h>

namespace ctl::run {

/// All signals but those of a fault are blocked while this lives, and come by next(). The process
/// has one thread.
class Signals {
public:
        Signals();
        ~Signals();
        Signals(const Signals&) = delete;
        Signals& operator=(const Signals&) = delete;

        /// To wait on.
        [[nodiscard]] int fd() const { return fd_; }
        /// The next one that has come; does not wait.
        [[nodiscard]] std::optional<signalfd_siginfo> next() const;

        /// Right before fork(): the signals that have come by now, which the child does not get.
        void keep_in_mind();
        [[nodiscard]] const sigset_t& before_fork() const { return before_fork_; }

        /// Mask and dispositions as they were before: in the child, before exec.
        void give_back() const;

        /// Stops this process as `number` stops one by default, until job control continues it. It
        /// goes on where job control cannot continue it (no terminal, or SIGSTOP, which is for one
        /// process).
        static void stop(int number);
        /// Would it kill this process, as that was given it?
        [[nodiscard]] static bool kills(int number);
        /// Dies as `number` kills a process by default, without a core. Returns if it does not.
        static void die(int number);

private:
        sigset_t given_{};
        sigset_t before_fork_{};
        struct sigaction given_child_ {};
        int fd_ = -1;
};

/// Does this process have a terminal that controls it? Three system calls.
[[nodiscard]] bool has_terminal();

[[nodiscard]] bool is_stop(int number);

/// Is it a signal that the terminal has sent to the whole process group, so that the command has
/// got it already? A terminal that hangs up tells the leader of its session alone.
[[nodiscard]] bool went_to_the_group(const signalfd_siginfo& signal, bool is_session_leader);

}  // namespace ctl::run
