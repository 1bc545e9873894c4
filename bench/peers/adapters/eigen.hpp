// SPDX-License-Identifier: MIT
// Eigen's ThreadPool. It runs a task in the submitter if its queues of 1024 are full.
#pragma once

#define EIGEN_USE_THREADS
#include "promise.hpp"

#include <unsupported/Eigen/CXX11/Tensor>

namespace peers {

class Pool {
public:
        explicit Pool(unsigned workers)
                : pool_(static_cast<int>(workers)), device_(&pool_, static_cast<int>(workers)) {}

        template <typename Function>
        void post(Function function) {
                pool_.Schedule(std::move(function));
        }

        template <typename Function>
        auto async(Function function) {
                return async_by_post(*this, std::move(function));
        }

        /// It decides by what a turn costs whether and how it splits.
        template <typename Body>
        auto dynamic_loop(std::size_t count, Body body) {
                return [this, count, body] {
                        device_.parallelFor(static_cast<Eigen::Index>(count),
                                            Eigen::TensorOpCost(4, 4, 1),
                                            [&body](Eigen::Index first, Eigen::Index last) {
                                                    body(static_cast<std::size_t>(first),
                                                         static_cast<std::size_t>(last));
                                            });
                };
        }

private:
        Eigen::ThreadPool pool_;
        Eigen::ThreadPoolDevice device_;
};

}  // namespace peers
