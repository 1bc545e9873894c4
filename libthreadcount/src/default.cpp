// SPDX-License-Identifier: MIT
// The handle that all parts of a process share.
#include "handle.hpp"

#include <atomic>
#include <threadcount/threadcount.h>

namespace {

std::atomic<threadcount_handle*> shared{nullptr};

bool usable(const threadcount_handle* handle) {
        return handle != nullptr && !threadcount::is_inert(*handle);
}

}  // namespace

int threadcount_open_default(const threadcount_options* options, threadcount_handle** ret_handle) {
        // Acquire, here and below: the handle's members were written by the thread that stored it.
        auto* handle = shared.load(std::memory_order_acquire);
        while (!usable(handle)) {
                threadcount_handle* fresh = nullptr;
                const int result = threadcount_open(options, &fresh);
                if (result < 0)
                        return result;
                // A parent's handle is replaced and left alone: it may have been in use when the
                // process forked.
                if (shared.compare_exchange_strong(handle, fresh, std::memory_order_acq_rel))
                        handle = fresh;
                else
                        threadcount_close(fresh);
        }
        if (ret_handle != nullptr)
                *ret_handle = handle;
        return 0;
}

threadcount_handle* threadcount_default(void) { return shared.load(std::memory_order_acquire); }
