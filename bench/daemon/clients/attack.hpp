// SPDX-License-Identifier: MIT
//
// The harm that one user can do to the others, each way by itself; bench/attacks tells the results.
#pragma once

#include "talk.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace bench {

struct AttackOptions {
        Target target;
        std::uint32_t members = 0;  ///< processes with a lease, or sleeping threads
        std::uint32_t memory_mib = 0;
};

class Attack {
public:
        virtual ~Attack() = default;
        /// Prepares what it needs before it begins: returns how many members it has, at most as
        /// asked.
        [[nodiscard]] virtual std::uint32_t prepare() { return 0; }
        /// Once, as fast as the server lets it. False: it could not, or holds back for now.
        virtual bool strike() = 0;
        /// Strikes whose descriptors the kernel refused to send.
        [[nodiscard]] virtual std::uint64_t refused() const { return 0; }
};

struct AttackKind {
        const char* name;
        const char* what;  ///< one phrase for --help
        std::unique_ptr<Attack> (*make)(const AttackOptions&);
};

[[nodiscard]] std::span<const AttackKind> descriptor_attacks();
[[nodiscard]] std::span<const AttackKind> request_attacks();

}  // namespace bench
