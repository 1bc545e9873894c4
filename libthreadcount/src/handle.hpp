// SPDX-License-Identifier: MIT
//
// What the rest of the library may know of a handle.
#pragma once

#include <threadcount/threadcount.h>

namespace threadcount {

/// Was it opened by a parent of this process? Then nothing may be done with it but answering
/// threadcount_max(). MT-Safe, two loads.
[[nodiscard]] bool is_inert(const threadcount_handle* handle);

}  // namespace threadcount
