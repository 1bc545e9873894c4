// SPDX-License-Identifier: MIT
// The cost of a task that captures nothing, or 48, 64 or 256 bytes; and of tasks that several
// threads submit.
#pragma once

#include "../support/crew.hpp"
#include "../support/options.hpp"
#include "../support/samples.hpp"

#include <array>
#include <cstddef>

namespace peers {

template <std::size_t BYTES>
auto task_with_payload() {
        if constexpr (BYTES == 0) {
                return [] { Slots::count(); };
        } else {
                return [bytes = std::array<std::byte, BYTES>{}] {
                        const auto* data = bytes.data();
                        asm volatile("" : : "r"(data) : "memory");
                        Slots::count();
                };
        }
}

template <std::size_t BYTES, typename Pool>
void submit_payload(Pool& pool, std::size_t tasks) {
        const std::uint64_t before = Slots::sum();
        for (std::size_t index = 0; index < tasks; ++index)
                pool.post(task_with_payload<BYTES>());
        Slots::await(before + tasks);
}

template <std::size_t BYTES, typename Pool>
void measure_payload(Pool& pool, std::size_t tasks) {
        submit_payload<BYTES>(pool, tasks / 20);
        const Nanoseconds begin = now();
        submit_payload<BYTES>(pool, tasks);
        report("ns_per_task_" + std::to_string(BYTES),
               static_cast<double>(now() - begin) / static_cast<double>(tasks));
}

template <typename Pool>
void payload(const Options& options) {
        const std::size_t tasks = options.scaled(300'000);
        Crew<Pool> pool(options.workers);
        warm_up(*pool, options.workers);
        measure_payload<0>(*pool, tasks);
        measure_payload<48>(*pool, tasks);
        measure_payload<64>(*pool, tasks);
        measure_payload<256>(*pool, tasks);
}

/// Threads of the benchmark, one after the other on the CPUs from main's on, that submit at a time.
template <typename Pool>
class Producers {
public:
        static constexpr unsigned MOST = 8;

        Producers() {
                for (unsigned index = 0; index < MOST; ++index)
                        threads_.push_back(thread_on(cpu_of_worker(index + 1), [this, index] {
                                for (std::size_t round = 1;; ++round) {
                                        round_.wait(round - 1);
                                        if (pool_ == nullptr)
                                                return;
                                        if (index < active_)
                                                produce();
                                }
                        }));
        }
        ~Producers() {
                pool_ = nullptr;
                next_round();
        }
        Producers(const Producers&) = delete;
        Producers& operator=(const Producers&) = delete;

        /// Returns when all have run.
        void submit(Pool& pool, unsigned producers, std::size_t tasks) {
                const std::uint64_t before = Slots::sum();
                pool_ = &pool;
                active_ = producers;
                each_ = tasks / producers;
                ended_ = 0;
                next_round();
                while (ended_.load() < producers)
                        sleep_for(20'000);
                Slots::await(before + each_ * producers);
        }

private:
        void next_round() {
                round_.fetch_add(1);
                round_.notify_all();
        }
        void produce() {
                for (std::size_t index = 0; index < each_; ++index)
                        pool_->post([] { Slots::count(); });
                ended_.fetch_add(1);
        }

        Pool* pool_ = nullptr;
        unsigned active_ = 0;
        std::size_t each_ = 0;
        std::atomic<unsigned> ended_{0};
        std::atomic<std::size_t> round_{0};
        std::vector<std::jthread> threads_;
};

template <typename Pool>
void producers(const Options& options) {
        const std::size_t tasks = options.scaled(300'000);
        Producers<Pool> producers;
        Crew<Pool> pool(options.workers);
        warm_up(*pool, options.workers);
        for (const unsigned count : {1U, 2U, 4U, 8U}) {
                producers.submit(*pool, count, tasks / 20);
                const Nanoseconds begin = now();
                producers.submit(*pool, count, tasks);
                report("ns_per_task_of_" + std::to_string(count),
                       static_cast<double>(now() - begin) / static_cast<double>(tasks));
        }
}

}  // namespace peers
