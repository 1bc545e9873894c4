// SPDX-License-Identifier: MIT
//
// Grants that tell whether they were read as a whole: everything follows from one number.
#pragma once

#include "server/sharing/arena.hpp"

#include <algorithm>
#include <cstdint>
#include <governor/v1/arena.h>
#include <vector>

namespace shared_memory_test {

/// Numbers of patterns: 0 .. kPatterns - 1.
inline constexpr std::uint32_t kPatterns = 61;

/// The patterns of arena `arena` (any number), with some of `cpus` CPUs in their sets.
class Patterns {
public:
        Patterns(std::uint32_t arena, std::uint32_t cpus) {
                for (std::uint32_t number = 0; number < kPatterns; number++)
                        grants_.push_back(make(arena, number, cpus));
        }

        /// The pattern after kPatterns - 1 is the first again.
        [[nodiscard]] const governor::policy::fair::Grant& of(std::uint32_t number) const {
                return grants_[number % kPatterns];
        }

        /// True if all that was read is one of them.
        [[nodiscard]] bool contain(std::uint64_t word, const governor_grant_reason& reason,
                                   const std::vector<std::uint64_t>& set) const {
                const auto number = governor_word_threads(word) - 1;
                if (number >= kPatterns || reason.bound != number ||
                    reason.cpus != grants_[number].reason.cpus)
                        return false;
                const auto words = grants_[number].cpus.words();
                return words.size() <= set.size() &&
                       std::equal(words.begin(), words.end(), set.begin()) &&
                       std::all_of(set.begin() + static_cast<std::ptrdiff_t>(words.size()),
                                   set.end(), [](std::uint64_t word_of) { return word_of == 0; });
        }

private:
        static governor::policy::fair::Grant make(std::uint32_t arena, std::uint32_t number,
                                                  std::uint32_t cpus) {
                governor::policy::fair::Grant grant;
                grant.threads = number + 1;
                grant.reason.cpus = arena;
                grant.reason.bound = number;
                for (std::uint32_t cpu = 0; cpu < cpus; cpu++)
                        if (((cpu / 64 + 1) * (number + 3) + cpu * 7 + arena) % 5 < 2)
                                grant.cpus.add(cpu);
                return grant;
        }

        std::vector<governor::policy::fair::Grant> grants_;
};

}  // namespace shared_memory_test
