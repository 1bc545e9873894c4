// SPDX-License-Identifier: MIT
//
// Many processes with a lease each, which do as they are told. Their pages and reports are in the
// hands of the one that started them.
#pragma once

#include "false_machine.hpp"
#include "lease.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace bench {

struct FlockOptions {
        std::string governor;       ///< socket
        std::uint32_t members = 0;  ///< processes
        std::uint32_t busy = 0;     ///< of these, how many have regions and burn what they may
        std::string root;           ///< of a false machine, to be made; empty: this machine
        std::uint32_t cpus = 0;     ///< of the false machine
};

/// Not thread-safe; the process that makes one must have a single thread. Functions throw
/// std::runtime_error when a member or the governor does not do its part.
class Flock {
public:
        explicit Flock(FlockOptions options);
        ~Flock();
        Flock(const Flock&) = delete;
        Flock& operator=(const Flock&) = delete;

        [[nodiscard]] std::uint32_t size() const {
                return static_cast<std::uint32_t>(members_.size());
        }

        /// Orders; what is ordered happens at once, in the member's process.
        void order_join(std::uint32_t member, const Wishes& wishes);
        void order_leave(std::uint32_t member);
        /// The moment when the member sent what the last order makes it send, of CLOCK_MONOTONIC;
        /// waits until the governor has answered it.
        std::int64_t sent_ns(std::uint32_t member);
        /// SIGKILL. Returns the moment.
        std::int64_t kill(std::uint32_t member);
        /// A new process in the place of one that was killed.
        void replace(std::uint32_t member);

        void join(std::uint32_t member, const Wishes& wishes = {});

        /// Regions of a millisecond and the use of CPU time, until then.
        void live(std::int64_t until_ns);

        /// The memory of all accounts that a member ever had a place in.
        [[nodiscard]] const std::map<std::uint64_t, std::unique_ptr<Pages>>& pages() const {
                return pages_;
        }
        /// Threads granted to all members now.
        [[nodiscard]] std::uint64_t granted() const;

private:
        struct Berth;  // what a member shares with us
        struct Member {
                pid_t pid = -1;
                const Pages* pages = nullptr;  // nullptr: no lease
                std::uint32_t slot = 0;
                std::uint64_t burnt_us = 0;
                std::int64_t burnt_at_ns = 0;
        };

        void start(std::uint32_t member);
        void take_note(std::uint32_t member);
        void burn(std::uint32_t member);
        void burn_some();
        void pass_time();
        void region(std::uint32_t member);
        [[noreturn]] static void serve(Berth& berth, const std::string& governor, int to_parent);

        FlockOptions options_;
        std::optional<FalseMachine> machine_;
        UniqueFd from_members_;
        UniqueFd to_parent_;
        Berth* berths_ = nullptr;
        std::vector<Member> members_;
        std::map<std::uint64_t, std::unique_ptr<Pages>> pages_;  // by the inode of the grants
        std::uint32_t next_to_burn_ = 0;
        std::int64_t passed_at_ns_ = 0;
};

}  // namespace bench
