// SPDX-License-Identifier: MIT
// Two thresholds, and patience.
#include "evidence/low_use.hpp"

#include "evidence/burn_window.hpp"
#include "policy/numbers.hpp"

namespace governor::evidence {

namespace {

using std::chrono::nanoseconds;

/// Other threads may do a tenth of its work, and a little besides: starting a thread, say.
bool is_the_process(nanoseconds thread, nanoseconds process) {
        return thread >= process - process / numbers::kLittle - numbers::kKernelTick;
}

}  // namespace

void LowUse::add(const Reading& reading, TimePoint now) {
        if (!last_) {
                last_ = reading;
                at_ = now;
                return;
        }
        const auto elapsed = now - at_;
        if (elapsed < kFullWindow)
                return;
        const auto process = reading.process - last_->process;
        if (is_the_process(reading.thread - last_->thread, process))
                judge(process + (reading.waited - last_->waited), elapsed, now);
        else
                end();
        last_ = reading;
        at_ = now;
}

void LowUse::judge(nanoseconds runnable, nanoseconds elapsed, TimePoint now) {
        const auto millicpu = runnable * 1000 / elapsed;
        if (light_) {
                if (millicpu > kHeavy_millicpu)
                        end();
                return;
        }
        if (millicpu >= 1000 / numbers::kLightParts) {
                low_since_.reset();
                return;
        }
        low_since_ = low_since_.value_or(at_);
        light_ = now - *low_since_ >= kPatience;
}

void LowUse::unknown() {
        end();
        last_.reset();
}

void LowUse::burned(std::uint32_t millicpu) {
        if (millicpu > kHeavy_millicpu)
                end();
}

void LowUse::end() {
        light_ = false;
        low_since_.reset();
}

}  // namespace governor::evidence
