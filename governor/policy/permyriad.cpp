// SPDX-License-Identifier: MIT
// Permyriad for human eyes.
#include "policy/permyriad.hpp"

namespace governor::policy {

std::string format_percent(std::uint32_t permyriad) {
        std::string text = std::to_string(permyriad / 100);
        if (const auto rest = permyriad % 100; rest != 0) {
                text += rest < 10 ? ".0" : ".";
                text += std::to_string(rest % 10 == 0 ? rest / 10 : rest);
        }
        return text + "%";
}

}  // namespace governor::policy
