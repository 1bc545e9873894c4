// SPDX-License-Identifier: MIT
//
// Autogroups (sched(7)): the kernel puts each session into a group of its own, and divides CPU time
// among these groups by their nice values.
#pragma once

#include "outside/held_process.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace ctl::outside {

struct Autogroup {
        std::uint64_t id = 0;  ///< until the next boot no other one has it
        int nice = 0;

        friend bool operator==(const Autogroup&, const Autogroup&) = default;
};

/// "/autogroup-8499 nice 0". Empty: another form; the kernel says nothing of a process without one.
[[nodiscard]] std::optional<Autogroup> parse_autogroup(std::string_view text);

/// The autogroup that `process` is in now. Empty: in none, or not to be seen.
[[nodiscard]] std::optional<Autogroup> autogroup_of(const HeldProcess& process);

/// Sets the nice value of the whole autogroup and reads it back. Returns 0 or a negative errno.
/// Errors are -EAGAIN (ordinary users together may do so ten times a second), -EACCES and -EPERM
/// (not this user), and -EIO (another value was read back than was written).
[[nodiscard]] int set_autogroup_nice(const HeldProcess& process, int nice);

}  // namespace ctl::outside
