// SPDX-License-Identifier: MIT
//
// The parts that verbs have in common: asking, printing and complaining.
#pragma once

#include "connection.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace ctl::verbs {

/// Connects and makes one call, whose reply is of `kind`.
[[nodiscard]] tl::expected<governor::v1::Reply, Failure>
ask(const std::string& socket, governor::v1::Request request, governor::v1::Reply::KindCase kind);

/// Takes a page out of a reply and makes `request` ask for the next one; false: there is none.
using TakePage =
        std::function<bool(const governor::v1::Reply& reply, governor::v1::Request& request)>;

/// Makes one call after another, each with a reply of `kind`.
[[nodiscard]] tl::expected<void, Failure> ask_pages(Connection& connection,
                                                    governor::v1::Request request,
                                                    governor::v1::Reply::KindCase kind,
                                                    const TakePage& take);
/// Connects first.
[[nodiscard]] tl::expected<void, Failure> ask_pages(const std::string& socket,
                                                    const governor::v1::Request& request,
                                                    governor::v1::Reply::KindCase kind,
                                                    const TakePage& take);

/// Asks how many threads to use; a governor that has only just started gets 1 s to measure. The
/// answer's `threads` is 1 .. `max`, or without one (0) 1 .. kMostThreads, whatever the governor
/// says. With a `label` it tells of rules for it.
[[nodiscard]] tl::expected<governor::v1::Advice, Failure> ask_advice(const std::string& socket,
                                                                     std::uint32_t current,
                                                                     std::uint32_t max,
                                                                     const std::string& label = "");

/// On stderr, where the governor leaves programs alone: that it does, and what follows for the
/// verb's result ("this acts once it governs").
void note_if_left_alone(Connection& connection, const std::string& consequence);

/// Writes a verb's result to stdout; a disk that is full is an error too.
[[nodiscard]] ExitCode print(const std::string& text);

/// "governorctl: MESSAGE", or "fairly: MESSAGE", on stderr; returns the code.
ExitCode complain(const Failure& failure);

}  // namespace ctl::verbs
