// SPDX-License-Identifier: MIT
//
// A loop whose iterations are shared among lanes.
#pragma once

#include <threadcount/pool/fork_join.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace threadcount {

/// The way in which the iterations of a loop are divided. Either way a piece is a run of
/// neighbours, the first of two parts goes to the caller, and lanes that have nothing left steal
/// the largest piece there is.
enum class Schedule {
        Static,  ///< about as many pieces as lanes: least overhead, if all iterations take the same
        Guided,  ///< halved again for lanes that have nothing to do: for those that do not, and for
                 ///< CPUs that others use
};

struct ForOptions {
        Schedule schedule = Schedule::Guided;
        std::size_t grain = 1;  ///< no piece but the last is smaller; 0 counts as 1
};

namespace pool {

/// Runs a loop's pieces; [first, last).
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

/// The length of [first, last), also where it is too large for the type itself.
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

/// Divides the iterations that a loop shares. Pure.
class Division {
public:
        /// Divides `size` iterations among `width` lanes, of a loop that began at `start_ns`.
        Division(std::size_t size, std::size_t width, const ForOptions& options,
                 std::uint64_t start_ns)
                : grain_(std::clamp<std::size_t>(options.grain, 1, std::max<std::size_t>(size, 1))),
                  // No part of a larger range is smaller than the grain.
                  share_(grain_ > size / 2 ? size
                                           : std::max(2 * grain_ - 1, (size - 1) / width + 1)),
                  is_guided_(options.schedule == Schedule::Guided),
                  least_(is_guided_ ? std::max(grain_, share_ / kParts) : share_),
                  start_ns_(start_ns) {}

        /// A larger range is divided at once.
        [[nodiscard]] std::size_t share() const { return share_; }
        /// The caller's part of a range: a half of it, in whole shares. Were a range of three
        /// shares halved, one lane would run half a share more than the others.
        [[nodiscard]] std::size_t first_part(std::size_t size) const {
                const auto shares = std::max<std::size_t>((size - 1) / share_ + 1, 2);
                const auto its = (shares + 1) / 2;
                return size / shares * its + size % shares * its / shares;
        }
        /// A lane that has nothing gets a half of this size, at least, as long as the loop is
        /// short.
        [[nodiscard]] std::size_t least() const { return least_; }
        [[nodiscard]] bool may_be_less(std::size_t least) const {
                return is_guided_ && least > grain_;
        }
        /// The same at `now_ns`: a lane's share takes about as long as the loop has taken so far.
        [[nodiscard]] std::size_t least(std::uint64_t now_ns) const {
                const auto parts = (now_ns - start_ns_) / kWorthAStealNs;
                return parts <= kParts ? least_ : std::max<std::size_t>(grain_, share_ / parts);
        }
        /// The part of a range that is run before the caller looks again whether others have
        /// nothing.
        [[nodiscard]] static std::size_t next(std::size_t size, std::size_t least) {
                const auto part = std::max(size / kPart, least);
                return size < part + least ? size : part;
        }

        /// The part of `wanted` that the first part may be larger by.
        [[nodiscard]] std::size_t head_start(double wanted) const {
                const auto half = share_ / 2;
                const auto most = std::min(share_ / 4, half - std::min(half, grain_));
                return static_cast<std::size_t>(std::min(wanted, static_cast<double>(most)));
        }
        /// With a share that is larger by so much.
        [[nodiscard]] Division larger(std::size_t by) const {
                auto other = *this;
                other.share_ += by;
                return other;
        }

private:
        static constexpr std::size_t kPart = 8;   // of what a range has left
        static constexpr std::size_t kParts = 8;  // of a share
        static constexpr std::uint64_t kWorthAStealNs = 1'000;

        std::size_t grain_;
        std::size_t share_;
        bool is_guided_;
        std::size_t least_;
        std::uint64_t start_ns_;
};

/// Runs a range, and leaves parts of it to lanes that have nothing to do. The caller's part is
/// larger by `head_start`, which it runs until a thief has begun.
template <class Lane, class Index, class Body>
void share(const Lane& lane, Index first, Index last, const Division& division,
           std::size_t head_start, const Body& body) {
        auto least = division.least();
        for (auto size = distance(first, last); size > 0; size = distance(first, last)) {
                if (size < 2 * least && division.may_be_less(least))
                        least = division.least(loop_clock_ns(lane));
                if (size > division.share() ||
                    (size >= 2 * least && least < division.share() && lane.forks->empty())) {
                        const auto middle = advance(
                                first, std::min(division.first_part(size) + head_start, size - 1));
                        auto left = [&] {
                                share(lane, first, middle, division.larger(head_start), 0, body);
                        };
                        // Another lane may run it: it has another context, and fetches each cache
                        // line from here.
                        auto right = [=, scheduler = lane.scheduler] {
                                share(*lane_in(scheduler), middle, last, division, 0, body);
                        };
                        fork_join(lane, left, right);
                        return;
                }
                const auto end = advance(first, Division::next(size, least));
                body(first, end);
                first = end;
        }
}

template <class Index>
struct Begun {
        Index left;              ///< the first iteration that is left
        double head_start;       ///< of the caller, before another lane has begun
        std::uint64_t start_ns;  ///< of the loop; 0: that is not known
};

/// Runs the first iterations of a loop alone, until it pays to share what is left: `piece` of them,
/// then many times what was done before. The next ones may take much longer. Between two looks at
/// the clock the caller therefore runs no more than a quarter of a lane's share of what is left. It
/// runs more where that is too little for a look.
template <class Lane, class Index, class Body>
Begun<Index> begin_alone(const Lane& lane, Index first, Index last, std::size_t width,
                         std::size_t piece, const Body& body) {
        constexpr std::size_t kGrows = 15;
        typename Lane::Alone alone(*lane.scheduler);
        auto left = distance(first, last);
        std::size_t done = 0;
        while (left > 0 && !alone.is_enough(done, left)) {
                const auto most = std::max(
                        {left / (4 * width), done > 0 ? alone.worth_a_look(done) : 0, piece});
                const auto next = std::min({done == 0 ? piece : kGrows * done, most, left});
                const auto end = advance(first, next);
                body(first, end);
                first = end;
                done += next;
                left -= next;
        }
        return {first, alone.head_start(done), alone.start_ns()};
}

/// By a lane or a guest, of `width` >= 1. A few iterations are taken for long ones, unless
/// `are_short`.
template <class Lane, class Index, class Body>
void parallel_for(const Lane& lane, Index first, Index last, std::size_t width,
                  const ForOptions& options, bool are_short, const Body& body) {
        // The part of a lane's share that is run, at most, before a look at the clock.
        constexpr std::size_t kFirstPart = 128;
        constexpr std::size_t kFirstMost = 2048;
        constexpr std::size_t kFew = 16;
        const auto size = distance(first, last);
        const auto grain = std::max<std::size_t>(options.grain, 1);
        if (width <= 1) {
                body(first, last);
                return;
        }
        // Every iteration of a loop of unknown age is worth a steal.
        Begun<Index> begun{first, 0, 0};
        if (are_short || size >= kFew * width)
                begun = begin_alone(
                        lane, first, last, width,
                        std::max(grain, std::min(size / (kFirstPart * width), kFirstMost)), body);
        const auto rest = distance(begun.left, last);
        if (rest == 0)
                return;
        const Division division(rest, width, options, begun.start_ns);
        share(lane, begun.left, last, division, division.head_start(begun.head_start), body);
}

}  // namespace pool
}  // namespace threadcount
