// SPDX-License-Identifier: MIT
//
// INI text as sections of assignments with their line numbers. Pure.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace governor::config {

struct Assignment {
        std::string key;
        std::string value;
        std::size_t line = 0;  ///< counted from 1
};

struct Section {
        std::string name;      ///< what stands between the brackets
        std::size_t line = 0;  ///< of its brackets
        std::vector<Assignment> assignments;
};

struct IniError {
        std::size_t line = 0;
        std::string message;
};

struct IniFile {
        /// In the order of the text. The first one has neither name nor line: what stands before
        /// any section.
        std::vector<Section> sections;
        std::vector<IniError> errors;  ///< lines that are no INI, in order; what stands below a
                                       ///< section line among them belongs nowhere and is left out
};

/// Comments start with '#' or ';' at the start of a line, or with " ;" behind a value. White
/// space around keys and values does not count; a value cannot go on in the next line.
[[nodiscard]] IniFile parse_ini(std::string_view text);

}  // namespace governor::config
