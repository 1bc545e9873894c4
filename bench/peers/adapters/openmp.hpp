// SPDX-License-Identifier: MIT
// OpenMP, as the compiler has it: loops and tasks; nothing can be posted to it.
#pragma once

#include <cstddef>
#include <omp.h>

namespace peers {

class Pool {
public:
        static constexpr bool CALLER_HELPS = true;

        explicit Pool(unsigned workers) : threads_(static_cast<int>(workers) + 1) {}

        template <typename Left, typename Right>
        void fork_join(Left left, Right right) {
#pragma omp task shared(left) default(none)
                left();
                right();
#pragma omp taskwait
        }

        template <typename Function>
        void run(Function function) {
#pragma omp parallel num_threads(threads_)
#pragma omp single
                function();
        }

        template <typename Body>
        auto static_loop(std::size_t count, Body body) {
                return [this, count, body] {
#pragma omp parallel for schedule(static) num_threads(threads_)
                        for (std::size_t chunk = 0; chunk < chunks(); ++chunk)
                                run_chunk(chunk, chunks(), count, body);
                };
        }

        template <typename Body>
        auto dynamic_loop(std::size_t count, Body body) {
                return [this, count, body] {
#pragma omp parallel for schedule(dynamic) num_threads(threads_)
                        for (std::size_t chunk = 0; chunk < 4 * chunks(); ++chunk)
                                run_chunk(chunk, 4 * chunks(), count, body);
                };
        }

        template <typename Sum>
        double sum(std::size_t count, Sum sum_of) {
                double all = 0;
#pragma omp parallel for schedule(static) num_threads(threads_) reduction(+ : all)
                for (std::size_t chunk = 0; chunk < chunks(); ++chunk)
                        all += sum_of(count * chunk / chunks(), count * (chunk + 1) / chunks());
                return all;
        }

private:
        std::size_t chunks() const { return static_cast<std::size_t>(threads_); }

        template <typename Body>
        static void run_chunk(std::size_t chunk, std::size_t chunks, std::size_t count,
                              const Body& body) {
                body(count * chunk / chunks, count * (chunk + 1) / chunks);
        }

        int threads_;
};

}  // namespace peers
