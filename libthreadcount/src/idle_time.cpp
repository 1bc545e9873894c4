// SPDX-License-Identifier: MIT
// The first line of /proc/stat.
#include "idle_time.hpp"

#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace threadcount {

std::uint64_t idle_time_ms(const char* root) {
        char path[512];
        char text[256];
        snprintf(path, sizeof(path), "%s/proc/stat", root);
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return 0;
        const auto length = read(fd, text, sizeof(text) - 1);
        close(fd);
        text[length > 0 ? length : 0] = '\0';
        unsigned long long idle = 0;
        unsigned long long iowait = 0;
        const auto ticks_per_s = sysconf(_SC_CLK_TCK);
        if (sscanf(text, "cpu %*u %*u %*u %llu %llu", &idle, &iowait) != 2 || ticks_per_s <= 0)
                return 0;
        return (idle + iowait) * 1000 / static_cast<unsigned long long>(ticks_per_s);
}

}  // namespace threadcount
