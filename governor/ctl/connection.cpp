// SPDX-License-Identifier: MIT
// Sockets and framing for the command line.
#include "connection.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <governor/v1/frame.h>
#include <optional>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace ctl {

namespace {

using governor::v1::Reply;

constexpr timeval kPatience{2, 0};

Failure failure(const std::string& path, int error) {
        const std::string why = "no governor at " + path + ": " + std::strerror(error);
        if (error == EACCES || error == EPERM)
                return {kNotPermitted, why + "; ask its administrator for access to the socket"};
        return {kNotReachable, why + "; start governord, or name its socket with --socket"};
}

tl::expected<int, Failure> connect_to(const std::string& path) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        if (path.starts_with("tcp:"))
                return tl::unexpected(
                        Failure{kUsage, path + ": TCP is not supported by this version"});
        if (path.size() >= sizeof(address.sun_path))
                return tl::unexpected(
                        Failure{kUsage, "socket path of " + std::to_string(path.size()) +
                                                " bytes; accepted: at most " +
                                                std::to_string(sizeof(address.sun_path) - 1)});
        std::memcpy(address.sun_path, path.data(), path.size());
        const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0)
                return tl::unexpected(failure(path, errno));
        ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof(kPatience));
        ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &kPatience, sizeof(kPatience));
        if (::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0)
                return fd;
        const int error = errno;
        ::close(fd);
        return tl::unexpected(failure(path, error));
}

std::optional<std::string> receive_message(int fd) {
        std::string received;
        for (;;) {
                std::size_t begin = 0;
                std::size_t end = 0;
                const auto frame =
                        governor_frame_parse(reinterpret_cast<const std::uint8_t*>(received.data()),
                                             received.size(), GOVERNOR_REPLY_MAX, &begin, &end);
                if (frame == GOVERNOR_FRAME_COMPLETE)
                        return received.substr(begin, end - begin);
                std::array<char, 4096> chunk;
                const auto n = frame == GOVERNOR_FRAME_INVALID
                                       ? 0
                                       : ::recv(fd, chunk.data(), chunk.size(), 0);
                if (n < 0 && errno == EINTR)
                        continue;
                if (n <= 0)
                        return std::nullopt;
                received.append(chunk.data(), static_cast<std::size_t>(n));
        }
}

bool send_message(int fd, const std::string& message) {
        std::array<std::uint8_t, GOVERNOR_PREFIX_MAX> prefix;
        const auto length = governor_frame_prefix(message.size(), prefix.data());
        const std::string bytes(reinterpret_cast<const char*>(prefix.data()), length);
        const auto framed = bytes + message;
        return ::send(fd, framed.data(), framed.size(), MSG_NOSIGNAL) ==
               static_cast<ssize_t>(framed.size());
}

}  // namespace

std::vector<std::string> socket_paths(const std::string& given) {
        if (!given.empty())
                return {given};
        if (const char* path = std::getenv("THREADCOUNT_SOCKET"); path != nullptr && *path != '\0')
                return {path};
        std::vector<std::string> paths{"/run/governord/governord.sock"};
        if (const char* runtime = std::getenv("XDG_RUNTIME_DIR");
            runtime != nullptr && *runtime == '/')
                paths.push_back(std::string(runtime) + "/governord/governord.sock");
        return paths;
}

tl::expected<Connection, Failure> Connection::open(const std::vector<std::string>& paths) {
        Failure first;
        for (const auto& path : paths) {
                const auto fd = connect_to(path);
                if (fd)
                        return Connection(*fd);
                // "Not permitted" tells more than "not there".
                if (first.message.empty() || fd.error().code == kNotPermitted)
                        first = fd.error();
        }
        return tl::unexpected(std::move(first));
}

Connection::Connection(Connection&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

Connection::~Connection() {
        if (fd_ >= 0)
                ::close(fd_);
}

tl::expected<Reply, Failure> Connection::call(governor::v1::Request request, Reply::KindCase kind) {
        request.set_protocol(1);
        std::optional<std::string> answer;
        if (send_message(fd_, request.SerializeAsString()))
                answer = receive_message(fd_);
        if (!answer)
                return tl::unexpected(
                        Failure{kNotReachable, "the governor does not answer; is it stopped?"});
        Reply reply;
        if (!reply.ParseFromString(*answer))
                return tl::unexpected(Failure{kFailed, "what answers there is no governor"});
        if (reply.has_error()) {
                const auto& error = reply.error();
                auto message = "the governor refuses: " + error.message();
                if (!error.accepted().empty())
                        message += "; accepted: " + error.accepted();
                return tl::unexpected(Failure{kFailed, std::move(message)});
        }
        if (reply.kind_case() != kind)
                return tl::unexpected(Failure{kFailed, "what answers there is no governor"});
        return reply;
}

}  // namespace ctl
