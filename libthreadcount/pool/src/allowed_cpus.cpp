// SPDX-License-Identifier: MIT
// The kernel's affinity mask, whatever its size.
#include "allowed_cpus.hpp"

#include "locks/mutex.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <iterator>
#include <map>
#include <sched.h>
#include <unistd.h>
#include <utility>

namespace threadcount::pool {

namespace {

constexpr int kMostCpus = 1 << 16;
constexpr std::size_t kWordBits = 8 * sizeof(unsigned long);

}  // namespace

std::vector<int> affinity_of(pid_t thread) {
        for (int limit = CPU_SETSIZE; limit <= kMostCpus; limit *= 2) {
                std::vector<unsigned long> words(static_cast<std::size_t>(limit) / kWordBits);
                auto* set = reinterpret_cast<cpu_set_t*>(words.data());
                const auto size = words.size() * sizeof(unsigned long);
                if (sched_getaffinity(thread, size, set) != 0) {
                        if (errno == EINVAL)
                                continue;  // the kernel has more CPUs
                        break;
                }
                std::vector<int> cpus;
                for (std::size_t w = 0; w < words.size(); w++)
                        for (auto bits = words[w]; bits != 0; bits &= bits - 1)
                                cpus.push_back(static_cast<int>(w * kWordBits) +
                                               std::countr_zero(bits));
                return cpus;
        }
        return {};
}

std::vector<int> allowed_among(std::span<const int> cpus) {
        auto all = affinity_of(0);
        if (!cpus.empty())
                std::erase_if(all,
                              [&](int cpu) { return std::ranges::find(cpus, cpu) == cpus.end(); });
        return all;
}

std::vector<Place> places_of(std::span<const int> cpus) {
        static Mutex mutex;
        static std::map<int, Place> known THREADCOUNT_GUARDED_BY(mutex);
        const MutexLock lock(mutex);
        std::vector<int> unknown;
        for (const int cpu : cpus)
                if (!known.contains(cpu))
                        unknown.push_back(cpu);
        if (!unknown.empty()) {
                const auto found = read_places("", unknown);
                for (std::size_t i = 0; i < unknown.size(); i++)
                        known.emplace(unknown[i], found[i]);
        }
        std::vector<Place> places;
        places.reserve(cpus.size());
        for (const int cpu : cpus)
                places.push_back(known.at(cpu));
        return places;
}

bool bind_to(std::span<const int> cpus) {
        const auto last = static_cast<std::size_t>(std::ranges::max(cpus));
        std::vector<unsigned long> words(last / kWordBits + 1);
        auto* set = reinterpret_cast<cpu_set_t*>(words.data());
        const auto size = words.size() * sizeof(unsigned long);
        for (const int cpu : cpus)
                CPU_SET_S(static_cast<std::size_t>(cpu), size, set);
        return sched_setaffinity(0, size, set) == 0;
}

AllowedCpus::AllowedCpus() : known_(affinity_of(getpid())) {
        if (known_ != affinity_of(0))
                known_.clear();
}

bool AllowedCpus::has_changed(int cpu, std::vector<int>& ret_cpus) {
        const auto mine = affinity_of(0);
        const auto first = known_.empty() ? std::vector<int>{} : affinity_of(getpid());
        if (first.size() > known_.size() && std::ranges::includes(first, known_)) {
                ret_cpus = known_ = first;
                return true;
        }
        // An administrator moves all threads to the same CPUs. A task may have bound its own thread
        // elsewhere; the kernel takes it back, if it allows the CPU.
        if (mine == std::vector<int>{cpu} || (mine != first && bind_to({&cpu, 1})))
                return false;
        // The first thread may have bound itself to some of those that a cpuset allows.
        ret_cpus.clear();
        std::ranges::set_union(mine, first, std::back_inserter(ret_cpus));
        if (!known_.empty())
                known_ = ret_cpus;
        return !ret_cpus.empty();
}

}  // namespace threadcount::pool
