// SPDX-License-Identifier: MIT
// Affinity and cgroup quotas.
#include "limits.hpp"

#include "binding.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

namespace threadcount {

namespace {

constexpr std::size_t kMaskWords = 1024;  // 65536 CPUs

struct Mask {
        unsigned long words[kMaskWords] = {};
};

void add_mask_of(pid_t thread, Mask& mask) {
        Mask one;
        if (sched_getaffinity(thread, sizeof(one.words), reinterpret_cast<cpu_set_t*>(one.words)) <
            0)
                return;
        for (std::size_t i = 0; i < kMaskWords; i++)
                mask.words[i] |= one.words[i];
}

/// Reads a small file as a string; cut to fit. False if there is none.
bool read_text(const char* path, char* text, std::size_t size) {
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd < 0)
                return false;
        const auto n = read(fd, text, size - 1);
        close(fd);
        text[n > 0 ? n : 0] = '\0';
        return n > 0;
}

std::uint32_t smaller_quota(std::uint32_t a, std::uint32_t b) {
        if (a == 0 || b == 0)
                return a + b;
        return a < b ? a : b;
}

std::uint32_t quota_of(long long quota, long long period) {
        if (quota <= 0 || period <= 0)
                return 0;
        const auto cpus = quota / period + (quota % period != 0 ? 1 : 0);
        return cpus < 65536 ? static_cast<std::uint32_t>(cpus) : 0;
}

std::uint32_t quota_v2(const char* directory) {
        char path[4096 + 32];
        char text[64];
        snprintf(path, sizeof(path), "%s/cpu.max", directory);
        return read_text(path, text, sizeof(text)) ? parse_cpu_max(text) : 0;
}

std::uint32_t quota_v1(const char* directory) {
        char path[4096 + 32];
        char quota[32];
        char period[32];
        snprintf(path, sizeof(path), "%s/cpu.cfs_quota_us", directory);
        if (!read_text(path, quota, sizeof(quota)))
                return 0;
        snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", directory);
        if (!read_text(path, period, sizeof(period)))
                return 0;
        return quota_of(atoll(quota), atoll(period));
}

/// The smallest quota of `mount`/`group` and of every directory above it up to `mount`.
std::uint32_t quota_upwards(const char* mount, const char* group,
                            std::uint32_t (*quota_in)(const char* directory)) {
        char directory[4096];
        const auto length = snprintf(directory, sizeof(directory), "%s%s", mount, group);
        if (length < 0 || static_cast<std::size_t>(length) >= sizeof(directory))
                return 0;
        std::uint32_t quota = 0;
        for (const auto mount_length = strlen(mount);;) {
                quota = smaller_quota(quota, quota_in(directory));
                char* slash = strrchr(directory, '/');
                if (slash == nullptr || static_cast<std::size_t>(slash - directory) < mount_length)
                        return quota;
                *slash = '\0';
        }
}

/// Is `name` one of the comma-separated `list`?
bool contains(const char* list, const char* name) {
        const auto length = strlen(name);
        for (const char* p = list; p != nullptr; p = strchr(p, ',')) {
                p += *p == ',' ? 1 : 0;
                if (strncmp(p, name, length) == 0 && (p[length] == ',' || p[length] == '\0'))
                        return true;
        }
        return false;
}

}  // namespace

std::uint32_t allowed_cpus() {
        Mask mask;
        add_mask_of(0, mask);
        if (DIR* tasks = opendir("/proc/self/task")) {
                while (const dirent* entry = readdir(tasks))
                        if (const auto thread = atoi(entry->d_name); thread > 0)
                                add_mask_of(thread, mask);
                closedir(tasks);
        }
        // A program that is bound to a grant may run there, too.
        CpuMask initial;
        process_binding().add_initial(initial);
        static_assert(sizeof(initial.words) <= sizeof(mask.words));
        for (std::size_t i = 0; i < CpuMask::kWords; i++)
                mask.words[i] |= initial.words[i];
        unsigned count = 0;
        for (const auto word : mask.words)
                count += static_cast<unsigned>(__builtin_popcountl(word));
        return count > 0 ? count : 1;
}

std::uint32_t parse_cpu_max(const char* text) {
        char* end = nullptr;
        const auto quota = strtoll(text, &end, 10);
        return end != text ? quota_of(quota, atoll(end)) : 0;
}

std::uint32_t quota_cpus(const char* root) {
        char path[512];
        char text[8192];
        snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
        if (!read_text(path, text, sizeof(text)))
                return 0;
        std::uint32_t quota = 0;
        char* next = nullptr;
        for (char* line = strtok_r(text, "\n", &next); line != nullptr;
             line = strtok_r(nullptr, "\n", &next)) {
                // hierarchy:controllers:path; no controllers: version 2
                char* controllers = strchr(line, ':');
                char* group = controllers != nullptr ? strchr(controllers + 1, ':') : nullptr;
                if (group == nullptr)
                        continue;
                *controllers++ = *group++ = '\0';
                const bool v2 = *controllers == '\0';
                if (!v2 && !contains(controllers, "cpu"))
                        continue;
                snprintf(path, sizeof(path), "%s/sys/fs/cgroup%s", root, v2 ? "" : "/cpu");
                quota = smaller_quota(quota, quota_upwards(path, group, v2 ? quota_v2 : quota_v1));
        }
        return quota;
}

std::uint32_t fallback_threads() { return smaller_quota(allowed_cpus(), quota_cpus("")); }

}  // namespace threadcount
