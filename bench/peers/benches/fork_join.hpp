// SPDX-License-Identifier: MIT
// The cost of a fork and its join, and the stack that they take: Fibonacci numbers, each call a
// fork.
#pragma once

#include "../support/crew.hpp"
#include "../support/options.hpp"
#include "../support/samples.hpp"

namespace peers {

inline std::uint64_t fibonacci(unsigned n) {
        std::uint64_t value = 0;
        for (std::uint64_t next = 1; n > 0; --n) {
                value += next;
                std::swap(value, next);
        }
        return value;
}

/// The number of forks, one for each call that is no leaf.
inline std::uint64_t forks_of(unsigned n) { return fibonacci(n + 1) - 1; }

struct NoStack {
        static void look() {}
};

/// Notes how deep the stack of the calling thread is.
struct NotedStack {
        static void look() {
                Slot& mine = Slots::mine();
                const char here = 0;
                // Escapes, or else a compiler that inlines has no address to tell.
                const char* address = &here;
                asm volatile("" : "+r"(address));
                const auto place = reinterpret_cast<std::uintptr_t>(address);
                if (place < mine.lowest.load(std::memory_order_relaxed))
                        mine.lowest.store(place, std::memory_order_relaxed);
                if (place > mine.highest.load(std::memory_order_relaxed))
                        mine.highest.store(place, std::memory_order_relaxed);
        }
};

template <typename Stack, typename Pool>
std::uint64_t forked_fibonacci(Pool& pool, unsigned n) {
        Stack::look();
        if (n < 2)
                return n;
        std::uint64_t left = 0;
        std::uint64_t right = 0;
        pool.fork_join([&] { left = forked_fibonacci<Stack>(pool, n - 1); },
                       [&] { right = forked_fibonacci<Stack>(pool, n - 2); });
        return left + right;
}

/// A pool whose forks are coroutines brings the function along.
template <typename Stack, typename Pool>
void run_fibonacci(Pool& pool, unsigned n) {
        std::uint64_t value = 0;
        if constexpr (requires { pool.fibonacci(n); })
                value = pool.fibonacci(n);
        else
                pool.run([&] { value = forked_fibonacci<Stack>(pool, n); });
        if (value == fibonacci(n))
                return;
        std::fprintf(stderr, "fibonacci(%u) is wrong\n", n);
        std::exit(1);
}

template <typename Pool>
void fork_join(const Options& options) {
        const unsigned n = options.scale < 1 ? 27 : 30;
        Crew<Pool> pool(caller_helps<Pool>() ? options.workers - 1 : options.workers);
        run_fibonacci<NoStack>(*pool, 22);
        const Nanoseconds begin = now();
        run_fibonacci<NoStack>(*pool, n);
        const auto forks = static_cast<double>(forks_of(n));
        report("ns_per_fork", static_cast<double>(now() - begin) / forks);
}

/// The deepest stack of all threads, from the outermost call to the innermost. A sequential call
/// takes some KiB of it.
template <typename Pool>
void stack(const Options& options) {
        if constexpr (requires(Pool & pool) { pool.fork_join([] {}, [] {}); }) {
                Crew<Pool> pool(caller_helps<Pool>() ? options.workers - 1 : options.workers);
                run_fibonacci<NotedStack>(*pool, options.scale < 1 ? 30 : 35);
                std::uintptr_t deepest = 0;
                for (std::size_t index = 0; index < Slots::size(); ++index) {
                        const Slot& slot = Slots::at(index);
                        if (slot.highest.load() != 0)
                                deepest = std::max(deepest, slot.highest - slot.lowest);
                }
                report("stack_kib", static_cast<double>(deepest) / 1024);
        }
}

}  // namespace peers
