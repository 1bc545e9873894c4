// SPDX-License-Identifier: MIT
// governorctl run: starts a program that knows nothing of us with as many threads as fit now.
#include "render/columns.hpp"
#include "verbs/ask.hpp"
#include "verbs/limits.hpp"
#include "verbs/verbs.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <tl/expected.hpp>
#include <unistd.h>

namespace ctl::verbs {

namespace {

/// What OpenMP runtimes, BLAS libraries and thread pools read at their start.
constexpr std::array kVariables{
        "OMP_NUM_THREADS",   "OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS",  "MKL_NUM_THREADS",
        "BLIS_NUM_THREADS",  "NUMEXPR_NUM_THREADS",  "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS",
        "JULIA_NUM_THREADS", "POLARS_MAX_THREADS",   "GOMAXPROCS",
};

std::optional<std::uint32_t> parse_count(std::string_view text) {
        std::uint32_t number = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc{} || end != text.data() + text.size() || number < 1 ||
            number > kMostThreads)
                return std::nullopt;
        return number;
}

/// What THREADCOUNT asks for: nothing to be set (off), a number, or a question (empty).
struct Wish {
        bool off = false;
        std::optional<std::uint32_t> fixed;
};

tl::expected<Wish, Failure> parse_wish() {
        const char* value = std::getenv("THREADCOUNT");
        const std::string_view text = value != nullptr ? value : "";
        if (text.empty() || text == "adapt" || text == "start-only")
                return Wish{};
        if (text == "off")
                return Wish{true, {}};
        constexpr std::string_view kFixed = "fixed:";
        const auto count =
                text.starts_with(kFixed) ? parse_count(text.substr(kFixed.size())) : std::nullopt;
        if (!count)
                return tl::unexpected(
                        Failure{kUsage, "THREADCOUNT=" + std::string(text) +
                                                " is not accepted; accepted: adapt, start-only, "
                                                "off, fixed:1 .. fixed:65536"});
        return Wish{false, count};
}

/// A smaller number that the user has set stays; of a list ("9,2", for nested regions) the first
/// number counts. What is no number (0, auto) means "all" to somebody and is replaced.
void lower(const char* name, std::uint32_t threads) {
        const char* set = std::getenv(name);
        const std::string_view text = set != nullptr ? set : "";
        const auto outer = text.substr(0, text.find(','));
        if (const auto count = parse_count(outer); count && *count <= threads)
                return;
        const auto rest = text.substr(outer.size());
        ::setenv(name, (std::to_string(threads) + std::string(rest)).c_str(), 1);
}

bool is_pipe(int fd) {
        struct stat status {};
        return ::fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

bool is_set(const char* name) {
        const char* value = std::getenv(name);
        return value != nullptr && *value != '\0';
}

/// Programs that wait for each other must not wait for their turns one after the other: those of a
/// pipeline, which are one process group, and ranks that were started together. Not all that runs
/// inside of a scheduler's job is.
bool works_with_others() {
        constexpr std::array kRanks{
                "THREADCOUNT_JOB", "PMIX_NAMESPACE", "SLURM_STEP_ID", "OMPI_MCA_ess_base_jobid",
                "PMI_JOBID",       "PMI_RANK",       "PMI_ID"};
        return std::ranges::any_of(kRanks, is_set) || is_pipe(STDIN_FILENO) ||
               is_pipe(STDOUT_FILENO);
}

void set_job(const RunOptions& options) {
        if (options.is_batch)
                ::setenv("THREADCOUNT_CLASS", "batch", 1);
        if (!options.job.empty())
                ::setenv("THREADCOUNT_JOB", options.job.c_str(), 1);
        else if (options.is_batch && !works_with_others())
                ::setenv("THREADCOUNT_JOB", ("run-" + std::to_string(::getpid())).c_str(), 1);
}

/// That there is no advice, and how the program runs instead.
void warn(const Failure& failure, const RunOptions& options, std::uint32_t most) {
        const auto how = most > 0 ? "with at most " + std::to_string(most) : "unchanged";
        std::fprintf(stderr, "governorctl: %s; %s runs %s%s\n",
                     render::printable(failure.message).c_str(),
                     render::printable(options.command.front()).c_str(), how.c_str(),
                     options.is_batch ? ", and waits for no turn" : "");
}

/// Empty: leave the program as it is.
tl::expected<std::optional<std::uint32_t>, Failure> choose(const Common& common,
                                                           const RunOptions& options) {
        const auto wish = parse_wish();
        if (!wish)
                return tl::unexpected(wish.error());
        if (wish->off)
                return std::nullopt;
        const auto most = smaller_limit(options.max, user_limit());
        if (wish->fixed)
                return smaller_limit(*wish->fixed, most);
        const auto advice = ask_advice(common.socket, 0, limit(options.max));
        if (!advice && advice.error().code == kUsage)
                return tl::unexpected(advice.error());
        if (!advice)
                warn(advice.error(), options, most);
        // Who takes turns is linked with libthreadcount: the number would be its maximum for good.
        if (options.is_batch)
                return std::nullopt;
        if (advice)
                return advice->threads();
        return most > 0 ? std::optional(most) : std::nullopt;
}

}  // namespace

ExitCode run(const Common& common, const RunOptions& options) {
        const auto threads = choose(common, options);
        if (!threads)
                return complain(threads.error());
        if (*threads)
                for (const auto* name : kVariables)
                        lower(name, **threads);
        // A program that is linked with libthreadcount asks the same governor within --max.
        if (!common.socket.empty())
                ::setenv("THREADCOUNT_SOCKET", common.socket.c_str(), 1);
        if (options.max > 0)
                lower("THREADCOUNT_MAX", options.max);
        set_job(options);

        std::vector<char*> arguments;
        auto command = options.command;
        for (auto& argument : command)
                arguments.push_back(argument.data());
        arguments.push_back(nullptr);
        ::execvp(arguments.front(), arguments.data());
        const int error = errno;
        return complain({error == ENOENT ? kNotFound : kNotExecutable,
                         "cannot run " + command.front() + ": " + std::strerror(error)});
}

}  // namespace ctl::verbs
