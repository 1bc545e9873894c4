// SPDX-License-Identifier: MIT
//
// A directory of a test's own, gone when the test is.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace testing_support {

class TemporaryDirectory {
public:
        TemporaryDirectory() {
                std::string pattern =
                        std::filesystem::temp_directory_path() / "governor-unit-XXXXXX";
                if (mkdtemp(pattern.data()) == nullptr)
                        std::abort();
                path_ = pattern;
        }
        ~TemporaryDirectory() {
                std::error_code ignored;
                std::filesystem::remove_all(path_, ignored);
        }
        TemporaryDirectory(const TemporaryDirectory&) = delete;
        TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;

        [[nodiscard]] const std::string& path() const { return path_; }
        [[nodiscard]] std::string path(std::string_view name) const {
                return path_ + "/" + std::string(name);
        }

        /// Writes PATH/name, making the directories above it. Returns its path.
        std::string write(std::string_view name, std::string_view text) const {
                const std::filesystem::path file = path(name);
                std::filesystem::create_directories(file.parent_path());
                std::ofstream(file, std::ios::binary) << text;
                return file;
        }

private:
        std::string path_;
};

}  // namespace testing_support
