// SPDX-License-Identifier: MIT
//
// The checks that must hold for every input of a fuzz target.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

/// Ends the program, so that the fuzzer keeps the input, unless `holds`.
inline void require(bool holds, const char* what) {
        if (holds)
                return;
        std::fprintf(stderr, "violated: %s\n", what);
        std::abort();
}

/// And says what it found instead.
inline void require(bool holds, const char* what, const std::string& found) {
        if (!holds)
                std::fprintf(stderr, "found: %s\n", found.c_str());
        require(holds, what);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
