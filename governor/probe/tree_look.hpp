// SPDX-License-Identifier: MIT
//
// Looks at a process and all its descendants now, between two scans of the machine.
#pragma once

#include "probe/file_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace governor::probe {

/// Not thread-safe.
class TreeReader {
public:
        /// A larger tree costs too much to be looked at between scans.
        static constexpr std::size_t kMostProcesses = 16;
        static constexpr std::size_t kMostThreads = 64;

        /// Below `root`, which is empty for this machine.
        explicit TreeReader(std::string root) : root_(std::move(root)) {}

        struct Look {
                /// Clock ticks of all of them, with those of children that they have waited for.
                /// Goes backwards where nobody waits for a child that ends.
                std::uint64_t ticks = 0;
                bool is_runnable = false;  ///< the first thread of one of them runs, or would
        };
        /// Walks down by /proc/PID/task/TID/children. About 10 us for each process and 6 us for
        /// each thread. Empty: there are more than kMost..., or `pid` cannot be read.
        [[nodiscard]] std::optional<Look> read(std::uint32_t pid);

private:
        std::string root_;
        FileReader files_;
};

}  // namespace governor::probe
