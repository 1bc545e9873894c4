// SPDX-License-Identifier: MIT
//
// Many connections to the governor and as many to the echo server; some of each ask every second.
#pragma once

#include "descriptors.hpp"
#include "line.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct CrowdOptions {
        std::string governor;           ///< socket
        std::string echo;               ///< socket
        std::size_t echo_bytes = 0;     ///< an answer of the echo server
        std::uint32_t connections = 0;  ///< to each server
        std::uint32_t askers = 0;       ///< of these, how many ask every second
        std::uint32_t seconds = 0;      ///< how long they ask
        std::uint32_t rate = 0;         ///< connections opened per second, both servers together
        std::uint32_t first = 0;        ///< this crowd's place among all crowds, from 0 ...
        std::uint32_t crowds = 1;       ///< ... of so many: their questions are interleaved
};

/// The figures of one server.
struct Side {
        Tally setup;             ///< each connection's first question
        Tally run;               ///< what the askers asked afterwards
        std::uint32_t held = 0;  ///< connections open at the end
};

/// Not thread-safe. Every function throws std::system_error when the machine refuses something.
class Crowd {
public:
        explicit Crowd(CrowdOptions options);

        /// Opens all connections; each asks once. Returns whether all were answered in time.
        bool gather();

        /// Each asker asks the governor and, half a second later, the echo server, for the given
        /// number of seconds. The schedule is fixed beforehand: a late answer delays no question.
        void ask();

        [[nodiscard]] Side governor() const { return side(0); }
        [[nodiscard]] Side echo() const { return side(1); }

private:
        struct Due {
                std::int64_t offset_ns;  // within each second
                std::uint32_t line;
        };

        [[nodiscard]] std::vector<Due> schedule() const;
        void open_until(std::uint32_t count);
        /// Takes answers until `until_ns`, or until none is missing any more if so wished.
        void listen_until(std::int64_t until_ns, bool only_while_waiting);
        [[nodiscard]] bool anything_waits() const;
        [[nodiscard]] Side side(std::uint32_t server) const;
        /// Even lines lead to the governor, odd ones to the echo server.
        [[nodiscard]] Tally& tally_of(std::uint32_t line) { return (*tallies_)[line % 2]; }

        CrowdOptions options_;
        std::string question_;
        std::vector<Line> lines_;
        std::uint32_t opened_ = 0;
        std::vector<Tally> setup_;
        std::vector<Tally> run_;
        std::vector<Tally>* tallies_ = &setup_;
        Watch watch_;
        Alarm alarm_;
};

}  // namespace bench
