// SPDX-License-Identifier: MIT
//
// A loop whose iterations are shared among lanes.
#pragma once

#include <threadcount/pool/fork_join.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <type_traits>

namespace threadcount {

/// How the iterations of a loop are divided. Either way a piece is a run of neighbours, the first
/// half goes to who calls, and lanes that have nothing left steal the largest piece there is.
enum class Schedule {
        Static,  ///< as many pieces as lanes: least overhead, if all iterations take the same
        Guided,  ///< eight times as many: for those that do not, and for CPUs that others use
};

struct ForOptions {
        Schedule schedule = Schedule::Guided;
        std::size_t grain = 1;  ///< no piece is smaller; 0 counts as 1
};

namespace pool {

/// What runs a loop's pieces; [first, last).
template <class Index, class Body>
struct LoopBody {
        Body& body;

        void operator()(Index first, Index last) const {
                if constexpr (std::invocable<Body&, Index, Index>)
                        body(first, last);
                else
                        for (auto i = first; i != last; ++i)
                                body(i);
        }
};

/// Of [first, last), also where the difference is too large for the type itself.
template <class Index>
std::size_t distance(Index first, Index last) {
        using Unsigned = std::make_unsigned_t<Index>;
        return static_cast<std::size_t>(
                static_cast<Unsigned>(static_cast<Unsigned>(last) - static_cast<Unsigned>(first)));
}
template <class Index>
Index advance(Index first, std::size_t by) {
        using Unsigned = std::make_unsigned_t<Index>;
        return static_cast<Index>(
                static_cast<Unsigned>(static_cast<Unsigned>(first) + static_cast<Unsigned>(by)));
}

template <class Index, class Body>
void split(const LaneContext& lane, Index first, Index last, std::size_t piece, const Body& body) {
        const auto size = distance(first, last);
        if (size <= piece) {
                body(first, last);
                return;
        }
        const auto middle = advance(first, size / 2);
        auto left = [&] { split(lane, first, middle, piece, body); };
        // Another lane may run it: it has another context.
        auto right = [&, crew = lane.crew] { split(*lane_in(crew), middle, last, piece, body); };
        fork_join(lane, left, right);
}

/// Runs the first iterations of a loop alone, until it pays to share what is left: `piece` of them,
/// then three times what was done before. Returns the first that is left.
template <class Index, class Body>
Index begin_alone(Crew& crew, Index first, Index last, std::size_t piece, const Body& body) {
        TimeAlone alone(crew);
        for (std::size_t done = 0; first != last && !alone.is_enough();) {
                const auto next = std::min(done == 0 ? piece : 3 * done, distance(first, last));
                const auto end = advance(first, next);
                body(first, end);
                first = end;
                done += next;
        }
        return first;
}

/// By a lane or a guest, of `width` >= 1. Where there are only a few iterations they are taken for
/// long ones.
template <class Index, class Body>
void parallel_for(const LaneContext& lane, Index first, Index last, std::size_t width,
                  const ForOptions& options, const Body& body) {
        constexpr std::size_t kFirstPart = 32;  // of a lane's share
        const auto size = distance(first, last);
        const auto grain = std::max<std::size_t>(options.grain, 1);
        if (width <= 1) {
                body(first, last);
                return;
        }
        if (size >= kFirstPart * width / 2)
                first = begin_alone(*lane.crew, first, last,
                                    std::max(grain, size / (kFirstPart * width)), body);
        const auto rest = distance(first, last);
        const auto pieces = width * (options.schedule == Schedule::Static ? 1 : 8);
        if (rest > 0)
                split(lane, first, last, std::max(grain, (rest - 1) / pieces + 1), body);
}

}  // namespace pool
}  // namespace threadcount
