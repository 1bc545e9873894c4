// SPDX-License-Identifier: MIT
//
// sd-event with owners and callables. One thread; callbacks run one after the other.
#pragma once

#include "policy/time_point.hpp"
#include "server/kernel/socket_set.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <systemd/sd-event.h>
#include <utility>

namespace governor::server {

using policy::TimePoint;

/// A timer or a signal; it is gone when this goes, which may be from inside its own callback.
class EventSource {
public:
        EventSource() = default;
        EventSource(EventSource&&) noexcept = default;
        EventSource& operator=(EventSource&& other) noexcept;
        ~EventSource();

        /// Arms a timer (again). Timers fire once per arming.
        void set_time(TimePoint when);

private:
        friend class EventLoop;
        struct Registration;
        explicit EventSource(std::shared_ptr<Registration> registration)
                : registration_(std::move(registration)) {}
        std::shared_ptr<Registration> registration_;
};

class EventLoop {
public:
        EventLoop();
        ~EventLoop();
        EventLoop(const EventLoop&) = delete;
        EventLoop& operator=(const EventLoop&) = delete;

        /// The clock of the server, CLOCK_MONOTONIC: nothing else in it reads the time.
        [[nodiscard]] static TimePoint now() { return std::chrono::steady_clock::now(); }
        /// CPU time that this thread has used: the cost of its work, however often others had the
        /// CPU in between. One system call.
        [[nodiscard]] static std::chrono::nanoseconds cpu_time();

        /// Throws std::system_error if the kernel refuses (out of memory or descriptors). A
        /// callback costs the same however many descriptors are ready at once.
        [[nodiscard]] SocketSource on_io(int fd, std::uint32_t epoll_events,
                                         SocketCallback callback) {
                return sockets_.watch(fd, epoll_events, std::move(callback));
        }
        /// Code that serves others goes on for so long and begins nothing more: then timers are
        /// looked at.
        static constexpr std::chrono::milliseconds kTurn{1};
        static constexpr std::chrono::microseconds kCoarse{1000};
        static constexpr std::chrono::microseconds kExact{1};

        /// `when` is on CLOCK_MONOTONIC. The callback comes up to `accuracy` later, and as a rule
        /// just as late, even if `when` is over already. Timers go before sockets: clients cannot
        /// starve them.
        [[nodiscard]] EventSource on_time(TimePoint when, std::function<void()> callback,
                                          std::chrono::microseconds accuracy = kCoarse);
        /// A timer for the work of clients, in turn with sockets: neither starves the other,
        /// however often both are due.
        [[nodiscard]] EventSource on_time_in_turn(TimePoint when, std::function<void()> callback);
        /// Blocks the signal for this thread, so that it arrives here only. Signals go before
        /// sockets too.
        [[nodiscard]] EventSource on_signal(int signal, std::function<void()> callback);

        /// Runs until exit(); returns what exit() was given, or a negative errno.
        int run();
        void exit(int code);

private:
        SocketSet sockets_;
        sd_event* event_ = nullptr;
};

}  // namespace governor::server
