// SPDX-License-Identifier: MIT
//
// Small files of proc and sys that are each read once.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace governor::probe {

/// One buffer for file after file. Not thread-safe.
class FileReader {
public:
        /// Reads a whole file: about 5 us on top of what the kernel takes to write it. Returns 0,
        /// or a negative errno: -ESRCH where a process went between open and read. `ret_text` is
        /// good until the next call.
        [[nodiscard]] int read(const std::string& path, std::string_view& ret_text);

        /// The same for a file that the kernel gives in one piece, without the system call that
        /// would find its end. Files about one process or one control group are such. Tables
        /// (mountinfo) and sysfs's lists of CPUs are not: these come in pieces of a page.
        [[nodiscard]] int read_short(const std::string& path, std::string_view& ret_text);

private:
        [[nodiscard]] int read(const std::string& path, bool is_one_piece,
                               std::string_view& ret_text);

        std::vector<char> buffer_;
};

}  // namespace governor::probe
