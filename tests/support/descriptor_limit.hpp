// SPDX-License-Identifier: MIT
//
// How many descriptors a process may have: a daemon few, a test as many as it needs.
#pragma once

#include <sys/resource.h>

namespace test_support {

/// For whoever is started while it is there. Needs root, to go back.
class DescriptorLimit {
public:
        explicit DescriptorLimit(rlim_t hard) {
                ::getrlimit(RLIMIT_NOFILE, &before_);
                const rlimit limit{hard, hard};
                ::setrlimit(RLIMIT_NOFILE, &limit);
        }
        ~DescriptorLimit() { ::setrlimit(RLIMIT_NOFILE, &before_); }
        DescriptorLimit(const DescriptorLimit&) = delete;
        DescriptorLimit& operator=(const DescriptorLimit&) = delete;

private:
        rlimit before_{};
};

/// Lets this process have so many descriptors at once, where its hard limit does. Shells start
/// programs with a lower limit than that.
inline bool may_have_descriptors(rlim_t count) {
        rlimit limit{};
        ::getrlimit(RLIMIT_NOFILE, &limit);
        limit.rlim_cur = limit.rlim_max;
        return limit.rlim_max >= count && ::setrlimit(RLIMIT_NOFILE, &limit) == 0;
}

}  // namespace test_support
