// SPDX-License-Identifier: MIT
//
// A daemon with few descriptors.
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

}  // namespace test_support
