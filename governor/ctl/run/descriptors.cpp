// SPDX-License-Identifier: MIT
// /proc/self/fd.
#include "run/descriptors.hpp"

#include <charconv>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

namespace ctl::run {

void fill_standard_streams() {
        for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
                if (::fcntl(fd, F_GETFD) < 0)
                        (void)::open("/dev/null", O_RDWR | O_CLOEXEC);
}

std::vector<int> inherited_descriptors() {
        std::vector<int> found;
        const std::unique_ptr<DIR, int (*)(DIR*)> directory(::opendir("/proc/self/fd"), ::closedir);
        while (const auto* entry = directory ? ::readdir(directory.get()) : nullptr) {
                const char* name = entry->d_name;
                int fd = -1;
                (void)std::from_chars(name, name + std::strlen(name), fd);
                if (const int flags = ::fcntl(fd, F_GETFD); flags >= 0 && (flags & FD_CLOEXEC) == 0)
                        found.push_back(fd);
        }
        return found;
}

void let_go(const std::vector<int>& inherited) {
        const int null = ::open("/dev/null", O_RDWR | O_CLOEXEC);
        for (const int fd : inherited) {
                if (fd == STDERR_FILENO)
                        continue;
                if (fd > STDERR_FILENO)
                        ::close(fd);
                else if (null >= 0)
                        ::dup3(null, fd, O_CLOEXEC);
        }
        if (null >= 0)
                ::close(null);
}

}  // namespace ctl::run
