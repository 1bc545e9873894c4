// SPDX-License-Identifier: MIT
// TooManyCooks: functions that are posted, and coroutines that fork.
#pragma once

#define TMC_IMPL
#include <cstdint>
#include <tmc/all_headers.hpp>
#include <utility>

namespace peers {

inline tmc::task<std::uint64_t> forked(unsigned n) {
        if (n < 2)
                co_return n;
        auto [left, right] = co_await tmc::spawn_tuple(forked(n - 1), forked(n - 2));
        co_return left + right;
}

class Pool {
public:
        explicit Pool(unsigned workers) { executor_.set_thread_count(workers).init(); }

        template <typename Function>
        void post(Function function) {
                tmc::post(executor_, std::move(function));
        }

        template <typename Function>
        auto async(Function function) {
                return tmc::post_waitable(executor_, std::move(function));
        }

        std::uint64_t fibonacci(unsigned n) {
                return tmc::post_waitable(executor_, forked(n)).get();
        }

private:
        tmc::ex_cpu executor_;
};

}  // namespace peers
