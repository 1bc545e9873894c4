// SPDX-License-Identifier: MIT
//
// governorctl run, what it starts, and what the kernel says of both.
#pragma once

#include "integration/lease_fixture.hpp"

#include <csignal>
#include <fstream>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>

namespace test_support {

/// The value of a line of /proc/PID/status, without what is around it; "": there is none.
inline std::string status_line(pid_t pid, const std::string& key) {
        std::ifstream file("/proc/" + std::to_string(pid) + "/status");
        for (std::string line; std::getline(file, line);)
                if (line.starts_with(key + ":"))
                        return line.substr(line.find_first_not_of(" \t", key.size() + 1));
        return "";
}

inline char state_of(pid_t pid) {
        const auto line = status_line(pid, "State");
        return line.empty() ? ' ' : line.front();
}

inline std::string cpus_allowed(pid_t pid) { return status_line(pid, "Cpus_allowed_list"); }

inline std::vector<pid_t> children_of(pid_t pid) {
        const auto name = std::to_string(pid);
        std::istringstream text(read_file("/proc/" + name + "/task/" + name + "/children"));
        std::vector<pid_t> children;
        for (pid_t child = 0; text >> child;)
                children.push_back(child);
        return children;
}

/// All that is below a process.
inline void add_descendants(pid_t root, std::vector<pid_t>& to) {
        for (const auto child : children_of(root)) {
                to.push_back(child);
                add_descendants(child, to);
        }
}

inline std::vector<pid_t> descendants_of(pid_t root) {
        std::vector<pid_t> all;
        add_descendants(root, all);
        return all;
}

class RunTest : public LeaseTest {
protected:
        [[nodiscard]] std::vector<std::string> run_words(const std::vector<std::string>& options,
                                                         const std::vector<std::string>& command) {
                std::vector<std::string> words{GOVERNORCTL, "--socket", daemon_.socket(), "run"};
                words.insert(words.end(), options.begin(), options.end());
                words.emplace_back("--");
                words.insert(words.end(), command.begin(), command.end());
                return words;
        }
        /// Any user may ask the daemon.
        void let_others_in() const {
                ::chmod(daemon_.directory().path().c_str(), 0755);
                ::chmod(daemon_.socket().c_str(), 0777);
        }
        [[nodiscard]] std::vector<std::string> sh(const std::string& script,
                                                  const std::vector<std::string>& options = {}) {
                return run_words(options, {"/bin/sh", "-c", script});
        }
        /// A `run` whose command has begun; its tree is killed when this goes.
        struct Running {
                std::unique_ptr<Process> run;
                pid_t command = 0;

                Running(std::unique_ptr<Process> process, pid_t pid)
                        : run(std::move(process)), command(pid) {}
                Running(Running&&) = default;
                Running(const Running&) = delete;
                Running& operator=(const Running&) = delete;
                ~Running() {
                        if (run == nullptr)
                                return;
                        // It reaps them, and ends when its command does.
                        for (int i = 0; i < 20; i++)
                                for (const auto pid : descendants_of(run->pid()))
                                        ::kill(pid, i == 0 ? SIGSTOP : SIGKILL);
                }
        };
        [[nodiscard]] Running start(const std::vector<std::string>& words,
                                    const std::vector<std::string>& environment = {}) {
                Running running(std::make_unique<Process>(Command{words, environment, {}}), 0);
                const auto pid = running.run->pid();
                EXPECT_TRUE(eventually([&] {
                        const auto children = children_of(pid);
                        running.command = children.empty() ? 0 : children.front();
                        // The parent has closed the pipe by which it learns of the exec.
                        return running.command > 0 && !running.run->err().empty();
                })) << running.run->err();
                return running;
        }
};

}  // namespace test_support
