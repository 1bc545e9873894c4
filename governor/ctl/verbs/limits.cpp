// SPDX-License-Identifier: MIT
// Affinity, quotas and THREADCOUNT_MAX, as the client library sees them.
#include "verbs/limits.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <threadcount/threadcount.h>

namespace ctl::verbs {

namespace {

/// The user's variable, as long as this lives: nobody is asked. Anything that runs later sees the
/// old value.
class Ungoverned {
public:
        Ungoverned() {
                if (const char* mode = ::getenv(kVariable))
                        mode_ = mode;
                ::setenv(kVariable, "off", 1);
        }
        Ungoverned(const Ungoverned&) = delete;
        Ungoverned& operator=(const Ungoverned&) = delete;
        ~Ungoverned() {
                if (mode_)
                        ::setenv(kVariable, mode_->c_str(), 1);
                else
                        ::unsetenv(kVariable);
        }

private:
        static constexpr const char* kVariable = "THREADCOUNT";
        std::optional<std::string> mode_;
};

}  // namespace

/// A handle that took a lease would be a newcomer to all programs of the machine.
std::uint32_t user_limit() {
        const Ungoverned ungoverned;
        threadcount_options options = THREADCOUNT_OPTIONS_INIT;
        options.max_threads = kMostThreads;
        threadcount_handle* handle = nullptr;
        if (threadcount_open(&options, &handle) < 0)
                return 0;
        const auto max = threadcount_max(handle);
        threadcount_close(handle);
        return max < kMostThreads ? max : 0;
}

std::uint32_t smaller_limit(std::uint32_t a, std::uint32_t b) {
        return a == 0 || b == 0 ? a + b : std::min(a, b);
}

std::uint32_t own_limit() { return smaller_limit(threadcount_max(nullptr), user_limit()); }

std::uint32_t limit(std::uint32_t asked) { return smaller_limit(asked, own_limit()); }

}  // namespace ctl::verbs
