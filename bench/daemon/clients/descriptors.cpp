// SPDX-License-Identifier: MIT
// Thin wrappers; errors are exceptions, since the only answer to them is a message.
#include "descriptors.hpp"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <system_error>

namespace bench {

namespace {

constexpr int kBacklog = 4096;
constexpr std::size_t kEvents = 512;

void check(bool good, const std::string& what) {
        if (!good)
                fail(what);
}

UniqueFd checked(int fd, const char* what) {
        check(fd >= 0, what);
        return UniqueFd(fd);
}

sockaddr_un address_of(const std::string& path) {
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        if (path.size() >= sizeof(address.sun_path)) {
                errno = ENAMETOOLONG;
                check(false, path);
        }
        std::memcpy(address.sun_path, path.data(), path.size());
        return address;
}

UniqueFd stream_socket() {
        return checked(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), "socket");
}

}  // namespace

std::int64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

UniqueFd listen_at(const std::string& path) {
        const auto address = address_of(path);
        auto fd = stream_socket();
        check(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0,
              "bind " + path);
        check(::listen(fd.get(), kBacklog) == 0, "listen " + path);
        return fd;
}

UniqueFd connect_to(const std::string& path) {
        const auto address = address_of(path);
        auto fd = stream_socket();
        if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0)
                return fd;
        check(errno == EAGAIN || errno == ECONNREFUSED, "connect " + path);
        return {};
}

void fail(const std::string& what) {
        throw std::system_error(errno, std::generic_category(), what);
}

Watch::Watch() : fd_(checked(::epoll_create1(EPOLL_CLOEXEC), "epoll_create1")), events_(kEvents) {}

void Watch::add(int fd, std::uint32_t events, std::uint32_t number) const {
        epoll_event event{};
        event.events = events;
        event.data.u32 = number;
        check(::epoll_ctl(fd_.get(), EPOLL_CTL_ADD, fd, &event) == 0, "epoll_ctl add");
}

void Watch::change(int fd, std::uint32_t events, std::uint32_t number) const {
        epoll_event event{};
        event.events = events;
        event.data.u32 = number;
        check(::epoll_ctl(fd_.get(), EPOLL_CTL_MOD, fd, &event) == 0, "epoll_ctl modify");
}

std::span<const epoll_event> Watch::wait(int timeout_ms) {
        const int n = ::epoll_wait(fd_.get(), events_.data(), static_cast<int>(events_.size()),
                                   timeout_ms);
        check(n >= 0 || errno == EINTR, "epoll_wait");
        return {events_.data(), n > 0 ? static_cast<std::size_t>(n) : 0};
}

Alarm::Alarm()
        : fd_(checked(::timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK),
                      "timerfd_create")) {}

void Alarm::set(std::int64_t due_ns) const {
        itimerspec when{};
        when.it_value.tv_sec = due_ns / kSecond;
        when.it_value.tv_nsec = due_ns % kSecond;
        check(::timerfd_settime(fd_.get(), TFD_TIMER_ABSTIME, &when, nullptr) == 0,
              "timerfd_settime");
}

}  // namespace bench
