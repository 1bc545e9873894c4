// SPDX-License-Identifier: MIT
//
// Pi by many small tasks: what a thread pool costs where there is next to nothing to do.
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "formula.hpp"
#include "pools/arguments.hpp"
#include "pools/clocks.hpp"
#include "pools/cpus.hpp"
#include "variants.hpp"

namespace examples::pi {
namespace {

constexpr std::uint64_t kMostTerms = 10'000'000;
constexpr std::uint64_t kMostRuns = 1'000'000;
constexpr std::uint64_t kMostWorkers = 4096;
constexpr std::uint64_t kWarmUps = 3;

struct Options {
        std::string variant = "all";
        std::uint64_t terms = 1001;
        std::uint64_t runs = 100;
        std::uint64_t workers = 0;  ///< 0: as many as CPUs
        bool json = false;
        bool help = false;
};

struct Measurement {
        double pi = 0;
        double median_us = 0;
        double p90_us = 0;
};

std::string parse(std::span<char* const> arguments, Options& options) {
        std::vector<std::string_view> names{"all"};
        Arguments table;

        for (const auto& kind : variants())
                names.push_back(kind.name);
        table.number("--terms", options.terms, 1, kMostTerms);
        table.number("--runs", options.runs, 1, kMostRuns);
        table.word("--variant", options.variant, names);
        table.number("--workers", options.workers, 1, kMostWorkers);
        table.flag("--json", options.json);
        table.flag("--help", options.help);
        return table.parse(arguments);
}

std::string help_text() {
        std::string text = R"(pi - what a thread pool costs where there is next to nothing to do

Usage: pi [OPTION]...

Adds up terms of a series for pi, in several ways, and prints how long that takes. A term takes
some nanoseconds: all the rest is what it costs to hand it out and to wait for it.

  --terms N         terms of the series, 1 to 10^7 (default 1001)
  --runs N          sums to measure, 1 to 10^6 (default 100); the median counts
  --workers N       threads, 1 to 4096 (default: as many as CPUs); our pool has one for each CPU
                    at most
  --variant NAME    one of them (default: all)
  --json            print one JSON object on a line for each
  --help            print this text

Variants:
)";
        for (const auto& kind : variants()) {
                text.append("  ").append(kind.name);
                text.append(18 - kind.name.size(), ' ').append(kind.what) += '\n';
        }
        return text + "\nExit status: 0; 1 if there can be no more threads or memory; 2 for bad "
                      "options.\n";
}

/// Its pool lives only meanwhile, and starting it is not measured.
Measurement measure(const VariantKind& kind, const Options& options) {
        const auto variant = kind.make(options.workers);
        std::vector<double> times_us;
        Measurement measured;

        for (std::uint64_t run = 0; run < kWarmUps + options.runs; ++run) {
                const Stopwatch stopwatch;
                measured.pi = variant->sum(options.terms);
                if (run >= kWarmUps)
                        times_us.push_back(stopwatch.elapsed_us());
        }
        std::ranges::sort(times_us);
        measured.median_us = times_us[times_us.size() / 2];
        measured.p90_us = times_us[times_us.size() * 9 / 10];
        return measured;
}

void print(const VariantKind& kind, const Options& options, const Measurement& measured) {
        const double error = std::abs(measured.pi - kPi);

        if (options.json)
                std::printf("{\"variant\":\"%s\",\"terms\":%" PRIu64 ",\"workers\":%" PRIu64
                            ",\"runs\":%" PRIu64
                            ",\"pi\":%.16g,\"error\":%.3g,\"median_us\":%.3f,\"p90_us\":%.3f}\n",
                            kind.name.data(), options.terms, options.workers, options.runs,
                            measured.pi, error, measured.median_us, measured.p90_us);
        else
                std::printf("%-14s%.15f  %7.1e  %10.1f  %10.1f\n", kind.name.data(), measured.pi,
                            error, measured.median_us, measured.p90_us);
}

void run(const Options& options) {
        if (!options.json)
                std::printf("%" PRIu64 " terms, %" PRIu64 " workers, %" PRIu64 " runs\n"
                            "variant       pi                   error   median, us     p90, us\n",
                            options.terms, options.workers, options.runs);
        for (const auto& kind : variants()) {
                if (options.variant == "all" || options.variant == kind.name)
                        print(kind, options, measure(kind, options));
        }
}

}  // namespace
}  // namespace examples::pi

int main(int argc, char** argv) {
        using namespace examples;
        pi::Options options;
        const auto error = pi::parse({argv + 1, static_cast<std::size_t>(argc - 1)}, options);

        if (!error.empty()) {
                std::fprintf(stderr, "pi: %s\n", error.c_str());
                return 2;
        }
        try {
                if (options.workers == 0)
                        options.workers = cpus_cores_first().size();
                if (options.help)
                        std::fputs(pi::help_text().c_str(), stdout);
                else
                        pi::run(options);
        } catch (const std::exception& failure) {
                std::fprintf(stderr, "pi: %s\n", failure.what());
                return 1;
        }
        return std::fflush(stdout) == 0 ? 0 : 1;
}
