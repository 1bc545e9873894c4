// SPDX-License-Identifier: MIT
// boost::asio::thread_pool, with its steady timers.
#pragma once

#include "promise.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <memory>

namespace peers {

class Pool {
public:
        explicit Pool(unsigned workers) : pool_(workers) {}
        ~Pool() { pool_.join(); }
        Pool(const Pool&) = delete;
        Pool& operator=(const Pool&) = delete;

        template <typename Function>
        void post(Function function) {
                boost::asio::post(pool_, std::move(function));
        }

        template <typename Function>
        auto async(Function function) {
                return async_by_moving(*this, std::move(function));
        }

        template <typename Function>
        void post_after(std::chrono::nanoseconds delay, Function function) {
                auto timer = std::make_unique<boost::asio::steady_timer>(pool_, delay);
                boost::asio::steady_timer& armed = *timer;
                armed.async_wait([owned = std::move(timer), run = std::move(function)](
                                         const boost::system::error_code&) mutable { run(); });
        }

private:
        boost::asio::thread_pool pool_;
};

}  // namespace peers
