// SPDX-License-Identifier: MIT
// Files, drop-ins and the wording of errors.
#include "config/load.hpp"

#include "config/ini_file.hpp"
#include "config/keys.hpp"

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

std::string key_names() {
        std::string names;
        for (const auto& key : keys())
                names += (names.empty() ? "" : ", ") + std::string(key.name);
        return names;
}

/// Empty if all is well, else what is wrong with the assignment.
std::string apply_assignment(const Assignment& assignment, Settings& settings) {
        if (assignment.section != "governor")
                return assignment.section.empty()
                               ? "`" + assignment.key +
                                         "` stands before any section; put it below [governor]"
                               : "unknown section [" + assignment.section + "]; known: [governor]";
        const auto* key = find_key(assignment.key);
        if (key == nullptr)
                return "unknown key `" + assignment.key + "`; known: " + key_names();
        if (!key->set(settings, assignment.value))
                return "`" + assignment.key + " = " + assignment.value +
                       "` is not accepted; accepted: " + std::string(key->accepted);
        return {};
}

tl::unexpected<Error> cannot_read(const std::string& path, int error) {
        return tl::unexpected(
                Error{path, 0, std::string("cannot be read: ") + std::strerror(error)});
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
                return tl::unexpected(Error{path, 0, "larger than 1 MiB"});
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

std::string where(const std::string& file, std::size_t line) {
        return line > 0 ? file + ":" + std::to_string(line) : file;
}

bool is_absent(const std::string& path) {
        struct stat status {};
        return ::lstat(path.c_str(), &status) < 0 && errno == ENOENT;
}

}  // namespace

std::string Error::text() const { return where(file, line) + ": " + message; }

void apply(std::string_view text, const std::string& file, Settings& settings, Errors& errors) {
        const auto ini = parse_ini(text);
        for (const auto& error : ini.errors)
                errors.push_back({file, error.line, error.message});
        for (const auto& assignment : ini.assignments) {
                if (auto wrong = apply_assignment(assignment, settings); !wrong.empty())
                        errors.push_back({file, assignment.line, std::move(wrong)});
                else
                        settings.origins[assignment.key] = where(file, assignment.line);
        }
}

tl::expected<Settings, Errors> load(const std::string& path, bool optional) {
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
                        apply(*text, file, settings, errors);
                else
                        errors.push_back(text.error());
        }
        if (!errors.empty())
                return tl::unexpected(std::move(errors));
        return settings;
}

}  // namespace governor::config
