// SPDX-License-Identifier: MIT
//
// The fence of a tree, put down so that a guardian takes it down when this process is killed.
#pragma once

#include "outside/records.hpp"

#include <optional>
#include <string>

namespace ctl::outside {

/// Not thread-safe. Costs nothing before the first put().
class FenceRecord {
public:
        /// `place`, `guardian`: as of Yielding.
        explicit FenceRecord(std::string place = default_place(),
                             std::string guardian = "/proc/self/exe")
                : place_(std::move(place)), guardian_(std::move(guardian)) {}

        /// Before the fence is set or moved, and when other processes have come into the tree.
        /// Writes a small file unless that says so already. False: there is no record.
        bool put(const Fenced& fenced);

        /// Sees to a guardian: some milliseconds where it has to start one. A record that was left
        /// before is seen to by the next one that anybody starts.
        void guard() const;

        /// The fence has been taken down.
        void end();

private:
        std::string place_;
        std::string guardian_;
        std::optional<Records> records_;
        Record record_;
        bool is_written_ = false;
};

}  // namespace ctl::outside
