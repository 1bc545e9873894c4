// SPDX-License-Identifier: MIT
// Words.
#include "render/status_text.hpp"

#include <cstdio>

namespace ctl::render {

std::string duration(std::uint64_t ms) {
        const auto seconds = ms / 1000;
        const auto hours = seconds / 3600;
        char text[48];
        std::snprintf(text, sizeof(text), "%llu:%02u:%02u", static_cast<unsigned long long>(hours),
                      static_cast<unsigned>(seconds / 60 % 60),
                      static_cast<unsigned>(seconds % 60));
        return text;
}

std::string policy(const governor::v1::Status& status) {
        if (status.paused())
                return status.policy() + ", paused: programs are left alone";
        if (status.mode() != "observe")
                return status.policy();
        return status.policy() + ", observing (" +
               (status.fallback() ? "wrong configuration" : "mode = observe") +
               "): programs are left alone";
}

std::string left_alone(const governor::v1::Status& status) {
        if (status.paused())
                return "governing is paused: programs are left alone";
        return status.mode() == "observe" ? "the governor only observes: programs are left alone"
                                          : "";
}

std::string refused(const std::string& mistake, bool is_fallback) {
        return (is_fallback ? "refused: "
                            : "refused at reload, the settings of before are in force: ") +
               mistake;
}

bool keeps_accounts(const governor::v1::Status& status) { return status.policy() != "threshold"; }

}  // namespace ctl::render
