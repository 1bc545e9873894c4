// SPDX-License-Identifier: MIT
//
// The article's loop: what a program adds to its own so that the governor can set the
// size of its teams.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include <omp.h>
#include <threadcount/article.h>
#include <threadcount/timing.h>

#include "clock.hpp"
#include "options.hpp"
#include "team_record.hpp"

namespace examples {

struct Measurement {
        double started_at_ms = 0;  ///< CLOCK_MONOTONIC
        double finished_at_ms = 0;
        double regions_ms = 0;  ///< time in regions
        std::uint32_t max_threads = 1;
        std::string reason;  ///< why the last team size was what it was
        TeamRecord record;
};

/// The OpenMP runtime that this file is compiled for.
[[nodiscard]] inline const char* openmp_runtime() {
#ifdef KMP_VERSION_MAJOR
        return "libomp";
#else
        return "libgomp";
#endif
}

[[nodiscard]] inline std::string threadcount_reason_text() {
        std::array<char, 512> text{};

        threadcount_reason(threadcount_default(), text.data(), text.size());
        return text.data();
}

/// What a program does that has other things to do than parallel regions.
inline void rest_between_regions(const Options& options) {
        if (options.serial_us != 0) {
                const double end_ns =
                        thread_cpu_ns() + static_cast<double>(options.serial_us) * 1e3;
                while (thread_cpu_ns() < end_ns) {
                }
        }
        if (options.sleep_us != 0)
                std::this_thread::sleep_for(std::chrono::microseconds(options.sleep_us));
}

/// A template, so that omp_set_num_threads() inside set_thread_count() is compiled into the
/// load's own file: it has to reach the OpenMP runtime of the region that follows.
template <typename Load>
Measurement run_loop(Load& load, const Options& options) {
        Measurement measured;

        measured.started_at_ms = monotonic_ms();
        init_thread_count();
        for (std::uint64_t i = 0; i < options.iterations; ++i) {
                if (options.progress)
                        threadcount_progress(threadcount_default(), i, options.iterations);
                set_thread_count();
                start_timer();
                const int threads = load.region();
                const double seconds = stop_timer();
                measured.record.note(threads, seconds);
                rest_between_regions(options);
        }
        measured.finished_at_ms = monotonic_ms();
        measured.regions_ms = total_timer() * 1e3;
        measured.max_threads = threadcount_max(threadcount_default());
        measured.reason = threadcount_reason_text();
        return measured;
}

}  // namespace examples
