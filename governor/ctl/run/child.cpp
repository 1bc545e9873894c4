// SPDX-License-Identifier: MIT
// fork, exec, and a pipe that tells why there was no exec.
#include "run/child.hpp"

#include "run/affinity.hpp"

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ctl::run {

namespace {

/// A service manager names the process that it means: descriptors and a watchdog are for the
/// command.
void rename_pid(const char* variable, pid_t parent) {
        const char* value = std::getenv(variable);
        if (value != nullptr && std::strcmp(value, std::to_string(parent).c_str()) == 0)
                ::setenv(variable, std::to_string(::getpid()).c_str(), 1);
}

/// A parent that is to take us along by SIGKILL takes the command along.
void die_with(pid_t parent, int death_signal) {
        if (death_signal != SIGKILL)
                return;
        ::prctl(PR_SET_PDEATHSIG, death_signal);
        if (::getppid() != parent)
                ::raise(death_signal);
}

int death_signal() {
        int number = 0;
        return ::prctl(PR_GET_PDEATHSIG, &number) == 0 ? number : 0;
}

/// The effect of SIGPIPE by the will of whoever has started `run`.
struct sigaction given_for_pipes {};
bool is_given = false;

[[noreturn]] void become(const std::vector<std::string>& command, int pipe) {
        const int error = execute(command);
        (void)!::write(pipe, &error, sizeof(error));
        ::_exit(1);
}

}  // namespace

void ignore_broken_pipes() {
        struct sigaction ignored {};
        ignored.sa_handler = SIG_IGN;
        is_given = ::sigaction(SIGPIPE, &ignored, &given_for_pipes) == 0;
}

int execute(const std::vector<std::string>& command) {
        auto copy = command;
        std::vector<char*> arguments;
        for (auto& argument : copy)
                arguments.push_back(argument.data());
        arguments.push_back(nullptr);
        if (is_given)
                ::sigaction(SIGPIPE, &given_for_pipes, nullptr);
        ::execvp(arguments.front(), arguments.data());
        const int error = errno;
        ignore_broken_pipes();
        return error;
}

tl::expected<pid_t, StartError> start(const std::vector<std::string>& command, Signals& signals,
                                      const threadcount::CpuMask* fence, bool in_own_session,
                                      const std::vector<Change>& changes) {
        int pipe[2];
        // Without signals nobody could wait for it.
        if (signals.fd() < 0 || ::pipe2(pipe, O_CLOEXEC) < 0)
                return tl::unexpected(StartError{errno, false});
        const auto parent = ::getpid();
        const int with = death_signal();
        signals.keep_in_mind();
        const auto pid = ::fork();
        if (pid == 0) {
                die_with(parent, with);
                rename_pid("LISTEN_PID", parent);
                rename_pid("WATCHDOG_PID", parent);
                if (in_own_session)
                        ::setsid();
                if (fence != nullptr)
                        (void)set_affinity(0, *fence);
                for (const auto& change : changes)
                        apply(change);
                signals.give_back();
                become(command, pipe[1]);
        }
        const int error = errno;
        ::close(pipe[1]);
        if (pid < 0) {
                ::close(pipe[0]);
                return tl::unexpected(StartError{error, false});
        }
        int why = 0;
        ssize_t n = 0;
        do
                n = ::read(pipe[0], &why, sizeof(why));
        while (n < 0 && errno == EINTR);
        ::close(pipe[0]);
        if (n != ssize_t{sizeof(why)})
                return pid;
        ::waitpid(pid, nullptr, 0);
        return tl::unexpected(StartError{why, true});
}

}  // namespace ctl::run
