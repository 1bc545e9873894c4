// SPDX-License-Identifier: MIT
// The facts that /proc tells of this process: its memory, and the costs of its other threads.
#pragma once

#include "clock.hpp"

#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

namespace peers {

/// Resident memory in bytes. By its mappings: statm leaves out what each CPU has not told yet.
inline double resident_bytes() {
        std::ifstream file("/proc/self/smaps_rollup");
        double kib = 0;
        for (std::string name; file >> name;)
                if (name == "Rss:" && file >> kib)
                        break;
        return kib * 1024;
}

/// The threads' costs since they began: how often they were switched to, and their CPU time.
struct ThreadCosts {
        double switches = 0;
        double cpu_ns = 0;
};

inline double switches_of(const std::filesystem::path& thread) {
        std::ifstream file(thread / "status");
        double switches = 0;
        double value = 0;
        for (std::string name; file >> name;)
                if (name.ends_with("voluntary_ctxt_switches:") && file >> value)
                        switches += value;
        return switches;
}

/// The costs of all threads but the first.
inline ThreadCosts costs_of_others() {
        ThreadCosts costs;
        for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
                if (thread.path().filename() == std::to_string(getpid()))
                        continue;
                double cpu_ns = 0;
                std::ifstream(thread.path() / "schedstat") >> cpu_ns;
                costs.cpu_ns += cpu_ns;
                costs.switches += switches_of(thread.path());
        }
        return costs;
}

}  // namespace peers
