// SPDX-License-Identifier: MIT
//
// Says what hangs.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <thread>

namespace stress {

/// Names the calling thread's activity as long as this lives: literals. They nest.
class Doing {
public:
        explicit Doing(const char* what);
        ~Doing();
        Doing(const Doing&) = delete;
        Doing& operator=(const Doing&) = delete;
};

/// Every thread that has been doing something, with what it is doing and for how long, to stderr.
void tell_what_is_done();

/// Ends the program with status 1, and says what is done, if somebody does one thing for longer
/// than `patience`; and if something throws that nobody catches. One per program.
class Watchdog {
public:
        explicit Watchdog(std::chrono::seconds patience);
        ~Watchdog();
        Watchdog(const Watchdog&) = delete;
        Watchdog& operator=(const Watchdog&) = delete;

        /// The seed of the present round, so that one can repeat it.
        static void set_seed(std::uint64_t seed);
        [[noreturn]] static void fail(const char* what, std::size_t number);

private:
        void run(std::chrono::seconds patience);

        std::atomic<bool> ends_{false};
        std::thread thread_;
};

}  // namespace stress
