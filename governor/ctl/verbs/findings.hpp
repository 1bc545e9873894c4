// SPDX-License-Identifier: MIT
//
// The findings of `governorctl doctor`, from what is known of the governor and of this shell. Pure.
#pragma once

#include "run/doors.hpp"
#include "run/executable.hpp"
#include "run/variables.hpp"

#include <cstdint>
#include <governor/v1/governor.pb.h>
#include <string>
#include <vector>

namespace ctl::verbs {

struct Finding {
        enum class Kind : std::uint8_t {
                Good,
                Note,    ///< as somebody wants it, and worth to know
                Problem  ///< programs are not governed as they could be
        };
        Kind kind = Kind::Good;
        std::string subject;
        std::string text;  ///< for a problem also what to do
};

/// "ok", "note" or "problem".
[[nodiscard]] const char* name_of(Finding::Kind kind);

/// What the governor says of itself. `over_tcp`: it was asked that way.
[[nodiscard]] std::vector<Finding> of_governor(const governor::v1::Status& status, bool over_tcp);

/// Limits of what is started from here: `own` CPUs of the `all` that the governor gives out.
[[nodiscard]] std::vector<Finding> of_limit(std::uint32_t own, std::uint32_t all);

/// Variables that change what programs do that are started from here.
[[nodiscard]] std::vector<Finding> of_environment(const run::Lookup& lookup);

/// What `run` can do to a program of this image, with these doors of --keep.
[[nodiscard]] std::vector<Finding> of_program(const std::string& name, const run::Image& image,
                                              const run::Doors& doors);

}  // namespace ctl::verbs
