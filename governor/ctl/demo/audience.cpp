// SPDX-License-Identifier: MIT
// stdout and signals.
#include "demo/audience.hpp"

#include "top/terminal.hpp"
#include "verbs/ask.hpp"

#include <csignal>
#include <cstdio>
#include <poll.h>
#include <unistd.h>

namespace ctl::demo {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

bool is_on_terminal() { return ::isatty(STDOUT_FILENO) == 1; }

void heed(const signalfd_siginfo& signal) {
        const int number = static_cast<int>(signal.ssi_signo);
        // A reader that has gone shows in what is written next.
        if (number != SIGPIPE && run::Signals::kills(number))
                throw Interrupted{number};
        if (run::is_stop(number))
                run::Signals::stop(number);
}

}  // namespace

void print(const std::string& text) {
        if (const auto code = verbs::print(text); code != kOk)
                throw Refused{{code, ""}};
}

bool wait(const run::Signals& signals, milliseconds time) {
        const auto until = steady_clock::now() + time;
        bool was_continued = false;
        for (;;) {
                while (const auto signal = signals.next()) {
                        was_continued |= signal->ssi_signo == SIGCONT;
                        heed(*signal);
                }
                const auto left = std::chrono::ceil<milliseconds>(until - steady_clock::now());
                if (left.count() <= 0)
                        return was_continued;
                pollfd ready{signals.fd(), POLLIN, 0};
                ::poll(&ready, 1, static_cast<int>(left.count()));
        }
}

void tick(const std::string& text) {
        if (is_on_terminal())
                print("\r" + text + "\x1b[K");
}

std::size_t width() {
        constexpr std::size_t kOfFiles = 110;
        return is_on_terminal() ? top::Terminal::size().columns : kOfFiles;
}

std::string decimal(double value) {
        char text[32];
        std::snprintf(text, sizeof(text), "%.1f", value);
        return text;
}

}  // namespace ctl::demo
