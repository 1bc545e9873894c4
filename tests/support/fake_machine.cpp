// SPDX-License-Identifier: MIT
// Texts in the form of the kernel's.
#include "support/fake_machine.hpp"

#include <sstream>

namespace test_support {

namespace {

std::string proc(std::uint32_t pid) { return "proc/" + std::to_string(pid); }

}  // namespace

std::string stat_line(const FakeProcess& p) {
        std::ostringstream line;
        line << p.pid << " (" << p.name << ") " << p.state << ' ' << p.ppid << " 1 1 " << p.terminal
             << " -1 " << p.flags << " 91 0 3 0 " << p.user_ticks << ' ' << p.system_ticks << ' '
             << p.reaped_user_ticks << ' ' << p.reaped_system_ticks << ' ' << 20 + p.nice << ' '
             << p.nice << " 1 0 " << p.started_ticks
             << " 5722112 441 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 "
             << p.scheduling_policy << " 0 0 0 0 0 0 0 0 0 0 0\n";
        return line.str();
}

void FakeMachine::remove(const std::string& name) { std::filesystem::remove_all(root_.path(name)); }

void FakeMachine::process(const FakeProcess& process) {
        write(proc(process.pid) + "/stat", stat_line(process));
}

void FakeMachine::end(std::uint32_t pid) { remove(proc(pid)); }

void FakeMachine::thread(std::uint32_t pid, std::uint32_t tid, const std::string& cpus) {
        write(proc(pid) + "/task/" + std::to_string(tid) + "/status",
              "Name:\tprogram\nState:\tS (sleeping)\nThreads:\t1\nCpus_allowed:\tff\n"
              "Cpus_allowed_list:\t" +
                      cpus + "\nMems_allowed_list:\t0\n");
}

void FakeMachine::membership(std::uint32_t pid, const std::string& lines) {
        write(proc(pid) + "/cgroup", lines);
}

void FakeMachine::mount_v2() {
        write("proc/self/mountinfo",
              "22 28 0:21 / /proc rw,nosuid - proc proc rw\n"
              "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
}

void FakeMachine::mount_hybrid() {
        write("proc/self/mountinfo",
              "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
              "32 31 0:29 / /sys/fs/cgroup/unified rw shared:9 - cgroup2 cgroup2 rw\n"
              "33 31 0:30 / /sys/fs/cgroup/systemd rw shared:10 - cgroup cgroup "
              "rw,xattr,name=systemd\n"
              "34 31 0:31 / /sys/fs/cgroup/cpu,cpuacct rw shared:11 - cgroup cgroup "
              "rw,cpu,cpuacct\n"
              "35 31 0:32 / /sys/fs/cgroup/cpuset rw shared:12 - cgroup cgroup rw,cpuset\n");
}

}  // namespace test_support
