// SPDX-License-Identifier: MIT
// Waiting for an run_and_wait.
#include <threadcount/pool/detail/run_and_wait.hpp>

#include "spin_until.hpp"

namespace threadcount::pool {

void RunAndWait::get() {
        if (!spin_until([this] { return completion_.is_done(); }))
                while (!completion_.is_done())
                        completion_.sleep();
        if (error_ != nullptr)
                std::rethrow_exception(error_);
}

}  // namespace threadcount::pool
