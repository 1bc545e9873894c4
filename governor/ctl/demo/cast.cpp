// SPDX-License-Identifier: MIT
// Children that count what they have done in memory that they share with their parent.
#include "demo/cast.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <stdexcept>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace ctl::demo {

namespace {

constexpr std::size_t kMostMembers = 8;
/// The status of a program that was to be governed, and had no grant in the end.
constexpr int kUngoverned = 2;

}  // namespace

struct Cast::Shared {
        struct Progress {
                std::atomic<std::uint64_t> regions = 0;
                std::atomic<std::int64_t> ended_ns = 0;  ///< since the start of all
        };
        std::array<Progress, kMostMembers> of;
};

Cast::Cast(const run::Signals& signals, const Plot& plot) : plot_(plot) {
        void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED)
                throw std::runtime_error(std::string("cannot share memory: ") +
                                         std::strerror(errno));
        shared_ = new (memory) Shared;
        members_.resize(std::min(plot.names.size(), kMostMembers));
        const auto parent = ::getpid();
        started_ = Clock::now();
        for (std::size_t i = 0; i < members_.size(); i++) {
                if (i > 0)
                        std::this_thread::sleep_for(plot.apart);
                const auto pid = ::fork();
                if (pid == 0) {
                        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
                        signals.give_back();
                        if (::getppid() != parent)
                                ::_exit(1);
                        // Nothing of what is above belongs to a child.
                        try {
                                play(plot, i);
                        } catch (const std::exception&) {
                                ::_exit(1);
                        }
                }
                members_[i].pid = pid;
        }
}

Cast::~Cast() {
        for (const auto& member : members_)
                if (member.pid > 0)
                        ::kill(member.pid, SIGKILL);
        for (const auto& member : members_)
                if (member.pid > 0)
                        ::waitpid(member.pid, nullptr, 0);
        ::munmap(shared_, sizeof(Shared));
}

void Cast::play(const Plot& plot, std::size_t member) const {
        threadcount_handle* governor = nullptr;
        if (!plot.socket.empty()) {
                // Of one label they count as equally long.
                const auto& label = plot.in_turn ? plot.names.front() : plot.names[member];
                ::setenv("THREADCOUNT_LABEL", label.c_str(), 1);
                ::setenv("THREADCOUNT_JOB", std::to_string(member).c_str(), 1);
                ::setenv("THREADCOUNT_CLASS", plot.in_turn ? "batch" : "interactive", 1);
                threadcount_options options = THREADCOUNT_OPTIONS_INIT;
                options.socket_path = plot.socket.c_str();
                options.max_threads = plot.work.threads;
                if (threadcount_open(&options, &governor) < 0)
                        ::_exit(1);
        }
        auto& progress = shared_->of[member];
        perform(plot.work, governor, progress.regions);
        if (governor != nullptr && threadcount_version(governor) == 0)
                ::_exit(kUngoverned);
        threadcount_close(governor);
        progress.ended_ns = std::chrono::nanoseconds(Clock::now() - started_).count();
        ::_exit(0);
}

double Cast::seconds() const {
        return std::chrono::duration<double>(Clock::now() - started_).count();
}

void Cast::look() {
        for (std::size_t i = 0; i < members_.size(); i++) {
                auto& member = members_[i];
                int status = 0;
                if (member.pid == 0 ||
                    (member.pid > 0 && ::waitpid(member.pid, &status, WNOHANG) == 0))
                        continue;
                const bool has_started = member.pid > 0;
                member.pid = 0;
                const auto ended_ns = shared_->of[i].ended_ns.load();
                if (!has_started || status != 0 || ended_ns == 0)
                        throw std::runtime_error(
                                "the program " + plot_.names[i] +
                                (has_started && WIFEXITED(status) &&
                                                 WEXITSTATUS(status) == kUngoverned
                                         ? " had nothing from the governor of the demo"
                                         : " could not be run to its end"));
                member.seconds = static_cast<double>(ended_ns) / 1e9;
        }
}

bool Cast::is_over() const {
        return std::ranges::all_of(members_, [](const Member& one) { return one.pid == 0; });
}

double Cast::done() const {
        std::uint64_t regions = 0;
        for (std::size_t i = 0; i < members_.size(); i++)
                regions += shared_->of[i].regions.load(std::memory_order_relaxed);
        return static_cast<double>(regions) / static_cast<double>(std::max<std::uint64_t>(
                                                      plot_.work.regions * members_.size(), 1));
}

pid_t Cast::somebody() const {
        const auto one = std::ranges::find_if(members_, [](const Member& m) { return m.pid > 0; });
        return one == members_.end() ? 0 : one->pid;
}

Act Cast::act() const {
        Act act;
        for (std::size_t i = 0; i < members_.size(); i++) {
                const bool is_stopped = members_[i].pid != 0;
                act.push_back(
                        {plot_.names[i], is_stopped ? seconds() : members_[i].seconds, is_stopped});
        }
        return act;
}

}  // namespace ctl::demo
