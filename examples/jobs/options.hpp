// SPDX-License-Identifier: MIT
//
// The command line of jobs.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace examples::jobs {

enum class Kind { Calc, Serial, Shm };
enum class PoolKind { Ours, Fifo, Layered };

struct Options {
        Kind kind = Kind::Calc;
        PoolKind pool = PoolKind::Ours;
        std::uint64_t workers = 1;        ///< asked for
        std::uint64_t under_way = 1;      ///< jobs at once
        std::uint64_t jobs_of_each = 10;  ///< jobs in all, for each of those
        std::uint64_t affinity = 0;       ///< 0: the kernel places the workers
        std::uint64_t steps = 1 << 22;    ///< of a job of calc or serial, at most
        std::string file;                 ///< empty: numbers made up in memory
        std::uint64_t length = 1 << 23;   ///< words of 8 bytes
        bool json = false;
        bool help = false;
};

struct ParsedOptions {
        Options options;
        std::string error;  ///< one line without newline; empty if the options are good
};

/// `arguments` without the program's name.
[[nodiscard]] ParsedOptions parse_options(std::span<char* const> arguments);

[[nodiscard]] std::string help_text();

[[nodiscard]] const char* name_of(Kind kind);
[[nodiscard]] const char* name_of(PoolKind kind);

}  // namespace examples::jobs
