// SPDX-License-Identifier: MIT
// Growth by answers and, without a governor, by time.
#include "grown_count.hpp"

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
        since_ms_ = now_ms;
}

void GrownCount::unanswered(std::uint64_t now_ms) {
        const auto passed_ms = now_ms - since_ms_;
        if (count_ == 0) {
                // Nobody governs: the program runs at its own width, and what it uses it keeps.
                if (waiting_ && passed_ms < kFirstAnswer_ms)
                        return;
                waiting_ = false;
                count_ = max_;
        } else if (passed_ms >= kTimeToLive_ms) {
                count_ = count_ <= max_ / 2 ? count_ * 2 : max_;
                since_ms_ = now_ms;
        }
}

void GrownCount::failed(std::uint64_t now_ms) {
        waiting_ = false;
        unanswered(now_ms);
}

}  // namespace threadcount
