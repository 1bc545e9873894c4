// SPDX-License-Identifier: MIT
//
// One picture after the other of a governor that may go and come back.
#pragma once

#include "connection.hpp"
#include "top/picture.hpp"

#include <chrono>
#include <optional>
#include <string>

namespace ctl::top {

class Feed {
public:
        /// `socket`: empty: as ctl::addresses() finds it.
        explicit Feed(std::string socket) : socket_(std::move(socket)) {}

        /// Asks for all of it. The picture is the last one if that fails, with what is wrong; the
        /// next call connects anew. Waits as Connection does.
        const Picture& next();

        /// The failure of the last call; empty: none.
        [[nodiscard]] const std::optional<Failure>& failure() const { return failure_; }

private:
        [[nodiscard]] tl::expected<Picture, Failure> take();

        std::string socket_;
        std::optional<Connection> connection_;
        Picture picture_;
        std::chrono::steady_clock::time_point taken_;
        std::optional<Failure> failure_;
};

}  // namespace ctl::top
