// SPDX-License-Identifier: MIT
// Schedulers and launchers tell by environment variables. One of them tells by the parents of its
// processes.
#include "job.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <iterator>
#include <unistd.h>

namespace threadcount {

namespace {

/// The variables that tell the job, and which part of it.
struct Job {
        const char* name;
        const char* part = nullptr;
};

/// The first that is set counts: what is started inside of a scheduler's job may be several.
constexpr Job kJobs[] = {{"THREADCOUNT_JOB"},
                         {"PMIX_NAMESPACE"},
                         {"SLURM_JOB_ID", "SLURM_STEP_ID"},
                         {"OMPI_MCA_ess_base_jobid"},
                         {"PMI_JOBID"},
                         {"FLUX_JOB_ID"},
                         {"PBS_JOBID"},
                         {"LSB_JOBID", "LSB_JOBINDEX"}};
constexpr const char* kRanks[] = {"PMI_RANK", "PMI_ID"};

struct Process {
        pid_t parent = 0;  ///< 0: not known
        char name[16] = "";
};

Process look_at(pid_t pid) {
        Process process;
        char path[32];
        snprintf(path, sizeof(path), "/proc/%d/stat", static_cast<int>(pid));
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return process;
        char text[256];
        const auto n = read(fd, text, sizeof(text) - 1);
        (void)close(fd);
        if (n <= 0)
                return process;
        text[n] = '\0';
        // "PID (NAME) STATE PPID ...", where the name may hold anything.
        const char* name = strchr(text, '(');
        const char* behind = strrchr(text, ')');
        int parent = 0;
        if (name == nullptr || behind == nullptr || sscanf(behind, ") %*c %d", &parent) != 1)
                return process;
        process.parent = parent;
        snprintf(process.name, sizeof(process.name), "%.*s", static_cast<int>(behind - name - 1),
                 name + 1);
        return process;
}

/// hydra_pmi_proxy, pmi_proxy; MVAPICH's.
bool is_launcher(const Process& process) {
        return strstr(process.name, "pmi_proxy") != nullptr ||
               strcmp(process.name, "mpispawn") == 0;
}

}  // namespace

void copy_printable(const char* text, char (&ret_name)[kNameBytes]) {
        std::size_t i = 0;
        for (; i < kNameBytes - 1 && text[i] != '\0'; i++)
                ret_name[i] = text[i] < ' ' || text[i] > '~' ? '_' : text[i];
        ret_name[i] = '\0';
}

JobName find_job(GetVariable get, char (&ret_job)[kNameBytes]) {
        ret_job[0] = '\0';
        for (const auto& known : kJobs) {
                const char* job = value_of(known.name, get);
                if (job == nullptr)
                        continue;
                const char* part = known.part != nullptr ? value_of(known.part, get) : nullptr;
                char whole[4 * kNameBytes];
                snprintf(whole, sizeof(whole), "%s%s%s", job, part != nullptr ? "." : "",
                         part != nullptr ? part : "");
                // The end of a name tells one job from the other and is kept; a user's own name is
                // cut there.
                const auto length = strlen(whole);
                const bool has_its_end = length >= kNameBytes && &known != std::begin(kJobs);
                copy_printable(has_its_end ? whole + length - (kNameBytes - 1) : whole, ret_job);
                return JobName::Named;
        }
        return std::any_of(std::begin(kRanks), std::end(kRanks),
                           [&](const char* name) { return value_of(name, get) != nullptr; })
                       ? JobName::Unnamed
                       : JobName::None;
}

void name_by_launcher(char (&ret_job)[kNameBytes]) {
        const auto session = getsid(0);
        const auto launcher = session > 0 ? look_at(session).parent : 0;
        ret_job[0] = '\0';
        // A session that a login shell leads, or whose launcher has gone, has other parents.
        if (launcher > 0 && is_launcher(look_at(launcher)))
                snprintf(ret_job, sizeof(ret_job), "launcher-%d", static_cast<int>(launcher));
}

}  // namespace threadcount
