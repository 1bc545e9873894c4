// SPDX-License-Identifier: MIT
//
// The time of a hello, beside the time of a round trip of as many bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

struct GreetingOptions {
        std::string governor;  ///< socket
        std::string echo;      ///< socket; it answers `request` bytes with `reply` bytes
        std::size_t request_bytes = 0;
        std::size_t reply_bytes = 0;
        std::uint32_t count = 0;
        std::uint32_t pause_us = 0;  ///< in front of each, so that the machine is idle
};

/// In nanoseconds, one of each per turn.
struct Greetings {
        std::vector<std::int64_t> echo_ns;     ///< sent -> answered
        std::vector<std::int64_t> welcome_ns;  ///< hello sent -> welcome and descriptors are there
        std::vector<std::int64_t> mapped_ns;   ///< hello sent -> a grant is read from the page
};

/// The bytes of a hello and of its welcome.
struct GreetingSizes {
        std::size_t request_bytes;
        std::size_t reply_bytes;
};
[[nodiscard]] GreetingSizes greeting_sizes(const std::string& governor);

/// One round trip with the echo server, one hello, and so on; each lease has ended before the
/// next one begins. Throws std::runtime_error.
[[nodiscard]] Greetings greet(const GreetingOptions& options);

}  // namespace bench
