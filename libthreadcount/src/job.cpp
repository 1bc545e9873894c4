// SPDX-License-Identifier: MIT
// Schedulers and launchers tell by environment variables, one of them by who started whom.
#include "job.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <unistd.h>

namespace threadcount {

namespace {

/// The first that is set counts: what is started inside of a scheduler's job may be several.
constexpr const char* kJobs[] = {
        "THREADCOUNT_JOB", "PMIX_NAMESPACE", "SLURM_JOB_ID", "OMPI_MCA_ess_base_jobid",
        "PMI_JOBID",       "FLUX_JOB_ID",    "PBS_JOBID",    "LSB_JOBID"};
constexpr const char* kRanks[] = {"PMI_RANK", "PMI_ID"};

/// 0: not known.
pid_t parent_of(pid_t pid) {
        char path[32];
        snprintf(path, sizeof(path), "/proc/%d/stat", static_cast<int>(pid));
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return 0;
        char text[256];
        const auto n = read(fd, text, sizeof(text) - 1);
        (void)close(fd);
        if (n <= 0)
                return 0;
        text[n] = '\0';
        // "PID (NAME) STATE PPID ...", where the name may hold anything.
        const char* behind = strrchr(text, ')');
        int parent = 0;
        if (behind == nullptr || sscanf(behind, ") %*c %d", &parent) != 1)
                return 0;
        return parent;
}

}  // namespace

void copy_printable(const char* text, char (&ret_name)[kNameBytes]) {
        snprintf(ret_name, sizeof(ret_name), "%s", text);
        std::replace_if(
                std::begin(ret_name), std::begin(ret_name) + strlen(ret_name),
                [](char c) { return c < ' ' || c > '~'; }, '_');
}

JobName find_job(char* (*get)(const char* name), char (&ret_job)[kNameBytes]) {
        const auto take = [get](const char* name) {
                const char* text = get(name);
                return text != nullptr && *text != '\0' ? text : nullptr;
        };
        ret_job[0] = '\0';
        for (const char* name : kJobs) {
                const char* job = take(name);
                if (job == nullptr)
                        continue;
                const char* step =
                        strcmp(name, "SLURM_JOB_ID") == 0 ? take("SLURM_STEP_ID") : nullptr;
                char whole[kNameBytes];
                snprintf(whole, sizeof(whole), "%s%s%s", job, step != nullptr ? "." : "",
                         step != nullptr ? step : "");
                copy_printable(whole, ret_job);
                return JobName::Named;
        }
        return std::any_of(std::begin(kRanks), std::end(kRanks),
                           [&](const char* name) { return take(name) != nullptr; })
                       ? JobName::Unnamed
                       : JobName::None;
}

void name_by_launcher(char (&ret_job)[kNameBytes]) {
        const auto session = getsid(0);
        const auto launcher = session > 0 ? parent_of(session) : 0;
        ret_job[0] = '\0';
        // One whose launcher has gone belongs to init or to a subreaper, as many others do.
        if (launcher > 1)
                snprintf(ret_job, sizeof(ret_job), "launcher-%d", static_cast<int>(launcher));
}

}  // namespace threadcount
