// SPDX-License-Identifier: MIT
// CPUs, files and the environment.
#include "demo/stage.hpp"

#include "demo/audience.hpp"
#include "demo/governor.hpp"
#include "render/status_text.hpp"
#include "run/executable.hpp"
#include "run/variables.hpp"
#include "verbs/ask.hpp"
#include "verbs/limits.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <sys/resource.h>
#include <unistd.h>

namespace ctl::demo {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMostCpus = 4;

CpuTicks cpu_ticks() {
        std::ostringstream text;
        text << std::ifstream("/proc/stat").rdbuf();
        const auto reading = governor::probe::parse_proc_stat(text.str());
        return reading ? reading->cpus : CpuTicks{};
}

std::vector<std::uint32_t> cpus_in(const run::CpuMask& mask) {
        std::vector<std::uint32_t> cpus;
        for (std::uint32_t cpu = 0; cpu < threadcount::kMostCpus; cpu++)
                if ((mask.words[cpu / 64] >> (cpu % 64) & 1U) != 0)
                        cpus.push_back(cpu);
        return cpus;
}

std::string busy_host(const Usage& usage, double limit) {
        const auto cpus = std::to_string(usage.cpus.size());
        return "this host is busy: other programs use " + decimal(usage.busy) + " of the " + cpus +
               " CPUs that the demo would use, and beyond " + decimal(limit) +
               " its times mean nothing; try again later, or see it all the same: "
               "governorctl demo --anyway";
}

void confine_to(const run::CpuMask& cpus) {
        if (!run::set_affinity(0, cpus))
                throw std::runtime_error("cannot be confined to the CPUs " + run::list_of(cpus));
}

bool is_there(const fs::path& path) {
        std::error_code error;
        return fs::exists(path, error);
}

/// Its name alone, where a shell finds it by that.
std::string as_called(const fs::path& program) {
        std::istringstream folders(run::text_of(run::of_process, "PATH"));
        for (std::string folder; std::getline(folders, folder, ':');)
                if (fs::path(folder) == program.parent_path())
                        return program.filename();
        return program;
}

double seconds(const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

double own_cpu_time_s() {
        double sum = 0;
        for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
                rusage usage{};
                ::getrusage(who, &usage);
                sum += seconds(usage.ru_utime) + seconds(usage.ru_stime);
        }
        return sum;
}

}  // namespace

void forget_wishes() {
        std::vector<std::string> names;
        for (char** entry = environ; *entry != nullptr; entry++)
                if (const std::string_view text(*entry); text.starts_with("THREADCOUNT"))
                        names.emplace_back(text.substr(0, text.find('=')));
        for (const auto& name : names)
                ::unsetenv(name.c_str());
}

Usage take_cpus(const run::Signals& signals, bool anyway) {
        const auto allowed = run::affinity_of(0).value_or(run::CpuMask{});
        const auto most = std::min<std::size_t>(kMostCpus, verbs::own_limit());
        const auto before = cpu_ticks();
        wait(signals, std::chrono::seconds{1});
        auto usage = idlest(before, cpu_ticks(), cpus_in(allowed), most);
        if (usage.cpus.size() < 2)
                throw Refused{{kFailed, "the demo shows how CPUs are shared, and needs two; this "
                                        "process may use one"}};
        const auto limit = kMostBusy * static_cast<double>(usage.cpus.size());
        if (usage.busy > limit && !anyway)
                throw Refused{{kFailed, busy_host(usage, limit)}};
        confine_to(mask_of(usage.cpus));
        return usage;
}

run::CpuMask mask_of(const std::vector<std::uint32_t>& cpus) {
        run::CpuMask mask;
        for (const auto cpu : cpus)
                mask.words[cpu / 64] |= std::uint64_t{1} << (cpu % 64);
        return mask;
}

fs::path governord() {
        const auto own = run::own_path();
        const auto found =
                find_governord(own, run::text_of(run::of_process, "PATH"), ::geteuid() == 0);
        if (!found)
                throw Refused{{kNotReachable,
                               "there is no governord beside " + own.string() +
                                       ", in ../sbin from a bin, or in PATH that only root and "
                                       "this user can change: install it, or add its folder to "
                                       "PATH"}};
        return *found;
}

bool systemd_has_units(const fs::path& root, bool for_all, const std::string& runtime) {
        const auto manager =
                for_all ? root / "run/systemd/system" : fs::path(runtime) / "systemd/private";
        if ((!for_all && runtime.empty()) || !is_there(manager))
                return false;
        const auto unit = fs::path("systemd") / (for_all ? "system" : "user") / "governord.socket";
        const auto folders = {"etc", "run", "usr/local/lib", "usr/lib"};
        return std::ranges::any_of(
                folders, [&](const char* folder) { return is_there(root / folder / unit); });
}

Place place_of(const fs::path& governord) {
        const auto runtime = run::text_of(run::of_process, "XDG_RUNTIME_DIR");
        governor::v1::Request request;
        request.mutable_status();
        const auto reply = verbs::ask("", std::move(request), governor::v1::Reply::kStatus);
        Place place;
        place.is_root = ::getuid() == 0;
        place.has_runtime_folder = !runtime.empty();
        place.is_served = reply.has_value();
        place.is_left_alone = reply && !render::left_alone(reply->status()).empty();
        place.has_units = systemd_has_units("/", place.is_root, runtime);
        place.governord = as_called(governord);
        place.fairly = as_called(run::own_path().parent_path() / "fairly");
        place.governorctl = as_called(run::own_path());
        return place;
}

Bystanders::Bystanders(std::vector<std::uint32_t> cpus)
        : cpus_(std::move(cpus)), before_(cpu_ticks()), own_before_s_(own_cpu_time_s()) {}

double Bystanders::busy() const {
        const auto after = cpu_ticks();
        const auto all = idlest(before_, after, cpus_, cpus_.size()).busy;
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - begun_;
        const auto own = (own_cpu_time_s() - own_before_s_) / std::max(passed.count(), 0.01);
        return std::clamp(all - own, 0.0, static_cast<double>(cpus_.size()));
}

}  // namespace ctl::demo
