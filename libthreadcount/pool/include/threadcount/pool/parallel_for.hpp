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
        Static,  ///< about as many pieces as lanes: least overhead, if all iterations take the same
        Guided,  ///< eight times as many: for those that do not, and for CPUs that others use
};

struct ForOptions {
        Schedule schedule = Schedule::Guided;
        std::size_t grain = 1;  ///< no piece but the last is smaller; 0 counts as 1
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

/// The caller's half is larger by `head_start` iterations, less than a piece, which it runs until a
/// thief has begun.
template <class Index, class Body>
void split(const LaneContext& lane, Index first, Index last, std::size_t piece,
           std::size_t head_start, const Body& body) {
        const auto size = distance(first, last);
        if (size <= piece) {
                body(first, last);
                return;
        }
        const auto middle = advance(first, std::min(size / 2 + head_start, size - 1));
        auto left = [&] { split(lane, first, middle, piece + head_start, 0, body); };
        // Another lane may run it: it has another context, and fetches each cache line from here.
        auto right = [=, scheduler = lane.scheduler] {
                split(*lane_in(scheduler), middle, last, piece, 0, body);
        };
        fork_join(lane, left, right);
}

template <class Index>
struct Begun {
        Index left;         ///< the first iteration that is left
        double head_start;  ///< as split() wants it
};

/// Runs the first iterations of a loop alone, until it pays to share what is left: `piece` of them,
/// then three times what was done before. What comes next may take much longer. So no more is run
/// without a look at the clock than a quarter of a lane's share of what is left, unless that is too
/// little for a look.
template <class Index, class Body>
Begun<Index> begin_alone(Scheduler& scheduler, Index first, Index last, std::size_t width,
                         std::size_t piece, const Body& body) {
        TimeAlone alone(scheduler);
        auto left = distance(first, last);
        std::size_t done = 0;
        while (left > 0 && !alone.is_enough(done, left)) {
                const auto most = std::max(
                        {left / (4 * width), done > 0 ? alone.worth_a_look(done) : 0, piece});
                const auto next = std::min({done == 0 ? piece : 3 * done, most, left});
                const auto end = advance(first, next);
                body(first, end);
                first = end;
                done += next;
                left -= next;
        }
        return {first, alone.head_start(done)};
}

/// By a lane or a guest, of `width` >= 1. Where there are only a few iterations they are taken for
/// long ones, unless `are_short`.
template <class Index, class Body>
void parallel_for(const LaneContext& lane, Index first, Index last, std::size_t width,
                  const ForOptions& options, bool are_short, const Body& body) {
        // How much is run before one looks at the clock: this part of a lane's share, at most.
        constexpr std::size_t kFirstPart = 32;
        constexpr std::size_t kFirstMost = 2048;
        const auto size = distance(first, last);
        const auto grain = std::max<std::size_t>(options.grain, 1);
        if (width <= 1) {
                body(first, last);
                return;
        }
        Begun<Index> begun{first, 0};
        if (are_short || size >= kFirstPart * width / 2)
                begun = begin_alone(
                        *lane.scheduler, first, last, width,
                        std::max(grain, std::min(size / (kFirstPart * width), kFirstMost)), body);
        const auto rest = distance(begun.left, last);
        if (rest == 0)
                return;
        const auto pieces = width * (options.schedule == Schedule::Static ? 1 : 8);
        // Of what is larger than a piece no part is smaller than the grain.
        const auto piece =
                grain > rest / 2 ? rest : std::max(2 * grain - 1, (rest - 1) / pieces + 1);
        const auto most = std::min(piece / 4, piece / 2 - std::min(piece / 2, grain));
        const auto head_start = std::min(begun.head_start, static_cast<double>(most));
        split(lane, begun.left, last, piece, static_cast<std::size_t>(head_start), body);
}

}  // namespace pool
}  // namespace threadcount
