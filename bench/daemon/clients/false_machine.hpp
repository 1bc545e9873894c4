// SPDX-License-Identifier: MIT
//
// A machine with more CPUs than this one, for governord --root, on which the processes of a flock
// are busy in words only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <sys/types.h>
#include <vector>

namespace bench {

/// Files below one folder. Throws std::system_error or std::filesystem::filesystem_error.
class FalseMachine {
public:
        /// Makes `cpus` CPUs: two threads a core, 64 a package and node. Nobody is busy.
        FalseMachine(std::string root, std::uint32_t cpus);

        /// A process of one thread that may run everywhere.
        void add(pid_t pid) const;
        void remove(pid_t pid) const;
        /// It has used so much, in hundredths of a second, since it began.
        void used(pid_t pid, std::uint64_t ticks) const;
        /// For `ticks` hundredths of a second the first `busy` CPUs were busy, the others idle.
        void pass(std::uint32_t busy, std::uint64_t ticks);
        /// CPU i was busy for busy[i] of so many hundredths of a second, and idle otherwise.
        void pass(std::span<const double> busy, double ticks);

        [[nodiscard]] std::uint32_t cpus() const { return cpus_; }

private:
        void write_stat() const;

        std::string root_;
        std::uint32_t cpus_;
        std::string everywhere_;  // as in /proc/PID/status
        double ticks_ = 0;
        std::vector<double> busy_;  // ticks of each CPU
};

}  // namespace bench
