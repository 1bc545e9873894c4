// SPDX-License-Identifier: MIT
//
// The fence of a tree, put down so that a guardian takes it down when this process is killed.
#pragma once

#include "outside/own_record.hpp"

#include <string>

namespace ctl::outside {

/// Not thread-safe. Costs nothing before the first put().
class FenceRecord {
public:
        /// As OwnRecord.
        explicit FenceRecord(const std::string& place = {},
                             const std::string& guardian = "/proc/self/exe")
                : own_(place, guardian) {}

        /// Before the fence is set or moved, and when other processes have come into the tree.
        /// Writes a small file unless that says so already. Returns why there is no record; empty:
        /// there is one.
        [[nodiscard]] std::string put(const Fenced& fenced);

        /// Sees to a guardian: some milliseconds where it has to start one.
        void guard();

        /// The first call sees to records that other processes have left, whether there is one of
        /// this process or not.
        void guard_what_was_left();

        /// The fence has been taken down.
        void end();

private:
        OwnRecord own_;
        Record record_;
        bool has_looked_ = false;  // for those that were left
};

}  // namespace ctl::outside
