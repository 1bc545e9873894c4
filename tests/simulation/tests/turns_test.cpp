// SPDX-License-Identifier: MIT
// Batch programs in turn, beside the best that a policy could do if it knew the future.
#include "simulation/report/figures.hpp"
#include "simulation/scenario/random.hpp"
#include "simulation/tests/cases.hpp"
#include "simulation/world/run.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace simulation {

namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Seconds = std::chrono::duration<double>;

/// A batch program that all CPUs make as many times as fast.
Program job(std::uint32_t number, Time start, Time alone, std::uint32_t cpus) {
        constexpr Time kRegion = milliseconds(5);  // on all CPUs
        Program program;
        program.name = "job" + std::to_string(number);
        program.start = start;
        program.scheduling_class = governor::policy::fair::Class::Batch;
        program.waits = true;
        program.region = kRegion * cpus;
        program.regions = static_cast<std::uint64_t>(std::max<std::int64_t>(alone / kRegion, 1));
        return program;
}

struct Drawn {
        Scenario scenario;
        std::vector<Time> alone;  // by job, on all CPUs; other programs come behind the jobs
};

/// Two programs before all others, of the same label: so that it is known that all CPUs pay.
void run_two_before(Drawn& drawn) {
        constexpr Time kEarlier = seconds(30);
        auto& programs = drawn.scenario.programs;
        for (auto& program : programs) {
                program.label = "job";
                program.start += kEarlier;
        }
        auto earlier = job(0, Time(0), seconds(3), drawn.scenario.machine.cpus);
        earlier.name = "earlier";
        earlier.label = "job";
        earlier.copies = 2;
        earlier.every = milliseconds(1'500);
        programs.push_back(earlier);
}

/// The length of a job, as a multiple of the shortest one.
using Lengths = double (*)(double uniform);

/// 1 .. 10, each power of two as often as the next.
double log_uniform(double uniform) { return std::pow(10, uniform); }

/// Pareto's distribution with exponent 1, up to 1000: a job that has run for t ends before 2t half
/// of the time. Real processes are like that (M. Harchol-Balter, A. Downey, "Exploiting Process
/// Lifetime Distributions for Dynamic Load Balancing", ACM TOCS 15 (1997)).
double pareto(double uniform) { return 1 / (1 - 0.999 * uniform); }

/// The same with exponent 1.5, whose mean does not depend on where it ends.
double light_pareto(double uniform) { return std::pow(1 - 0.9999 * uniform, -1 / 1.5); }

/// 0: between two and many.
struct Size {
        std::uint32_t cpus = 0;
        std::uint32_t jobs = 0;
};

Drawn draw(std::uint64_t seed, Lengths lengths, Time shortest, Time last_start, Size size = {}) {
        Random random(seed);
        Drawn drawn;
        auto& scenario = drawn.scenario;
        scenario.name = "turns-" + std::to_string(seed);
        const auto cpus = 1U << random.between(1U, 6U);
        scenario.machine.cpus = size.cpus > 0 ? size.cpus : cpus;
        scenario.end = seconds(100'000);
        const auto jobs = random.between(2U, 12U);
        for (std::uint32_t i = 0; i < (size.jobs > 0 ? size.jobs : jobs); i++) {
                const auto start = random.between(Time(0), last_start);
                const double factor = lengths(random.between(0U, 1'000'000U) / 1e6);
                drawn.alone.push_back(std::chrono::round<milliseconds>(shortest * factor));
                scenario.programs.push_back(
                        job(i, start, drawn.alone.back(), scenario.machine.cpus));
        }
        return drawn;
}

/// The least sum of the times from start to end: the job that needs least goes first, at every
/// moment (Schrage 1968).
double least_aggregate_s(const Drawn& drawn) {
        struct Job {
                double start = 0;
                double left = 0;
        };
        std::vector<Job> jobs;
        for (std::size_t i = 0; i < drawn.alone.size(); i++)
                jobs.push_back({Seconds(drawn.scenario.programs[i].start).count(),
                                Seconds(drawn.alone[i]).count()});
        double now = 0;
        double sum = 0;
        while (!jobs.empty()) {
                auto next = jobs.end();
                double later = 1e18;
                for (auto it = jobs.begin(); it != jobs.end(); ++it)
                        if (it->start > now)
                                later = std::min(later, it->start);
                        else if (next == jobs.end() || it->left < next->left)
                                next = it;
                if (next == jobs.end()) {
                        now = later;
                        continue;
                }
                const auto span = std::min(next->left, later - now);
                now += span;
                next->left -= span;
                if (next->left <= 1e-12) {
                        sum += now - next->start;
                        jobs.erase(next);
                }
        }
        return sum;
}

/// No program is parked for longer than the governor is told to let it be.
class Patience final : public Observer {
public:
        void passes(const World& world, Time span) override {
                for (const auto& resident : world.residents) {
                        auto& waited = waited_[resident.number];
                        const bool waits = resident.process->phase() == Phase::Parked;
                        waited = waits ? waited + span : Time(0);
                        longest_ = std::max(longest_, waited);
                }
        }
        [[nodiscard]] Time longest() const { return longest_; }

private:
        std::map<std::size_t, Time> waited_;
        Time longest_{0};
};

/// The times of the jobs, from start to end.
class JobTimes final : public Observer {
public:
        void ended(const World& world, const Resident& resident) override {
                if (resident.process->program().name != "earlier")
                        sum_s_ += Seconds(world.now - resident.process->started()).count();
        }
        [[nodiscard]] double sum_s() const { return sum_s_; }

private:
        double sum_s_ = 0;
};

struct Ran {
        double over_least = 0;  // aggregate time, of the least
        Time longest_wait{0};
        double unfinished = 0;
};

Ran play(const Drawn& drawn) {
        Stopwatch stopwatch;
        Patience patience;
        JobTimes times;
        run(drawn.scenario, {{}, {&stopwatch, &patience, &times}});
        return {times.sum_s() / least_aggregate_s(drawn), patience.longest(),
                stopwatch.times().unfinished};
}

/// Minutes under a sanitizer, if there were 200.
constexpr std::uint32_t kManyJobs = kMeansCount ? 200 : 20;

/// A summary of the ratios to the least sum.
struct Summary {
        double mean = 0;
        double worst = 0;
};

template <class Draw>
Summary play_all(Draw draw) {
        Summary summary;
        for (std::uint64_t seed = 1; seed <= kCases; seed++) {
                auto drawn = draw(seed);
                drawn.scenario.governor.fair.turn_max_wait = seconds(100'000);
                const auto ran = play(drawn);
                EXPECT_EQ(ran.unfinished, 0) << seed;
                summary.mean += ran.over_least / kCases;
                summary.worst = std::max(summary.worst, ran.over_least);
        }
        return summary;
}

}  // namespace

TEST(Turns, WithProgressTheSumIsNearTheLeast) {
        const auto summary = play_all([](std::uint64_t seed) {
                auto drawn = draw(seed, log_uniform, seconds(2), seconds(10));
                for (auto& program : drawn.scenario.programs)
                        program.progress = true;
                run_two_before(drawn);
                return drawn;
        });
        if (kMeansCount) {
                EXPECT_LE(summary.mean, 1.05);
        }
        EXPECT_LE(summary.worst, 1.20);
}

// This holds for all lengths: nobody knows that they gain by more CPUs, nor how long they are.
TEST(Turns, ForTheFirstTimeTheyTakeNoLongerThanWhereAllShare) {
        const auto over_least = [](Lengths lengths, Time last_start, bool turns) {
                return play_all([=](std::uint64_t seed) {
                               auto drawn = draw(seed, lengths, seconds(1), last_start);
                               drawn.scenario.governor.fair.turns = turns;
                               return drawn;
                       })
                        .mean;
        };
        constexpr double kTries = 1.01;  // what they cost
        const auto pareto_in_turn = over_least(pareto, seconds(10), true);
        const auto light_in_turn = over_least(light_pareto, seconds(40), true);
        if (kMeansCount) {
                EXPECT_LE(pareto_in_turn, kTries * over_least(pareto, seconds(10), false));
                EXPECT_LE(light_in_turn, kTries * over_least(light_pareto, seconds(40), false));
        }
}

TEST(Turns, ItIsSoOnLargeMachinesWithManyJobs) {
        double sum = 0;
        for (const auto cpus : {8U, 64U, 256U, 1024U})
                for (const auto jobs : {2U, 3 * kManyJobs / 20, kManyJobs}) {
                        auto drawn = draw(cpus + jobs, log_uniform, seconds(2), seconds(10),
                                          {cpus, jobs});
                        drawn.scenario.governor.fair.turn_max_wait = seconds(100'000);
                        for (auto& program : drawn.scenario.programs)
                                program.progress = true;
                        run_two_before(drawn);
                        const auto ran = play(drawn);
                        sum += ran.over_least;
                        EXPECT_LE(ran.over_least, 1.06) << cpus << " CPUs, " << jobs << " jobs";
                        EXPECT_EQ(ran.unfinished, 0);
                }
        EXPECT_LE(sum / 12, 1.04);
}

TEST(Turns, NobodyWaitsForLongerThanTold) {
        for (std::uint64_t seed = 1; seed <= 5 * kCases; seed++) {
                auto drawn = draw(seed, log_uniform, seconds(1), seconds(5));
                auto& settings = drawn.scenario.governor.fair;
                settings.turn_max_wait = milliseconds(500 + 100 * (seed % 50));
                for (std::size_t i = 0; i < drawn.scenario.programs.size(); i++)
                        drawn.scenario.programs[i].progress = (seed + i) % 3 == 0;
                run_two_before(drawn);
                const auto ran = play(drawn);
                EXPECT_LE(ran.longest_wait, settings.turn_max_wait + milliseconds(2)) << seed;
                EXPECT_EQ(ran.unfinished, 0) << seed;
        }
}

}  // namespace simulation
