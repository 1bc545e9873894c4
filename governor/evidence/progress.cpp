// SPDX-License-Identifier: MIT
// A rate, a promise, and whether it was kept.
#include "evidence/progress.hpp"

#include "policy/numbers.hpp"

#include <algorithm>

namespace governor::evidence {

namespace {

using std::chrono::nanoseconds;
using Seconds = std::chrono::duration<double>;

nanoseconds rounded(Seconds time) {
        constexpr Seconds kMost{1e9};  // thirty years
        return std::chrono::duration_cast<nanoseconds>(std::clamp(time, Seconds{0}, kMost));
}

}  // namespace

void Progress::report(std::uint64_t done, std::uint64_t total, const Served& served) {
        const bool was_served = served.time > asked_.time;
        asked_ = served;
        total_ = total;
        if (total == 0)
                return;
        if (!began_)
                began_ = served;
        if (done < told_.done)
                is_believed_ = false;
        if (done != told_.done)
                note_work(done, served, was_served);
        if (is_pace_known())
                promise();
        if (promised_ && is_overdue(served))
                is_believed_ = false;
}

/// Work done outside of its turn, with a thread or two, says nothing about its pace. Nor does work
/// that was begun before and is done only then.
void Progress::note_work(std::uint64_t done, const Served& served, bool was_served) {
        if (first_ && !was_served && done > told_.done) {
                first_->done += done - told_.done;
                first_->served.time += served.time - told_.served.time;
                first_->served.cpu_time += served.cpu_time - told_.served.cpu_time;
        }
        told_ = {done, served};
        if (!first_ && done > 0)
                first_ = told_;
}

void Progress::promise() {
        const Seconds time = told_.served.time - first_->served.time;
        const auto cpu_time = told_.served.cpu_time - first_->served.cpu_time;
        const Served end{told_.served.time + rounded(left() * time),
                         told_.served.cpu_time + left() * cpu_time};
        if (!promised_)
                promised_ = end;
        promised_ = {std::min(promised_->time, end.time),
                     std::min(promised_->cpu_time, end.cpu_time)};
}

bool Progress::is_pace_known() const {
        return first_ && told_.done > first_->done &&
               told_.served.time - first_->served.time >= numbers::kTick;
}

double Progress::left() const {
        return static_cast<double>(total_ - told_.done) /
               static_cast<double>(told_.done - first_->done);
}

/// By its time, and by its CPU time at as many CPUs as it had on average.
bool Progress::is_overdue(const Served& served) const {
        const Seconds took = served.time - began_->time;
        const auto took_cpu = served.cpu_time - began_->cpu_time;
        return took > 2 * (promised_->time - began_->time) + numbers::kWindow &&
               took_cpu > 2 * (promised_->cpu_time - began_->cpu_time) +
                                  took_cpu / took * Seconds(numbers::kWindow);
}

std::optional<nanoseconds> Progress::remaining(nanoseconds served) const {
        if (!is_believed_ || total_ == 0 || !is_pace_known())
                return std::nullopt;
        const Seconds took = told_.served.time - first_->served.time;
        return rounded(left() * took - (served - told_.served.time));
}

bool Progress::is_on_trial(nanoseconds served) const {
        return is_believed_ && total_ > 0 && !remaining(served) &&
               served - began_.value_or(Served{served, {}}).time < numbers::kWindow;
}

}  // namespace governor::evidence
