// SPDX-License-Identifier: MIT
// A folder, a configuration, and a child.
#include "demo/governor.hpp"

#include "verbs/ask.hpp"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ctl::demo {

namespace fs = std::filesystem;

namespace {

constexpr auto kConfiguration = "governord.conf";
constexpr auto kLog = "log";

[[noreturn]] void become_governor(const fs::path& governord, const fs::path& folder,
                                  const std::string& socket) {
        const auto log = folder / kLog;
        const int fd = ::open(log.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
        ::dup2(nothing, STDIN_FILENO);
        ::dup2(nothing, STDOUT_FILENO);
        ::dup2(fd, STDERR_FILENO);
        // It is nobody's service, whoever has started this.
        for (const char* variable : {"LISTEN_PID", "LISTEN_FDS", "NOTIFY_SOCKET", "WATCHDOG_PID",
                                     "WATCHDOG_USEC", "JOURNAL_STREAM"})
                ::unsetenv(variable);
        const auto configuration = folder / kConfiguration;
        ::execl(governord.c_str(), governord.c_str(), "--socket", socket.c_str(), "--config",
                configuration.c_str(), nullptr);
        ::dprintf(STDERR_FILENO, "%s: %s\n", governord.c_str(), std::strerror(errno));
        ::_exit(1);
}

/// Root or this user owns it, and nobody else changes it. The own group counts as this user: where
/// each user has a group, files are often writable for it.
bool is_believed(const fs::path& path, mode_t kind) {
        struct stat status {};
        if (::stat(path.c_str(), &status) != 0 || (status.st_mode & S_IFMT) != kind)
                return false;
        const mode_t others = status.st_gid == ::getegid() ? S_IWOTH : S_IWGRP | S_IWOTH;
        return (status.st_uid == 0 || status.st_uid == ::geteuid()) &&
               (status.st_mode & others) == 0;
}

bool is_program(const fs::path& path) {
        return is_believed(path.parent_path(), S_IFDIR) && is_believed(path, S_IFREG) &&
               ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::optional<fs::path> find_governord(const fs::path& own, const std::string& path, bool is_root) {
        const auto name = "governord";
        const auto beside = own.parent_path();
        std::vector<fs::path> places;
        if (!own.empty())
                places.push_back(beside);
        if (beside.filename() == "bin")
                places.push_back(beside.parent_path() / "sbin");
        const auto standard = places.insert(places.end(), {"/usr/local/sbin", "/usr/sbin"});
        std::vector<fs::path> named;
        std::istringstream folders(path);
        for (std::string folder; std::getline(folders, folder, ':');)
                if (folder.starts_with('/'))
                        named.emplace_back(folder);
        places.insert(is_root ? places.end() : standard, named.begin(), named.end());
        for (const auto& place : places)
                if (is_program(place / name))
                        return place / name;
        return std::nullopt;
}

Folder::Folder() {
        auto pattern = (fs::temp_directory_path() / "governor-demo-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr)
                throw std::runtime_error("cannot make the folder " + pattern + ": " +
                                         std::strerror(errno));
        path_ = pattern;
}

Folder::~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
}

Governor::Governor(const run::Signals& signals, const fs::path& governord, const std::string& cpus)
        : socket_(folder_.path() / "socket") {
        std::ofstream configuration(folder_.path() / kConfiguration);
        configuration << "[governor]\ncpus = " << cpus << "\nperiod = 250ms\n" << std::flush;
        if (!configuration)
                throw std::runtime_error("cannot write into " + folder_.path().string() + ": " +
                                         std::strerror(errno));
        const auto parent = ::getpid();
        pid_ = ::fork();
        if (pid_ < 0)
                throw std::runtime_error(std::string("cannot start the governor: ") +
                                         std::strerror(errno));
        if (pid_ > 0)
                return;
        ::prctl(PR_SET_PDEATHSIG, SIGTERM);
        signals.give_back();
        if (::getppid() != parent)
                ::_exit(1);
        become_governor(governord, folder_.path(), socket_);
}

Governor::~Governor() {
        constexpr std::chrono::milliseconds kStep{10};
        if (pid_ <= 0)
                return;
        ::kill(pid_, SIGTERM);
        // It may have been stopped.
        ::kill(pid_, SIGCONT);
        for (int i = 0; i < 100; i++) {
                if (::waitpid(pid_, nullptr, WNOHANG) != 0)
                        return;
                std::this_thread::sleep_for(kStep);
        }
        ::kill(pid_, SIGKILL);
        ::waitpid(pid_, nullptr, 0);
}

bool Governor::serves() const {
        governor::v1::Request request;
        request.mutable_status();
        const auto reply = verbs::ask(socket_, std::move(request), governor::v1::Reply::kStatus);
        return reply && !reply->status().warming_up();
}

std::optional<std::string> Governor::last_words() {
        if (pid_ > 0 && ::waitpid(pid_, nullptr, WNOHANG) == 0)
                return std::nullopt;
        pid_ = -1;
        std::ostringstream text;
        text << std::ifstream(folder_.path() / kLog).rdbuf();
        return text.str();
}

}  // namespace ctl::demo
