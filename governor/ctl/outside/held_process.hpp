// SPDX-License-Identifier: MIT
//
// One process, held by its directory in /proc: what is done by it never reaches another process
// that has the same number later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <utility>
#include <vector>

namespace ctl::outside {

/// A process as no other one ever is until the next boot: numbers are used again.
struct ProcessId {
        std::uint32_t pid = 0;
        std::uint64_t started_ticks = 0;  ///< after boot

        friend bool operator==(const ProcessId&, const ProcessId&) = default;
        friend bool operator<(const ProcessId& a, const ProcessId& b) {
                return std::pair(a.pid, a.started_ticks) < std::pair(b.pid, b.started_ticks);
        }
};

/// Threads of one process that are looked at.
inline constexpr std::size_t kMostThreads = 65'536;

class HeldProcess {
public:
        /// Below `root`, which is empty for this machine. Empty: there is no such process.
        [[nodiscard]] static std::optional<HeldProcess> open(const std::string& root,
                                                             std::uint32_t pid);
        /// This one and no other, on this machine. Empty: it has gone.
        [[nodiscard]] static std::optional<HeldProcess> open(const ProcessId& process);
        HeldProcess(HeldProcess&& other) noexcept
                : fd_(std::exchange(other.fd_, -1)), pid_(other.pid_) {}
        HeldProcess& operator=(HeldProcess&& other) noexcept {
                std::swap(fd_, other.fd_);
                std::swap(pid_, other.pid_);
                return *this;
        }
        ~HeldProcess();

        [[nodiscard]] std::uint32_t pid() const { return pid_; }
        /// Is it of the user that this process is?
        [[nodiscard]] bool is_own() const;
        /// Empty: it has gone.
        [[nodiscard]] std::optional<ProcessId> id() const;
        /// Does it execute this file?
        [[nodiscard]] bool executes(const std::string& file) const;

        /// kMostThreads at most. Empty: it has gone.
        [[nodiscard]] std::vector<std::uint32_t> threads() const;
        /// Is this one of its threads now?
        [[nodiscard]] bool has_thread(std::uint32_t thread) const;
        /// Calls `act` for a thread of it. Should that have gone meanwhile, its number may have
        /// been a stranger's already: then `amend` is called. Returns whether `act` has acted on
        /// the thread.
        template <class Act, class Amend>
        [[nodiscard]] bool on_thread(std::uint32_t thread, const Act& act,
                                     const Amend& amend) const {
                if (!has_thread(thread) || !act())
                        return false;
                if (has_thread(thread))
                        return true;
                amend();
                return false;
        }

        /// The first 4 KiB of one of its files. Empty: it has gone, or may not be read.
        [[nodiscard]] std::optional<std::string> read(const char* name) const;
        /// Returns 0 or a negative errno.
        [[nodiscard]] int write(const char* name, std::string_view text) const;

private:
        HeldProcess(int fd, std::uint32_t pid) : fd_(fd), pid_(pid) {}

        int fd_ = -1;
        std::uint32_t pid_ = 0;
};

}  // namespace ctl::outside
