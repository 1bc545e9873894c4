// SPDX-License-Identifier: MIT
//
// Jobs that keep a CPU busy, done by a thread pool: how long all of them take, and how many CPUs
// they used.
#include <algorithm>
#include <cinttypes>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <mutex>
#include <random>
#include <thread>
#include <utility>

#include "crew.hpp"
#include "options.hpp"
#include "pools/clocks.hpp"
#include "work.hpp"

namespace examples::jobs {
namespace {

/// How many jobs are done and have not been seen by the producer yet, and the sum of all results.
class Outcomes {
public:
        void add(std::uint64_t result) {
                {
                        const std::lock_guard lock(mutex_);
                        ++done_;
                        sum_ += result;
                }
                is_done_.notify_one();
        }
        void await_one() {
                std::unique_lock lock(mutex_);
                is_done_.wait(lock, [this] { return done_ != 0; });
                --done_;
        }
        [[nodiscard]] std::uint64_t sum() {
                const std::lock_guard lock(mutex_);
                return sum_;
        }

private:
        std::mutex mutex_;
        std::condition_variable is_done_;
        std::uint64_t done_ = 0;
        std::uint64_t sum_ = 0;
};

struct Measurement {
        double cost_ms = 0;
        double cores = 0;
        std::size_t workers = 0;
        std::uint64_t checksum = 0;
};

/// All pools get the same jobs in the same order.
void produce(const Options& options, const Work& work, Crew& crew, Outcomes& outcomes) {
        const auto jobs = options.under_way * options.jobs_of_each;
        std::mt19937_64 random(1);  // NOLINT(*-msc51-cpp)

        for (std::uint64_t submitted = 0; submitted < jobs; ++submitted) {
                if (submitted >= options.under_way)
                        outcomes.await_one();
                crew.submit(
                        [&work, &outcomes, input = random()] { outcomes.add(work.run(input)); });
        }
        for (auto left = std::min(options.under_way, jobs); left > 0; --left)
                outcomes.await_one();
}

Measurement measure(const Options& options) {
        // Threads of a pool end before what they use.
        const auto work = make_work(options);
        Outcomes outcomes;
        const auto crew = make_crew(options);

        // New threads first find their place, and sleep.
        std::this_thread::sleep_for(std::chrono::milliseconds{20});
        const Stopwatch stopwatch;
        produce(options, *work, *crew, outcomes);
        const auto cost_ms = stopwatch.elapsed_ms();
        return {cost_ms, stopwatch.cpu_ms() / cost_ms, crew->workers(), outcomes.sum()};
}

void print(const Options& options, const Measurement& measured) {
        const auto jobs = options.under_way * options.jobs_of_each;

        std::printf(options.json
                            ? "{\"job\":\"%s\",\"pool\":\"%s\",\"asked\":%" PRIu64
                              ",\"workers\":%zu,\"under_way\":%" PRIu64 ",\"jobs\":%" PRIu64
                              ",\"cost_ms\":%.3f,\"cores\":%.3f,\"checksum\":\"%016" PRIx64 "\"}\n"
                            : "jobs: %s, pool %s, %" PRIu64
                              " workers asked for, %zu there, %" PRIu64 " jobs under way, %" PRIu64
                              " in all\n"
                              "total cost  %.3f ms\n"
                              "cores used  %.3f\n"
                              "checksum    %016" PRIx64 "\n",
                    name_of(options.kind), name_of(options.pool), options.workers, measured.workers,
                    options.under_way, jobs, measured.cost_ms, measured.cores, measured.checksum);
}

}  // namespace
}  // namespace examples::jobs

int main(int argc, char** argv) {
        using namespace examples::jobs;
        const auto [options, error] = parse_options({argv + 1, static_cast<std::size_t>(argc - 1)});

        if (!error.empty()) {
                std::fprintf(stderr, "jobs: %s\n", error.c_str());
                return 2;
        }
        try {
                if (options.help)
                        std::fputs(help_text().c_str(), stdout);
                else
                        print(options, measure(options));
        } catch (const std::exception& failure) {
                std::fprintf(stderr, "jobs: %s\n", failure.what());
                return 1;
        }
        return std::fflush(stdout) == 0 ? 0 : 1;
}
