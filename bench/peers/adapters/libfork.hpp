// SPDX-License-Identifier: MIT
// libfork: coroutines that fork, and what waits for them from outside. Nothing can be posted from
// inside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <libfork.hpp>
#include <memory>
#include <numeric>
#include <vector>

namespace peers {

inline constexpr auto forked = [](auto self, unsigned n) -> lf::task<std::uint64_t> {
        if (n < 2)
                co_return n;
        std::uint64_t left = 0;
        std::uint64_t right = 0;
        co_await lf::fork(&left, self)(n - 1);
        co_await lf::call(&right, self)(n - 2);
        co_await lf::join;
        co_return left + right;
};

class Pool {
public:
        explicit Pool(unsigned workers) : pool_(workers), workers_(workers) {}

        std::uint64_t fibonacci(unsigned n) { return lf::sync_wait(pool_, forked, n); }

        template <typename Body>
        auto static_loop(std::size_t count, Body body) {
                return loop(count, workers_, body);
        }

        template <typename Body>
        auto dynamic_loop(std::size_t count, Body body) {
                return loop(count, 8 * workers_, body);
        }

private:
        template <typename Body>
        auto loop(std::size_t count, std::size_t chunks, Body body) {
                auto all = std::make_shared<std::vector<std::size_t>>(chunks);
                std::iota(all->begin(), all->end(), std::size_t{0});
                return [this, count, chunks, body, all] {
                        lf::sync_wait(pool_, lf::for_each, all->begin(), all->end(),
                                      [count, chunks, body](std::size_t chunk) {
                                              body(count * chunk / chunks,
                                                   count * (chunk + 1) / chunks);
                                      });
                };
        }

        lf::lazy_pool pool_;
        std::size_t workers_;
};

}  // namespace peers
