// SPDX-License-Identifier: MIT
//
// Turns /proc/stat into samples, one per period.
#pragma once

#include "policy/sample.hpp"
#include "probe/idle_history.hpp"
#include "probe/kept_file.hpp"

#include <chrono>
#include <cstdint>
#include <string>

namespace governor::probe {

/// Not thread-safe.
class Sampler {
public:
        /// `root` is empty for this machine. Below any other root (a recorded or made-up machine)
        /// time is counted in ticks, and the file is opened anew at every reading so that a test
        /// may replace it.
        explicit Sampler(const std::string& root);

        enum class Outcome : std::uint8_t {
                Accepted,
                Unreadable,  ///< the file could not be read; error() says why
                Discarded,   ///< what was read is short or no /proc/stat
        };

        /// Reads once. One pread; about 7 us for 2 CPUs. After anything but Accepted the last
        /// sample stays for three windows; then nothing is known.
        Outcome take(TimePoint now, std::chrono::milliseconds period);

        [[nodiscard]] const policy::Sample& sample() const { return history_.sample(); }

        /// Reads once for a sample over the time since the last calls, 200 ms at least where these
        /// were closer together. sample() is not touched. nullptr: the text is not usable.
        [[nodiscard]] const policy::Sample* tick(TimePoint now);
        [[nodiscard]] std::chrono::milliseconds warm_in(TimePoint now,
                                                        std::chrono::milliseconds period) const {
                return history_.warm_in(now, period);
        }
        [[nodiscard]] const std::string& path() const { return file_.path(); }
        [[nodiscard]] int error() const { return error_; }  ///< positive errno of the last take

        [[nodiscard]] std::uint64_t accepted() const { return accepted_; }
        [[nodiscard]] std::uint64_t discarded() const { return discarded_; }

private:
        Outcome read(IdleHistory& history, TimePoint now, std::chrono::milliseconds period);

        TimeBase base_;
        KeptFile file_;
        IdleHistory history_;
        IdleHistory ticks_;
        TimePoint accepted_at_;
        int error_ = 0;
        std::uint64_t accepted_ = 0;
        std::uint64_t discarded_ = 0;  // unreadable ones included
};

}  // namespace governor::probe
