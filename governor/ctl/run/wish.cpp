// SPDX-License-Identifier: MIT
// THREADCOUNT, and what makes a program a part of a batch job.
#include "run/wish.hpp"

#include <libthreadcount/src/job.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace ctl::run {

namespace {

bool is_pipe(int fd) {
        struct stat status {};
        return ::fstat(fd, &status) == 0 && S_ISFIFO(status.st_mode);
}

bool is_set(const char* name) { return !text_of(of_process, name).empty(); }

/// Programs that wait for each other must not wait for their turns one after the other. These are
/// the programs of a pipeline, which are one process group, and ranks that were started together.
/// Not all that runs inside of a scheduler's job is.
bool works_with_others() {
        constexpr std::array kRanks{
                "THREADCOUNT_JOB", "PMIX_NAMESPACE", "SLURM_STEP_ID", "OMPI_MCA_ess_base_jobid",
                "PMI_JOBID",       "PMI_RANK",       "PMI_ID"};
        return std::ranges::any_of(kRanks, is_set) || is_pipe(STDIN_FILENO) ||
               is_pipe(STDOUT_FILENO);
}

}  // namespace

tl::expected<Wish, Failure> parse_wish(const Lookup& lookup) {
        const auto text = text_of(lookup, "THREADCOUNT");
        if (text.empty() || text == "adapt")
                return Wish{};
        if (text == "keep")
                return Wish{Wish::Kind::Follow, 0, true};
        if (text == "start-only")
                return Wish{Wish::Kind::StartOnly};
        if (text == "off")
                return Wish{Wish::Kind::Off};
        constexpr std::string_view kFixed = "fixed:";
        const auto count =
                text.starts_with(kFixed) ? parse_count(text.substr(kFixed.size())) : std::nullopt;
        if (!count)
                return tl::unexpected(
                        Failure{kUsage, "THREADCOUNT=" + text +
                                                " is not accepted; accepted: adapt, keep, "
                                                "start-only, off, fixed:1 .. fixed:65536"});
        return Wish{Wish::Kind::Fixed, *count};
}

std::vector<Change> set_class_and_job(const verbs::RunOptions& options) {
        std::vector<Change> changes;
        const auto set = [&](const char* name, const std::string& value) {
                apply(changes.emplace_back(change_to(of_process, name, value)));
        };
        if (options.is_batch)
                set("THREADCOUNT_CLASS", "batch");
        if (!options.job.empty())
                set("THREADCOUNT_JOB", options.job);
        else if (options.is_batch && !works_with_others())
                set("THREADCOUNT_JOB", "run-" + std::to_string(::getpid()));
        return changes;
}

std::string job_of(const verbs::RunOptions& options) {
        if (!options.is_batch)
                return text_of(of_process, "THREADCOUNT_JOB");
        char job[threadcount::kNameBytes];
        if (threadcount::find_job(std::getenv, job) == threadcount::JobName::Unnamed)
                threadcount::name_by_launcher(job);
        return job;
}

}  // namespace ctl::run
