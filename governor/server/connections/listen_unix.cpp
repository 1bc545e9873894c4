// SPDX-License-Identifier: MIT
// bind() with everything that can be wrong about a path.
#include "server/connections/bound_path.hpp"
#include "server/connections/listener.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

namespace governor::server {

namespace {

tl::unexpected<std::string> fail(const std::string& path, const std::string& what) {
        return tl::unexpected("socket " + path + ": " + what);
}

tl::unexpected<std::string> fail_errno(const std::string& path, const std::string& what) {
        return fail(path, what + ": " + std::strerror(errno));
}

/// With mode 0755 whatever the umask: other users are to reach the socket.
bool make_directory(const std::string& directory) {
        if (::mkdir(directory.c_str(), 0755) < 0)
                return errno == EEXIST;
        return ::chmod(directory.c_str(), 0755) == 0;
}

/// "user 0", or "somebody" where the kernel names no user; empty: nobody. A service manager that
/// holds the socket for a daemon has no lock.
std::string who_listens(const sockaddr_un& address) {
        const UniqueFd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        if (::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) <
            0)
                return errno == EAGAIN ? "somebody" : "";
        ucred listener{};
        socklen_t length = sizeof(listener);
        return ::getsockopt(probe.get(), SOL_SOCKET, SO_PEERCRED, &listener, &length) == 0
                       ? "user " + std::to_string(listener.uid)
                       : "somebody";
}

/// After open() has failed, whose errno stays.
std::string cannot_lock(const std::string& file) {
        const int error = errno;
        struct stat status {};
        const bool is_anothers = error == EACCES && ::lstat(file.c_str(), &status) == 0 &&
                                 S_ISREG(status.st_mode) && status.st_uid != ::geteuid();
        errno = error;
        if (!is_anothers)
                return "give another --socket; cannot make the lock file beside it";
        const auto owner = "user " + std::to_string(status.st_uid);
        return "a governor of " + owner + " runs or ran there; give another --socket, or remove " +
               file + " once " + owner + " runs none; cannot open that file";
}

bool remove_left_over(const std::string& path) {
        struct stat status {};
        if (::lstat(path.c_str(), &status) < 0)
                return errno == ENOENT;
        return S_ISSOCK(status.st_mode) && ::unlink(path.c_str()) == 0;
}

}  // namespace

ListenResult listen_unix(const std::string& path) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        if (path.empty() || path.size() >= sizeof(address.sun_path))
                return fail(path, "the path has " + std::to_string(path.size()) +
                                          " bytes; accepted: 1 .. " +
                                          std::to_string(sizeof(address.sun_path) - 1));
        std::memcpy(address.sun_path, path.data(), path.size());

        const auto directory = std::filesystem::path(path).parent_path();
        if (!directory.empty() && !make_directory(directory.string()))
                return fail_errno(path, "give another --socket; cannot make the directory " +
                                                directory.string());

        UniqueFd lock(
                ::open((path + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
        if (!lock)
                return fail_errno(path, cannot_lock(path + ".lock"));
        if (::flock(lock.get(), LOCK_EX | LOCK_NB) < 0) {
                if (errno != EWOULDBLOCK)
                        return fail_errno(path, "cannot lock the file beside it");
                return fail(path, "another governord is listening there; stop it first, or give "
                                  "this one its own --socket");
        }
        if (const auto listener = who_listens(address); !listener.empty())
                return fail(path, listener + " listens there (governord.socket?); stop it first, "
                                             "or give another --socket");
        if (!remove_left_over(path))
                return fail(path, "something that is not a governord's socket is there; move it "
                                  "away, or give another --socket");

        UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
        if (!socket)
                return fail_errno(path, "socket()");
        if (::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) < 0)
                return fail_errno(path, "cannot bind");
        auto bound = std::make_unique<BoundPath>(std::move(lock), path);
        if (::chmod(path.c_str(), 0666) < 0)
                return fail_errno(path, "cannot open it to all users");
        if (::listen(socket.get(), kBacklog) < 0)
                return fail_errno(path, "cannot listen");
        return Listener(std::move(socket), std::move(bound));
}

}  // namespace governor::server
