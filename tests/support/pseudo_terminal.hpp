// SPDX-License-Identifier: MIT
//
// A program on a terminal of its own, and what a person in front of it sees and types.
#pragma once

#include "support/process.hpp"

#include <cstddef>
#include <string>
#include <sys/types.h>
#include <termios.h>
#include <vector>

namespace test_support {

class PseudoTerminal {
public:
        struct Size {
                unsigned short columns = 80;
                unsigned short lines = 24;
        };
        /// TERM is xterm unless the command says otherwise. Killed and reaped when this goes, and
        /// by the kernel if the test dies.
        explicit PseudoTerminal(const Command& command, Size size = {80, 24});
        ~PseudoTerminal();
        PseudoTerminal(const PseudoTerminal&) = delete;
        PseudoTerminal& operator=(const PseudoTerminal&) = delete;

        void type(const std::string& bytes) const;
        /// The kernel tells the program by SIGWINCH.
        void resize(Size size) const;
        void signal(int number) const;

        /// All that it has written up to now, and is written while this is called.
        [[nodiscard]] const std::string& output();
        /// The last screen, without colours, from "home" on. A part of its last line, behind "clear
        /// the rest", may still be missing. Empty: none yet.
        [[nodiscard]] std::vector<std::string> screen();
        [[nodiscard]] bool shows(const std::string& text);

        /// Keys come at once and unseen.
        [[nodiscard]] bool is_raw() const;
        [[nodiscard]] bool is_stopped();
        /// As Process::wait().
        [[nodiscard]] int wait(std::chrono::milliseconds patience = std::chrono::seconds{30});

private:
        void read_more();

        int fd_ = -1;
        pid_t pid_ = -1;
        std::string output_;
        std::optional<int> status_;
};

}  // namespace test_support
