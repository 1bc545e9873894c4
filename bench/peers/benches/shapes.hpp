// SPDX-License-Identifier: MIT
// Loops of 4 ms, 1,000 iterations whose lengths differ in six ways, and how much longer they take
// than possible. The shortest possible time is an equal part for each thread, or the longest
// iteration.
#pragma once

#include "../support/crew.hpp"
#include "../support/options.hpp"
#include "../support/samples.hpp"
#include "loops.hpp"

#include <cmath>
#include <numeric>
#include <random>

namespace peers {

/// Takes so many steps that no compiler leaves out, and no core does side by side.
inline void spin_steps(std::uint64_t steps) {
        for (std::uint64_t value = steps; steps > 0; --steps)
                asm volatile("imulq %0, %0" : "+r"(value));
}

inline double steps_per_us() {
        constexpr std::uint64_t STEPS = 1'000'000;
        Nanoseconds best = INT64_MAX;
        for (int turn = 0; turn < 10; ++turn) {
                const Nanoseconds begin = now();
                spin_steps(STEPS);
                best = std::min(best, now() - begin);
        }
        return 1000.0 * STEPS / static_cast<double>(best);
}

struct Shape {
        const char* name;
        double (*length)(double place);  // 0 <= place < 1; in any unit
};

/// The same numbers everywhere.
inline double random_length(double) {
        static std::mt19937 random(1);
        const auto uniform = [] { return (static_cast<double>(random()) + 1) / 4294967297.0; };
        const double normal = std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185 * uniform());
        return std::exp(normal);
}

inline constexpr Shape SHAPES[] = {
        {"flat", [](double) { return 1.0; }},
        {"rising", [](double place) { return place; }},
        {"falling", [](double place) { return 1 - place; }},
        {"cheap_start", [](double place) { return place < 0.25 ? 0.0 : 1.0; }},
        {"cheap_end", [](double place) { return place < 0.75 ? 1.0 : 0.0; }},
        {"random", random_length},
};

/// The steps of each iteration.
inline std::vector<std::uint64_t> steps_of(const Shape& shape, double steps_together) {
        std::vector<double> lengths(1'000);
        for (std::size_t index = 0; index < lengths.size(); ++index)
                lengths[index] = shape.length(static_cast<double>(index) / 1'000);
        const double sum = std::accumulate(lengths.begin(), lengths.end(), 0.0);
        std::vector<std::uint64_t> steps;
        for (const double length : lengths)
                steps.push_back(static_cast<std::uint64_t>(length / sum * steps_together));
        return steps;
}

template <typename Pool>
void shapes(const Options& options) {
        constexpr double TOGETHER_US = 4'000;
        const double per_us = steps_per_us();
        Crew<Pool> pool(caller_helps<Pool>() ? options.workers - 1 : options.workers);
        for (const Shape& shape : SHAPES) {
                const auto steps = steps_of(shape, TOGETHER_US * per_us);
                const auto body = [&steps](std::size_t first, std::size_t last) {
                        for (std::size_t index = first; index < last; ++index)
                                spin_steps(steps[index]);
                };
                const auto sum = std::accumulate(steps.begin(), steps.end(), std::uint64_t{0});
                const double ideal = std::max(
                        static_cast<double>(sum) / options.workers,
                        static_cast<double>(*std::max_element(steps.begin(), steps.end())));
                const auto tell = [&](const char* schedule, auto loop) {
                        const double us = time_loop(loop, options.scaled(50));
                        report(std::string(schedule) + "_" + shape.name, us * per_us / ideal);
                };
                if constexpr (requires { pool->static_loop(steps.size(), body); })
                        tell("static", pool->static_loop(steps.size(), body));
                if constexpr (requires { pool->dynamic_loop(steps.size(), body); })
                        tell("dynamic", pool->dynamic_loop(steps.size(), body));
        }
}

}  // namespace peers
