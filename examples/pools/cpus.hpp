// SPDX-License-Identifier: MIT
//
// The CPUs of this process, and threads that stay on one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace examples {

/// The CPUs that the calling thread may run on: the first hardware thread of each core, then the
/// second ones and so on; numbers go up within each of these. One at least, and `most` >= 1.
[[nodiscard]] std::vector<int> cpus_cores_first(std::size_t most = SIZE_MAX);

/// The calling thread runs on `cpu` only, from now on. It stays where it may run if the kernel
/// refuses, since that CPU has just been taken away.
void stay_on(int cpu);

}  // namespace examples
