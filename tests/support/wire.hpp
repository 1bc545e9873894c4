// SPDX-License-Identifier: MIT
//
// The protocol spoken by hand, and spoken wrongly.
#pragma once

#include <cstdint>
#include <governor/v1/governor.pb.h>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace test_support {

/// Puts the length in front.
[[nodiscard]] std::string frame(const std::string& message);

/// A blocking client socket with a patience of 10 s per read.
class WireClient {
public:
        /// Throws if nobody listens there.
        explicit WireClient(const std::string& path);
        explicit WireClient(std::uint16_t tcp_port);  ///< of 127.0.0.1
        ~WireClient();
        WireClient(const WireClient&) = delete;
        WireClient& operator=(const WireClient&) = delete;

        /// False if the peer has gone.
        bool send_bytes(const std::string& bytes) const;
        void finish_sending() const;
        [[nodiscard]] std::optional<governor::v1::Reply> receive();
        /// Those that came with what was received so far, in order; the caller's from now on.
        [[nodiscard]] std::vector<int> take_descriptors() { return std::move(descriptors_); }
        [[nodiscard]] std::optional<governor::v1::Reply> call(governor::v1::Request request);
        /// True if the peer has ended the connection (within the patience).
        [[nodiscard]] bool is_ended();

        [[nodiscard]] int fd() const { return fd_; }

private:
        [[nodiscard]] ssize_t read_some();

        int fd_;
        std::string received_;
        std::vector<int> descriptors_;
};

[[nodiscard]] bool can_connect(const std::string& path);
[[nodiscard]] bool can_connect(std::uint16_t tcp_port);

[[nodiscard]] governor::v1::Request query(std::uint32_t current, std::uint32_t max = 0);

/// Asks a governor for its status on a connection of its own.
[[nodiscard]] governor::v1::Status status(const std::string& path);

}  // namespace test_support
