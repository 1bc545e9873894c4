// SPDX-License-Identifier: MIT
// As libc knows it.
#include "own_name.hpp"

#include <cerrno>

namespace ctl {

const char* own_name() {
        return program_invocation_short_name == std::string_view(kFairly) ? kFairly : "governorctl";
}

}  // namespace ctl
