// SPDX-License-Identifier: MIT
// A directory of mode 0700, files by rename, and flock(2).
#include "outside/records.hpp"

#include "probe/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ctl::outside {

namespace {

using governor::probe::parse_number;
using governor::probe::take_until;

constexpr mode_t kOwnOnly = 0700;
constexpr mode_t kOwnFile = 0600;
constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;
constexpr std::string_view kPrefix = "run-";

/// The whole of a small file; empty: there is none, or it is larger.
std::optional<std::string> read_small(int directory, const char* name) {
        std::string text(kLargestRecord + 1, '\0');
        const int fd = ::openat(directory, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
        if (fd < 0)
                return std::nullopt;
        const auto n = ::read(fd, text.data(), text.size());
        ::close(fd);
        if (n < 0 || static_cast<std::size_t>(n) > kLargestRecord)
                return std::nullopt;
        text.resize(static_cast<std::size_t>(n));
        return text;
}

/// Two files of the same number are of the same pid namespace, until the host is booted again.
std::string space_of_numbers() {
        struct stat about {};
        const auto number = ::stat("/proc/self/ns/pid", &about) == 0 ? about.st_ino : 0;
        return std::to_string(number) + "." + boot_id();
}

/// With those above it. Returns 0 or a negative errno.
int make_directory(const std::string& place) {
        if (::mkdir(place.c_str(), kOwnOnly) == 0 || errno == EEXIST)
                return 0;
        const int error = -errno;
        const auto slash = place.rfind('/');
        if (error != -ENOENT || slash == place.npos || slash == 0)
                return error;
        if (const int above = make_directory(place.substr(0, slash)); above < 0)
                return above;
        return ::mkdir(place.c_str(), kOwnOnly) == 0 || errno == EEXIST ? 0 : -errno;
}

/// As the database of users says, whatever $HOME is; empty: it says nothing.
std::string home_folder() {
        const auto* user = ::getpwuid(::geteuid());
        return user != nullptr && user->pw_dir != nullptr ? user->pw_dir : "";
}

/// Why a directory is not fit to keep records; empty: it is.
std::string refuse(int fd, const std::string& place) {
        struct stat about {};
        if (::fstat(fd, &about) < 0)
                return "cannot look at " + place + ": " + std::strerror(errno);
        if (about.st_uid != ::geteuid())
                return place + " belongs to user " + std::to_string(about.st_uid) +
                       "; ask that user or the administrator to remove it";
        if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0)
                return place + " is open to others; close it with chmod 700";
        return {};
}

}  // namespace

std::string place_below(const std::string& folder, const std::string& name, unsigned not_open) {
        struct stat about {};
        const bool is_fit = folder.starts_with('/') && ::stat(folder.c_str(), &about) == 0 &&
                            S_ISDIR(about.st_mode) && about.st_uid == ::geteuid() &&
                            (about.st_mode & not_open) == 0;
        return is_fit ? folder + "/" + name : std::string();
}

std::string default_place(std::size_t which) {
        const char* runtime = std::getenv("XDG_RUNTIME_DIR");
        const auto uid = std::to_string(::geteuid());
        switch (which) {
        case 0:
                return place_below(runtime != nullptr ? runtime : "", "governorctl", kOthersWrite);
        case 1:
                return place_below("/run/user/" + uid, "governorctl", S_IRWXG | S_IRWXO);
        case kHomePlace:
                return place_below(home_folder(), ".local/state/governorctl", kOthersWrite);
        default:
                return "/tmp/governorctl-" + uid;
        }
}

std::string boot_id() {
        auto text = read_small(AT_FDCWD, "/proc/sys/kernel/random/boot_id").value_or("");
        text.resize(std::min(text.size(), text.find('\n')));
        return text;
}

Record record_of_this() {
        const auto self = HeldProcess::open("", static_cast<std::uint32_t>(::getpid()));
        Record record;
        record.boot = boot_id();
        record.run = self ? self->id().value_or(ProcessId{}) : ProcessId{};
        return record;
}

tl::expected<Records, std::string> Records::open(const std::string& place) {
        if (const int error = make_directory(place); error < 0)
                return tl::unexpected("cannot make " + place + ": " + std::strerror(-error));
        return look(place);
}

std::optional<Records> Records::find(const std::string& place) {
        auto records = look(place);
        return records ? std::optional<Records>(std::move(*records)) : std::nullopt;
}

tl::expected<Records, std::string> Records::look(const std::string& place) {
        const int fd = ::open(place.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
                return tl::unexpected("cannot open " + place + ": " + std::strerror(errno));
        Records records(place, space_of_numbers(), fd);
        if (auto why = refuse(fd, place); !why.empty())
                return tl::unexpected(std::move(why));
        return records;
}

Records::~Records() {
        if (fd_ >= 0)
                ::close(fd_);
}

std::string Records::name_of(const ProcessId& run) const {
        return std::string(kPrefix) + space_ + "-" + std::to_string(run.pid) + "-" +
               std::to_string(run.started_ticks);
}

int Records::write(const Record& record) const {
        const auto name = name_of(record.run);
        const auto part = "." + name;
        const auto text = to_text(record);
        const int fd = ::openat(fd_, part.c_str(),
                                O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, kOwnFile);
        if (fd < 0)
                return -errno;
        const auto n = ::write(fd, text.data(), text.size());
        int error = n < 0 ? -errno : n != static_cast<ssize_t>(text.size()) ? -ENOSPC : 0;
        ::close(fd);
        if (error == 0 && ::renameat(fd_, part.c_str(), fd_, name.c_str()) < 0)
                error = -errno;
        if (error < 0)
                ::unlinkat(fd_, part.c_str(), 0);
        return error;
}

void Records::remove(const ProcessId& run) const {
        const auto name = name_of(run);
        ::unlinkat(fd_, name.c_str(), 0);
        ::unlinkat(fd_, ("." + name).c_str(), 0);
}

std::vector<ProcessId> Records::list() const {
        std::vector<ProcessId> runs;
        const int again = ::openat(fd_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        const std::unique_ptr<DIR, int (*)(DIR*)> files(again >= 0 ? ::fdopendir(again) : nullptr,
                                                        ::closedir);
        while (files) {
                const auto* entry = ::readdir(files.get());
                if (entry == nullptr)
                        break;
                // A part that was left is of a process that has a record, or none.
                std::string_view name = static_cast<const char*>(entry->d_name);
                if (name.starts_with('.'))
                        name.remove_prefix(1);
                if (!name.starts_with(kPrefix))
                        continue;
                name.remove_prefix(kPrefix.size());
                if (!name.starts_with(space_ + "-"))
                        continue;
                name.remove_prefix(space_.size() + 1);
                const auto pid = parse_number<std::uint32_t>(take_until(name, '-'));
                const auto started = parse_number<std::uint64_t>(name);
                if (pid && started)
                        runs.push_back({*pid, *started});
        }
        std::sort(runs.begin(), runs.end());
        runs.erase(std::unique(runs.begin(), runs.end()), runs.end());
        return runs;
}

std::optional<Record> Records::read(const ProcessId& run) const {
        const auto text = read_small(fd_, name_of(run).c_str());
        auto record = text ? parse_record(*text) : std::nullopt;
        if (record && (record->run != run || record->boot != boot_id()))
                record.reset();
        return record;
}

int Records::lock() const {
        // A guardian that ended just now may have removed the file that was opened.
        constexpr int kTries = 3;
        int error = 0;
        for (int i = 0; i < kTries && error == 0; i++) {
                const int fd = ::openat(fd_, lock_name().c_str(),
                                        O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kOwnFile);
                if (fd < 0)
                        return -errno;
                error = ::flock(fd, LOCK_EX | LOCK_NB) < 0 ? -errno : 0;
                if (error == 0 && is_lock(fd))
                        return fd;
                ::close(fd);
        }
        return error < 0 ? error : -EAGAIN;
}

void Records::unlock(int fd) const {
        if (is_lock(fd))
                ::unlinkat(fd_, lock_name().c_str(), 0);
        ::flock(fd, LOCK_UN);
}

bool Records::is_lock(int fd) const {
        struct stat inherited {};
        struct stat own {};
        return ::fstat(fd, &inherited) == 0 &&
               ::fstatat(fd_, lock_name().c_str(), &own, AT_SYMLINK_NOFOLLOW) == 0 &&
               inherited.st_dev == own.st_dev && inherited.st_ino == own.st_ino;
}

}  // namespace ctl::outside
