// SPDX-License-Identifier: MIT
//
// Made-up governors to draw.
#pragma once

#include "top/picture.hpp"

#include <cstdint>
#include <string>

namespace ctl::top {

inline governor::v1::Client& add_program(Picture& picture, std::uint32_t pid,
                                         const std::string& label, std::uint32_t granted,
                                         const std::string& cpus) {
        auto& client = *picture.clients.add_client();
        client.set_id(static_cast<std::uint64_t>(picture.clients.client_size()));
        client.set_uid(1000);
        client.set_pid(pid);
        client.set_label(label);
        client.set_granted(granted);
        client.set_cpus(cpus);
        client.set_burning_millicpu(granted * 900);
        client.set_age_ms(1'000'000 - client.id() * 1000);
        client.set_reason("fair share: -> " + std::to_string(granted));
        return client;
}

/// The picture of a machine with so many CPUs: the first three quarters are shared by "md" and
/// "prime". A program of another user has the next eighth.
inline Picture picture_of(std::uint32_t cpus) {
        Picture picture;
        picture.was_reached = true;
        picture.users = {{1000, "ada"}, {1001, "bob"}};
        auto& status = picture.status;
        status.set_version("0.1.0");
        status.set_policy("fair");
        status.set_mode("govern");
        status.set_cpus(cpus);
        status.set_free(cpus / 8);
        status.set_clients(3);
        status.set_budget(cpus - 1);
        status.set_foreign(1);
        status.set_uptime_ms(3'723'000);
        const auto quarter = cpus / 4;
        const auto eighth = cpus / 8;
        const auto range = [](std::uint32_t first, std::uint32_t count) {
                return std::to_string(first) + "-" + std::to_string(first + count - 1);
        };
        add_program(picture, 4711, "md", quarter, range(0, quarter));
        add_program(picture, 4712, "prime", 2 * quarter, range(quarter, 2 * quarter));
        auto& hidden = add_program(picture, 0, "", eighth, range(3 * quarter, eighth));
        hidden.set_uid(1001);
        for (std::uint32_t i = 0; i < cpus; i++) {
                auto& cpu = *picture.cpus.add_cpu();
                cpu.set_cpu(i);
                cpu.set_governed(i != cpus - 1);
                const auto id = i < quarter ? 1U : i < 3 * quarter ? 2U : 3U;
                if (i < 3 * quarter + eighth)
                        cpu.add_holder(id);
                cpu.set_idle_permyriad(i < 3 * quarter + eighth ? i * 10'000 / cpus : 10'000);
        }
        return picture;
}

}  // namespace ctl::top
