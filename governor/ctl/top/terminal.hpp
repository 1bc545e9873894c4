// SPDX-License-Identifier: MIT
//
// The terminal, taken over for a while: keys without Enter, a screen of one's own, no cursor. All
// is as it was when this goes, or a signal ends the program.
#pragma once

#include <chrono>
#include <csignal>
#include <cstddef>
#include <string>
#include <termios.h>
#include <vector>

namespace ctl::top {

/// One at a time. Not thread-safe.
class Terminal {
public:
        /// stdin and stdout are a terminal that understands ANSI sequences, as far as $TERM says.
        [[nodiscard]] static bool is_there();

        /// Throws std::system_error if it cannot be taken over.
        Terminal();
        ~Terminal();
        Terminal(const Terminal&) = delete;
        Terminal& operator=(const Terminal&) = delete;

        struct Size {
                std::size_t columns = 80;
                std::size_t lines = 24;
        };
        [[nodiscard]] static Size size();

        /// In place of what was there. Lines beyond its size are left out by the caller. False: the
        /// terminal has gone.
        [[nodiscard]] bool show(const std::vector<std::string>& lines) const;

        struct Happened {
                std::string typed;     ///< bytes
                bool resized = false;  ///< or to be drawn anew for another reason
                int ended_by = 0;      ///< a signal, or SIGHUP where the terminal has gone
        };
        /// Waits until something happens, or `patience` is over. SIGTSTP gives the terminal back
        /// and stops the program, unless nobody could continue it.
        [[nodiscard]] Happened wait(std::chrono::milliseconds patience);

private:
        void take() const;
        void give_back() const;
        [[nodiscard]] Happened read_signal() const;
        void stop() const;

        termios before_{};
        sigset_t mask_before_{};
        int signals_ = -1;
};

}  // namespace ctl::top
