// SPDX-License-Identifier: MIT
// Names of libraries in /proc/PID/maps, and the note that Go leaves in its programs.
#include "run/runtimes.hpp"

#include "outside/one_cpu.hpp"
#include "run/doors.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace ctl::run {

namespace {

/// A process that maps more is not looked at to the end.
constexpr std::size_t kMostMaps = std::size_t{4} << 20;

std::string read_start(const std::string& path, std::size_t most) {
        std::string text;
        const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return text;
        std::array<char, 4096> chunk;
        while (text.size() < most) {
                const auto n = ::read(fd, chunk.data(), std::min(chunk.size(), most - text.size()));
                if (n <= 0)
                        break;
                text.append(chunk.data(), static_cast<std::size_t>(n));
        }
        ::close(fd);
        return text;
}

/// Of the object that is preloaded; also of one that was replaced meanwhile.
bool has_object(std::string_view maps) {
        constexpr std::string_view kDoors = "/threadcount/doors/";
        const auto folder = maps.find(kDoors);
        if (folder == maps.npos)
                return false;
        const auto path = maps.substr(folder, maps.find('\n', folder) - folder);
        return path.find("/keep.so") != path.npos;
}

/// nullptr: it is not set. The strings end in a zero byte each.
const char* value_in(std::string_view environment, std::string_view name) {
        while (!environment.empty()) {
                const auto end = environment.find('\0');
                if (end == environment.npos)
                        return nullptr;
                if (environment.starts_with(name) && environment[name.size()] == '=')
                        return environment.data() + name.size() + 1;
                environment.remove_prefix(end + 1);
        }
        return nullptr;
}

template <class T>
bool copy_at(std::string_view bytes, std::uint64_t offset, T& to) {
        if (offset > bytes.size() || sizeof(T) > bytes.size() - offset)
                return false;
        std::memcpy(&to, bytes.data() + offset, sizeof(T));
        return true;
}

}  // namespace

Runtime runtime_in(std::string_view maps) {
        if (maps.find("/libthreadcount.so") != maps.npos)
                return Runtime::Follows;
        if (!outside::spinning_runtime(maps).empty())
                return Runtime::Spins;
        return maps.find(".so") != maps.npos ? Runtime::Blocks : Runtime::Unknown;
}

Runtime runtime_in_fence(std::string_view maps, std::string_view environment) {
        const auto variables = [&](const char* name) { return value_in(environment, name); };
        if (!has_object(maps) || !outside::spinning_runtime(maps, "libgomp").empty() ||
            text_of(variables, "THREADCOUNT_ADOPT") != kFenced || !may_sleep(variables))
                return Runtime::Spins;
        return maps.find("/memfd:threadcount-fenced") != maps.npos ? Runtime::Sleeps
                                                                   : Runtime::MaySleep;
}

bool is_go(std::string_view executable) {
        Elf64_Ehdr header;
        if (!copy_at(executable, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
            header.e_ident[EI_CLASS] != ELFCLASS64)
                return false;
        for (std::uint64_t i = 0; i < header.e_phnum; i++) {
                Elf64_Phdr part;
                Elf64_Nhdr note;
                std::array<char, 4> name;
                if (!copy_at(executable, header.e_phoff + i * sizeof(part), part))
                        return false;
                if (part.p_type == PT_NOTE && copy_at(executable, part.p_offset, note) &&
                    copy_at(executable, part.p_offset + sizeof(note), name) &&
                    note.n_namesz == name.size() && std::memcmp(name.data(), "Go\0", 4) == 0)
                        return true;
        }
        return false;
}

Runtime runtime_of(pid_t pid) {
        const auto process = "/proc/" + std::to_string(pid);
        const auto maps = read_start(process + "/maps", kMostMaps);
        const auto found = runtime_in(maps);
        if (found == Runtime::Spins)
                return runtime_in_fence(maps, read_start(process + "/environ", kMostMaps));
        if (found == Runtime::Unknown && is_go(read_start(process + "/exe", 4096)))
                return Runtime::Blocks;
        return found;
}

}  // namespace ctl::run
