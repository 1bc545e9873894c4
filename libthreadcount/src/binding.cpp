// SPDX-License-Identifier: MIT
// The masks of all threads in /proc/self/task.
#include "binding.hpp"

#include "bound_mask.hpp"

#include <cstdlib>
#include <dirent.h>
#include <new>
#include <sys/syscall.h>
#include <unistd.h>

namespace threadcount {

namespace {

/// Threads that were created meanwhile have the mask of a thread that was not bound yet.
constexpr int kMostRounds = 4;

/// The system call rather than the C library's function: it says how long the kernel's masks are.
bool read_mask(int thread, CpuMask* ret_mask) {
        CpuMask mask;
        if (syscall(SYS_sched_getaffinity, thread, sizeof(mask.words), mask.words) <= 0)
                return false;
        *ret_mask = mask;
        return true;
}

bool write_mask(int thread, const CpuMask& mask) {
        return syscall(SYS_sched_setaffinity, thread, sizeof(mask.words), mask.words) == 0;
}

}  // namespace

Binding& process_binding() {
        static constinit Binding binding;
        return binding;
}

void Binding::SharedMask::store(const CpuMask& mask) {
        for (std::size_t i = 0; i < CpuMask::kWords; i++)
                words[i].store(mask.words[i], std::memory_order_relaxed);
}

CpuMask Binding::SharedMask::load() const {
        CpuMask mask;
        for (std::size_t i = 0; i < CpuMask::kWords; i++)
                mask.words[i] = words[i].load(std::memory_order_relaxed);
        return mask;
}

bool Binding::enter() {
        const MutexLock lock(mutex_);
        if (handles_ == 0) {
                if (!read_mask(getpid(), &initial_))
                        return false;
                for (auto& mask : given_)
                        mask.store(initial_);
                asked_ = initial_;
        }
        handles_++;
        return true;
}

void Binding::leave() {
        const MutexLock lock(mutex_);
        if (--handles_ == 0)
                bind_all(initial_);
}

void Binding::add_initial(CpuMask& mask) {
        const MutexLock lock(mutex_);
        if (handles_ > 0)
                for (std::size_t i = 0; i < CpuMask::kWords; i++)
                        mask.words[i] |= initial_.words[i];
}

bool Binding::follow(const Arena& arena, std::uint64_t word, std::uint32_t threads, bool again) {
        if (!again && followed_.load(std::memory_order_relaxed) == word)
                return true;
        if (!mutex_.try_lock())
                return false;
        const MutexLock lock(mutex_, MutexLock::Adopt::Locked);
        CpuMask granted;
        std::uint64_t read_word = 0;
        governor_grant_reason reason;
        const bool is_read =
                arena.read_set(granted.words, CpuMask::kWords, &read_word, &reason) >= 0 &&
                read_word == word;
        if (is_read) {
                bind_all(bound_mask(initial_, granted, governor_word_flags(word), threads));
                followed_.store(word, std::memory_order_relaxed);
        }
        return is_read;
}

void Binding::release() {
        forget();
        if (!is_bound_.load(std::memory_order_relaxed) || !mutex_.try_lock())
                return;
        const MutexLock lock(mutex_, MutexLock::Adopt::Locked);
        bind_all(initial_);
}

void Binding::in_child() {
        // Another thread of the parent may have had it locked.
        new (&mutex_) Mutex;
        handles_ = 0;
        forget();
        CpuMask mask;
        if (is_bound_.exchange(false, std::memory_order_relaxed) && read_mask(0, &mask) &&
            is_ours(mask))
                (void)write_mask(0, initial_);
}

bool Binding::is_ours(const CpuMask& mask) const {
        return mask == initial_ || mask == given_[0].load() || mask == given_[1].load();
}

void Binding::bind_all(const CpuMask& mask) {
        // Known of a thread that was missed: what it was given before the last change.
        if (!(mask == asked_)) {
                last_given_ = 1 - last_given_;
                given_[last_given_].store(mask);
                asked_ = mask;
        }
        is_bound_.store(true, std::memory_order_relaxed);
        for (int round = 0; round < kMostRounds && bind_once(mask); round++) {
        }
        is_bound_.store(!(mask == initial_), std::memory_order_relaxed);
}

/// True: there may be more.
bool Binding::bind_once(const CpuMask& mask) {
        DIR* tasks = opendir("/proc/self/task");
        if (tasks == nullptr)
                return false;
        bool any = false;
        while (const dirent* entry = readdir(tasks))
                if (const auto thread = atoi(entry->d_name); thread > 0 && bind(thread, mask))
                        any = true;
        closedir(tasks);
        return any;
}

/// True: it has got the mask now.
bool Binding::bind(int thread, const CpuMask& mask) {
        CpuMask present;
        if (!read_mask(thread, &present) || present == given_[last_given_].load() ||
            !is_ours(present))
                return false;
        // CPUs that the cpuset has lost meanwhile cannot be had; better anywhere than nowhere.
        if (!write_mask(thread, mask) && !write_mask(thread, initial_))
                return false;
        // It cuts the others, too; they are to be known again.
        if (read_mask(thread, &present))
                given_[last_given_].store(present);
        return true;
}

}  // namespace threadcount
