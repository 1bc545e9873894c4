// SPDX-License-Identifier: MIT
// When a loop is long enough for another lane.
#include "crew.hpp"
#include "monotonic.hpp"

#include <threadcount/pool/detail/lane_context.hpp>

namespace threadcount::pool {

namespace {

// What another lane's help costs: some transfers of cache lines, or a wake.
constexpr std::uint64_t kSearchingNs = 150;
constexpr std::uint64_t kAsleepNs = 10'000;

}  // namespace

TimeAlone::TimeAlone(Crew& crew) : crew_(crew), start_ns_(monotonic_ns()), now_ns_(start_ns_) {}

TimeAlone::~TimeAlone() {
        if (is_enough_)
                crew_.loops_alone().reset();
        else
                crew_.loops_alone().add(start_ns_, now_ns_);
}

bool TimeAlone::is_enough() {
        if (now_ns_ == start_ns_) {
                // Nothing was run yet: that takes no time.
                now_ns_++;
                return false;
        }
        now_ns_ = monotonic_ns();
        const auto spent = now_ns_ - start_ns_;
        is_enough_ = crew_.parking().somebody_searches()
                             ? spent > kSearchingNs
                             : spent + crew_.loops_alone().before(start_ns_) > kAsleepNs;
        return is_enough_;
}

}  // namespace threadcount::pool
