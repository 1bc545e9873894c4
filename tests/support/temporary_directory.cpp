// SPDX-License-Identifier: MIT
// mkdtemp and rename.
#include "support/temporary_directory.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>

namespace test_support {

namespace fs = std::filesystem;

TemporaryDirectory::TemporaryDirectory() {
        std::string name = fs::temp_directory_path() / "governor-test-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr)
                throw std::runtime_error("mkdtemp " + name);
        path_ = name;
        // Daemons of other users' tests must be able to pass.
        fs::permissions(path_, fs::perms{0755});
}

TemporaryDirectory::~TemporaryDirectory() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
}

std::string TemporaryDirectory::write(const std::string& name, std::string_view text) const {
        const auto path = path_ / name;
        fs::create_directories(path.parent_path());
        if (!(std::ofstream(path, std::ios::binary) << text).flush())
                throw std::runtime_error("cannot write " + path.string());
        return path;
}

std::string TemporaryDirectory::replace(const std::string& name, std::string_view text) const {
        const auto path = path_ / name;
        fs::rename(write(name + ".part", text), path);
        return path;
}

std::string read_file(const fs::path& path) {
        // A file of a process that ends meanwhile cannot be read: an iterator over it would throw.
        std::ostringstream text;
        text << std::ifstream(path, std::ios::binary).rdbuf();
        return text.str();
}

}  // namespace test_support
