// SPDX-License-Identifier: MIT
// The conditions under which it is worth it to bind.
#include "bound_mask.hpp"

#include <governor/v1/arena.h>

namespace threadcount {

CpuMask bound_mask(const CpuMask& initial, const CpuMask& granted, std::uint32_t flags,
                   std::uint32_t threads) {
        // On a CPU of somebody else the kernel is to look for a better one.
        if ((flags & GOVERNOR_GRANT_SHARED) != 0)
                return initial;
        const auto mask = initial & granted;
        const auto cpus = mask.count();
        return cpus > 0 && cpus >= threads ? mask : initial;
}

}  // namespace threadcount
