// SPDX-License-Identifier: MIT
//
// A daemon of policy fair on the real machine, and what its programs hold.
#pragma once

#include "support/daemon.hpp"
#include "support/lease_client.hpp"

#include <algorithm>
#include <cstdio>
#include <gtest/gtest.h>
#include <memory>
#include <sched.h>
#include <string>
#include <unistd.h>

namespace test_support {

/// Nothing is yielded to what else runs here, so that grants add up the same every time.
inline const std::string kFair = "[governor]\npolicy = fair\nforeign_max = 0%\n";

inline std::uint32_t own_pid() { return static_cast<std::uint32_t>(::getpid()); }

class LeaseTest : public testing::Test {
protected:
        LeaseTest() : daemon_("", kFair) { daemon_.start(); }
        ~LeaseTest() override {
                if (HasFailure())
                        std::fputs(daemon_.process().err().c_str(), stderr);
        }

        [[nodiscard]] std::uint32_t count() const { return status(daemon_.socket()).clients(); }
        [[nodiscard]] bool becomes(std::uint32_t leases) const {
                return eventually([&] { return count() == leases; });
        }
        [[nodiscard]] auto lease(std::uint32_t pid) const {
                return lease_of(daemon_.socket(), pid);
        }
        /// The number of all governed CPUs, as far as this process may use them.
        [[nodiscard]] std::uint32_t everything() const {
                cpu_set_t allowed;
                CPU_ZERO(&allowed);
                ::sched_getaffinity(0, sizeof(allowed), &allowed);
                return std::min(status(daemon_.socket()).cpus(),
                                static_cast<std::uint32_t>(CPU_COUNT(&allowed)));
        }
        /// All that there is for one program alone.
        [[nodiscard]] bool has_everything(std::uint32_t pid) const {
                return eventually([&] {
                        const auto client = lease(pid);
                        return client && client->granted() == everything();
                });
        }
        /// A holder that does this for ever.
        [[nodiscard]] std::unique_ptr<ForkedProgram> holder(void (*meanwhile)() = [] {
                ::pause();
        }) const {
                const auto before = count();
                auto program =
                        std::make_unique<ForkedProgram>([socket = daemon_.socket(), meanwhile] {
                                hold_a_lease(socket, meanwhile);
                        });
                EXPECT_TRUE(becomes(before + 1));
                return program;
        }

        Daemon daemon_;
};

}  // namespace test_support
