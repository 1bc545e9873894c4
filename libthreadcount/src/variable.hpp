// SPDX-License-Identifier: MIT
//
// One variable of an environment.
#pragma once

namespace threadcount {

/// secure_getenv in the library, a table in tests. nullptr: there is no such variable.
using GetVariable = char* (*)(const char* name);

/// nullptr: not set, or empty.
[[nodiscard]] inline const char* value_of(const char* name, GetVariable get) {
        const char* text = get(name);
        return text != nullptr && *text != '\0' ? text : nullptr;
}

}  // namespace threadcount
