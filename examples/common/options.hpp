// SPDX-License-Identifier: MIT
//
// The command line that all loads share.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace examples {

/// What a load says about itself.
struct Description {
        std::string_view name;
        std::string_view summary;
        std::string_view unit;        ///< what one unit of --work is
        std::uint64_t max_work;       ///< largest --work, >= 1
        std::uint32_t cost_exponent;  ///< a region costs work to the power of this
};

struct Options {
        std::uint64_t iterations = 100;
        std::uint64_t region_us = 0;  ///< 0 if work is given, else 1..10^7
        std::uint64_t work = 0;       ///< 0: calibrate for region_us
        std::uint64_t threads = 0;    ///< 0: as many as the OpenMP runtime chooses
        std::uint64_t serial_us = 0;  ///< CPU time of one thread after each region
        std::uint64_t sleep_us = 0;   ///< after that
        bool progress = false;        ///< tell the governor how far it is
        bool calibrate = false;
        bool json = false;
        bool help = false;
};

struct ParsedOptions {
        Options options;
        std::string error;  ///< one line without newline; empty if the options are good
};

/// `arguments` without the program's name.
[[nodiscard]] ParsedOptions parse_options(std::span<char* const> arguments,
                                          const Description& description);

[[nodiscard]] std::string help_text(const Description& description);

}  // namespace examples
