// SPDX-License-Identifier: MIT
// governorctl: wiring only.
#include "command_line.hpp"
#include "own_name.hpp"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
        try {
                const auto command = ctl::parse_command_line(argc, argv);
                if (const auto* code = std::get_if<ctl::ExitCode>(&command))
                        return *code;
                return std::get<0>(command)();
        } catch (const std::exception& error) {
                std::fprintf(stderr, "%s: %s\n", ctl::own_name(), error.what());
                return ctl::kFailed;
        }
}
