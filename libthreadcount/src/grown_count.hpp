// SPDX-License-Identifier: MIT
//
// The article's thread count: it starts with the first answer and only grows. Pure: time is an
// argument, in milliseconds that do not go backwards.
#pragma once

#include <cstdint>

namespace threadcount {

class GrownCount {
public:
        /// The time that a program stays at one thread for a governor that has accepted its
        /// connection but has not answered its first question.
        static constexpr std::uint64_t kFirstAnswer_ms = 250;

        /// The time that the count stays when the governor is gone. Then it grows at this pace into
        /// CPUs that are idle, and at most doubles. Many programs must not jump to full width
        /// together.
        static constexpr std::uint64_t kTimeToLive_ms = 60'000;

        /// A program that has found no idle CPU for so long doubles all the same: others may never
        /// make room.
        static constexpr std::uint64_t kPatience_ms = 600'000;

        /// Sum over all CPUs of this machine, milliseconds; 0: not known.
        using IdleTime = std::uint64_t (*)();

        /// `max`: what the program would use ungoverned, >= 1. Without `idle_time`, or while that
        /// is not known, there is always room to double.
        explicit GrownCount(std::uint32_t max, IdleTime idle_time = nullptr)
                : max_(max), idle_time_(idle_time) {}

        /// The number to tell the governor: threads in use, 0 if there was no number yet.
        [[nodiscard]] std::uint32_t current() const { return count_; }

        /// The threads that the program should use now: 1 .. max.
        [[nodiscard]] std::uint32_t threads() const;

        /// The first question is on its way: one thread until kFirstAnswer_ms are over.
        void asked(std::uint64_t now_ms);

        /// The governor advises `threads`; less than now changes nothing.
        void answered(std::uint32_t threads, std::uint64_t now_ms);

        /// It had a grant of `threads` until now, which may be less than what it had before.
        void granted(std::uint32_t threads, std::uint64_t now_ms);

        /// There is no answer (yet).
        void unanswered(std::uint64_t now_ms);

        /// There will be no answer to what was asked.
        void failed(std::uint64_t now_ms);

private:
        struct Look {
                std::uint64_t at_ms = 0;
                std::uint64_t idle_ms = 0;
        };

        [[nodiscard]] Look look(std::uint64_t now_ms) const;
        [[nodiscard]] std::uint32_t room(const Look& from, const Look& to) const;
        void grow(std::uint64_t now_ms);

        std::uint32_t max_;
        IdleTime idle_time_;
        std::uint32_t count_ = 0;           // 0: no number yet
        bool waiting_ = false;              // for the first answer
        std::uint64_t since_ms_ = 0;        // last answer or look; while waiting: the question
        bool missed_ = false;               // the governor is gone
        Look last_look_;                    // from then on
        std::uint64_t stood_since_ms_ = 0;  // when it was gone, or the count grew last
};

}  // namespace threadcount
