// SPDX-License-Identifier: MIT
//
// A blocking conversation with the governor.
#pragma once

#include "exit_code.hpp"

#include <governor/v1/governor.pb.h>
#include <string>
#include <sys/time.h>
#include <tl/expected.hpp>
#include <utility>
#include <vector>

namespace ctl {

/// One sentence for the user and what to exit with.
struct Failure {
        ExitCode code = kFailed;
        std::string message;
        bool is_there = false;  ///< something listens, or may: this tells more than "not there"
};

/// The places to look at, in this order: what the user gave, $THREADCOUNT_SOCKET, or the system's
/// socket and the user's own. For parse_address().
[[nodiscard]] std::vector<std::string> addresses(const std::string& given);

class Connection {
public:
        /// Waits at most 2 s for each. The first that answers counts. Somebody else's listener
        /// (governor/v1/listener.h) does not: nothing is sent to it, and nothing is received.
        [[nodiscard]] static tl::expected<Connection, Failure>
        open(const std::vector<std::string>& addresses);
        /// Waits at most 10 ms for each.
        [[nodiscard]] static tl::expected<Connection, Failure>
        open_at_once(const std::vector<std::string>& addresses);

        Connection(Connection&& other) noexcept;
        Connection& operator=(Connection&&) = delete;
        ~Connection();

        /// Sends one request and waits at most 2 s for each part of its reply and 5 s for all of
        /// it, which must be of `kind`. Anything else is a Failure. All texts in it can be shown.
        [[nodiscard]] tl::expected<governor::v1::Reply, Failure>
        call(governor::v1::Request request, governor::v1::Reply::KindCase kind);

        [[nodiscard]] int fd() const { return fd_; }

private:
        [[nodiscard]] static tl::expected<Connection, Failure>
        open_within(const timeval& patience, const std::vector<std::string>& addresses);

        Connection(int fd, std::string peer) : fd_(fd), peer_(std::move(peer)) {}

        int fd_;
        std::string peer_;
};

}  // namespace ctl
