// SPDX-License-Identifier: MIT
// accept() and what to do when it cannot.
#include "server/connections/acceptor.hpp"

#include "server/journal/log.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sys/epoll.h>
#include <system_error>
#include <utility>

namespace governor::server {

namespace {

/// One wake-up accepts so many clients, so that those that are connected get their turn.
constexpr int kAcceptsPerWakeup = 64;

/// The time for which nobody is accepted when the descriptors have run out: the backlog keeps the
/// clients.
constexpr std::chrono::milliseconds kPause{100};

/// An error of one client, not of ours; see accept(2).
bool is_passing(int error) {
        constexpr std::array kPassing{EAGAIN,       EINTR,       ECONNABORTED, EPROTO,
                                      ENETDOWN,     ENOPROTOOPT, EHOSTDOWN,    ENONET,
                                      EHOSTUNREACH, EOPNOTSUPP,  ENETUNREACH};
        return std::ranges::find(kPassing, error) != kPassing.end();
}

}  // namespace

void Acceptor::open(Listener listener) {
        auto& door = doors_.emplace_back(Door{std::move(listener), {}});
        door.source = loop_.on_io(door.listener.fd(), EPOLLIN,
                                  [this, &door](std::uint32_t) { let_in(door); });
}

void Acceptor::close(std::string_view name) {
        doors_.remove_if([name](const Door& door) { return door.listener.name() == name; });
}

Acceptor::~Acceptor() {
        for (auto& door : doors_) {
                door.source = SocketSource();
                door.listener.leave_open();
        }
}

void Acceptor::let_in(const Door& door) {
        const auto end = EventLoop::now() + EventLoop::kTurn;
        for (int n = 0; n < kAcceptsPerWakeup && EventLoop::now() < end; n++) {
                auto arrival = door.listener.accept();
                if (!arrival && is_passing(arrival.error()))
                        return;
                if (!arrival)
                        return pause(arrival.error());
                try {
                        on_arrival_(std::move(*arrival));
                } catch (const std::system_error& error) {
                        return pause(error.code().value());
                }
        }
}

void Acceptor::pause(int error) {
        if (const auto count = problems_.allow(EventLoop::now()))
                log(Level::Warning, Event::CannotAccept,
                    std::string("cannot accept a client: ") + std::strerror(error) +
                            since(*count, "attempts"),
                    {{"ERRNO", std::to_string(error)}});
        for (auto& door : doors_)
                door.source.set_io_events(0);
        again_ = loop_.on_time(EventLoop::now() + kPause, [this] { go_on(); });
}

void Acceptor::go_on() {
        for (auto& door : doors_)
                door.source.set_io_events(EPOLLIN);
}

}  // namespace governor::server
