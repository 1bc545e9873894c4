// SPDX-License-Identifier: MIT
// The article's arithmetic and its explanation.
#include "policy/threshold.hpp"

#include "policy/permyriad.hpp"

#include <algorithm>
#include <limits>

namespace governor::policy {

bool is_free(const ThresholdSettings& settings, const CpuIdle& cpu) {
        return cpu.idle_permyriad && *cpu.idle_permyriad >= settings.threshold_permyriad;
}

std::uint32_t count_free(const ThresholdSettings& settings, const Sample& sample) {
        if (sample.warming_up)
                return 0;
        return static_cast<std::uint32_t>(std::ranges::count_if(
                sample.cpus, [&](const CpuIdle& cpu) { return is_free(settings, cpu); }));
}

Advice advise(const ThresholdSettings& settings, const Sample& sample, const Question& question) {
        Advice advice;
        advice.free = count_free(settings, sample);
        advice.total = static_cast<std::uint32_t>(sample.cpus.size());
        const auto room = std::numeric_limits<std::uint32_t>::max() - question.current;
        advice.threads = std::max(1U, question.current + std::min(advice.free, room));
        advice.reason = sample.warming_up ? Reason::WarmingUp
                        : advice.free > 0 ? Reason::FreeCpus
                                          : Reason::NoFreeCpu;
        const auto limit = [&](std::uint32_t most, Reason reason) {
                if (advice.threads <= most)
                        return;
                advice.threads = most;
                if (advice.reason != Reason::WarmingUp)
                        advice.reason = reason;
        };
        limit(std::max(1U, advice.total), Reason::AllCpus);
        if (question.share > 0)
                limit(std::max(question.share, question.current), Reason::FairShare);
        if (question.max > 0)
                limit(question.max, Reason::OwnMax);
        return advice;
}

std::string explain(const ThresholdSettings& settings, const Question& question,
                    const Advice& advice) {
        const auto total = std::to_string(advice.total);
        std::string text = std::to_string(question.current) + " in use + ";
        if (advice.reason == Reason::WarmingUp)
                text += "not known yet (the first period is being measured)";
        else
                text += std::to_string(advice.free) + " of " + total +
                        " cpus idle >= " + format_percent(settings.threshold_permyriad);
        if (advice.reason == Reason::AllCpus)
                text += ", at most all " + total + " cpus";
        if (advice.reason == Reason::FairShare)
                text += ", at most its share of " + std::to_string(question.share);
        if (advice.reason == Reason::OwnMax)
                text += ", at most " + std::to_string(question.max) + " as asked";
        return text + " -> " + std::to_string(advice.threads);
}

}  // namespace governor::policy
