// SPDX-License-Identifier: MIT
// The length from which a loop is long enough for another lane.
#include "inline_loops.hpp"
#include "monotonic.hpp"
#include "scheduler.hpp"

#include <threadcount/pool/detail/lane_context.hpp>

#include <algorithm>

namespace threadcount::pool {

namespace {

// Nothing can be told from less: looks at the clock are half of it.
constexpr std::uint64_t kShortestNs = 200;
constexpr std::uint64_t kTwoLooksNs = 50;
// The cost of the help of a lane that searches: some transfers of cache lines.
constexpr std::uint64_t kSearchingNs = 500;
// The time until a lane that searches, and one that was woken, has begun.
constexpr std::uint64_t kUntilFoundNs = 800;
constexpr std::uint64_t kUntilWokenNs = 40'000;

}  // namespace

TimeAlone::TimeAlone(Scheduler& scheduler)
        : scheduler_(scheduler), start_ns_(monotonic_ns()), now_ns_(start_ns_) {}

TimeAlone::~TimeAlone() {
        if (is_enough_)
                scheduler_.inline_loops().reset();
        else if (const auto spent = now_ns_ - start_ns_; spent > kShortestNs)
                scheduler_.inline_loops().add(start_ns_, monotonic_ns());
}

bool TimeAlone::is_enough(std::size_t done, std::size_t left) {
        if (done == 0)
                return false;
        now_ns_ = monotonic_ns();
        const auto spent = now_ns_ - start_ns_;
        if (spent <= kShortestNs)
                return false;
        const auto expected =
                static_cast<double>(spent) * static_cast<double>(left) / static_cast<double>(done);
        somebody_searches_ = scheduler_.somebody_looks_for_forks();
        is_enough_ = somebody_searches_
                             ? expected > static_cast<double>(kSearchingNs)
                             : is_worth_a_wake(spent, scheduler_.inline_loops().before(start_ns_),
                                               expected);
        return is_enough_;
}

std::size_t TimeAlone::worth_a_look(std::size_t done) const {
        const auto spent = std::max<std::uint64_t>(now_ns_ - start_ns_, 1);
        return std::max<std::size_t>(done * kTwoLooksNs / spent, 1);
}

double TimeAlone::head_start(std::size_t done) const {
        if (!is_enough_)
                return 0;
        const auto half = (somebody_searches_ ? kUntilFoundNs : kUntilWokenNs) / 2;
        const auto ratio = static_cast<double>(half) / static_cast<double>(now_ns_ - start_ns_);
        return static_cast<double>(done) * ratio;
}

std::uint64_t loop_clock_ns(const LaneContext&) { return monotonic_ns(); }

}  // namespace threadcount::pool
