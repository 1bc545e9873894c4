// SPDX-License-Identifier: MIT
//
// This host, as far as the demonstration needs it.
#pragma once

#include "demo/host.hpp"
#include "demo/words.hpp"
#include "run/affinity.hpp"
#include "run/signals.hpp"

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace ctl::demo {

/// CPUs beyond that share would keep the times from telling anything.
inline constexpr double kMostBusy = 0.2;

/// Takes all THREADCOUNT variables out of the environment: the user's own governor and wishes do
/// not matter here.
void forget_wishes();

/// Confines this process, and all that it starts, to four CPUs at most: those that are used least.
/// Looks at them for a second. Throws Refused if others use more than kMostBusy of them, unless
/// `anyway`, or if there are not two.
[[nodiscard]] Usage take_cpus(const run::Signals& signals, bool anyway);

[[nodiscard]] run::CpuMask mask_of(const std::vector<std::uint32_t>& cpus);

/// Throws Refused if it is nowhere.
[[nodiscard]] std::filesystem::path governord();

/// Does systemd run here, for all or for a user with this $XDG_RUNTIME_DIR, and know
/// governord.socket? `root`: "/" but in tests.
[[nodiscard]] bool systemd_has_units(const std::filesystem::path& root, bool for_all,
                                     const std::string& runtime);

/// What there is for the user's own programs, beside this governord. Asks the host's governor, if
/// there is one.
[[nodiscard]] Place place_of(const std::filesystem::path& governord);

/// CPUs that others keep busy while this lives, of those given.
class Bystanders {
public:
        explicit Bystanders(std::vector<std::uint32_t> cpus);
        /// From then until now, without this process and what it has started and waited for.
        [[nodiscard]] double busy() const;

private:
        std::vector<std::uint32_t> cpus_;
        CpuTicks before_;
        std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
        double own_before_s_;
};

}  // namespace ctl::demo
