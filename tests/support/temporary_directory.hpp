// SPDX-License-Identifier: MIT
//
// A directory that goes with its owner, and files in it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace test_support {

class TemporaryDirectory {
public:
        TemporaryDirectory();
        ~TemporaryDirectory();
        TemporaryDirectory(const TemporaryDirectory&) = delete;
        TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

        [[nodiscard]] const std::filesystem::path& path() const { return path_; }
        [[nodiscard]] std::string path(const std::string& name) const { return path_ / name; }

        /// Writes PATH/`name`, making the directories above it. Returns its path.
        std::string write(const std::string& name, std::string_view text) const;

        /// The same in one step, by rename: readers see the old or the new file, never a part.
        std::string replace(const std::string& name, std::string_view text) const;

private:
        std::filesystem::path path_;
};

[[nodiscard]] std::string read_file(const std::filesystem::path& path);

}  // namespace test_support
