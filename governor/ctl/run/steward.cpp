// SPDX-License-Identifier: MIT
// From a grant's word to a fence.
#include "run/steward.hpp"

#include "outside/choose.hpp"
#include "outside/one_cpu.hpp"
#include "run/processes.hpp"
#include "run/say.hpp"

#include <algorithm>
#include <governor/v1/reasons.h>
#include <unistd.h>
#include <utility>

namespace ctl::run {

namespace {

using std::chrono::milliseconds;

/// Between two looks at the grant: one load.
constexpr milliseconds kLook{100};
/// Without a governor the last grant is gone by for so long, as by the library.
constexpr std::chrono::seconds kTimeToLive{60};

/// A tree begins with its share, which is more than its grant beside foreign load. Foreign load may
/// go soon; the fence becomes as narrow as the grant if the load does not go within this time.
constexpr std::chrono::seconds kForeignMayGo{2};

/// A command that ends sooner needs no guardian, which takes longer to start than many of these
/// run.
constexpr milliseconds kGuard{100};
/// Between two looks at the processes that the record names: whoever kills this process may kill
/// their parents as well.
constexpr std::chrono::seconds kLookAtTree{1};

outside::CpuMask to_set(const CpuMask& cpus) {
        outside::CpuMask set;
        for (std::uint32_t cpu = 0; cpu < threadcount::kMostCpus; cpu++)
                if ((cpus.words[cpu / 64] >> (cpu % 64) & 1U) != 0)
                        set.add(cpu);
        return set;
}

/// The children of this process, and then the others of the tree. These descend from them, and are
/// found by that, as long as the children live.
std::vector<outside::ProcessId> tree() {
        std::vector<outside::ProcessId> found;
        walk(::getpid(), [&](const outside::ProcessId& process, const std::vector<pid_t>&) {
                found.push_back(process);
                return false;
        });
        const auto children = found;
        walk(::getpid(), [&](const outside::ProcessId& process, const std::vector<pid_t>&) {
                if (std::ranges::find(children, process) == children.end())
                        found.push_back(process);
                return found.size() < outside::kMostNarrowed;
        });
        found.resize(std::min(found.size(), outside::kMostNarrowed));
        return found;
}

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

Steward::Steward(Lease& lease, const CpuMask& open, std::uint32_t threads, Way way, Acts acts)
        : lease_(lease), acts_(std::move(acts)), takes_turns_(way == Way::Yield),
          granted_last_(Clock::now()) {
        followed_ = lease_.grant(granted_last_);
        if (way != Way::Fence || !followed_) {
                inherit(open);
                return;
        }
        const auto count = followed_->is_ungoverned ? open.count() : threads;
        fence_.emplace(open, followed_->cpus, count);
        fenced_.since_ticks = outside::now_ticks();
        (void)put_down();
}

/// An outer `run` moves this process, and leaves the tree below it alone.
void Steward::inherit(const CpuMask& open) {
        if (lease_.is_in_another_tree())
                inherited_.emplace(open, open, open.count());
}

/// Without a record nobody would take the fence down when this process is killed.
bool Steward::put_down() {
        const auto masks = fence_->masks();
        if (masks.empty() && fenced_.masks.empty())
                return true;
        fenced_.open = to_set(fence_->open());
        fenced_.masks.clear();
        for (const auto& mask : masks)
                fenced_.masks.push_back(to_set(mask));
        fenced_.processes = tree();
        const auto why_not = record_.put(fenced_);
        if (why_not.empty())
                return true;
        fence_->take_down();
        inherit(fence_->open());
        fence_.reset();
        record_.end();
        say("the program has no fence, since that cannot be recorded: " + why_not);
        acts_.all = acts_.without_fence;
        tell(acts_.all);
        return false;
}

void Steward::begin() {
        if (fence_)
                (void)put_down();
        const auto now = Clock::now();
        guard_at_ = now + kGuard;
        fit_at_ = now + kForeignMayGo;
}

bool Steward::can_fence() { return can_walk(); }

const CpuMask* Steward::at_start() const { return fence_ ? fence_->at_start() : nullptr; }

Attention Steward::attend() {
        const auto now = Clock::now();
        auto within = lease_.look(now);
        if (now < guard_at_)
                within = std::min(within.value_or(kGuard), kGuard);
        else
                record_.guard_what_was_left();
        if (fence_)
                follow(now);
        else if (inherited_)
                follow_outer(now);
        if (fence_ || inherited_)
                within = std::min(within.value_or(kLook), kLook);
        if (takes_turns_) {
                const auto soon = wait_for_turn(now);
                within = std::min(within.value_or(soon), soon);
        }
        return {lease_.fd(), within};
}

/// Without a governor nobody takes turns.
milliseconds Steward::wait_for_turn(Clock::time_point now) {
        const auto& grant = lease_.grant(now);
        const bool waits = grant && grant->is_parked && !grant->is_ungoverned;
        if (waits && !yielding_)
                yielding_.emplace();
        if (!yielding_)
                return kLook;
        yielding_->want(waits);
        const auto again = yielding_->work(now);
        if (!yielding_->has_means()) {
                auto why = yielding_->acts();
                if (why.starts_with(outside::kNothingActs))
                        why.erase(0, outside::kNothingActs.size());
                say("the program takes no turns and shares as without --batch, since nothing here "
                    "can make it wait: " +
                    why);
                lease_.stop_yielding();
                takes_turns_ = false;
                yielding_->end();
        }
        tell(waits ? yielding_->acts() : acts_.all);
        // What is on one CPU while it waits is given back what there was when the wait began.
        if (std::exchange(waits_, waits && takes_turns_) && !waits_ && inherited_)
                inherited_->look_again();
        return std::min(again.value_or(kLook), kLook);
}

void Steward::tell(const std::string& acts) {
        if (acts == told_)
                return;
        told_ = acts;
        lease_.tell(acts);
}

void Steward::follow(Clock::time_point now) {
        const auto& grant = lease_.grant(now);
        bool moves = fence_->reopened();
        bool is_new = moves;
        if (now >= fit_at_) {
                is_new = true;
                fit_at_ = Clock::time_point::max();
        }
        const auto& open = fence_->open();
        if (grant) {
                granted_last_ = now;
                is_new = is_new || !followed_ || !is_same(*grant, *followed_);
                followed_ = grant;
        } else if (now - granted_last_ > kTimeToLive) {
                fence_->want(open, open.count());
                followed_.reset();
        }
        if (is_new && followed_)
                moves |= fence_->want(followed_->cpus, followed_->is_ungoverned
                                                               ? open.count()
                                                               : width_of(*followed_));
        if (now >= look_again_) {
                look_again_ = now + kLookAtTree;
                moves |= !fenced_.masks.empty() && tree() != fenced_.processes;
        }
        if (moves && !put_down())
                return;
        if (now >= guard_at_ && !fenced_.masks.empty()) {
                record_.guard();
                guard_at_ = now + kLookAtTree;
        }
        fence_->follow(now);
}

void Steward::follow_outer(Clock::time_point now) {
        if (inherited_->reopened())
                inherited_->want(inherited_->open(), inherited_->open().count());
        // Programs that spin would crawl on fewer CPUs than they began with.
        if (const auto count = inherited_->open().count(); count >= most_inherited_) {
                most_inherited_ = count;
                inherited_->follow(now);
        }
}

void Steward::finish() {
        if (fence_)
                fence_->take_down();
        record_.end();
        if (yielding_)
                yielding_->end();
        if (inherited_ && (inherited_->reopened() || waits_ || !inherited_->is_settled()))
                inherited_->take_down();
}

}  // namespace ctl::run
