// SPDX-License-Identifier: MIT
// Sockets and framing for the command line.
#include "connection.hpp"

#include "address.hpp"
#include "printable_reply.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <governor/v1/frame.h>
#include <governor/v1/listener.h>
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
constexpr timeval kAtOnce{0, 10'000};
/// For a whole answer, however many parts it comes in.
constexpr std::chrono::seconds kWholePatience{5};

Failure failure(const std::string& where, int error) {
        // A full backlog (Unix), and a patience that is over (TCP).
        const bool late = error == EAGAIN || error == EINPROGRESS;
        const std::string why =
                "no governor at " + where + ": " + std::strerror(late ? ETIMEDOUT : error);
        if (error == EACCES || error == EPERM)
                return {kNotPermitted, why + "; ask its administrator for access to the socket",
                        true};
        const bool has_systemd = ::access("/run/systemd/system", F_OK) == 0;  // see sd_booted(3)
        return {kNotReachable, why + "; " + how_to_find_a_governor(where, has_systemd)};
}

/// TCP can connect a socket to itself if its own port happens to be the one that it looks for and
/// nobody listens there.
bool is_connected_to_itself(int fd) {
        sockaddr_storage own{};
        sockaddr_storage peer{};
        socklen_t own_length = sizeof(own);
        socklen_t peer_length = sizeof(peer);
        return ::getsockname(fd, reinterpret_cast<sockaddr*>(&own), &own_length) == 0 &&
               ::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &peer_length) == 0 &&
               own_length == peer_length && std::memcmp(&own, &peer, own_length) == 0;
}

/// Why what listens there is not even asked. Over TCP nobody can tell whose it is.
std::optional<Failure> distrust(int fd, const Address& address, const std::string& where) {
        if (address.storage.ss_family != AF_UNIX)
                return std::nullopt;
        sockaddr_un local{};
        std::memcpy(&local, &address.storage, sizeof(local));
        uid_t owner = 0;
        if (governor_is_believed(fd, static_cast<const char*>(local.sun_path), &owner) != 0)
                return std::nullopt;
        return Failure{kNotReachable,
                       "no governor at " + where + ": user " + std::to_string(owner) +
                               GOVERNOR_NOT_BELIEVED
                               "; tell the administrator, or name another socket with --socket",
                       true};
}

tl::expected<int, Failure> connect_to(const std::string& where, const timeval& patience) {
        const auto address = parse_address(where);
        if (!address)
                return tl::unexpected(Failure{kUsage, address.error()});
        const int fd = ::socket(address->storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0)
                return tl::unexpected(failure(where, errno));
        ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
        ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
        const int error = ::connect(fd, address->get(), address->length) < 0 ? errno
                          : is_connected_to_itself(fd)                       ? ECONNREFUSED
                                                                             : 0;
        const auto distrusted = error == 0 ? distrust(fd, *address, where) : std::nullopt;
        if (error == 0 && !distrusted)
                return fd;
        ::close(fd);
        return tl::unexpected(distrusted ? *distrusted : failure(where, error));
}

std::optional<std::string> receive_message(int fd) {
        using std::chrono::steady_clock;
        const auto give_up = steady_clock::now() + kWholePatience;
        std::string received;
        while (steady_clock::now() < give_up) {
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
        return std::nullopt;
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

std::vector<std::string> addresses(const std::string& given) {
        if (!given.empty())
                return {given};
        if (const char* path = std::getenv("THREADCOUNT_SOCKET"); path != nullptr && *path != '\0')
                return {path};
        std::vector<std::string> found{kHostSocket};
        if (const char* runtime = std::getenv("XDG_RUNTIME_DIR");
            runtime != nullptr && *runtime == '/')
                found.push_back(std::string(runtime) + "/governord/governord.sock");
        return found;
}

tl::expected<Connection, Failure> Connection::open(const std::vector<std::string>& addresses) {
        return open_within(kPatience, addresses);
}

tl::expected<Connection, Failure>
Connection::open_at_once(const std::vector<std::string>& addresses) {
        return open_within(kAtOnce, addresses);
}

tl::expected<Connection, Failure>
Connection::open_within(const timeval& patience, const std::vector<std::string>& addresses) {
        Failure first;
        for (const auto& address : addresses) {
                const auto fd = connect_to(address, patience);
                if (fd)
                        return Connection(*fd, address);
                if (first.message.empty() || (fd.error().is_there && !first.is_there))
                        first = fd.error();
        }
        return tl::unexpected(std::move(first));
}

Connection::Connection(Connection&& other) noexcept
        : fd_(std::exchange(other.fd_, -1)), peer_(std::move(other.peer_)) {}

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
                return tl::unexpected(Failure{
                        kNotReachable,
                        "the governor at " + peer_ +
                                " does not answer; see systemctl status governord, or its log"});
        const Failure impostor{kFailed, "what answers at " + peer_ + " is no governor"};
        Reply reply;
        if (!reply.ParseFromString(*answer))
                return tl::unexpected(impostor);
        make_printable(reply);
        if (reply.has_error()) {
                const auto& error = reply.error();
                // Nothing is refused where there is nothing.
                const bool refuses = error.code() != governor::v1::Error::NO_LEASE;
                auto message = (refuses ? "the governor refuses: " : "") + error.message();
                if (!error.accepted().empty())
                        message += "; accepted: " + error.accepted();
                const bool permitted = error.code() != governor::v1::Error::NOT_PERMITTED;
                return tl::unexpected(
                        Failure{permitted ? kFailed : kNotPermitted, std::move(message)});
        }
        if (reply.kind_case() != kind)
                return tl::unexpected(impostor);
        return reply;
}

}  // namespace ctl
