// SPDX-License-Identifier: MIT
//
// A program with a thread pool that follows its grant: it computes, and says on which CPUs whenever
// that changes. Start two of them, or one beside something else.
#include "pools/arguments.hpp"

#include <threadcount/pool.hpp>
#include <threadcount/threadcount.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <exception>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

using Clock = std::chrono::steady_clock;

namespace {

constexpr const char* HELP =
        "usage: pool_app [--seconds N] [--task-us N]\n"
        "Keeps a thread pool busy that follows the governor, and prints the CPUs of its lanes\n"
        "whenever they change. Without a governor it has all of them.\n"
        "\n"
        "  --seconds N   how long, 1 to 86400 (10)\n"
        "  --task-us N   CPU time of a task in microseconds, 1 to 1000000 (500)\n"
        "  --help        show this help\n"
        "\n"
        "Exit: 0 done, 1 it could not run, 2 usage.\n";

struct Settings {
        std::uint64_t seconds = 10;
        std::uint64_t task_us = 500;
        bool wants_help = false;
};

std::string text_of(const std::vector<int>& cpus) {
        std::string text;
        for (const int cpu : cpus) {
                if (!text.empty())
                        text += ',';
                text += std::to_string(cpu);
        }
        return text;
}

void compute(std::uint64_t microseconds) {
        const auto cpu_ns = [] {
                timespec now{};
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
                return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
                       static_cast<std::uint64_t>(now.tv_nsec);
        };
        for (const auto end = cpu_ns() + microseconds * 1000; cpu_ns() < end;) {
        }
}

std::uint64_t executed(const threadcount::Pool& pool) {
        const auto lanes = pool.statistics();
        return std::accumulate(
                lanes.begin(), lanes.end(), std::uint64_t{0},
                [](std::uint64_t sum, const auto& lane) { return sum + lane.executed; });
}

/// Prints a line each time that the pool's CPUs are others than before.
class Narrator {
public:
        explicit Narrator(const threadcount::Pool& pool) : pool_(pool) {}

        void look() {
                const auto cpus = pool_.mask();
                if (cpus == last_)
                        return;
                last_ = cpus;
                const std::chrono::duration<double> time = Clock::now() - start_;
                std::printf("%8.3f s  %zu of %zu lanes, CPUs %s; %llu tasks so far\n", time.count(),
                            cpus.size(), pool_.size(), text_of(cpus).c_str(),
                            static_cast<unsigned long long>(executed(pool_)));
                std::fflush(stdout);
        }

private:
        const threadcount::Pool& pool_;
        const Clock::time_point start_ = Clock::now();
        std::vector<int> last_;
};

/// Submits as fast as the lanes go: the queue is full most of the time, and then this thread
/// sleeps.
void run(threadcount::Pool& pool, const Settings& settings) {
        Narrator narrator(pool);
        const auto end = Clock::now() + std::chrono::seconds(settings.seconds);
        while (Clock::now() < end) {
                narrator.look();
                const auto next_look = Clock::now() + std::chrono::milliseconds(10);
                (void)pool.submit_until(next_look, [us = settings.task_us] { compute(us); });
        }
        pool.wait_idle();
        std::printf("%llu tasks of %llu us\n", static_cast<unsigned long long>(executed(pool)),
                    static_cast<unsigned long long>(settings.task_us));
}

}  // namespace

int main(int argc, char** argv) {
        Settings settings;
        examples::Arguments arguments;
        arguments.number("--seconds", settings.seconds, 1, 86'400);
        arguments.number("--task-us", settings.task_us, 1, 1'000'000);
        arguments.flag("--help", settings.wants_help);
        const auto wrong = arguments.parse({argv + 1, static_cast<std::size_t>(argc - 1)});
        if (settings.wants_help) {
                std::fputs(HELP, stdout);
                return 0;
        }
        if (!wrong.empty()) {
                std::fprintf(stderr, "pool_app: %s\n", wrong.c_str());
                return 2;
        }
        threadcount_handle* governor = nullptr;
        const bool is_governed = threadcount_open_default(nullptr, &governor) == 0;
        try {
                threadcount::Pool pool({.capacity = 64});
                if (is_governed)
                        pool.follow(governor);
                run(pool, settings);
        } catch (const std::exception& error) {
                std::fprintf(stderr, "pool_app: %s\n", error.what());
                return 1;
        }
        return 0;
}
