// SPDX-License-Identifier: MIT
// Futures for pools that have none: the standard library's.
#pragma once

#include <future>
#include <memory>
#include <type_traits>
#include <utility>

namespace peers {

/// Runs `function` by `post`, which may need a callable that can be copied.
template <typename Pool, typename Function>
auto async_by_post(Pool& pool, Function function) {
        using Result = std::invoke_result_t<Function&>;
        auto task = std::make_shared<std::packaged_task<Result()>>(std::move(function));
        std::future<Result> future = task->get_future();
        pool.post([task] { (*task)(); });
        return future;
}

/// The same as above, for those that take what can only be moved.
template <typename Pool, typename Function>
auto async_by_moving(Pool& pool, Function function) {
        using Result = std::invoke_result_t<Function&>;
        std::packaged_task<Result()> task(std::move(function));
        std::future<Result> future = task.get_future();
        pool.post([moved = std::move(task)]() mutable { moved(); });
        return future;
}

}  // namespace peers
