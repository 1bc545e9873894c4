// SPDX-License-Identifier: MIT
// The even division of loops: the real code, on lanes whose clocks are virtual.
#include "deterministic/fiber.hpp"

#include <threadcount/pool/parallel_for.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

using deterministic::Fiber;
using threadcount::ForOptions;
using threadcount::Schedule;
using threadcount::pool::Division;

namespace {

class VirtualLanes;
class VirtualAlone;
struct VirtualLane;

struct VirtualFork {
        std::function<void()> run;
        const VirtualLane* thief = nullptr;
        bool is_done = false;
};

/// A lane as parallel_for() sees it.
struct VirtualLane {
        using Alone = VirtualAlone;

        VirtualLanes* scheduler;
        std::deque<VirtualFork*>* forks;
        std::size_t number;
};

/// Lanes as threads would be, each with its own time: the one that is the furthest back goes on.
class VirtualLanes {
public:
        static constexpr double kLookNs = 25;  // at the clock
        static constexpr double kForkNs = 25;
        static constexpr double kStealNs = 1'000;  // and to begin with it
        static constexpr double kPollNs = 1'000;   // a lane that has nothing looks so often

        explicit VirtualLanes(std::size_t width) {
                for (std::size_t i = 0; i < width; i++) {
                        threads_.push_back(std::make_unique<Thread>());
                        threads_[i]->lane = {this, &threads_[i]->forks, i};
                }
        }

        /// The time that `work(lane)` takes on the first lane while the others steal; in ns.
        template <class Work>
        double time(const Work& work) {
                bool has_ended = false;
                for (std::size_t i = 0; i < threads_.size(); i++)
                        threads_[i]->fiber.set_body(
                                [this, i, &work, &has_ended] {
                                        if (i == 0) {
                                                work(threads_[0]->lane);
                                                has_ended = true;
                                        }
                                        while (!has_ended)
                                                if (!steal_from_anyone())
                                                        pass(kPollNs);
                                        threads_[i]->has_ended = true;
                                },
                                main());
                while (Thread* next = furthest_back()) {
                        running_ = next;
                        switch_to(main(), next->fiber);
                }
                return threads_[0]->ended_at;
        }

        [[nodiscard]] const VirtualLane* running() const { return &running_->lane; }
        [[nodiscard]] double now() const { return running_->now; }
        /// The running lane is busy for so long.
        void pass(double ns) {
                auto& me = *running_;
                me.now += ns;
                me.ended_at = me.now;
                if (furthest_back() == &me)
                        return;
                switch_to(me.fiber, main());
        }

        /// Leapfrogging, as Scheduler's.
        void wait_for(const VirtualFork& fork) {
                auto& me = *running_;
                for (; !fork.is_done; me.waits_for = nullptr) {
                        me.waits_for = &fork;
                        const auto* thief = fork.thief;
                        bool has_helped = false;
                        for (int i = 0;
                             i < 32 && thief != nullptr && thief != &me.lane && !has_helped; i++) {
                                const auto* its = threads_[thief->number]->waits_for;
                                has_helped = steal_from(*thief);
                                thief = its == nullptr ? nullptr : its->thief;
                        }
                        if (!has_helped)
                                pass(kPollNs / 10);
                }
        }

private:
        struct Thread {
                Fiber fiber{256 << 10};
                VirtualLane lane{};
                std::deque<VirtualFork*> forks;
                const VirtualFork* waits_for = nullptr;
                double now = 0;
                double ended_at = 0;
                bool has_ended = false;
        };

        /// One for all: fibers look at it after the last publish().
        static Fiber& main() {
                static Fiber fiber;
                return fiber;
        }
        static void switch_to(Fiber& from, Fiber& to) {
                Fiber::publish();
                Fiber::switch_to(from, to);
                Fiber::observe();
        }
        [[nodiscard]] Thread* furthest_back() const {
                Thread* best = nullptr;
                for (const auto& thread : threads_)
                        if (!thread->has_ended && (best == nullptr || thread->now < best->now))
                                best = thread.get();
                return best;
        }
        bool steal_from(const VirtualLane& victim) {
                if (victim.forks->empty())
                        return false;
                auto* fork = victim.forks->front();
                victim.forks->pop_front();
                fork->thief = running();
                pass(kStealNs);
                fork->run();
                fork->is_done = true;
                return true;
        }
        bool steal_from_anyone() {
                const auto me = running()->number;
                for (std::size_t i = 1; i < threads_.size(); i++)
                        if (steal_from(threads_[(me + i) % threads_.size()]->lane))
                                return true;
                return false;
        }

        std::vector<std::unique_ptr<Thread>> threads_;
        Thread* running_ = nullptr;
};

// The functions that parallel_for() calls.

const VirtualLane* lane_in(const VirtualLanes* lanes) { return lanes->running(); }

std::uint64_t loop_clock_ns(const VirtualLane& lane) {
        lane.scheduler->pass(VirtualLanes::kLookNs);
        return static_cast<std::uint64_t>(lane.scheduler->now());
}

template <class F, class G>
void fork_join(const VirtualLane& lane, F& f, G& g) {
        VirtualFork half{[&g] { g(); }};
        lane.forks->push_back(&half);
        lane.scheduler->pass(VirtualLanes::kForkNs);
        f();
        if (half.thief == nullptr) {
                lane.forks->pop_back();
                g();
        } else {
                lane.scheduler->wait_for(half);
        }
}

/// The counterpart of TimeAlone, while a lane searches.
class VirtualAlone {
public:
        explicit VirtualAlone(VirtualLanes& lanes) : lanes_(lanes), start_ns_(lanes.now()) {}
        [[nodiscard]] bool is_enough(std::size_t done, std::size_t left) {
                if (done == 0)
                        return false;
                lanes_.pass(VirtualLanes::kLookNs);
                return spent() > 200 && in(left, done) > 500;
        }
        [[nodiscard]] std::size_t worth_a_look(std::size_t done) const {
                return static_cast<std::size_t>(of(done, 50));
        }
        [[nodiscard]] double head_start(std::size_t done) const { return of(done, 400); }
        [[nodiscard]] std::uint64_t start_ns() const {
                return static_cast<std::uint64_t>(start_ns_);
        }

private:
        [[nodiscard]] double spent() const { return lanes_.now() - start_ns_; }
        [[nodiscard]] double in(std::size_t left, std::size_t done) const {
                return spent() * static_cast<double>(left) / static_cast<double>(done);
        }
        [[nodiscard]] double of(std::size_t done, double ns) const {
                return static_cast<double>(done) * ns / spent();
        }

        VirtualLanes& lanes_;
        const double start_ns_;
};

struct LoopShape {
        const char* name;
        double (*length)(double place);  // 0 <= place < 1
};

double any_length(double) {
        static std::mt19937 random(1);
        return std::lognormal_distribution<double>()(random);
}

constexpr LoopShape kLoopShapes[] = {
        {"flat", [](double) { return 1.0; }},
        {"rising", [](double place) { return place; }},
        {"falling", [](double place) { return 1 - place; }},
        {"a cheap start", [](double place) { return place < 0.25 ? 0.0 : 1.0; }},
        {"a cheap end", [](double place) { return place < 0.75 ? 1.0 : 0.0; }},
        {"random", any_length},
};

/// The time of a loop over the least that is possible: an equal part for each lane, or the longest
/// iteration.
double over_ideal(const LoopShape& shape, std::size_t iterations, double together_ns,
                  std::size_t width, const ForOptions& options = {}) {
        std::vector<double> ns(iterations);
        for (std::size_t i = 0; i < iterations; i++)
                ns[i] = shape.length(static_cast<double>(i) / static_cast<double>(iterations));
        const double sum = std::accumulate(ns.begin(), ns.end(), 0.0);
        for (double& its : ns)
                its *= together_ns / sum;
        const double ideal = std::max(together_ns / static_cast<double>(width),
                                      *std::max_element(ns.begin(), ns.end()));
        VirtualLanes lanes(width);
        std::size_t ran = 0;
        const auto body = [&](std::size_t first, std::size_t last) {
                for (auto i = first; i < last; i++)
                        lanes.pass(ns[i]);
                ran += last - first;
        };
        const double took = lanes.time([&](const VirtualLane& lane) {
                threadcount::pool::parallel_for(lane, std::size_t{0}, iterations, width, options,
                                                false, body);
        });
        EXPECT_EQ(ran, iterations);
        return took / ideal;
}

}  // namespace

TEST(Loop, OfAnyShapeTakesHardlyLongerThanPossibleOnTwoLanes) {
        for (const auto& shape : kLoopShapes)
                for (const double together_ns : {1e6, 4e6})
                        EXPECT_LE(over_ideal(shape, 1'000, together_ns, 2), 1.1)
                                << shape.name << ", " << together_ns << " ns";
}

TEST(Loop, OfMostShapesTakesHardlyLongerThanPossibleOnEightLanes) {
        for (const auto& shape : kLoopShapes) {
                if (shape.name == std::string("a cheap start"))
                        continue;  // the caller runs too much of it alone
                EXPECT_LE(over_ideal(shape, 1'000, 4e6, 8), 1.1) << shape.name;
        }
}

TEST(Loop, OfEqualIterationsTakesHardlyLongerThanPossibleWhateverTheWidth) {
        for (const std::size_t width : {3U, 5U, 6U, 7U, 12U})
                EXPECT_LE(over_ideal(kLoopShapes[0], 1'000, 4e6, width,
                                     {.schedule = Schedule::Static}),
                          1.1)
                        << width << " lanes";
}

namespace {

/// The sizes of the parts that a range is divided into at once.
void divide(const Division& division, std::size_t size, std::vector<std::size_t>& parts) {
        if (size <= division.share()) {
                parts.push_back(size);
                return;
        }
        const auto first = division.first_part(size);
        divide(division, first, parts);
        divide(division, size - first, parts);
}

}  // namespace

TEST(Division, MakesNoMorePartsThanLanesAndNoneBelowTheGrain) {
        for (std::size_t size = 1; size < 300; size++)
                for (std::size_t width = 1; width < 40; width++)
                        for (const std::size_t grain : {1U, 2U, 3U, 7U, 30U}) {
                                std::vector<std::size_t> parts;
                                divide(Division(size, width, {Schedule::Static, grain}, 0), size,
                                       parts);
                                ASSERT_LE(parts.size(), width) << size << " by " << grain;
                                ASSERT_GE(*std::ranges::min_element(parts), std::min(grain, size))
                                        << size << " by " << grain << ", " << width << " lanes";
                        }
}
