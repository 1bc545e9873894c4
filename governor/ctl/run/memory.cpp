// SPDX-License-Identifier: MIT
// madvise(2) for what /proc/self/maps lists.
#include "run/memory.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <utility>
#include <vector>

namespace ctl::run {

namespace {

/// Code, and the read-only start of a file. Other read-only parts may have been written by the
/// dynamic linker before they became so. All parts of a file of one page begin at offset 0.
bool is_as_in_the_file(const char* access, std::uint64_t offset, const char* path, bool is_first) {
        return path[0] == '/' && (std::strcmp(access, "r-xp") == 0 ||
                                  (std::strcmp(access, "r--p") == 0 && offset == 0 && is_first));
}

}  // namespace

void drop_code() {
        const std::unique_ptr<std::FILE, int (*)(std::FILE*)> maps(
                std::fopen("/proc/self/maps", "re"), std::fclose);
        std::vector<std::pair<std::uintptr_t, std::uintptr_t>> ranges;
        char line[512];
        std::string last;
        while (maps && std::fgets(line, sizeof(line), maps.get()) != nullptr) {
                std::uintptr_t begin = 0;
                std::uintptr_t end = 0;
                std::uint64_t offset = 0;
                char access[5] = "";
                char path[256] = "";
                const int found =
                        std::sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %4s %" SCNx64 " %*s %*s %255s",
                                    &begin, &end, access, &offset, path);
                const bool is_first = last != path;
                last = path;
                if (found == 5 && is_as_in_the_file(access, offset, path, is_first))
                        (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
        }
}

}  // namespace ctl::run
