// SPDX-License-Identifier: MIT
// File -> parser -> history.
#include "probe/sampler.hpp"

#include "policy/numbers.hpp"

#include <string_view>
#include <unistd.h>

namespace governor::probe {

namespace {

constexpr int kStaleWindows = 3;

}  // namespace

Sampler::Sampler(const std::string& root)
        : base_(root.empty() ? TimeBase::Wall : TimeBase::Ticks), file_(root + "/proc/stat"),
          history_(base_, static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK))),
          ticks_(base_, static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK)), numbers::kTickWindow) {}

Sampler::Outcome Sampler::take(TimePoint now, std::chrono::milliseconds period) {
        const auto outcome = read(history_, now, period);
        if (outcome == Outcome::Accepted) {
                accepted_++;
                accepted_at_ = now;
                return outcome;
        }
        discarded_++;
        if (now - accepted_at_ > kStaleWindows * IdleHistory::window(period))
                history_.forget();
        return outcome;
}

const policy::Sample* Sampler::tick(TimePoint now) {
        const auto outcome = read(ticks_, now, std::chrono::milliseconds{0});
        return outcome == Outcome::Accepted ? &ticks_.sample() : nullptr;
}

Sampler::Outcome Sampler::read(IdleHistory& history, TimePoint now,
                               std::chrono::milliseconds period) {
        if (base_ == TimeBase::Ticks)
                file_.close();
        std::string_view text;
        error_ = -file_.read(text);
        if (error_ != 0)
                return Outcome::Unreadable;
        auto reading = parse_proc_stat(text);
        if (!reading || !history.add(std::move(*reading), now, period))
                return Outcome::Discarded;
        return Outcome::Accepted;
}

}  // namespace governor::probe
