// SPDX-License-Identifier: MIT
//
// Words of a process to the bench that started it.
#pragma once

#include <cstdio>
#include <string>

namespace bench {

/// Writes a line, which is read at once.
inline void say(const std::string& line) {
        std::printf("%s\n", line.c_str());
        std::fflush(stdout);
}

}  // namespace bench
