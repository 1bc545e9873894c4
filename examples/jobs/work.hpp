// SPDX-License-Identifier: MIT
//
// What a job computes.
#pragma once

#include <cstdint>
#include <memory>

#include "options.hpp"

namespace examples::jobs {

/// Many threads may run it at once.
class Work {
public:
        virtual ~Work() = default;
        /// Depends on `input` only. Its cost does, too, but for shm.
        [[nodiscard]] virtual std::uint64_t run(std::uint64_t input) const = 0;
};

/// Throws std::runtime_error with a sentence if the file cannot be used; std::bad_alloc.
[[nodiscard]] std::unique_ptr<const Work> make_work(const Options& options);

}  // namespace examples::jobs
