// SPDX-License-Identifier: MIT
//
// A load as a program: options, calibration, loop and report in a row.
#pragma once

#include <omp.h>

#include <concepts>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <string>

#include "calibration.hpp"
#include "loop.hpp"
#include "options.hpp"
#include "report.hpp"

namespace examples {

/// What a load has to be.
template <typename T>
concept Load = std::default_initializable<T> && requires(T load, std::uint64_t work) {
        // Name, unit of work, limits.
        { T::kDescription } -> std::convertible_to<Description>;
        // Starts over with that much work in a region; nothing of earlier regions stays.
        load.prepare(work);
        // One parallel region; how many threads it had.
        { load.region() } -> std::same_as<int>;
        // The work of region() in the calling thread, without OpenMP.
        load.serial();
        // The same whatever the team sizes since prepare().
        { load.checksum() } -> std::same_as<std::uint64_t>;
        // What was computed since prepare(), in a line for people.
        { load.result() } -> std::same_as<std::string>;
};

namespace detail {

inline int print(const std::string& text) {
        const bool written = std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0;

        return written ? 0 : 1;
}

template <Load L>
int calibrate_and_print(const Options& options) {
        L load;
        const auto work = calibrate(load, options.region_us);

        return print(options.json ? calibration_json(L::kDescription.name, options.region_us, work)
                                  : calibration_text(work));
}

template <Load L>
int run_and_print(const Options& options) {
        L load;
        const auto work = options.work != 0 ? options.work : calibrate(load, options.region_us);

        load.prepare(work);
        if (options.threads != 0)
                omp_set_num_threads(static_cast<int>(options.threads));
        const auto measured = run_loop(load, options);
        const Report report{L::kDescription.name, openmp_runtime(), options, work, measured,
                            load.checksum(),      load.result()};
        return print(options.json ? report_json(report) : report_text(report));
}

}  // namespace detail

/// The whole of main(). Returns 0; 1 if it could not run or print; 2 for bad options.
template <Load L>
int run_program(int argc, char** argv) {
        const auto name = std::string{L::kDescription.name};
        const auto [options, error] =
                parse_options({argv + 1, static_cast<std::size_t>(argc - 1)}, L::kDescription);

        if (!error.empty()) {
                std::fprintf(stderr, "%s: %s\n", name.c_str(), error.c_str());
                return 2;
        }
        try {
                if (options.help)
                        return detail::print(help_text(L::kDescription));
                if (options.calibrate)
                        return detail::calibrate_and_print<L>(options);
                return detail::run_and_print<L>(options);
        } catch (const std::exception& failure) {
                std::fprintf(stderr, "%s: %s; a smaller --work or --region-us may help\n",
                             name.c_str(), failure.what());
                return 1;
        }
}

}  // namespace examples
