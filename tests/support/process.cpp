// SPDX-License-Identifier: MIT
// fork, exec, wait.
#include "support/process.hpp"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <stdexcept>
#include <string_view>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace test_support {

namespace {

constexpr int kAppend = O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC;

bool inherited(std::string_view variable) {
        return !variable.starts_with("THREADCOUNT") && !variable.starts_with("XDG_RUNTIME_DIR=") &&
               variable.find("_NUM_THREADS=") == variable.npos;
}

}  // namespace

std::vector<char*> as_pointers(std::vector<std::string>& strings) {
        std::vector<char*> pointers;
        for (auto& string : strings)
                pointers.push_back(string.data());
        pointers.push_back(nullptr);
        return pointers;
}

pid_t fork_child(std::optional<uid_t> uid) {
        const pid_t parent = ::getpid();
        const pid_t pid = ::fork();
        if (pid < 0)
                throw std::runtime_error("fork");
        if (pid > 0)
                return pid;
        // The kernel forgets the signal when the user changes.
        if ((uid && ::setuid(*uid) < 0) || ::prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 ||
            ::getppid() != parent)
                ::_exit(126);
        return 0;
}

Process::Process(const Command& command) {
        auto arguments = command.arguments;
        auto environment = command.environment;
        for (char** variable = ::environ; *variable != nullptr; variable++)
                if (inherited(*variable))
                        environment.emplace_back(*variable);
        const auto argv = as_pointers(arguments);
        const auto envp = as_pointers(environment);
        const auto out = (directory_.path() / "out").string();
        const auto err = (directory_.path() / "err").string();
        const int streams[] = {::open(out.c_str(), kAppend, 0644),
                               ::open(err.c_str(), kAppend, 0644)};
        pid_ = fork_child(command.uid);
        if (pid_ > 0) {
                for (const int fd : streams)
                        ::close(fd);
                return;
        }
        ::dup2(streams[0], STDOUT_FILENO);
        ::dup2(streams[1], STDERR_FILENO);
        ::execve(argv[0], argv.data(), envp.data());
        ::_exit(127);
}

Process::~Process() {
        if (status_)
                return;
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
}

void Process::signal(int number) const {
        if (!status_)
                ::kill(pid_, number);
}

int Process::wait(std::chrono::milliseconds patience) {
        const auto ended = [&] {
                int status = 0;
                if (status_)
                        return true;
                if (::waitpid(pid_, &status, WNOHANG) != pid_)
                        return false;
                status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
                return true;
        };
        return eventually(ended, patience) ? *status_ : -1;
}

Finished run(const Command& command) {
        Process process(command);
        const int status = process.wait();
        return {status, process.out(), process.err()};
}

}  // namespace test_support
