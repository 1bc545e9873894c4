// SPDX-License-Identifier: MIT
// forkpty(3).
#include "support/pseudo_terminal.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace test_support {

namespace {

winsize as_window(PseudoTerminal::Size size) {
        winsize window{};
        window.ws_col = size.columns;
        window.ws_row = size.lines;
        return window;
}

}  // namespace

PseudoTerminal::PseudoTerminal(const Command& command, Size size) {
        auto arguments = command.arguments;
        auto environment = command.environment;
        environment.insert(environment.end(), {"TERM=xterm", "PATH=/usr/bin:/bin"});
        const auto argv = as_pointers(arguments);
        const auto envp = as_pointers(environment);
        const auto window = as_window(size);
        const pid_t parent = ::getpid();
        pid_ = ::forkpty(&fd_, nullptr, nullptr, &window);
        if (pid_ < 0)
                throw std::runtime_error("forkpty");
        if (pid_ > 0) {
                ::fcntl(fd_, F_SETFL, O_NONBLOCK);
                ::fcntl(fd_, F_SETFD, FD_CLOEXEC);
                return;
        }
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != parent)
                ::_exit(126);
        ::execve(argv[0], argv.data(), envp.data());
        ::_exit(127);
}

PseudoTerminal::~PseudoTerminal() {
        if (!status_) {
                ::kill(pid_, SIGKILL);
                ::waitpid(pid_, nullptr, 0);
        }
        ::close(fd_);
}

void PseudoTerminal::type(const std::string& bytes) const {
        if (::write(fd_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
                throw std::runtime_error("cannot type");
}

void PseudoTerminal::resize(Size size) const {
        const auto window = as_window(size);
        if (::ioctl(fd_, TIOCSWINSZ, &window) < 0)
                throw std::runtime_error("TIOCSWINSZ");
}

void PseudoTerminal::signal(int number) const {
        if (!status_)
                ::kill(pid_, number);
}

void PseudoTerminal::read_more() {
        char bytes[4096];
        for (;;) {
                const auto n = ::read(fd_, bytes, sizeof(bytes));
                if (n < 0 && errno == EINTR)
                        continue;
                if (n <= 0)
                        return;  // nothing more for now, or EIO: nobody has the other end open
                output_.append(bytes, static_cast<std::size_t>(n));
        }
}

const std::string& PseudoTerminal::output() {
        read_more();
        return output_;
}

std::vector<std::string> PseudoTerminal::screen() {
        constexpr std::string_view kHome = "\x1b[H";
        constexpr std::string_view kRest = "\x1b[J";
        read_more();
        const auto end = output_.rfind(kRest);
        const auto begin = end == output_.npos ? end : output_.rfind(kHome, end);
        if (begin == output_.npos)
                return {};
        const auto next = std::min(output_.find(kHome, end), output_.size());
        static const std::regex sequence("\x1b\\[[?0-9;]*[A-Za-z]|\r");
        std::istringstream text(
                std::regex_replace(output_.substr(begin, next - begin), sequence, ""));
        std::vector<std::string> lines;
        for (std::string line; std::getline(text, line);)
                lines.push_back(line);
        return lines;
}

bool PseudoTerminal::shows(const std::string& text) {
        for (const auto& line : screen())
                if (line.find(text) != line.npos)
                        return true;
        return false;
}

bool PseudoTerminal::is_raw() const {
        termios now{};
        return ::tcgetattr(fd_, &now) == 0 && (now.c_lflag & (ICANON | ECHO)) == 0;
}

bool PseudoTerminal::is_stopped() {
        int status = 0;
        return !status_ && ::waitpid(pid_, &status, WNOHANG | WUNTRACED) == pid_ &&
               WIFSTOPPED(status);
}

int PseudoTerminal::wait(std::chrono::milliseconds patience) {
        const auto ended = [&] {
                int status = 0;
                read_more();
                if (status_)
                        return true;
                if (::waitpid(pid_, &status, WNOHANG) != pid_)
                        return false;
                status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
                read_more();
                return true;
        };
        return eventually(ended, patience) ? *status_ : -1;
}

}  // namespace test_support
