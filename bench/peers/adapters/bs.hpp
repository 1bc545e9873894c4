// SPDX-License-Identifier: MIT
// BS::thread_pool, the kind that can be paused: only that one can be resized under load.
#pragma once

#include <BS_thread_pool.hpp>

namespace peers {

class Pool {
public:
        explicit Pool(unsigned workers) : pool_(workers) {}

        template <typename Function>
        void post(Function function) {
                pool_.detach_task(std::move(function));
        }

        template <typename Function>
        auto async(Function function) {
                return pool_.submit_task(std::move(function));
        }

        template <typename Body>
        auto static_loop(std::size_t count, Body body) {
                return [this, count, body] {
                        pool_.submit_blocks(std::size_t{0}, count, body).wait();
                };
        }

        void resize(unsigned workers) { pool_.reset(workers); }

private:
        BS::pause_thread_pool pool_;
};

}  // namespace peers
