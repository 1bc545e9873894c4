// SPDX-License-Identifier: MIT
//
// The demonstration's own governor: nobody else finds it, and nothing of it stays but its folder
// after SIGKILL.
#pragma once

#include "run/signals.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>

namespace ctl::demo {

/// Where governord is: beside `own` (this program; empty: not known), in ../sbin if that is a bin,
/// in `path` ($PATH), or in the sbin of the system; for root in that before `path`. It and its
/// folder belong to root or to this user, and only these may write there.
[[nodiscard]] std::optional<std::filesystem::path>
find_governord(const std::filesystem::path& own, const std::string& path, bool is_root);

/// A new folder, which goes with all in it.
class Folder {
public:
        /// Throws std::runtime_error if there is no room for one.
        Folder();
        ~Folder();
        Folder(const Folder&) = delete;
        Folder& operator=(const Folder&) = delete;

        [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
        std::filesystem::path path_;
};

/// A process that dies with this one. It is killed if it does not end by itself within a second.
class Governor {
public:
        /// Starts it for these CPUs ("0-3"); serves() says when it is there.
        Governor(const run::Signals& signals, const std::filesystem::path& governord,
                 const std::string& cpus);
        ~Governor();
        Governor(const Governor&) = delete;
        Governor& operator=(const Governor&) = delete;

        [[nodiscard]] const std::string& socket() const { return socket_; }
        /// It has measured the machine, and answers.
        [[nodiscard]] bool serves() const;
        /// Has it ended by itself? Then this is what it said.
        [[nodiscard]] std::optional<std::string> last_words();

private:
        Folder folder_;
        std::string socket_;
        pid_t pid_ = -1;
};

}  // namespace ctl::demo
