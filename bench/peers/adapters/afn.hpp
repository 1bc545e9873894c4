// SPDX-License-Identifier: MIT
// The pool with a ring and futures of the article "A first thread pool and what became of it", in
// C. It pins its workers as cpu_of_worker() says, or not at all where PEER_AFN_IS_FREE is defined.
// Its workers never sleep.
#pragma once

#include "../support/pinning.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <likwid.h>
#include <memory>
#include <type_traits>
#include <utility>

extern "C" {
#include <afn_threadpool.h>
}

// The only source file that includes this makes it known to the pool.
extern "C" CpuTopology_t get_cpuTopology() {
        static std::vector<HWThread> threads;
        static CpuTopology topology;
        threads.clear();
        const auto cpus = static_cast<int>(peers::allowed_cpus().size());
        for (int core = 0; core < cpus; ++core)
                threads.push_back({0, core, 0, peers::cpu_of_worker(static_cast<unsigned>(core))});
        topology = {1, cpus, cpus, threads.data()};
        return &topology;
}

namespace peers {

class Pool {
#ifdef PEER_AFN_IS_FREE
        static constexpr bool IS_PINNED = false;
#else
        static constexpr bool IS_PINNED = true;
#endif

public:
        static constexpr bool PINS_ITSELF = true;
        static unsigned most_workers() { return static_cast<unsigned>(allowed_cpus().size()); }

        /// Takes the CPUs from the thread that makes it.
        explicit Pool(unsigned workers, const AllCpus& = {}) {
                if (!tp_init(&pool_, static_cast<int>(workers), IS_PINNED))
                        std::abort();
        }
        ~Pool() {
                tp_join(pool_);
                tp_destroy(pool_);
        }
        Pool(const Pool&) = delete;
        Pool& operator=(const Pool&) = delete;

        template <typename Function>
        void post(Function function) {
                tpool_future_destroy(
                        queue(to_pointer(std::move(function)), [](void* held) -> void* {
                                from_pointer<Function>(held)();
                                return nullptr;
                        }));
        }

        template <typename Function>
        auto async(Function function) {
                using Result = std::invoke_result_t<Function&>;
                return Future<Result>(
                        queue(to_pointer(std::move(function)), [](void* held) -> void* {
                                return to_pointer(from_pointer<Function>(held)());
                        }));
        }

private:
        /// The pool knows pointers only. A value that is as small as one needs no memory of its
        /// own.
        template <typename Value>
        static constexpr bool
                FITS = sizeof(Value) <= sizeof(void*) && std::is_trivially_copyable_v<Value>;

        template <typename Value>
        static void* to_pointer(Value value) {
                if constexpr (FITS<Value>) {
                        void* pointer = nullptr;
                        std::memcpy(&pointer, &value, sizeof value);
                        return pointer;
                } else {
                        return new Value(std::move(value));
                }
        }
        template <typename Value>
        static Value from_pointer(void* pointer) {
                if constexpr (FITS<Value>) {
                        std::array<std::byte, sizeof(Value)> bytes;
                        std::memcpy(bytes.data(), &pointer, sizeof(Value));
                        return std::bit_cast<Value>(bytes);
                } else {
                        const std::unique_ptr<Value> value(static_cast<Value*>(pointer));
                        return std::move(*value);
                }
        }

        template <typename Result>
        class Future {
        public:
                explicit Future(tpool_future_t* future) : future_(future) {}
                Result get() {
                        void* const result = tpool_future_get(future_, 0);
                        tpool_future_destroy(future_);
                        return from_pointer<Result>(result);
                }

        private:
                tpool_future_t* future_;
        };

        tpool_future_t* queue(void* task, void* (*run)(void*)) {
                return tp_queue(pool_, reinterpret_cast<void*>(run), task);
        }

        threadpool_t* pool_ = nullptr;
};

}  // namespace peers
