// SPDX-License-Identifier: MIT
//
// Child processes: started, watched, and never left behind.
#pragma once

#include "support/temporary_directory.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace test_support {

struct Command {
        std::vector<std::string> arguments;    ///< the program's path first
        std::vector<std::string> environment;  ///< "NAME=VALUE" on top of the test's own, which
                                               ///< loses all THREADCOUNT* and *_NUM_THREADS
        std::optional<uid_t> uid;              ///< run as this user
};

/// In the form of execve(); they point into `strings`.
[[nodiscard]] std::vector<char*> as_pointers(std::vector<std::string>& strings);

/// stdout and stderr go to files. Killed (SIGKILL) and reaped when this goes, and by the kernel
/// if the test dies.
class Process {
public:
        explicit Process(const Command& command);
        ~Process();
        Process(const Process&) = delete;
        Process& operator=(const Process&) = delete;

        void signal(int number) const;
        /// Waits for the end: the exit status, 128 + signal, or -1 if `patience` is over.
        [[nodiscard]] int wait(std::chrono::milliseconds patience = std::chrono::seconds{30});

        [[nodiscard]] std::string out() const { return read_file(directory_.path() / "out"); }
        [[nodiscard]] std::string err() const { return read_file(directory_.path() / "err"); }
        [[nodiscard]] pid_t pid() const { return pid_; }

private:
        TemporaryDirectory directory_;
        pid_t pid_ = -1;
        std::optional<int> status_;
};

struct Finished {
        int status = -1;
        std::string out;
        std::string err;
};

/// fork(), but the kernel kills the child (SIGKILL) if the test dies. With `uid` the child is that
/// user. Throws.
[[nodiscard]] pid_t fork_child(std::optional<uid_t> uid = {});

/// Runs a command to its end.
[[nodiscard]] Finished run(const Command& command);

/// Asks `condition` every 5 ms until it holds or `patience` is over; returns whether it held.
template <class Condition>
[[nodiscard]] bool eventually(Condition condition,
                              std::chrono::milliseconds patience = std::chrono::seconds{20});

}  // namespace test_support

#include <thread>

template <class Condition>
bool test_support::eventually(Condition condition, std::chrono::milliseconds patience) {
        const auto give_up = std::chrono::steady_clock::now() + patience;
        while (!condition()) {
                if (std::chrono::steady_clock::now() >= give_up)
                        return false;
                std::this_thread::sleep_for(std::chrono::milliseconds{5});
        }
        return true;
}
