// SPDX-License-Identifier: MIT
//
// The keys of section [governor]: the one list that the parser, `governorctl config` and the
// documentation's test go by.
#pragma once

#include "config/settings.hpp"

#include <span>
#include <string>
#include <string_view>

namespace governor::config {

struct Key {
        std::string_view name;
        std::string_view accepted;  ///< the accepted range, for error messages
        std::string_view meaning;
        bool (*set)(Settings& settings,
                    std::string_view value);           ///< false: not accepted, unchanged
        std::string (*get)(const Settings& settings);  ///< as it may be written in a file
};

[[nodiscard]] std::span<const Key> keys();

/// nullptr if there is none of that name.
[[nodiscard]] const Key* find_key(std::string_view name);

}  // namespace governor::config
