// SPDX-License-Identifier: MIT
//
// Makes the tree below this process yield the CPUs while it waits for its turn, whatever programs
// it is made of. None is stopped, and no number inside of one changes.
#pragma once

#include "outside/choose.hpp"
#include "outside/look.hpp"
#include "outside/own_record.hpp"
#include "outside/scopes.hpp"
#include "outside/undo.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace ctl::outside {

/// Not thread-safe. Nothing is changed before it stands in a record, and before a guardian lives
/// that will take it back when this process is killed (guardian.hpp).
///
/// The caller
/// - is the subreaper of its command (PR_SET_CHILD_SUBREAPER), and no part of another tree;
/// - starts its command in a session of its own (setsid(2)), or autogroups cannot act. A command
/// with
///   a controlling terminal loses it by that, so it is for commands that were started without one;
/// - calls work() from its loop, when that says so and after each want().
class Yielding {
public:
        using Clock = std::chrono::steady_clock;

        /// Sessions that are made while the tree waits yield this soon, too.
        static constexpr std::chrono::milliseconds kLook{1'000};
        /// The longest that end() takes.
        static constexpr std::chrono::milliseconds kLastPatience{1'000};

        /// As OwnRecord.
        explicit Yielding(const std::string& place = {},
                          const std::string& guardian = "/proc/self/exe");

        /// Does the tree wait, so that others go before it? At first it does not.
        void want(bool yields) { wants_ = yields; }

        /// Does what there is to do. It waits for nothing but the user's systemd, where that has a
        /// part in it: some milliseconds, 2.5 s if it hangs. Returns when it is to be called again
        /// at the latest; empty: after the next want(). It costs a scan of /proc each second while
        /// the tree yields, else nothing.
        [[nodiscard]] std::optional<std::chrono::milliseconds> work(Clock::time_point now);

        /// The means that acts now, or why nothing does, for people: at most 200 bytes; empty: it
        /// has not been asked to yet.
        [[nodiscard]] const std::string& acts() const { return acts_; }

        /// Did anything act when the tree waited last? Before it has waited: nothing says that it
        /// does not.
        [[nodiscard]] bool has_means() const { return has_means_; }

        /// Gives back everything and removes the record. The guardian does what takes longer than
        /// kLastPatience.
        void end();

private:
        struct Pending {
                std::uint64_t group;
                std::uint32_t pid;
        };

        void look();
        /// Puts it down, and sees to a guardian. Returns why nothing may be changed; empty: it may.
        [[nodiscard]] std::string remember(Record record);
        [[nodiscard]] std::string yield_by_one_cpu(const Facts& facts);
        [[nodiscard]] std::string yield_by_scopes(const Facts& facts);
        [[nodiscard]] std::string yield_by_autogroups(const std::vector<Session>& fresh);
        /// Those of the tree that are not in the record.
        [[nodiscard]] std::vector<Session> fresh_sessions(Facts& facts) const;
        [[nodiscard]] bool yield_all();
        void give_back();

        OwnRecord own_;
        Record record_;
        bool wants_ = false;
        std::vector<Pending> pending_;
        std::optional<Clock::time_point> look_at_;
        std::string acts_;
        bool has_means_ = true;
        Look look_;
        Scopes scopes_;
        Undo undo_;
};

}  // namespace ctl::outside
