// SPDX-License-Identifier: MIT
//
// The service manager of this user (systemd --user), as far as scopes need it.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <tl/expected.hpp>
#include <vector>

struct sd_bus;
struct sd_bus_message;

namespace ctl::outside {

struct SdBus;  // of libsystemd, which is loaded only where there is something to talk to

inline constexpr std::uint64_t kIdleWeight = 0;
inline constexpr std::uint64_t kDefaultWeight = 100;

/// Not thread-safe. Each call waits for an answer, kPatience at most.
class UserManager {
public:
        static constexpr std::chrono::microseconds kPatience{1'000'000};

        /// Connects to $XDG_RUNTIME_DIR/bus or, where there is no such bus, to the manager itself,
        /// as systemctl does. An error is a sentence for people.
        [[nodiscard]] static tl::expected<UserManager, std::string> open();

        /// The control group that it manages; empty: it does not say.
        [[nodiscard]] std::string control_group() const;

        /// Starts a scope with these processes; when they are in it is not said. Returns 0 or a
        /// negative errno.
        [[nodiscard]] int start_scope(const std::string& name,
                                      const std::vector<std::uint32_t>& pids) const;

        /// Sets the weight until the scope ends: kIdleWeight, or 1 .. 10000. Returns 0 or a
        /// negative errno.
        [[nodiscard]] int set_cpu_weight(const std::string& scope, std::uint64_t weight) const;

private:
        using Bus = std::unique_ptr<sd_bus, void (*)(sd_bus*)>;
        explicit UserManager(const SdBus& lib, Bus bus) : lib_(&lib), bus_(std::move(bus)) {}
        using Message = std::unique_ptr<sd_bus_message, sd_bus_message* (*)(sd_bus_message*)>;
        [[nodiscard]] Message method(const char* name) const;
        [[nodiscard]] int call(const Message& message) const;

        const SdBus* lib_;
        Bus bus_;
};

}  // namespace ctl::outside
