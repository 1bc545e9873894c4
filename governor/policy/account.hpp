// SPDX-License-Identifier: MIT
//
// The account that a connection or a program counts against.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace governor::policy {

/// A user. All connections over the network are one account: the daemon knows no user there.
struct Account {
        std::optional<std::uint32_t> uid;  ///< empty: the network

        /// Root has no limits: an administrator that repairs the machine must always get through.
        [[nodiscard]] bool is_root() const { return uid == 0U; }
        /// "user 1000" or "the network"
        [[nodiscard]] std::string name() const {
                return uid ? "user " + std::to_string(*uid) : "the network";
        }

        friend bool operator==(const Account&, const Account&) = default;
        friend bool operator<(const Account& a, const Account& b) { return a.uid < b.uid; }
};

}  // namespace governor::policy
