// SPDX-License-Identifier: MIT
//
// A governor's state in words. Pure.
#pragma once

#include <cstdint>
#include <governor/v1/governor.pb.h>
#include <string>

namespace ctl::render {

/// "1:02:03"
[[nodiscard]] std::string duration(std::uint64_t ms);

/// "fair, observing (mode = observe): programs are left alone"
[[nodiscard]] std::string policy(const governor::v1::Status& status);

/// "the governor only observes: programs are left alone"; empty: they are governed.
[[nodiscard]] std::string left_alone(const governor::v1::Status& status);

/// "refused: FIRST MISTAKE" of a configuration that was wrong at the start (`is_fallback`), or at a
/// reload, which leaves the settings of before in force.
[[nodiscard]] std::string refused(const std::string& mistake, bool is_fallback);

/// The advice for an administrator with a wrong configuration.
inline constexpr const char* kMendConfiguration =
        "governord --check-config [--config FILE] names all mistakes; once they are mended: "
        "systemctl reload governord, or SIGHUP";

/// It knows which account uses what; the policy "threshold" does not.
[[nodiscard]] bool keeps_accounts(const governor::v1::Status& status);

}  // namespace ctl::render
