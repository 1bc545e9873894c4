// SPDX-License-Identifier: MIT
//
// A conversation with the governor that never waits for it.
#pragma once

#include "connection.hpp"

#include <governor/v1/governor.pb.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ctl::run {

class Stream {
public:
        explicit Stream(Connection connection);
        ~Stream();
        Stream(const Stream&) = delete;
        Stream& operator=(const Stream&) = delete;

        /// A request that cannot be sent at once ends it.
        void send(governor::v1::Request request);
        /// The next whole reply that has come; all texts in it can be shown. Bytes that are no
        /// reply end it.
        [[nodiscard]] std::optional<governor::v1::Reply> next();
        /// The governor has gone, or was no governor.
        [[nodiscard]] bool is_over() const { return is_over_; }
        /// Those that came with what next() has returned; the caller's from now on.
        [[nodiscard]] std::vector<int> take_descriptors() {
                return std::exchange(descriptors_, {});
        }
        [[nodiscard]] int fd() const { return connection_.fd(); }

private:
        void read_some();

        Connection connection_;
        std::string received_;
        std::vector<int> descriptors_;
        bool is_over_ = false;
};

}  // namespace ctl::run
