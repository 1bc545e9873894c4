// SPDX-License-Identifier: MIT
//
// Explains what the policy saw at one moment, and what it made of it.
#pragma once

#include "simulation/world/world.hpp"

#include <string>

namespace simulation {

/// Explains the first decision at `at` or later.
class Explainer final : public Observer {
public:
        explicit Explainer(Time at) : at_(at) {}

        void deciding(const World& world) override;
        void decided(const World& world) override;

        /// A line for the moment and two for each client.
        [[nodiscard]] const std::string& text() const { return text_; }

private:
        Time at_;
        bool is_open_ = false;
        std::string text_;
        std::string reserved_;
        std::vector<std::string> seen_;  // by client of the snapshot
};

}  // namespace simulation
