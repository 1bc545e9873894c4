// SPDX-License-Identifier: MIT
//
// One connection of an attacker to the governor, or to the echo server in its place.
#pragma once

#include "descriptors.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace bench {

/// The server under attack.
struct Target {
        std::string socket;
        std::size_t request_bytes = 0;  ///< of an echo server; 0: it is a governor
        std::size_t reply_bytes = 0;    ///< likewise
};

/// Takes note of SIGTERM from now on. For the main thread of a process, once.
void heed_sigterm();
/// After SIGTERM nothing here waits any longer.
[[nodiscard]] bool was_told_to_end();

/// Waits, but not beyond SIGTERM.
void rest_ms(int milliseconds);

/// Counts answers, and takes descriptors and contents of answers for nothing. It waits for as long
/// as the server makes it wait, but not beyond SIGTERM. Not thread-safe.
class Talk {
public:
        explicit Talk(const Target& target);

        /// Sends all of it. False: the server has ended the connection, or it is SIGTERM.
        [[nodiscard]] bool say(std::string_view bytes, std::size_t messages);
        /// Waits until everything that was said is answered. False as above.
        [[nodiscard]] bool hear_all();
        /// The governor's first answer since hear_all() was a welcome; of an echo server any
        /// answer.
        [[nodiscard]] bool is_welcome() const { return is_welcome_; }

        [[nodiscard]] bool is_open() const { return static_cast<bool>(fd_); }
        [[nodiscard]] int fd() const { return fd_.get(); }

private:
        [[nodiscard]] bool receive();
        void count_answers();

        const Target& target_;
        UniqueFd fd_;
        std::string received_;
        std::size_t said_bytes_ = 0;
        std::size_t heard_bytes_ = 0;
        std::size_t open_messages_ = 0;
        bool is_first_ = true;
        bool is_welcome_ = false;
};

}  // namespace bench
