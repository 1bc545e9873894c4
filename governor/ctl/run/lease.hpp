// SPDX-License-Identifier: MIT
//
// The lease of a tree: taken at the start, looked at by the parent's loop, taken again where the
// governor has gone and come back.
#pragma once

#include "run/affinity.hpp"
#include "run/stream.hpp"

#include <chrono>
#include <cstdint>
#include <governor/v1/arena.h>
#include <libthreadcount/src/arena.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ctl::run {

struct Grant {
        std::uint32_t threads = 1;
        bool is_parked = false;      ///< it is to wait for its turn
        bool is_ungoverned = false;  ///< it is to be left alone
        CpuMask cpus;
        governor_grant_reason why{};
};

/// Why there is none.
struct NoLease {
        Failure failure;
        bool gives_advice = false;  ///< this governor, or this address, grants nothing: ask it
};

class Lease {
public:
        using Clock = std::chrono::steady_clock;

        /// `hello` asks for it. Does not connect yet.
        Lease(std::vector<std::string> addresses, governor::v1::Hello hello);

        /// Waits for the first grant: 2 s for the connection, 2 s for all the rest.
        [[nodiscard]] tl::expected<void, NoLease> take();

        /// Trees that are started together lower each other's shares, and a program keeps the
        /// number of threads that it starts with. This waits until the grant has stayed the same
        /// for a moment, and asks for the share once more. After take(). Takes 5 ms where nobody
        /// comes; 20 at most, and 20 more where the governor hangs.
        void settle();

        /// The facts of its lease, as the governor says when asked, as of take() or settle(). The
        /// governor may not have understood: then only `granted`.
        [[nodiscard]] const governor::v1::Client& client() const { return client_; }

        /// Threads to begin with: its share, and inside of another tree what that may use. 0: not
        /// known.
        [[nodiscard]] std::uint32_t share() const {
                return tree_share_ > 0 ? tree_share_ : client_.share();
        }

        /// Was this process in the tree of another `run` when it took the lease?
        [[nodiscard]] bool is_in_another_tree() const {
                return client_.tree() != 0 && client_.tree() != client_.id();
        }

        /// For users to read: what acts on the tree. At most 200 bytes.
        void tell(const std::string& acts);

        /// The tree takes no turns any more, as nothing makes it yield: it shares as others do.
        void stop_yielding();

        /// Nothing holds its programs to the grant, as with --keep and --adapt. After the first
        /// grant.
        void hold_to_nothing();

        /// Reads what has come. Tries again once a second if the governor has gone, and waits for
        /// no more than 10 ms per address then. Returns when to call it again; empty: when fd() can
        /// be read.
        std::optional<std::chrono::milliseconds> look(Clock::time_point now);
        [[nodiscard]] int fd() const { return stream_ ? stream_->fd() : -1; }

        /// The grant now, by one load where it is the same as the last time. Empty: there is no
        /// governor, it hangs, or it has not decided yet.
        [[nodiscard]] const std::optional<Grant>& grant(Clock::time_point now);

private:
        enum class State : std::uint8_t { None, Waiting, Held };

        void say_hello(Connection connection, Clock::time_point now);
        void take_replies();
        void take_reply(const governor::v1::Reply& reply);
        void attach(const governor::v1::Welcome& welcome);
        void ask_who_we_are();
        void send_update();
        void lose(Clock::time_point now);
        [[nodiscard]] bool is_beating(Clock::time_point now);
        bool wait_until(Clock::time_point deadline, bool (Lease::*is_there)());
        [[nodiscard]] bool is_decided();
        [[nodiscard]] bool is_known() { return client_.id() != 0 || !stream_; }
        [[nodiscard]] bool is_tree_known() { return tree_share_ > 0 || !stream_; }
        void ask_what_the_tree_may_use();

        std::vector<std::string> addresses_;
        governor::v1::Hello hello_;
        std::string acts_;
        bool does_not_yield_ = false;
        bool is_held_to_nothing_ = false;
        std::optional<Stream> stream_;
        State state_ = State::None;
        std::optional<NoLease> refused_;
        Clock::time_point again_{};  ///< None: when to try; Waiting: when to give up
        threadcount::Arena arena_;
        std::uint64_t word_ = 0;  ///< that grant_ is of
        std::optional<Grant> grant_;
        std::uint64_t heartbeat_ = 0;
        Clock::time_point beaten_{};
        governor::v1::Client client_;
        std::uint32_t tree_share_ = 0;  ///< of another one's; 0: not known, or it is its own
};

}  // namespace ctl::run
