// SPDX-License-Identifier: MIT
// /proc/PID/comm and /proc/PID/exe.
#include "probe/program.hpp"

#include "probe/file_reader.hpp"

#include <array>
#include <cerrno>
#include <climits>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

namespace governor::probe {

namespace {

/// What the kernel appends where the file has been removed meanwhile.
constexpr std::string_view kDeleted = " (deleted)";

std::string executable_of(const std::string& folder) {
        std::array<char, PATH_MAX> path;
        const auto n = ::readlink((folder + "exe").c_str(), path.data(), path.size());
        std::string_view text(path.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
        if (text.ends_with(kDeleted))
                text.remove_suffix(kDeleted.size());
        return std::string(text.starts_with('/') ? text : std::string_view());
}

}  // namespace

Program read_program(const std::string& root, std::uint32_t pid) {
        const auto folder = root + "/proc/" + std::to_string(pid) + "/";
        FileReader files;
        Program program;
        if (std::string_view name; files.read(folder + "comm", name) == 0)
                program.name = name.substr(0, name.find('\n'));
        program.executable = executable_of(folder);
        return program;
}

int read_nice(std::uint32_t pid) {
        errno = 0;
        const int nice = ::getpriority(PRIO_PROCESS, pid);
        return errno == 0 ? nice : 0;
}

}  // namespace governor::probe
