// SPDX-License-Identifier: MIT
//
// What the demonstration says of its measurements. Pure.
#pragma once

#include <string>
#include <vector>

namespace ctl::demo {

struct Program {
        std::string name;
        double seconds = 0;       ///< from the start of all to its end
        bool is_stopped = false;  ///< it was not ready by then
};

/// Programs that ran at the same time; at least one.
using Act = std::vector<Program>;

struct Acts {
        Act without;                    ///< a governor
        Act with;                       ///< one, and each has its share
        Act in_turn;                    ///< with one, as batch programs
        bool were_interrupted = false;  ///< stopped for a while, which counts in the times
};

/// The times side by side.
[[nodiscard]] std::string times_table(const Acts& acts);

/// One sentence on two lines: what the governor has gained here, or that it has not.
[[nodiscard]] std::string verdict(const Acts& acts);

/// What is there for the user's own programs.
struct Place {
        bool is_served = false;      ///< a governor answers where programs look for one
        bool is_left_alone = false;  ///< that one governs nobody
        bool has_units = false;      ///< systemd can start one
        bool is_root = false;
        bool has_runtime_folder = false;  ///< $XDG_RUNTIME_DIR
        std::string governord;            ///< as it is called
        std::string fairly;               ///< likewise
        std::string governorctl;          ///< likewise
};

/// What to type to have one's own program governed.
[[nodiscard]] std::string next_commands(const Place& place);

}  // namespace ctl::demo
