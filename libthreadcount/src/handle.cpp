// SPDX-License-Identifier: MIT
// Opening and closing a handle, and talking to the governor by it.
#include "handle.hpp"

#include "clock.hpp"
#include "idle_time.hpp"
#include "job.hpp"
#include "limits.hpp"
#include "uncancelled.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <poll.h>

using namespace threadcount;

namespace {

constexpr std::uint32_t kDefaultInterval_ms = 10'000;

/// The size of the shortest struct that is known; later ones are longer.
constexpr std::size_t kSmallestOptions =
        offsetof(threadcount_options, interval_ms) + sizeof(std::uint32_t);

/// The longest wait of opening a handle for a governor that has accepted the connection.
constexpr std::uint32_t kLongestWelcome_ms = 250;
constexpr std::uint64_t kMillisecond_ns = 1'000'000;

bool in_range(std::uint32_t value, std::uint32_t least, std::uint32_t most) {
        return value == 0 || (value >= least && value <= most);
}

/// A governor that grants nothing is asked; its answers tell when it does. Returns when to call
/// this again.
std::uint64_t talk(threadcount_handle& handle, std::uint64_t now_ms, std::uint64_t deadline_ns)
        THREADCOUNT_REQUIRES(handle.mutex) {
        auto& lease = handle.lease;
        if (!lease.is_refused()) {
                const auto next_ms = lease.run(now_ms, deadline_ns);
                if (!lease.is_refused())
                        return next_ms;
        }
        const auto next_ms = handle.polling.run(now_ms);
        return handle.polling.sees_leases() && lease.try_again(now_ms) ? lease.run(now_ms, 0)
                                                                       : next_ms;
}

/// Entered; nullptr: nobody wants it, nothing is governed, or the runtime binds its threads itself.
Binding* binding_for(const Environment& environment, std::uint32_t option) {
        const bool is_wanted = environment.binding == BindingSetting::Cores ||
                               (environment.binding == BindingSetting::Unset &&
                                option == THREADCOUNT_BINDING_CORES);
        if (!is_wanted || environment.runtime_binds || !environment.mode.is_governed() ||
            environment.mode.keeps())
                return nullptr;
        auto& binding = process_binding();
        return binding.enter() ? &binding : nullptr;
}

CpuMask mask_of(const std::uint64_t* words, std::uint32_t n) {
        CpuMask mask;
        for (std::size_t i = 0; words != nullptr && i < std::min<std::size_t>(n, CpuMask::kWords);
             i++)
                mask.words[i] = words[i];
        return mask;
}

void talk_now(threadcount_handle& handle, std::uint64_t now_ms, std::uint64_t deadline_ns)
        THREADCOUNT_REQUIRES(handle.mutex) {
        // Before it is noticed that the governor has gone: others read it meanwhile.
        if (const auto last = handle.lease.granted_last(); last > 0)
                handle.threads.store(last, std::memory_order_relaxed);
        const auto next_ms = talk(handle, now_ms, deadline_ns);
        const auto first = handle.lease.first();
        if (!handle.environment.mode.keeps())
                handle.threads.store(first != 0 ? first : handle.count.threads(),
                                     std::memory_order_relaxed);
        handle.next_poll_ms.store(next_ms, std::memory_order_relaxed);
}

/// The socket to wait on; -1: the program is not parked any more.
int turn_socket(threadcount_handle& handle) THREADCOUNT_REQUIRES(handle.mutex) {
        if (handle.lease.is_gone())
                talk_now(handle, coarse_now_ms(), 0);
        if (!handle.lease.makes_wait())
                return -1;
        const int fd = handle.lease.await_turn();
        // Its turn may have come, and what told so may have been forgotten just now.
        return handle.lease.makes_wait() ? fd : -1;
}

}  // namespace

std::uint32_t threadcount::next_serial() {
        static constinit std::atomic<std::uint32_t> last{0};
        return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

void threadcount::consult(threadcount_handle& handle, std::uint64_t now_ms,
                          std::uint64_t deadline_ns) {
        const Uncancelled uncancelled;
        if (!handle.mutex.try_lock())
                return;
        const MutexLock lock(handle.mutex, MutexLock::Adopt::Locked);
        if (now_ms >= handle.next_poll_ms.load(std::memory_order_relaxed))
                talk_now(handle, now_ms, deadline_ns);
}

void threadcount::tell_wishes(threadcount_handle& handle) {
        if (!handle.lease.has_to_tell())
                return;
        const Uncancelled uncancelled;
        if (!handle.mutex.try_lock())
                return;
        const MutexLock lock(handle.mutex, MutexLock::Adopt::Locked);
        handle.lease.tell();
}

bool threadcount::wait_for_turn(threadcount_handle& handle) {
        // The governor may be dead, and only its heartbeat tells so where a fork of it lives.
        constexpr int kRound_ms = 500;
        // A call under the mutex may end a thread that is cancelled.
        Uncancelled under_mutex;
        handle.mutex.lock();
        const int fd = turn_socket(handle);
        handle.mutex.unlock();
        under_mutex.end();
        if (fd < 0)
                return false;
        // A socket that is closed meanwhile makes this wait for nothing, once. A message wakes all
        // threads that wait. It is read before a wait only, by a thread that has seen the program
        // parked.
        pollfd turn{fd, POLLIN | POLLRDHUP, 0};
        (void)poll(&turn, 1, kRound_ms);
        return true;
}

threadcount_handle::threadcount_handle(const Environment& from, const char* socket,
                                       std::uint32_t width, std::uint32_t interval_ms,
                                       const CpuMask& bound_to, Binding* binds)
        : environment(from), addresses(from.socket != nullptr ? from.socket : socket,
                                       secure_getenv("XDG_RUNTIME_DIR")),
          ungoverned(width), max(from.max != 0 ? std::min(from.max, width) : width),
          whole_from(from.mode.keeps() ? 1 : width), affinity(bound_to), binding(binds),
          count(max, idle_time_here),
          lease(addresses,
                {max, from.mode.mode == Mode::StartOnly, from.is_batch, environment.label,
                 binds != nullptr       ? &binds->initial()
                 : affinity.count() > 0 ? &affinity
                                        : nullptr,
                 from.mode.can_wait(), from.mode.keeps(), environment.job},
                transport, count, binds),
          polling(addresses, {max, interval_ms, from.mode.mode == Mode::StartOnly}, transport,
                  count) {
        if (environment.mode.keeps())
                threads = max;
        if (environment.mode.is_governed())
                return;
        threads =
                environment.mode.mode == Mode::Fixed ? std::min(environment.mode.fixed, max) : max;
        next_poll_ms = kNever_ms;
}

int threadcount_open(const threadcount_options* options, threadcount_handle** ret_handle) {
        threadcount_options given = THREADCOUNT_OPTIONS_INIT;
        if (ret_handle == nullptr || (options != nullptr && options->size < kSmallestOptions))
                return -EINVAL;
        // A program built against an older or newer header has a shorter or longer struct.
        if (options != nullptr)
                memcpy(&given, options, std::min(options->size, sizeof(given)));
        if (!in_range(given.max_threads, 1, kMostThreads) ||
            !in_range(given.interval_ms, kShortestInterval_ms, kLongestInterval_ms) ||
            given.binding > THREADCOUNT_BINDING_CORES || given.wait_ms > kLongestWelcome_ms ||
            given.keeps > 1 || given.sleeps > 1)
                return -EINVAL;

        // It reads files, and an object that is preloaded calls it where nobody expects that.
        const Uncancelled uncancelled;
        auto environment = read_environment(secure_getenv);
        if (environment.is_rank)
                name_by_launcher(environment.job);
        const auto bound_to = mask_of(given.affinity, given.affinity_words);
        if (given.keeps > 0 && !environment.mode.is_set)
                environment.mode.mode = Mode::Keep;
        // A smaller team would be bound to the same first CPUs as everybody else's.
        if (bound_to.count() > 0 && !environment.mode.is_set && !environment.mode.keeps())
                environment.mode.mode = Mode::RuntimeBinds;
        const auto width = given.max_threads != 0 ? given.max_threads : fallback_threads();
        const auto interval_ms = environment.interval_ms != 0 ? environment.interval_ms
                                 : given.interval_ms != 0     ? given.interval_ms
                                                              : kDefaultInterval_ms;
        void* memory = aligned_alloc(alignof(threadcount_handle), sizeof(threadcount_handle));
        if (memory == nullptr || !watch_forks()) {
                free(memory);
                return -ENOMEM;
        }
        auto* handle =
                new (memory) threadcount_handle(environment, given.socket_path, width, interval_ms,
                                                bound_to, binding_for(environment, given.binding));
        if (given.sleeps > 0)
                handle->lease.sleep();
        if (handle->next_poll_ms.load(std::memory_order_relaxed) != kNever_ms)
                consult(*handle, coarse_now_ms(), now_ns() + given.wait_ms * kMillisecond_ns);
        *ret_handle = handle;
        return 0;
}

uint32_t threadcount_max(const threadcount_handle* handle) {
        return handle != nullptr ? handle->max : fallback_threads();
}

uint32_t threadcount_ungoverned(const threadcount_handle* handle) {
        return handle != nullptr ? handle->ungoverned : fallback_threads();
}

int threadcount_releases(const threadcount_handle* handle) {
        return handle != nullptr && handle->environment.releases ? 1 : 0;
}

int threadcount_takes_turns(const threadcount_handle* handle) {
        if (handle == nullptr)
                return 0;
        const auto& environment = handle->environment;
        return environment.mode.keeps() || (environment.mode.can_wait() && environment.is_batch);
}

threadcount_handle* threadcount_close(threadcount_handle* handle) {
        if (handle == nullptr || handle == threadcount_default())
                return nullptr;
        if (!is_inert(*handle))
                handle->lease.end();
        if (!is_inert(*handle) && handle->binding != nullptr)
                handle->binding->leave();
        handle->~threadcount_handle();
        free(handle);
        return nullptr;
}
