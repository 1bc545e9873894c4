// SPDX-License-Identifier: MIT
//
// A governord of the test's own, on a temporary socket.
#pragma once

#include "support/process.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace test_support {

/// A root directory whose CPUs are as idle as the test says.
class FakeMachine {
public:
        /// All CPUs run on for 100 ticks, of which idle[cpu] are idle. CPUs that are not there any
        /// more vanish, new ones start at zero.
        void runs(const std::vector<unsigned>& idle);

        /// The text of proc/stat now; write() puts another one in its place.
        [[nodiscard]] std::string stat() const { return read_file(root() + "/proc/stat"); }
        void write(std::string_view stat) const { directory_.replace("proc/stat", stat); }

        /// Puts a file below the root: "sys/devices/system/cpu/nohz_full".
        void file(const std::string& name, std::string_view text) const {
                directory_.replace(name, text);
        }

        /// A process of one thread, which may run on `cpus`: "0-63".
        void process(pid_t pid, const std::string& cpus) const;

        [[nodiscard]] std::string root() const { return directory_.path(); }

private:
        struct Ticks {
                unsigned idle = 0;
                unsigned busy = 0;
        };
        TemporaryDirectory directory_;
        std::vector<Ticks> cpus_;
};

class Daemon {
public:
        /// Does not start it. `root`: "" for the real machine.
        explicit Daemon(std::string root, const std::string& configuration = "");

        /// Starts it (again) and waits until it listens. Throws with its stderr if it does not.
        void start(const std::vector<std::string>& more_arguments = {});
        /// From the next start() on; it then owns its directory. Needs root.
        void run_as(uid_t uid);
        /// kill -9.
        void kill();
        [[nodiscard]] Process& process() { return *process_; }

        [[nodiscard]] const std::string& socket() const { return socket_; }
        /// "THREADCOUNT_SOCKET=..."
        [[nodiscard]] std::string environment() const { return "THREADCOUNT_SOCKET=" + socket_; }
        void configure(const std::string& configuration) const;
        [[nodiscard]] const TemporaryDirectory& directory() const { return directory_; }

private:
        TemporaryDirectory directory_;
        std::string root_;
        std::string socket_;
        std::optional<uid_t> uid_;
        std::unique_ptr<Process> process_;
};

/// governorctl with these arguments against a daemon.
[[nodiscard]] Finished ctl(const Daemon& daemon, std::vector<std::string> arguments,
                           std::vector<std::string> environment = {});

}  // namespace test_support
