// SPDX-License-Identifier: MIT
//
// A governor that tells one program what a test says.
#pragma once

#include "server/sharing/arena.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace shared_memory_test {

/// Welcomes everybody to slot 0.
class MadeUpGovernor {
public:
        /// Listens at `path`.
        explicit MadeUpGovernor(const std::string& path);
        ~MadeUpGovernor();
        MadeUpGovernor(const MadeUpGovernor&) = delete;
        MadeUpGovernor& operator=(const MadeUpGovernor&) = delete;

        void start();
        /// Nobody listens any more, and all connections are closed.
        void die();
        /// It lives, but does not beat.
        void hang() { is_hanging_ = true; }
        void go_on() { is_hanging_ = false; }
        /// The number of its heartbeats.
        [[nodiscard]] unsigned beats() const { return beats_; }

        /// Returns the epoch.
        std::uint32_t publish(std::uint32_t threads, bool is_parked, bool is_crowded = false);
        /// your_turn, to everybody.
        void call();
        /// Likewise, to those that are still there and have read what was said before.
        void call_some();
        void release() { arena_.release(0); }

        [[nodiscard]] auto report() const { return arena_.report(0); }
        /// The number of hellos that it has answered.
        [[nodiscard]] std::size_t welcomed();
        /// Had the last hello the field of this number, which is below 16?
        [[nodiscard]] bool was_told(unsigned field);
        /// The maximum that the last hello had at its very begin.
        [[nodiscard]] unsigned max_of_hello();
        /// The maximum of the last Update that has come by the newest connection; 0: none has.
        [[nodiscard]] unsigned updated_max();
        /// Update.keeps of that one, which updated_max() has seen.
        [[nodiscard]] bool updated_keeps() const { return updated_keeps_; }
        /// Likewise Update.sleeps.
        [[nodiscard]] bool updated_sleeps() const { return updated_sleeps_; }

private:
        void run();
        void welcome(governor::server::UniqueFd connection);

        governor::server::UniqueFd listener_;
        governor::server::Arena arena_{1, 64};
        std::atomic<bool> is_over_{false};
        std::atomic<bool> is_hanging_{false};
        std::atomic<unsigned> beats_{0};
        std::mutex mutex_;   // guards what follows
        std::string hello_;  // with its length
        unsigned updated_max_ = 0;
        bool updated_keeps_ = false;
        bool updated_sleeps_ = false;
        std::vector<governor::server::UniqueFd> connections_;
        std::thread thread_;
};

}  // namespace shared_memory_test
