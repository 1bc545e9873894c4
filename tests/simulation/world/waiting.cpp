// SPDX-License-Identifier: MIT
// Constants: README.md, "Barriers".
#include "simulation/world/waiting.hpp"

#include <algorithm>
#include <cmath>

namespace simulation {

namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using Class = governor::policy::fair::Class;

constexpr double kSlice_s = 0.004;    // HZ = 250: a thread runs from tick to tick where others wait
constexpr double kApart = 0.5;        // of the time no two of a team are on the same CPU
constexpr double kSharp = 1.2;        // how suddenly regions longer than a timeslice lose little
constexpr double kYielding = 0.95;    // pace of a team whose waiting threads let others run
constexpr double kBalancing_s = 0.1;  // the load balancer moves a thread that lags behind
constexpr auto kYield = microseconds(10);  // at each barrier
constexpr auto kSwitch = microseconds(6);  // likewise, to sleep and to be woken on a busy CPU
constexpr auto kWake = microseconds(45);
constexpr double kWhole = 0.999;  // of a CPU: nobody else is there

double after_each(double work_s, Time cost) { return work_s / (work_s + in_seconds(cost)); }

/// All threads of the team are as fast as alone while all happen to run. Otherwise a thread goes up
/// to the next barrier, which waits for one that is preempted: n / (n - 1) regions a round of all
/// timeslices.
double pace_of_spinning(double work_s, double threads, double share) {
        const double together = kApart * std::pow(share, threads - 1);
        const double slices = work_s / kSlice_s * threads / (threads - 1);
        const double apart = std::pow(1 + std::pow(slices, -kSharp), -1 / kSharp);
        return together + (1 - together) * apart;
}

/// Three threads on two CPUs: one of them has its own, and waits for one of the others.
double share_of_slowest(double work_s, double share) {
        const double crowded = 1 / std::ceil(1 / share - 1e-6);
        return crowded + (share - crowded) * work_s / (work_s + kBalancing_s);
}

}  // namespace

Waiting::Waiting(Runtime runtime, const Program& program)
        : runtime_(runtime), may_spin_(program.spins), spins_(program.spins) {
        if (runtime == Runtime::Free || !spins_)
                return;
        const bool short_spin =
                runtime == Runtime::Libgomp || program.scheduling_class == Class::Batch;
        spins_on_ = short_spin ? milliseconds(7) : milliseconds(200);
}

double Waiting::pace(double work_s, std::uint32_t threads, double share, bool alike) const {
        if (runtime_ == Runtime::Free || threads < 2)
                return 1;
        if (share > kWhole)
                return spins_ ? 1 : after_each(work_s, kWake);
        const double slowest = alike ? share_of_slowest(work_s, share) : share;
        const double even = slowest / share;
        if (!spins_)
                return even * after_each(work_s, kSwitch);
        if (runtime_ == Runtime::Libomp)
                return even * kYielding * after_each(work_s, kYield);
        return even * pace_of_spinning(work_s, threads, slowest);
}

Time Waiting::spun(Time span, double share) const {
        if (runtime_ == Runtime::Libomp)
                return span;
        return std::chrono::duration_cast<Time>(span * share);
}

Time Waiting::asleep(Time now, Time left, double share) const {
        if (runtime_ == Runtime::Libomp)
                return now + std::max(left, Time(0));
        const double wait_ns =
                std::ceil(static_cast<double>(std::max(left.count(), std::int64_t{0})) / share);
        return share > 0 && wait_ns < 1e18 ? now + Time(static_cast<std::int64_t>(wait_ns))
                                           : kNever;
}

Time Waiting::wake() const { return runtime_ == Runtime::Free ? Time(0) : kWake; }

}  // namespace simulation
