// SPDX-License-Identifier: MIT
//
// Whoever looks at the demonstration: sees lines, and may end it.
#pragma once

#include "connection.hpp"
#include "run/signals.hpp"

#include <chrono>
#include <string>

namespace ctl::demo {

/// A signal ends it; all is taken back on the way out.
struct Interrupted {
        int signal;
};
/// It cannot be shown. Without a message all is said already.
struct Refused {
        Failure failure;
};

/// To stdout; throws Refused if it cannot be written.
void print(const std::string& text);

/// Lets time go by; throws Interrupted. SIGTSTP stops this process until job control continues it.
/// True: it was continued meanwhile, and so may have been stopped by any signal.
bool wait(const run::Signals& signals, std::chrono::milliseconds time);

/// Writes over the last line, if stdout is a terminal; else does nothing.
void tick(const std::string& text);

/// Columns for a line; of a file, too.
[[nodiscard]] std::size_t width();

/// With one digit behind the point.
[[nodiscard]] std::string decimal(double value);

}  // namespace ctl::demo
