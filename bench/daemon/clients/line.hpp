// SPDX-License-Identifier: MIT
//
// One connection of a crowd: what was asked on it and is not answered yet.
#pragma once

#include "descriptors.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace bench {

/// The counts of one crowd for one server. Times in nanoseconds, one per answer.
struct Tally {
        std::uint64_t asked = 0;                 ///< questions sent
        std::uint64_t unsent = 0;                ///< questions that were due and could not be sent
        std::uint64_t answered = 0;              ///< right answers
        std::uint64_t wrong = 0;                 ///< answers that were no advice
        std::uint64_t ended = 0;                 ///< connections that the server ended
        std::vector<std::int64_t> from_due_ns;   ///< from when the question was due
        std::vector<std::int64_t> from_sent_ns;  ///< from when it was really sent
};

/// Not thread-safe. Answers come in the order of the questions.
class Line {
public:
        /// For the governor the answers are parsed; with `echo_bytes` > 0 so many bytes are one.
        explicit Line(std::size_t echo_bytes) : echo_bytes_(echo_bytes) {}

        void open(UniqueFd fd) { fd_ = std::move(fd); }
        [[nodiscard]] bool is_open() const { return static_cast<bool>(fd_); }
        [[nodiscard]] int fd() const { return fd_.get(); }
        /// Questions that wait for their answer.
        [[nodiscard]] std::size_t waiting() const { return asked_.size(); }

        /// Sends `question`, which was due at `due_ns`.
        void ask(const std::string& question, std::int64_t due_ns, Tally& tally);

        /// Takes what has arrived, and closes the line when the server has ended it. Returns the
        /// bytes taken.
        std::size_t receive(Tally& tally);

private:
        struct Asked {
                std::int64_t due_ns;
                std::int64_t sent_ns;
        };

        void take_answers(std::int64_t arrived_ns, Tally& tally);

        std::size_t echo_bytes_;
        UniqueFd fd_;
        std::deque<Asked> asked_;
        std::string received_;
};

}  // namespace bench
