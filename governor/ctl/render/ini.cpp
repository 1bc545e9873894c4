// SPDX-License-Identifier: MIT
// What a file said without white space must fit into a line when it is printed.
#include "render/ini.hpp"

namespace ctl::render {

std::string assignment(const std::string& key, const std::string& value) {
        constexpr std::size_t kLongestLine = 198;
        const auto line = key + " = " + value;
        return (line.size() <= kLongestLine ? line : key + "=" + value) + "\n";
}

}  // namespace ctl::render
