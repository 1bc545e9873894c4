// SPDX-License-Identifier: MIT
//
// The thread pools, as the producer of jobs sees them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "options.hpp"

namespace examples::jobs {

class Crew {
public:
        /// Runs what was submitted.
        virtual ~Crew() = default;
        virtual void submit(std::function<void()> job) = 0;
        /// Threads that do jobs.
        [[nodiscard]] virtual std::size_t workers() const = 0;
};

/// As many workers as are asked for, or what becomes of that. Throws std::system_error if there can
/// be no more threads.
[[nodiscard]] std::unique_ptr<Crew> make_crew(const Options& options);

}  // namespace examples::jobs
