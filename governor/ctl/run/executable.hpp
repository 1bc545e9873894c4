// SPDX-License-Identifier: MIT
//
// The facts that the file of a command tells of it before it runs.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ctl::run {

/// An executable as its ELF header tells it.
struct Image {
        enum class Kind : std::uint8_t {
                Other,    ///< a script, or what cannot be read
                Foreign,  ///< of another word size than 64 bits
                Static,   ///< no dynamic linker takes part
                Dynamic
        };
        Kind kind = Kind::Other;
        std::string linker;               ///< of a dynamic one: its path
        std::vector<std::string> needed;  ///< libraries that it is linked with itself

        /// Is it linked with a library whose name begins so?
        [[nodiscard]] bool needs(std::string_view library) const;
        /// Linked with libthreadcount it follows by itself, and what `run` sets at its start would
        /// be its maximum for good. False also for programs that load the library later.
        [[nodiscard]] bool follows_by_itself() const { return needs("libthreadcount.so."); }
};

/// The file of this very program. Empty: it cannot be told.
[[nodiscard]] std::filesystem::path own_path();

/// The image of the executable that execvp() would find by this name. Some 50 us.
[[nodiscard]] Image image_of(const std::string& command);

/// Will it have more privileges than this process (set-user-ID, or capabilities of the file)? It
/// cannot be moved then: the kernel asks for as many.
[[nodiscard]] bool gains_privilege(const std::string& command);

/// Does the dynamic linker leave out what is to be preloaded? It does for a file that gains
/// privileges, and for one that gets another group (set-group-ID), which can be moved all the same.
[[nodiscard]] bool preloads_nothing(const std::string& command);

/// Why execvp() would not find it, or may not execute it: an errno. 0: it would.
[[nodiscard]] int reason_not_to_execute(const std::string& command);

}  // namespace ctl::run
