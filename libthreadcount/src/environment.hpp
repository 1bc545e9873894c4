// SPDX-License-Identifier: MIT
//
// The settings of a program's user in its environment.
#pragma once

#include "job.hpp"
#include "variable.hpp"

#include <cstddef>
#include <cstdint>

namespace threadcount {

inline constexpr std::uint32_t kMostThreads = 65536;
inline constexpr std::uint32_t kShortestInterval_ms = 50;
inline constexpr std::uint32_t kLongestInterval_ms = 24U * 3'600'000;

enum class Mode : std::uint8_t {
        Adapt,
        StartOnly,
        Keep,  ///< its own count always; it waits for its turn
        Off,
        Fixed,
        RuntimeBinds  ///< as Off, since a runtime binds the threads, and nobody has set a mode
};

struct ModeSetting {
        Mode mode = Mode::Adapt;
        std::uint32_t fixed = 0;  ///< for Mode::Fixed, 1 .. kMostThreads
        bool is_set = false;
        [[nodiscard]] bool is_governed() const {
                return mode == Mode::Adapt || mode == Mode::StartOnly || keeps();
        }
        [[nodiscard]] bool keeps() const { return mode == Mode::Keep; }
        [[nodiscard]] bool can_wait() const { return mode == Mode::Adapt || keeps(); }
};

enum class BindingSetting : std::uint8_t { Unset, None, Cores };

struct Environment {
        ModeSetting mode;
        std::uint32_t interval_ms = 0;  ///< 0: not set
        std::uint32_t max = 0;          ///< 0: not set
        bool is_batch = false;
        bool releases = false;  ///< threads that a smaller team does not need
        BindingSetting binding = BindingSetting::Unset;
        bool runtime_binds = false;  ///< OpenMP's own variables ask for threads that are bound
        /// Its programs run and wait together. Printable ASCII, cut to fit, as the label is.
        char job[kNameBytes] = "";
        bool is_rank = false;          ///< one of several of a job that has no name
        char label[kNameBytes] = "";   ///< what it calls itself
        const char* socket = nullptr;  ///< as long as the environment; nullptr: not set
        /// The last variable whose value is not understood (a static string) and that value,
        /// cut to fit; nullptr if all are.
        const char* misunderstood = nullptr;
        char misunderstood_value[40] = "";
};

/// "adapt", "start-only", "keep", "off", "fixed:N".
[[nodiscard]] bool parse_mode(const char* text, ModeSetting* ret_mode);

/// "50ms", "10s", "2min", "1h", or milliseconds without a unit; 50 ms .. 24 h.
[[nodiscard]] bool parse_interval(const char* text, std::uint32_t* ret_interval_ms);

/// "interactive" or "batch".
[[nodiscard]] bool parse_class(const char* text, bool* ret_is_batch);

/// "keep" or "release".
[[nodiscard]] bool parse_shrink(const char* text, bool* ret_releases);

/// "none" or "cores".
[[nodiscard]] bool parse_binding(const char* text, BindingSetting* ret_binding);

/// 1 .. kMostThreads.
[[nodiscard]] bool parse_count(const char* text, std::uint32_t* ret_count);

/// An empty value counts as not set.
[[nodiscard]] Environment read_environment(GetVariable get);

}  // namespace threadcount
