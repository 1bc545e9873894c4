// SPDX-License-Identifier: MIT
//
// The notes of a program about its steps, and its report: one line of JSON, with the keys that the
// loads of examples/ use for the same things.
#pragma once

#include <algorithm>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <unistd.h>

#include "common/clock.hpp"

namespace turns {

/// Times in ms.
class StepRecord {
public:
        /// A step is over: a region and the exchange that belongs to it, with all waiting.
        void note(int threads) {
                const double now = examples::monotonic_ms();

                longest_ms_ = std::max(longest_ms_, now - last_);
                last_ = now;
                steps_++;
                threads_ += static_cast<std::uint64_t>(threads);
        }

        /// The first one counts from the start of the program.
        [[nodiscard]] double longest_ms() const { return longest_ms_; }
        [[nodiscard]] double elapsed_ms() const { return last_ - began_; }
        [[nodiscard]] std::uint64_t steps() const { return steps_; }
        [[nodiscard]] double mean_threads() const {
                return steps_ == 0 ? 0
                                   : static_cast<double>(threads_) / static_cast<double>(steps_);
        }

private:
        double began_ = examples::monotonic_ms();
        double last_ = began_;
        double longest_ms_ = 0;
        std::uint64_t steps_ = 0;
        std::uint64_t threads_ = 0;
};

/// Writes the line. `longest_ms`: of all that belong to it. False: it could not be written.
inline bool print_report(const char* load, std::uint64_t work, const StepRecord& record,
                         double longest_ms, std::uint64_t checksum) {
        return std::printf("{\"load\":\"%s\",\"pid\":%d,\"iterations\":%" PRIu64
                           ",\"work\":%" PRIu64 ",\"elapsed_ms\":%.3f,\"longest_step_ms\":%.3f"
                           ",\"mean_threads\":%.3f,\"checksum\":\"%016" PRIx64
                           "\",\"tolerance\":0}\n",
                           load, static_cast<int>(getpid()), record.steps(), work,
                           record.elapsed_ms(), longest_ms, record.mean_threads(), checksum) > 0 &&
               std::fflush(stdout) == 0;
}

}  // namespace turns
