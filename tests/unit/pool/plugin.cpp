// SPDX-License-Identifier: MIT
// A library that is loaded at run time and has the pool linked in, as the program has.
#include <threadcount/pool.hpp>

#include <atomic>
#include <stdexcept>

using threadcount::Pool;

namespace {

/// Calls that only work if the pool knows its own task.
bool waits_in_a_task(Pool& pool) {
        if (pool.async([] { return 42; }).get() != 42)
                return false;
        std::atomic<int> iterations{0};
        pool.parallel_for(0, 100, [&](int) { iterations++; });
        pool.fork_join([&] { iterations++; }, [&] { pool.run([&] { iterations++; }); });
        try {
                pool.wait_idle();
                return false;
        } catch (const std::logic_error&) {
                return iterations == 102;
        }
}

}  // namespace

extern "C" bool plugin_waits_in_a_task(Pool* pool) { return waits_in_a_task(*pool); }
extern "C" void plugin_submits(Pool* pool, std::atomic<bool>* ret_ran) {
        pool->submit([ret_ran] { *ret_ran = true; });
}
extern "C" Pool* plugin_pool() { return new Pool; }
