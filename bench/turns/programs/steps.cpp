// SPDX-License-Identifier: MIT
//
// One parallel region after the other. The program says how far it is, or lies about it, or is an
// end of a pipe whose reader begins a region when the result of the writer's has come.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

#include <threadcount/article.h>

#include "common/calibration.hpp"
#include "kernel.hpp"
#include "step_record.hpp"

namespace {

using turns::Kernel;
using turns::StepRecord;

constexpr const char* kHelp =
        "steps - parallel regions in a row, for bench/coupled\n\n"
        "Usage: steps [tell|lie|write|read] [OPTION]...\n\n"
        "  tell            say after each region how far it is (default)\n"
        "  lie             say from the first one on that nine tenths are done\n"
        "  write           write each region's result to standard output, a small pipe\n"
        "  read            read one from standard input in front of each region\n\n"
        "  --iterations N  regions, 1 to 10^9 (default 100)\n"
        "  --work N        thousands of numbers in each, 1 to 10^6; in place of --region-us\n"
        "  --region-us N   work of one region in microseconds on one core (default 10000)\n"
        "  --calibrate     print the --work that takes --region-us, and exit\n"
        "  --json          accepted: the report is one JSON object on one line in any case\n";

enum class Role { Tell, Lie, Write, Read };

std::optional<Role> role_named(std::string_view name) {
        constexpr std::array<std::string_view, 4> kNames{"tell", "lie", "write", "read"};

        for (std::size_t i = 0; i < kNames.size(); ++i)
                if (name == kNames[i])
                        return static_cast<Role>(i);
        return std::nullopt;
}

/// The data that go through the pipe, as large as the smallest one: the writer is one region ahead,
/// plus the one that it is in.
struct Block {
        std::uint64_t value;
        double longest_ms;  ///< of the writer so far
        std::array<char, 4096 - 16> rest;
};

void send(const Block& block) {
        const auto written = write(STDOUT_FILENO, &block, sizeof block);

        // A pipe takes so much whole, or waits.
        if (written != static_cast<ssize_t>(sizeof block))
                throw std::system_error(errno, std::generic_category(), "write");
}

Block receive() {
        Block block{};
        auto* const bytes = reinterpret_cast<char*>(&block);

        for (std::size_t have = 0; have < sizeof block;) {
                const auto got = read(STDIN_FILENO, bytes + have, sizeof block - have);
                if (got < 0)
                        throw std::system_error(errno, std::generic_category(), "read");
                if (got == 0)
                        throw std::runtime_error("the writer ended before its last region");
                have += static_cast<std::size_t>(got);
        }
        return block;
}

void tell_progress(Role role, std::uint64_t done, std::uint64_t total) {
        if (role == Role::Lie)
                threadcount_progress(threadcount_default(), 9 * total + done, 10 * total);
        else if (role == Role::Tell)
                threadcount_progress(threadcount_default(), done, total);
}

int run(Role role, const examples::Options& options) {
        Kernel kernel;
        const auto work =
                options.work != 0 ? options.work : examples::calibrate(kernel, options.region_us);
        StepRecord record;
        double longest_of_writer_ms = 0;

        if (role == Role::Write)
                fcntl(STDOUT_FILENO, F_SETPIPE_SZ, static_cast<int>(sizeof(Block)));
        kernel.prepare(work);
        init_thread_count();
        for (std::uint64_t i = 0; i < options.iterations; ++i) {
                std::uint64_t input = 0;
                if (role == Role::Read) {
                        const auto block = receive();
                        input = block.value;
                        longest_of_writer_ms = block.longest_ms;
                }
                set_thread_count();
                const int threads = kernel.region(input);
                if (role == Role::Write)
                        send({kernel.value(), record.longest_ms(), {}});
                record.note(threads);
                tell_progress(role, i + 1, options.iterations);
        }
        if (role == Role::Write)
                return 0;
        const double longest_ms = std::max(record.longest_ms(), longest_of_writer_ms);
        return turns::print_report("steps", work, record, longest_ms, kernel.value()) ? 0 : 1;
}

int calibrate_and_print(const examples::Options& options) {
        Kernel kernel;

        return std::printf("{\"work\":%llu}\n", static_cast<unsigned long long>(examples::calibrate(
                                                        kernel, options.region_us))) > 0
                       ? 0
                       : 1;
}

}  // namespace

int main(int argc, char** argv) {
        const auto named = argc > 1 ? role_named(argv[1]) : std::nullopt;
        const int taken = named ? 2 : 1;
        const auto [options, error] = examples::parse_options(
                {argv + taken, static_cast<std::size_t>(argc - taken)}, Kernel::kDescription);

        if (!error.empty()) {
                std::fprintf(stderr, "steps: %s; see --help\n", error.c_str());
                return 2;
        }
        try {
                if (options.help)
                        return std::fputs(kHelp, stdout) >= 0 ? 0 : 1;
                if (options.calibrate)
                        return calibrate_and_print(options);
                return run(named.value_or(Role::Tell), options);
        } catch (const std::exception& failure) {
                std::fprintf(stderr, "steps: %s\n", failure.what());
                return 1;
        }
}
