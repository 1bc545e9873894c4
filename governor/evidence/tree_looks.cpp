// SPDX-License-Identifier: MIT
#include "evidence/tree_looks.hpp"

#include "policy/numbers.hpp"

namespace governor::evidence {

using policy::TimePoint;

TreeLooks::Told TreeLooks::add(const std::optional<TreeLook>& look, TimePoint now) {
        next_ = now + numbers::on_time(look ? numbers::kTick : numbers::kWindow);
        const auto before = last_;
        if (!look) {
                last_.reset();
                return Told::Nothing;
        }
        last_ = {now, look->cpu_time, now};
        if (!before)
                return Told::Nothing;
        const auto used = look->cpu_time - before->cpu_time;
        if (look->is_runnable ||
            (used > numbers::kKernelTick && used * numbers::kLittle >= now - before->at))
                return Told::Busy;
        last_->quiet_since = before->quiet_since;
        return Told::Quiet;
}

bool TreeLooks::are_fresh(TimePoint now) const {
        return last_ && now - last_->at < 2 * numbers::kWindow;
}

}  // namespace governor::evidence
