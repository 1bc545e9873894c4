// SPDX-License-Identifier: MIT
// Waiting for an errand.
#include <threadcount/pool/detail/errand.hpp>

#include "comes_soon.hpp"

namespace threadcount::pool {

void Errand::get() {
        if (!comes_soon([this] { return completion_.is_done(); }))
                while (!completion_.is_done())
                        completion_.sleep();
        if (error_ != nullptr)
                std::rethrow_exception(error_);
}

}  // namespace threadcount::pool
