// SPDX-License-Identifier: MIT
//
// Many bad clients in one process, at a rate that bounds what they cost themselves.
#pragma once

#include "descriptors.hpp"
#include "kinds.hpp"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace bench {

struct HostileOptions {
        std::string socket;
        std::uint32_t connections = 0;
        std::uint32_t rate = 0;  ///< turns per second of all connections together
        std::vector<Manner> manners;
};

/// The deeds of all connections of one kind, and the answers that they met.
struct Deeds {
        std::uint64_t turns = 0;      ///< turns at which something was to be said
        std::uint64_t connected = 0;  ///< connections opened
        std::uint64_t refused = 0;    ///< turns at which none could be opened
        std::uint64_t ended = 0;      ///< connections that the server ended
        std::uint64_t blocked = 0;    ///< turns at which the server's buffers were full
        std::uint64_t sent_bytes = 0;
        std::uint64_t received_bytes = 0;
};

/// Connections are dealt to the kinds in turn. Each has its turn in a fixed order; one that the
/// server has ended is opened again at its next turn. Not thread-safe.
class Hostile {
public:
        explicit Hostile(HostileOptions options);

        /// Takes all turns that are due and what has arrived, for about 5 ms. Throws
        /// std::system_error when the machine refuses something.
        void step();

        /// True if each connection has had its first turn.
        [[nodiscard]] bool in_full_swing() const { return turns_ >= visitors_.size(); }
        /// Turns that were left out, since this process came too late to take them.
        [[nodiscard]] std::uint64_t left_out() const { return left_out_; }
        /// In the order of HostileOptions::manners.
        [[nodiscard]] const std::vector<Deeds>& deeds() const { return deeds_; }

private:
        struct Visitor {
                std::size_t manner = 0;
                UniqueFd fd;
                std::uint64_t turn = 0;
                std::string unsent;
        };

        void take_turn(std::uint32_t number);
        bool open(std::uint32_t number);
        void speak(std::uint32_t number);
        void listen(std::uint32_t number, std::uint32_t events);
        void hang_up(Visitor& visitor);

        HostileOptions options_;
        std::vector<Visitor> visitors_;
        std::vector<Deeds> deeds_;
        std::minstd_rand random_;
        Watch watch_;
        Alarm alarm_;
        std::int64_t start_ns_;
        std::uint64_t turns_ = 0;
        std::uint64_t left_out_ = 0;
};

}  // namespace bench
