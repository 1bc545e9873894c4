// SPDX-License-Identifier: MIT
//
// The article's thread count: it starts with the first answer and only grows. Pure: time is an
// argument, in milliseconds that do not go backwards.
#pragma once

#include <cstdint>

namespace threadcount {

class GrownCount {
public:
        /// How long a program stays at one thread for a governor that has accepted its
        /// connection but has not answered its first question.
        static constexpr std::uint64_t kFirstAnswer_ms = 250;

        /// How long the count stays when the governor is gone; then it doubles at this pace, so
        /// that many programs do not jump to full width together.
        static constexpr std::uint64_t kTimeToLive_ms = 60'000;

        /// `max`: what the program would use ungoverned, >= 1.
        explicit GrownCount(std::uint32_t max) : max_(max) {}

        /// What to tell the governor: threads in use, 0 if there was no number yet.
        [[nodiscard]] std::uint32_t current() const { return count_; }

        /// What the program should use now: 1 .. max.
        [[nodiscard]] std::uint32_t threads() const;

        /// The first question is on its way: one thread until kFirstAnswer_ms are over.
        void asked(std::uint64_t now_ms);

        /// The governor advises `threads`; less than now changes nothing.
        void answered(std::uint32_t threads, std::uint64_t now_ms);

        /// There is no answer (yet).
        void unanswered(std::uint64_t now_ms);

        /// There will be no answer to what was asked.
        void failed(std::uint64_t now_ms);

private:
        std::uint32_t max_;
        std::uint32_t count_ = 0;     // 0: no number yet
        bool waiting_ = false;        // for the first answer
        std::uint64_t since_ms_ = 0;  // last answer or doubling; while waiting: the question
};

}  // namespace threadcount
