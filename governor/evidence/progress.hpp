// SPDX-License-Identifier: MIT
//
// Keeps what a program says of its progress, and whether that is believed. Pure.
#pragma once

#include "evidence/served.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace governor::evidence {

/// The remaining work is taken to go as fast as the work done in the gang's turns. A program that
/// needs more than twice what it said at best, in time and in CPU time, is not believed any more.
/// Its progress is then no reason to let it go before others. (Fewer CPUs than before cost time,
/// more cost CPU time; an honest program never needs more of both.) A program that goes back is not
/// believed either: it told only of a part.
class Progress {
public:
        /// `done` <= `total`; 0: it does not say. `served`: until now.
        void report(std::uint64_t done, std::uint64_t total, const Served& served);

        /// Time served until it is ready. Empty: not known, or not believed.
        [[nodiscard]] std::optional<std::chrono::nanoseconds>
        remaining(std::chrono::nanoseconds served) const;
        /// The program's last word, and whether it is believed. `total` 0: it said nothing.
        struct Said {
                std::uint64_t done = 0;
                std::uint64_t total = 0;
                bool is_believed = true;
        };
        [[nodiscard]] Said said() const { return {told_.done, total_, is_believed_}; }
        /// It will be known before long.
        [[nodiscard]] bool is_on_trial(std::chrono::nanoseconds served) const;

private:
        struct Told {
                std::uint64_t done = 0;
                Served served;
        };

        void note_work(std::uint64_t done, const Served& served, bool was_served);
        void promise();
        [[nodiscard]] bool is_pace_known() const;
        /// At that pace: how often what was done since the first report is still to be done.
        [[nodiscard]] double left() const;
        [[nodiscard]] bool is_overdue(const Served& served) const;

        std::optional<Served> began_;  // when it first said something
        std::optional<Told> first_;    // of work that was done
        Told told_;                    // its last change
        Served asked_;                 // at the last report
        std::uint64_t total_ = 0;
        std::optional<Served> promised_;  // its earliest end, as it said
        bool is_believed_ = true;
};

}  // namespace governor::evidence
