// SPDX-License-Identifier: MIT
//
// A user that does nothing wrong, and what it sees of the server meanwhile.
#pragma once

#include "lease.hpp"
#include "line.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace bench {

struct BystanderOptions {
        std::string socket;
        std::size_t echo_bytes = 0;  ///< of one answer of an echo server; 0: it is a governor
        std::uint32_t window_ms = 0;
};

/// Answer times from when a question was due, in nanoseconds.
struct Waited {
        std::vector<std::int64_t> answered_ns;
        std::vector<std::int64_t> open_ns;  ///< without an answer 0.1 s after the window's end
};

struct Sight {
        Waited asking;                             ///< over one connection
        Waited connecting;                         ///< each over a connection of its own
        std::optional<std::int64_t> heartbeat_ns;  ///< its oldest age
};

/// Not thread-safe. Functions throw std::exception where the server does not do its part before
/// the window begins; from then on everything that fails is a question without an answer.
class Bystander {
public:
        /// Has been answered, and of a governor has a lease, when this returns.
        explicit Bystander(BystanderOptions options);

        /// Asks by a fixed schedule, every 10 ms over the same connection and every 20 ms over a
        /// new one, and looks at the heartbeat every 2 ms.
        [[nodiscard]] Sight watch();

private:
        struct Visit {
                std::int64_t due_ns = 0;
                Line line;
        };

        void ask_what_is_due(std::int64_t now);
        void receive();
        void look_at_heartbeat(std::int64_t now);
        [[nodiscard]] bool open(Line& line, std::uint32_t number);
        [[nodiscard]] Sight what_was_seen(std::int64_t now) const;

        BystanderOptions options_;
        std::string question_;
        std::optional<Lease> lease_;
        std::unique_ptr<Pages> pages_;
        Watch watch_;
        Alarm alarm_;
        Line line_;
        Tally asked_;
        Tally connected_;
        std::vector<std::int64_t> dues_;
        std::deque<Visit> visits_;
        std::int64_t next_question_ns_ = 0;
        std::int64_t next_visit_ns_ = 0;
        std::uint64_t heartbeat_ = 0;
        std::int64_t changed_ns_ = 0;
        std::int64_t oldest_ns_ = 0;
};

}  // namespace bench
