// SPDX-License-Identifier: MIT
//
// Variables that no process has.
#pragma once

#include "ctl/run/variables.hpp"

#include <map>
#include <string>
#include <utility>

namespace ctl::run {

inline Lookup environment(std::map<std::string, std::string> values = {}) {
        return [values = std::move(values)](const char* name) -> const char* {
                const auto found = values.find(name);
                return found == values.end() ? nullptr : found->second.c_str();
        };
}

}  // namespace ctl::run
