// SPDX-License-Identifier: MIT
//
// The keys of the sections: the one list that the parser, `governorctl config` and the
// documentation's test go by.
#pragma once

#include "config/settings.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace governor::config {

template <class Target>
struct KeyOf {
        std::string_view name;
        std::string_view accepted;  ///< the accepted range, for error messages
        std::string_view meaning;
        bool (*set)(Target& target, std::string_view value);  ///< false: not accepted, unchanged
        /// The value as it may be written in a file; empty: not set, and there is no default.
        std::string (*get)(const Target& target);
        /// The fault of a value that `set` does not accept, and what to write instead, where there
        /// is more to say than `accepted`. Otherwise empty, or no function.
        std::string (*explain)(std::string_view value) = nullptr;
};

using Key = KeyOf<Settings>;
using ProgramKey = KeyOf<policy::fair::Rule>;

/// Of [governor].
[[nodiscard]] std::span<const Key> keys();

/// The keys of [program NAME].
[[nodiscard]] std::span<const ProgramKey> program_keys();

/// nullptr if there is none of that name.
template <class Target>
[[nodiscard]] const KeyOf<Target>* find_key(std::span<const KeyOf<Target>> keys,
                                            std::string_view name) {
        const auto key = std::ranges::find(keys, name, &KeyOf<Target>::name);
        return key != keys.end() ? &*key : nullptr;
}

/// The part of "program NAME" that is NAME: 1..64 letters, digits, '-' and '_' (no '.', which
/// Settings::origins separates by). Empty: another section, or NAME is not of this form.
[[nodiscard]] std::string_view program_name(std::string_view section);

}  // namespace governor::config
