// SPDX-License-Identifier: MIT
// termios, xterm's sequences, and signals by descriptor: nothing runs in a signal handler.
#include "top/terminal.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <poll.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <system_error>
#include <unistd.h>

namespace ctl::top {

namespace {

/// The other screen, no cursor, no line wrap; and back.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[?7l";
constexpr std::string_view kLeave = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l";
constexpr std::string_view kHome = "\x1b[H";
constexpr std::string_view kEndOfLine = "\x1b[K";
constexpr std::string_view kRestOfScreen = "\x1b[J";

bool write_all(std::string_view bytes) {
        while (!bytes.empty()) {
                const auto n = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
                if (n < 0 && errno == EINTR)
                        continue;
                if (n <= 0)
                        return false;
                bytes.remove_prefix(static_cast<std::size_t>(n));
        }
        return true;
}

sigset_t handled_signals() {
        sigset_t set;
        ::sigemptyset(&set);
        for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT, SIGWINCH})
                ::sigaddset(&set, number);
        return set;
}

[[noreturn]] void fail(const char* what) {
        throw std::system_error(errno, std::system_category(), what);
}

}  // namespace

bool Terminal::is_there() {
        const char* term = std::getenv("TERM");
        const std::string_view kind = term != nullptr ? term : "";
        return !kind.empty() && kind != "dumb" && ::isatty(STDIN_FILENO) == 1 &&
               ::isatty(STDOUT_FILENO) == 1;
}

Terminal::Terminal() {
        if (::tcgetattr(STDIN_FILENO, &before_) < 0)
                fail("terminal");
        const auto handled = handled_signals();
        if (::sigprocmask(SIG_BLOCK, &handled, &mask_before_) < 0)
                fail("sigprocmask");
        signals_ = ::signalfd(-1, &handled, SFD_CLOEXEC | SFD_NONBLOCK);
        if (signals_ < 0) {
                ::sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
                fail("signalfd");
        }
        take();
}

Terminal::~Terminal() {
        give_back();
        ::close(signals_);
        ::sigprocmask(SIG_SETMASK, &mask_before_, nullptr);
}

void Terminal::take() const {
        auto raw = before_;
        raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
        raw.c_cc[VMIN] = 0;
        raw.c_cc[VTIME] = 0;
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
        (void)write_all(kEnter);
}

void Terminal::give_back() const {
        (void)write_all(kLeave);
        ::tcsetattr(STDIN_FILENO, TCSAFLUSH, &before_);
}

Terminal::Size Terminal::size() {
        winsize window{};
        if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) < 0 || window.ws_col == 0 ||
            window.ws_row == 0)
                return {};
        return {window.ws_col, window.ws_row};
}

bool Terminal::show(const std::vector<std::string>& lines) const {
        std::string bytes(kHome);
        // Erased before it is written: behind a full line the cursor is still in its last column.
        for (std::size_t i = 0; i < lines.size(); i++) {
                bytes += i > 0 ? "\r\n" : "";
                bytes += i + 1 < lines.size() ? kEndOfLine : kRestOfScreen;
                bytes += lines[i];
        }
        return write_all(bytes);
}

Terminal::Happened Terminal::wait(std::chrono::milliseconds patience) {
        std::array<pollfd, 2> ready{{{STDIN_FILENO, POLLIN, 0}, {signals_, POLLIN, 0}}};
        if (::poll(ready.data(), ready.size(), static_cast<int>(patience.count())) <= 0)
                return {};
        if (ready[1].revents != 0)
                return read_signal();
        std::array<char, 256> bytes;
        const auto n = ::read(STDIN_FILENO, bytes.data(), bytes.size());
        if (n > 0)
                return {std::string(bytes.data(), static_cast<std::size_t>(n))};
        return n < 0 && (errno == EINTR || errno == EAGAIN) ? Happened{}
                                                            : Happened{{}, false, SIGHUP};
}

Terminal::Happened Terminal::read_signal() const {
        signalfd_siginfo signal{};
        if (::read(signals_, &signal, sizeof(signal)) != sizeof(signal))
                return {};
        const auto number = static_cast<int>(signal.ssi_signo);
        if (number == SIGTSTP)
                stop();
        if (number == SIGTSTP || number == SIGCONT || number == SIGWINCH)
                return {{}, true, 0};
        return {{}, false, number};
}

/// By the signal itself: the kernel ignores it where no shell could continue this process.
void Terminal::stop() const {
        give_back();
        sigset_t one;
        ::sigemptyset(&one);
        ::sigaddset(&one, SIGTSTP);
        ::raise(SIGTSTP);
        ::sigprocmask(SIG_UNBLOCK, &one, nullptr);
        ::sigprocmask(SIG_BLOCK, &one, nullptr);
        take();
}

}  // namespace ctl::top
