// SPDX-License-Identifier: MIT
// fork_join(), parallel_for() and run(), by tasks and by threads from outside.
#include "scene.hpp"

#include <optional>
#include <vector>

namespace stress {

namespace {

using threadcount::ForOptions;
using threadcount::FutureCancelled;
using threadcount::Schedule;

/// The number of threads in a part. It must be 0 when the whole is over, even if something was
/// thrown.
class Inside {
public:
        explicit Inside(std::atomic<int>& count) : count_(count) { count_++; }
        ~Inside() { count_--; }
        Inside(const Inside&) = delete;
        Inside& operator=(const Inside&) = delete;

private:
        std::atomic<int>& count_;
};

class Division {
public:
        Division(Scene& scene, int depth) : scene_(scene), depth_(depth) {}

        /// The number of its leaves: 2 ^ levels. Any of them may throw.
        [[nodiscard]] std::uint64_t leaves(std::uint64_t seed, int levels) {
                const Inside inside(parts_);
                Chance chance(seed);
                if (levels == 0) {
                        if (chance.one_in(32))
                                act(scene_, chance, depth_ + 1);
                        if (chance.one_in(256))
                                throw Problem{0};
                        return 1;
                }
                scene_.count(Count::Forks);
                std::uint64_t left = 0;
                std::uint64_t right = 0;
                std::atomic<int> here{0};
                const auto halves = [&](std::uint64_t& sum, std::uint64_t its_seed) {
                        return [&, its_seed] {
                                const Inside mine(here);
                                sum = leaves(its_seed, levels - 1);
                        };
                };
                try {
                        scene_.pool.fork_join(halves(left, chance.seed()),
                                              halves(right, chance.seed()));
                } catch (...) {
                        Scene::check(here == 0, "fork_join() left a half behind");
                        throw;
                }
                Scene::check(here == 0, "fork_join() did not wait");
                return left + right;
        }
        [[nodiscard]] bool is_over() const { return parts_ == 0; }

private:
        Scene& scene_;
        const int depth_;
        std::atomic<int> parts_{0};
};

void fork(Scene& scene, Chance& chance, int depth) {
        const Doing doing("fork_join()");
        const auto levels = 1 + static_cast<int>(chance.roll(7));
        Division division(scene, depth);
        try {
                Scene::check(division.leaves(chance.seed(), levels) == std::uint64_t{1} << levels,
                             "fork_join() has forgotten something");
        } catch (const Problem&) {
        }
        Scene::check(division.is_over(), "fork_join() left something behind");
}

void loop(Scene& scene, Chance& chance, int depth) {
        const Doing doing("parallel_for()");
        scene.count(Count::Loops);
        const auto size = chance.roll(400);
        const ForOptions options{chance.one_in(2) ? Schedule::Static : Schedule::Guided,
                                 static_cast<std::size_t>(chance.roll(20))};
        std::optional<std::size_t> thrower;
        if (size > 0 && chance.one_in(4))
                thrower = chance.roll(size);
        std::vector<std::atomic<int>> runs(size);
        std::atomic<int> parts{0};
        const auto seed = chance.seed();
        bool has_thrown = false;
        try {
                scene.pool.parallel_for(
                        std::size_t{0}, static_cast<std::size_t>(size),
                        [&](std::size_t i) {
                                const Inside inside(parts);
                                runs[i]++;
                                Chance mine(seed + i);
                                if (mine.one_in(200))
                                        act(scene, mine, depth + 1);
                                if (i == thrower)
                                        throw Problem{i};
                        },
                        options);
        } catch (const Problem& problem) {
                Scene::check(problem.number == thrower, "parallel_for() threw something else");
                has_thrown = true;
        }
        Scene::check(parts == 0, "parallel_for() did not wait");
        Scene::check(has_thrown == thrower.has_value(), "parallel_for() lost an exception");
        for (const auto& times : runs)
                Scene::check(times == 1 || (times == 0 && has_thrown),
                             "parallel_for() did not run each once");
}

void run(Scene& scene, Chance& chance, int depth) {
        const Doing doing("run()");
        scene.count(Count::Runs);
        const bool throws = chance.one_in(4);
        int runs = 0;
        bool has_thrown = false;
        try {
                scene.pool.run([&, seed = chance.seed()] {
                        runs++;
                        work(scene, seed, depth);
                        if (throws)
                                throw Problem{1};
                });
        } catch (const Problem&) {
                has_thrown = true;
        }
        Scene::check(runs == 1 && has_thrown == throws, "run() did not run it once");
}

}  // namespace

void divide_work(Scene& scene, Chance& chance, int depth) {
        const bool was_inside = scene.is_inside();
        try {
                switch (chance.roll(3)) {
                case 0:
                        return fork(scene, chance, depth);
                case 1:
                        return loop(scene, chance, depth);
                default:
                        return run(scene, chance, depth);
                }
        } catch (const FutureCancelled&) {
                Scene::check(!was_inside && scene.may_be_forgotten, "run() was cancelled");
        }
}

}  // namespace stress
