// SPDX-License-Identifier: MIT
//
// The stateless policy: a CPU that was idle for at least a threshold is free, and a program that
// asks is told of all free CPUs (L. Akyil, "Managing Application Thread Use", 2008).
//
// Pure: no clock, no file, no socket, no logging, nothing remembered between calls.
#pragma once

#include "policy/sample.hpp"

#include <cstdint>
#include <string>

namespace governor::policy {

struct ThresholdSettings {
        std::uint32_t threshold_permyriad = 500;  ///< idle at least this much: free; 0..10000
};

/// A program's question.
struct Question {
        std::uint32_t current = 0;  ///< threads it uses now; 0: none yet
        std::uint32_t max = 0;      ///< never advise more; 0: no limit of its own
        std::uint32_t share = 0;    ///< nor more than this and than `current`; 0: no limit
};

enum class Reason : std::uint8_t { WarmingUp, FreeCpus, NoFreeCpu, OwnMax, AllCpus, FairShare };

struct Advice {
        std::uint32_t threads = 1;  ///< >= 1
        std::uint32_t free = 0;     ///< CPUs that are free now
        std::uint32_t total = 0;    ///< CPUs in the sample
        Reason reason = Reason::WarmingUp;
};

/// A CPU whose idle time is not known is not free.
[[nodiscard]] bool is_free(const ThresholdSettings& settings, const CpuIdle& cpu);

[[nodiscard]] std::uint32_t count_free(const ThresholdSettings& settings, const Sample& sample);

/// threads = current + free, at least 1 and at most total, question.share and question.max. It is
/// never less than current for want of free CPUs or a share (a program that only asks never
/// shrinks). Nothing is free while warming up. Deterministic, O(CPUs), does not allocate.
[[nodiscard]] Advice advise(const ThresholdSettings& settings, const Sample& sample,
                            const Question& question);

/// One line with the arithmetic: "2 in use + 3 of 8 cpus idle >= 5% -> 5".
[[nodiscard]] std::string explain(const ThresholdSettings& settings, const Question& question,
                                  const Advice& advice);

}  // namespace governor::policy
