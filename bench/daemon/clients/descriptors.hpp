// SPDX-License-Identifier: MIT
//
// Sockets and epoll as the bench's processes use them: never blocking.
#pragma once

#include "server/kernel/unique_fd.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <sys/epoll.h>
#include <vector>

namespace bench {

using governor::server::UniqueFd;

inline constexpr std::int64_t kMillisecond = 1'000'000;  ///< ns
inline constexpr std::int64_t kSecond = 1'000'000'000;   ///< ns

/// CLOCK_MONOTONIC in nanoseconds.
[[nodiscard]] std::int64_t now_ns();

/// A stream socket that listens at `path`, which must be free. Throws std::system_error.
[[nodiscard]] UniqueFd listen_at(const std::string& path);

/// A connected, non-blocking socket; empty when the listener's queue is full at the moment or
/// nobody listens any more. Throws std::system_error for anything else, such as a path that may
/// not be used or no descriptor left.
[[nodiscard]] UniqueFd connect_to(const std::string& path);

/// The number of an Alarm in a Watch.
inline constexpr std::uint32_t kAlarm = UINT32_MAX;

/// Throws what errno says of `what`.
[[noreturn]] void fail(const std::string& what);

/// An epoll descriptor; what is watched is known by a number. Throws std::system_error.
class Watch {
public:
        Watch();
        void add(int fd, std::uint32_t events, std::uint32_t number) const;
        void change(int fd, std::uint32_t events, std::uint32_t number) const;
        /// Waits for at most `timeout_ms` (-1: for ever; signals end the wait early). The returned
        /// events are valid until the next call; data.u32 is the number.
        [[nodiscard]] std::span<const epoll_event> wait(int timeout_ms);

private:
        UniqueFd fd_;
        std::vector<epoll_event> events_;
};

/// A timer for Watch that is due at one moment of CLOCK_MONOTONIC; exact, unlike the timeout of
/// epoll_wait(). Throws std::system_error.
class Alarm {
public:
        Alarm();
        [[nodiscard]] int fd() const { return fd_.get(); }
        /// Readable from `due_ns` on, until set again.
        void set(std::int64_t due_ns) const;

private:
        UniqueFd fd_;
};

}  // namespace bench
