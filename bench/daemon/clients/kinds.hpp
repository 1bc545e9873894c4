// SPDX-License-Identifier: MIT
//
// The ways in which a client can be a bad one.
#pragma once

#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace bench {

enum class Kind { Idle, Half, Bytes, Deaf, Flood, Costly, Storm, Version, Huge, Random };

struct Manner {
        Kind kind;
        const char* name;  ///< in --kinds and in the counts
        const char* what;  ///< one phrase for --help
        bool once;         ///< speaks once and then only holds its connection
        bool reads;        ///< takes what the server sends
        bool starts_anew;  ///< opens a new connection at every turn
        bool leaves;       ///< and closes it at once
};

[[nodiscard]] std::span<const Manner> all_manners();

/// From a list such as "flood,deaf". Throws std::runtime_error that names what is accepted.
[[nodiscard]] std::vector<Manner> manners_named(const std::string& list);

/// The bytes that a client of that kind sends at its `turn`, counted from 0; for Bytes a single
/// one.
[[nodiscard]] std::string speech(Kind kind, std::uint64_t turn, std::minstd_rand& random);

}  // namespace bench
