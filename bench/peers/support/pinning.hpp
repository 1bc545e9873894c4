// SPDX-License-Identifier: MIT
// Every pool's threads are pinned alike from outside. main is on the first allowed CPU, the i-th
// thread that is created on the i-th CPU behind it, round and round.
#pragma once

#include <sched.h>
#include <thread>
#include <utility>
#include <vector>

namespace peers {

/// The CPUs this process was allowed at its start, in ascending order.
const std::vector<int>& allowed_cpus();

/// The CPU where worker `index` belongs: the one behind main's, and so on, round and round.
int cpu_of_worker(unsigned index);

/// `workers` CPUs, that of worker 0 first.
std::vector<int> cpus_of_workers(unsigned workers);

void pin_this_thread(int cpu);
/// Gives the calling thread all CPUs of the start again.
void unpin_this_thread();

/// The calling thread has all CPUs of the start while one lives; then those that it had.
class AllCpus {
public:
        AllCpus();
        ~AllCpus();
        AllCpus(const AllCpus&) = delete;
        AllCpus& operator=(const AllCpus&) = delete;

private:
        cpu_set_t former_;
};

/// Each thread that is created by anybody is pinned when it is born, while one lives.
class PinnedBirths {
public:
        PinnedBirths();
        ~PinnedBirths();
        PinnedBirths(const PinnedBirths&) = delete;
        PinnedBirths& operator=(const PinnedBirths&) = delete;
};

/// A thread of the benchmark itself, on that CPU; it is no worker.
template <typename Function>
std::jthread thread_on(int cpu, Function function) {
        return std::jthread([cpu, run = std::move(function)]() mutable {
                pin_this_thread(cpu);
                run();
        });
}

}  // namespace peers
