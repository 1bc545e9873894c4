// SPDX-License-Identifier: MIT
// A program as the library's users write it, without OpenMP: "regions" of a millisecond, each with
// the thread count of the moment. Prints "threads N" at every change, "done REGIONS" at the end,
// and why.
//
//      follower REGIONS MAX
//
// REGIONS 0: until it is killed. MAX 0: the library's own limit.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <threadcount/threadcount.h>

int main(int argc, char** argv) {
        if (argc < 3)
                return 2;
        const auto regions = std::strtoul(argv[1], nullptr, 10);
        threadcount_options options = THREADCOUNT_OPTIONS_INIT;
        options.max_threads = static_cast<std::uint32_t>(std::strtoul(argv[2], nullptr, 10));
        threadcount_handle* handle = nullptr;
        if (threadcount_open(&options, &handle) < 0)
                return 1;
        std::printf("max %u\n", threadcount_max(handle));
        std::uint32_t last = 0;
        for (unsigned long region = 0; regions == 0 || region < regions; region++) {
                const auto threads = threadcount_threads(handle);
                if (threads != last)
                        std::printf("threads %u\n", threads);
                last = threads;
                std::fflush(stdout);
                const timespec work{0, 1'000'000};
                nanosleep(&work, nullptr);
        }
        char reason[512];
        threadcount_reason(handle, reason, sizeof(reason));
        std::printf("done %lu\n%s\n", regions, reason);
        handle = threadcount_close(handle);
        return handle == nullptr ? 0 : 1;
}
