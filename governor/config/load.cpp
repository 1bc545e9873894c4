// SPDX-License-Identifier: MIT
// Files and drop-ins.
#include "config/load.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace governor::config {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = std::size_t{1} << 20;

tl::unexpected<Error> cannot_read(const std::string& path, int error) {
        return tl::unexpected(
                Error{{path}, std::string("cannot be read: ") + std::strerror(error)});
}

/// O_NONBLOCK: opening a FIFO must not stop a daemon.
tl::expected<std::string, Error> read_file(const std::string& path) {
        const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
        if (fd < 0)
                return cannot_read(path, errno);
        std::string text(kLargestFile + 1, '\0');
        std::size_t size = 0;
        ssize_t n = 0;
        do {
                n = ::read(fd, text.data() + size, text.size() - size);
                size += n > 0 ? static_cast<std::size_t>(n) : 0;
        } while (n > 0 && size < text.size());
        const int error = errno;
        ::close(fd);
        if (n < 0)
                return cannot_read(path, error);
        if (size > kLargestFile)
                return tl::unexpected(Error{{path}, "larger than 1 MiB"});
        text.resize(size);
        return text;
}

tl::expected<std::vector<std::string>, Error> drop_ins(const std::string& directory) {
        std::vector<std::string> paths;
        std::error_code error;
        fs::directory_iterator entry(directory, error);
        for (; !error && entry != fs::directory_iterator(); entry.increment(error))
                if (entry->path().extension() == ".conf")
                        paths.push_back(entry->path());
        if (error && error != std::errc::no_such_file_or_directory)
                return cannot_read(directory, error.value());
        std::ranges::sort(paths);
        return paths;
}

bool is_absent(const std::string& path) {
        struct stat status {};
        return ::lstat(path.c_str(), &status) < 0 && errno == ENOENT;
}

}  // namespace

tl::expected<Settings, Errors> load(const std::string& path, bool optional,
                                    const UserLookup& users) {
        Settings settings;
        Errors errors;
        std::vector<std::string> files;
        if (!optional || !is_absent(path))
                files.push_back(path);
        if (const auto more = drop_ins(path + ".d"))
                files.insert(files.end(), more->begin(), more->end());
        else
                errors.push_back(more.error());
        for (const auto& file : files) {
                if (const auto text = read_file(file))
                        apply(*text, file, settings, errors, users);
                else
                        errors.push_back(text.error());
        }
        settings.files = std::move(files);
        if (errors.empty())
                check(settings, errors);
        if (!errors.empty())
                return tl::unexpected(std::move(errors));
        return settings;
}

}  // namespace governor::config
