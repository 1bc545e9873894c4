// SPDX-License-Identifier: MIT
// The program headers and DT_NEEDED of an ELF file, and its mode.
#include "run/executable.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ctl::run {

namespace {

/// A file is not believed beyond this.
constexpr std::uint64_t kMostParts = 64;
constexpr std::uint64_t kMostEntries = 1024;
constexpr std::uint64_t kMostStrings = std::uint64_t{16} << 20;
constexpr std::uint64_t kLongestPath = 4096;
constexpr std::size_t kLongestName = 255;

class File {
public:
        /// Only a regular one: to open another may act, or wait for somebody.
        explicit File(const std::string& path) {
                if (struct stat status{}; ::stat(path.c_str(), &status) < 0 || !is_regular(status))
                        return;
                fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
                // It may be another one by now.
                if (struct stat status{};
                    fd_ >= 0 && (::fstat(fd_, &status) < 0 || !is_regular(status)))
                        ::close(std::exchange(fd_, -1));
        }
        ~File() {
                if (fd_ >= 0)
                        ::close(fd_);
        }
        File(const File&) = delete;
        File& operator=(const File&) = delete;

        /// `count` of them, fewer where the file ends.
        template <class T>
        [[nodiscard]] std::vector<T> read(std::uint64_t offset, std::uint64_t count) const {
                std::vector<T> items(count);
                const auto n =
                        ::pread(fd_, items.data(), count * sizeof(T), static_cast<off_t>(offset));
                items.resize(n > 0 ? static_cast<std::size_t>(n) / sizeof(T) : 0);
                return items;
        }

private:
        static bool is_regular(const struct stat& status) { return S_ISREG(status.st_mode); }

        int fd_ = -1;
};

Image::Kind kind_of(const std::vector<Elf64_Ehdr>& header) {
        if (header.empty() || std::memcmp(header[0].e_ident, ELFMAG, SELFMAG) != 0)
                return Image::Kind::Other;
        return header[0].e_ident[EI_CLASS] == ELFCLASS64 ? Image::Kind::Static
                                                         : Image::Kind::Foreign;
}

/// The place in the file that an address of the running program comes from.
std::optional<std::uint64_t> offset_of(std::uint64_t address,
                                       const std::vector<Elf64_Phdr>& parts) {
        for (const auto& part : parts)
                if (part.p_type == PT_LOAD && address >= part.p_vaddr &&
                    address - part.p_vaddr < part.p_filesz)
                        return part.p_offset + (address - part.p_vaddr);
        return std::nullopt;
}

std::vector<Elf64_Dyn> entries_of(const File& file, const std::vector<Elf64_Phdr>& parts) {
        std::vector<Elf64_Dyn> entries;
        for (const auto& part : parts)
                if (part.p_type == PT_DYNAMIC && part.p_filesz / sizeof(Elf64_Dyn) <= kMostEntries)
                        entries = file.read<Elf64_Dyn>(part.p_offset,
                                                       part.p_filesz / sizeof(Elf64_Dyn));
        return entries;
}

std::vector<std::string> needed_by(const File& file, const std::vector<Elf64_Phdr>& parts) {
        const auto entries = entries_of(file, parts);
        std::uint64_t strings_at = 0;
        std::uint64_t size = 0;
        for (const auto& entry : entries) {
                if (entry.d_tag == DT_STRTAB)
                        strings_at = entry.d_un.d_ptr;
                else if (entry.d_tag == DT_STRSZ)
                        size = entry.d_un.d_val;
        }
        const auto offset = offset_of(strings_at, parts);
        if (!offset || size > kMostStrings)
                return {};
        const auto bytes = file.read<char>(*offset, size);
        const std::string_view strings(bytes.data(), bytes.size());
        std::vector<std::string> needed;
        for (const auto& entry : entries)
                if (entry.d_tag == DT_NEEDED && entry.d_un.d_val < strings.size()) {
                        const auto name = strings.substr(entry.d_un.d_val, kLongestName);
                        needed.emplace_back(name.substr(0, name.find('\0')));
                }
        return needed;
}

/// Empty: it needs none.
std::string linker_of(const File& file, const std::vector<Elf64_Phdr>& parts) {
        for (const auto& part : parts)
                if (part.p_type == PT_INTERP) {
                        const auto bytes = file.read<char>(part.p_offset,
                                                           std::min(part.p_filesz, kLongestPath));
                        const std::string_view path(bytes.data(), bytes.size());
                        return std::string(path.substr(0, path.find('\0')));
                }
        return {};
}

bool is_executable(const std::string& file) {
        struct stat status {};
        return ::access(file.c_str(), X_OK) == 0 && ::stat(file.c_str(), &status) == 0 &&
               S_ISREG(status.st_mode);
}

/// As execvp(): a file that may not be executed counts only if no other one is found. A folder is
/// such a file.
std::string find(const std::string& command) {
        if (command.empty() || command.find('/') != command.npos)
                return command;
        std::string refused;
        const char* path = std::getenv("PATH");
        std::string_view rest = path != nullptr ? path : "/bin:/usr/bin";
        for (;;) {
                const auto colon = rest.find(':');
                const auto folder = rest.substr(0, colon);
                const auto file = std::string(folder.empty() ? "." : folder) + "/" + command;
                if (is_executable(file))
                        return file;
                if (refused.empty() && (::access(file.c_str(), F_OK) == 0 || errno == EACCES))
                        refused = file;
                if (colon == rest.npos)
                        return refused.empty() ? command : refused;
                rest.remove_prefix(colon + 1);
        }
}

}  // namespace

bool Image::needs(std::string_view library) const {
        return std::ranges::any_of(needed,
                                   [&](const auto& name) { return name.starts_with(library); });
}

std::filesystem::path own_path() {
        std::error_code error;
        return std::filesystem::read_symlink("/proc/self/exe", error);
}

Image image_of(const std::string& command) {
        const File file(find(command));
        const auto header = file.read<Elf64_Ehdr>(0, 1);
        Image image;
        image.kind = kind_of(header);
        if (image.kind != Image::Kind::Static)
                return image;
        if (header[0].e_phnum > kMostParts)
                return {};
        const auto parts = file.read<Elf64_Phdr>(header[0].e_phoff, header[0].e_phnum);
        image.linker = linker_of(file, parts);
        if (!image.linker.empty())
                image.kind = Image::Kind::Dynamic;
        image.needed = needed_by(file, parts);
        return image;
}

bool gains_privilege(const std::string& command) {
        const auto path = find(command);
        struct stat status {};
        if (::geteuid() == 0 || ::stat(path.c_str(), &status) < 0)
                return false;
        return ((status.st_mode & S_ISUID) != 0 && status.st_uid != ::geteuid()) ||
               ::getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

bool preloads_nothing(const std::string& command) {
        struct stat status {};
        if (gains_privilege(command))
                return true;
        constexpr mode_t kSetsGroup = S_ISGID | S_IXGRP;  // without the second bit it does not
        return ::stat(find(command).c_str(), &status) == 0 &&
               (status.st_mode & kSetsGroup) == kSetsGroup && status.st_gid != ::getgid();
}

int reason_not_to_execute(const std::string& command) {
        const auto path = find(command);
        if (path.find('/') == path.npos)
                return ENOENT;
        struct stat status {};
        if (::access(path.c_str(), X_OK) < 0 || ::stat(path.c_str(), &status) < 0)
                return errno;
        return S_ISREG(status.st_mode) ? 0 : EACCES;
}

}  // namespace ctl::run
