// SPDX-License-Identifier: MIT
//
// The parts that the programs do alike: their arguments, their errors, their exit status.
#pragma once

#include <cstddef>
#include <cstdio>
#include <exception>
#include <functional>

namespace pool {

/// Gives a task to the pool that is measured.
using Submit = std::function<void(std::function<void()>)>;

/// `parse(arguments, ret_options)` says what is wrong with them, or nothing. Options have `help`.
/// Returns 0; 1 if `run` has thrown or standard output cannot be written; 2 for wrong arguments.
template <class Options, class Parse, class Run>
int run_program(const char* name, int argc, char** argv, const char* help, const Parse& parse,
                const Run& run) {
        Options options;
        const auto error = parse({argv + 1, static_cast<std::size_t>(argc - 1)}, options);

        if (!error.empty()) {
                std::fprintf(stderr, "%s: %s\n", name, error.c_str());
                return 2;
        }
        try {
                if (options.help)
                        std::fputs(help, stdout);
                else
                        run(options);
        } catch (const std::exception& failure) {
                std::fprintf(stderr, "%s: %s\n", name, failure.what());
                return 1;
        }
        return std::fflush(stdout) == 0 ? 0 : 1;
}

}  // namespace pool
