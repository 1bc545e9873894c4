// SPDX-License-Identifier: MIT
// From a grant's word to a fence.
#include "run/steward.hpp"

#include "run/processes.hpp"

#include <algorithm>

namespace ctl::run {

namespace {

using std::chrono::milliseconds;

/// Between two looks at the grant: one load.
constexpr milliseconds kLook{100};
/// Without a governor the last grant is gone by for so long, as by the library.
constexpr std::chrono::seconds kTimeToLive{60};

bool is_same(const Grant& a, const Grant& b) {
        return a.is_ungoverned == b.is_ungoverned && a.cpus == b.cpus && width_of(a) == width_of(b);
}

}  // namespace

std::uint32_t width_of(const Grant& grant) {
        switch (grant.why.limit) {
        case GOVERNOR_LIMIT_DEMAND:
        case GOVERNOR_LIMIT_IDLE:
        case GOVERNOR_LIMIT_RETURNING:
        case GOVERNOR_LIMIT_LIGHT:
                return std::max(grant.threads, grant.why.share);
        default:
                return grant.threads;
        }
}

Steward::Steward(Lease& lease, const CpuMask& open, std::uint32_t threads, bool fences)
        : lease_(lease), open_(open), granted_last_(Clock::now()) {
        followed_ = lease_.grant(granted_last_);
        if (!fences || !followed_)
                return;
        const auto count = followed_->is_ungoverned ? open.count() : threads;
        fence_.emplace(open, followed_->cpus, count);
}

bool Steward::can_fence(const CpuMask& open) { return open.count() > 1 && can_walk(); }

const CpuMask* Steward::at_start() const { return fence_ ? fence_->at_start() : nullptr; }

Attention Steward::attend() {
        const auto now = Clock::now();
        auto within = lease_.look(now);
        if (fence_) {
                follow(now);
                within = std::min(within.value_or(kLook), kLook);
        }
        return {lease_.fd(), within};
}

void Steward::follow(Clock::time_point now) {
        const auto& grant = lease_.grant(now);
        if (grant) {
                granted_last_ = now;
                if (!followed_ || !is_same(*grant, *followed_))
                        fence_->want(grant->cpus,
                                     grant->is_ungoverned ? open_.count() : width_of(*grant));
                followed_ = grant;
        } else if (now - granted_last_ > kTimeToLive) {
                fence_->want(open_, open_.count());
                followed_.reset();
        }
        fence_->follow(now);
}

void Steward::finish() {
        if (fence_)
                fence_->take_down();
}

}  // namespace ctl::run
