// SPDX-License-Identifier: MIT
// A governor on another machine, whose connection takes a moment: on loopback it is there at once.
#include "clock.hpp"
#include "lease.hpp"
#include "support/tcp_port.hpp"

#include <atomic>
#include <ctime>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

std::atomic<bool> is_far{false};

}  // namespace

/// In the place of libc's. A connection that is far is not there for a call that does not wait.
extern "C" int ppoll(pollfd* fds, nfds_t n, const timespec* timeout, const sigset_t* mask) {
        const bool waits = timeout == nullptr || timeout->tv_sec > 0 || timeout->tv_nsec > 0;
        if (is_far && !waits && n == 1 && fds->events == POLLOUT)
                return 0;
        constexpr std::size_t kSignals = 64;
        timespec left = timeout != nullptr ? *timeout : timespec{};  // the kernel writes to it
        return static_cast<int>(::syscall(SYS_ppoll, fds, n, timeout != nullptr ? &left : nullptr,
                                          mask, kSignals / 8));
}

namespace threadcount {
namespace {

TEST(SlowConnection, IsWaitedForByARegionThatLooksForTheGovernor) {
        const test_support::TcpPort port;
        port.listen();
        const Addresses addresses(port.address().c_str(), nullptr);
        Transport transport;
        GrownCount count(8);
        Lease lease(addresses, {.max = 8}, transport, count);
        is_far = true;
        (void)lease.run(coarse_now_ms(), 0);
        is_far = false;
        EXPECT_EQ(lease.error(), 0);
        EXPECT_TRUE(transport.connected());
}

}  // namespace
}  // namespace threadcount
