// SPDX-License-Identifier: MIT
// One file with several names: each is a program.
#include "mains.hpp"

#include <array>
#include <cstdio>
#include <cstring>

namespace {

struct Program {
        const char* name;
        int (*main)(int argc, char** argv);
};

constexpr std::array kPrograms{
        Program{"attack", bench::attack_main},   Program{"bystander", bench::bystander_main},
        Program{"crowd", bench::crowd_main},     Program{"echo", bench::echo_main},
        Program{"hostile", bench::hostile_main}, Program{"leases", bench::leases_main}};

}  // namespace

int main(int argc, char** argv) {
        const char* slash = argc > 0 ? std::strrchr(argv[0], '/') : nullptr;
        const char* name = slash != nullptr ? slash + 1 : argc > 0 ? argv[0] : "";
        for (const auto& program : kPrograms)
                if (std::strcmp(name, program.name) == 0)
                        return program.main(argc, argv);
        std::fprintf(stderr, "%s: no program has this name\n", name);
        return 2;
}
