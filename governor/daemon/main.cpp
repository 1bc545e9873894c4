// SPDX-License-Identifier: MIT
// governord: wiring only.
#include "daemon/daemon.hpp"

#include <cstdio>
#include <exception>

int main(int argc, char** argv) {
        try {
                const auto options = governor::daemon::parse_options(argc, argv);
                if (const auto* code = std::get_if<int>(&options))
                        return *code;
                return governor::daemon::run(std::get<governor::daemon::Options>(options));
        } catch (const std::exception& error) {
                std::fprintf(stderr, "governord: %s\n", error.what());
                return 1;
        }
}
