// SPDX-License-Identifier: MIT
// The table of options, and what does not go together.
#include "options.hpp"

#include "pools/arguments.hpp"

namespace examples::jobs {
namespace {

constexpr std::uint64_t kMostWorkers = 4096;
constexpr std::uint64_t kMostJobs = 1'000'000;
constexpr std::uint64_t kMostSteps = 1ULL << 40;
constexpr std::uint64_t kMostWords = 1ULL << 32;

/// What is wrong with the options together, or nothing; sets those that are words.
std::string settle(const std::string& kind, std::string pool, bool is_layered, Options& options) {
        if (kind.empty())
                return "-j: not given; accepted is one of calc, serial, shm";
        if (is_layered && !pool.empty() && pool != "layered")
                return "-l and --pool " + pool + ": -l stands for --pool layered";
        if (pool.empty())
                pool = is_layered ? "layered" : "ours";
        options.kind = kind == "calc" ? Kind::Calc : kind == "serial" ? Kind::Serial : Kind::Shm;
        options.pool = pool == "ours"   ? PoolKind::Ours
                       : pool == "fifo" ? PoolKind::Fifo
                                        : PoolKind::Layered;
        if (options.pool == PoolKind::Ours && options.affinity != 0)
                return "-a " + std::to_string(options.affinity) +
                       ": not accepted with --pool ours, which has each of its threads stay on a "
                       "CPU of its own";
        if (options.kind != Kind::Shm && !options.file.empty())
                return "-F '" + options.file + "': accepted with -j shm only";
        return {};
}

}  // namespace

ParsedOptions parse_options(std::span<char* const> arguments) {
        ParsedOptions parsed;
        auto& options = parsed.options;
        std::string kind;
        std::string pool;
        bool is_layered = false;
        Arguments table;

        table.word("-j", kind, {"calc", "serial", "shm"});
        table.number("-t", options.workers, 1, kMostWorkers);
        table.number("-o", options.under_way, 1, kMostJobs);
        table.number("-c", options.jobs_of_each, 1, kMostJobs);
        table.number("-a", options.affinity, 0, kMostWorkers);
        table.flag("-l", is_layered);
        table.word("-F", options.file);
        table.number("-N", options.length, 2, kMostWords);
        table.number("--steps", options.steps, 1, kMostSteps);
        table.word("--pool", pool, {"ours", "fifo", "layered"});
        table.flag("--json", options.json);
        table.flag("--help", options.help);
        parsed.error = table.parse(arguments);
        if (parsed.error.empty() && !options.help)
                parsed.error = settle(kind, pool, is_layered, options);
        return parsed;
}

std::string help_text() {
        return R"(jobs - what a thread pool makes of jobs that keep a CPU busy

Usage: jobs -j KIND [OPTION]...

One producer keeps so many jobs under way: for each that is done it submits the next one.

  -j KIND       what a job is:
                  calc    arithmetic, three sums that do not wait for each other
                  serial  the same, but each step needs the one before
                  shm     a walk over a file in memory that all jobs share
  -t N          workers that are asked for, 1 to 4096 (default 1)
  -o N          jobs under way at once, 1 to 10^6 (default 1)
  -c N          jobs for each of these until the end, 1 to 10^6 (default 10)
  --pool POOL   who does them:
                  ours     threadcount::Pool: a thread for each CPU, N at most (default)
                  fifo     N threads around a queue with a condition variable
                  layered  N threads with two rates: those of the first half of the CPUs are
                           woken first
  -l            the same as --pool layered
  -a STEP       each worker stays on one CPU, not for --pool ours: 1 deals them to the cores, one
                for each; 2 fills both hardware threads of a core before the next one, and so
                on; 0 leaves them to the kernel (default)
  --steps N     of calc and serial: the largest job, 1 to 2^40 (default 4M)
  -F FILE       of shm: the file (default: numbers made up in memory)
  -N WORDS      of shm: how much of it, in words of 8 bytes, 2 to 2^32 (default 8M)
  --json        print one JSON object on one line
  --help        print this text

Numbers may end in K, M or G. All pools do the same jobs: the checksum depends on -j, -o, -c,
--steps, the file and -N only.

Exit status: 0; 1 if the jobs could not be done; 2 for bad options.
)";
}

const char* name_of(Kind kind) {
        return kind == Kind::Calc ? "calc" : kind == Kind::Serial ? "serial" : "shm";
}

const char* name_of(PoolKind kind) {
        return kind == PoolKind::Ours ? "ours" : kind == PoolKind::Fifo ? "fifo" : "layered";
}

}  // namespace examples::jobs
