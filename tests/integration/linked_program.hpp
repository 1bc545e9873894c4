// SPDX-License-Identifier: MIT
//
// A process that is linked with the library.
#pragma once

#include "support/daemon.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <threadcount/threadcount.h>

namespace test_support {

/// A program of the library's, in this process.
class Program {
public:
        explicit Program(const Daemon& daemon, std::uint32_t max = 8,
                         std::uint64_t first_cpus = 0) {
                threadcount_options options = THREADCOUNT_OPTIONS_INIT;
                options.socket_path = daemon.socket().c_str();
                options.max_threads = max;
                options.interval_ms = 50;  // where it has to ask
                options.affinity = &first_cpus;
                options.affinity_words = 1;
                EXPECT_EQ(threadcount_open(&options, &handle_), 0);
        }
        ~Program() { threadcount_close(handle_); }
        Program(const Program&) = delete;
        Program& operator=(const Program&) = delete;

        [[nodiscard]] std::uint32_t threads() const { return threadcount_threads(handle_); }
        [[nodiscard]] std::uint32_t share() const { return threadcount_share(handle_); }
        [[nodiscard]] std::uint32_t begin() const { return threadcount_region_begin(handle_); }
        /// 0: nothing is granted.
        [[nodiscard]] std::uint64_t version() const { return threadcount_version(handle_); }
        [[nodiscard]] std::string reason() const {
                std::string text(400, 0);
                text.resize(threadcount_reason(handle_, text.data(), text.size()));
                return text;
        }
        void end(std::uint32_t team) const { threadcount_region_end(handle_, team); }

private:
        threadcount_handle* handle_ = nullptr;
};

}  // namespace test_support
