// SPDX-License-Identifier: MIT
// Two thresholds.
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
        const auto millicpu = (process + (reading.waited - last_->waited)) * 1000 / elapsed;
        const auto most = light_ ? kHeavy_millicpu : 1000 / numbers::kLightParts - 1;
        light_ = is_the_process(reading.thread - last_->thread, process) && millicpu <= most;
        last_ = reading;
        at_ = now;
}

void LowUse::unknown() {
        light_ = false;
        last_.reset();
}

void LowUse::burned(std::uint32_t millicpu) {
        if (millicpu > kHeavy_millicpu)
                light_ = false;
}

}  // namespace governor::evidence
