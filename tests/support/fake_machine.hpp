// SPDX-License-Identifier: MIT
//
// A machine below a temporary root: proc, sys and control groups as far as the probe reads them.
#pragma once

#include "support/temporary_directory.hpp"

#include <cstdint>
#include <string>

namespace test_support {

/// Columns of /proc/PID/stat; what is not said is as of a quiet program.
struct FakeProcess {
        std::uint32_t pid = 1;
        std::uint32_t ppid = 0;
        std::uint64_t user_ticks = 0;
        std::uint64_t system_ticks = 0;
        std::uint64_t reaped_user_ticks = 0;
        std::uint64_t reaped_system_ticks = 0;
        std::uint64_t started_ticks = 100;
        int nice = 0;
        unsigned scheduling_policy = 0;
        unsigned flags = 0x400000;
        unsigned terminal = 34816;  // 0: none
        char state = 'S';
        std::string name = "program";
};

/// The line that the kernel would write.
[[nodiscard]] std::string stat_line(const FakeProcess& process);

class FakeMachine {
public:
        [[nodiscard]] std::string root() const { return root_.path(); }
        [[nodiscard]] const TemporaryDirectory& directory() const { return root_; }

        /// Writes a file below the root.
        void write(const std::string& name, const std::string& text) { root_.write(name, text); }
        void remove(const std::string& name);

        /// Makes or changes a process.
        void process(const FakeProcess& process);
        /// The process and its threads are no more.
        void end(std::uint32_t pid);
        /// A thread of `pid` that may run on `cpus`, "0-3".
        void thread(std::uint32_t pid, std::uint32_t tid, const std::string& cpus);
        /// /proc/PID/cgroup
        void membership(std::uint32_t pid, const std::string& lines);

        /// Version 2 at /sys/fs/cgroup, as systemd mounts it.
        void mount_v2();
        /// Version 1 with cpu,cpuacct, cpuset and name=systemd, and version 2 at
        /// /sys/fs/cgroup/unified.
        void mount_hybrid();

private:
        TemporaryDirectory root_;
};

}  // namespace test_support
