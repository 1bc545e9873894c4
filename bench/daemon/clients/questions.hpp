// SPDX-License-Identifier: MIT
//
// The messages of clients, as bytes with their length in front.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bench {

/// Puts the length in front; `message` has at most GOVERNOR_REPLY_MAX bytes.
[[nodiscard]] std::string framed(const std::string& message);

/// Asks how many threads to use, as a program that uses two.
[[nodiscard]] std::string question(std::uint32_t protocol = 1);

/// The three questions with the longest answers, one after the other.
[[nodiscard]] std::string costly_questions();

/// The start of a stream of replies.
struct Answer {
        std::size_t size = 0;    ///< with its length, bytes
        bool is_advice = false;  ///< false for an Error and for what is no Reply
};

/// The first answer, or nothing while it is not complete. A stream that can never become one counts
/// as an answer of all bytes that is no advice.
[[nodiscard]] std::optional<Answer> first_answer(std::string_view received);

}  // namespace bench
