// SPDX-License-Identifier: MIT
// Growth by answers and, without a governor, by time.
#include "grown_count.hpp"

#include <algorithm>

namespace threadcount {

std::uint32_t GrownCount::threads() const {
        if (count_ > 0)
                return count_;
        return waiting_ ? 1 : max_;
}

void GrownCount::asked(std::uint64_t now_ms) {
        if (count_ > 0 || waiting_)
                return;
        waiting_ = true;
        since_ms_ = now_ms;
}

void GrownCount::answered(std::uint32_t threads, std::uint64_t now_ms) {
        const auto advised = threads < 1 ? 1 : threads < max_ ? threads : max_;
        if (advised > count_)
                count_ = advised;
        waiting_ = false;
        missed_ = false;
        since_ms_ = now_ms;
}

void GrownCount::granted(std::uint32_t threads, std::uint64_t now_ms) {
        *this = GrownCount(max_, idle_time_);
        answered(threads, now_ms);
}

void GrownCount::unanswered(std::uint64_t now_ms) {
        const auto passed_ms = now_ms - since_ms_;
        if (count_ == 0) {
                // Nobody governs: the program runs at its own width, and what it uses it keeps.
                if (waiting_ && passed_ms < kFirstAnswer_ms)
                        return;
                waiting_ = false;
                count_ = max_;
                return;
        }
        if (!missed_) {
                missed_ = true;
                last_look_ = look(now_ms);
                stood_since_ms_ = now_ms;
        }
        if (passed_ms >= kTimeToLive_ms)
                grow(now_ms);
}

GrownCount::Look GrownCount::look(std::uint64_t now_ms) const {
        return {now_ms, idle_time_ != nullptr ? idle_time_() : 0};
}

/// CPUs that were idle, rounded down.
std::uint32_t GrownCount::room(const Look& from, const Look& to) const {
        if (from.idle_ms == 0 || to.idle_ms == 0 || to.at_ms - stood_since_ms_ >= kPatience_ms)
                return max_;
        // The sum goes back when a CPU goes offline.
        if (to.at_ms <= from.at_ms || to.idle_ms <= from.idle_ms)
                return 0;
        const auto cpus = (to.idle_ms - from.idle_ms) / (to.at_ms - from.at_ms);
        return cpus < max_ ? static_cast<std::uint32_t>(cpus) : max_;
}

void GrownCount::grow(std::uint64_t now_ms) {
        const auto next = look(now_ms);
        const auto more = std::min({count_, max_ - count_, room(last_look_, next)});
        if (more > 0)
                stood_since_ms_ = now_ms;
        count_ += more;
        last_look_ = next;
        since_ms_ = now_ms;
}

void GrownCount::failed(std::uint64_t now_ms) {
        waiting_ = false;
        unanswered(now_ms);
}

}  // namespace threadcount
