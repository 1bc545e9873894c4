// SPDX-License-Identifier: MIT
// Why the count is what it is, in one sentence.
#include "handle.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace threadcount;

namespace {

const char* describe(int error, char* buffer, std::size_t size) {
        return error == -EOPNOTSUPP ? "this kind of address is not supported by this version"
               : error == -EPROTO   ? "what listens there is no governor of this version"
                                    : strerror_r(-error, buffer, size);
}

/// The handle's mutex is held.
int explain_polling(const Polling& polling, std::uint32_t threads, char* text, std::size_t size) {
        char why[128];
        const auto* answer = polling.last_answer();
        if (polling.error() != 0)
                return snprintf(text, size, "no governor (%s): %s %u",
                                describe(polling.error(), why, sizeof(why)),
                                answer != nullptr ? "grown from its last answer to"
                                                  : "the program's own maximum,",
                                threads);
        if (answer == nullptr)
                return snprintf(text, size, "the governor has not answered yet: %u", threads);
        return snprintf(text, size, "governor: %s", answer->explanation);
}

int explain(const threadcount_handle& handle, char* text, std::size_t size) {
        const auto threads = handle.threads.load(std::memory_order_relaxed);
        const auto& mode = handle.environment.mode;
        if (mode.mode == Mode::Off)
                return snprintf(text, size, "THREADCOUNT=off: the program's own maximum, %u",
                                threads);
        if (mode.mode == Mode::Fixed)
                return snprintf(text, size, "THREADCOUNT=fixed:%u of at most %u: %u", mode.fixed,
                                handle.max, threads);
        pthread_mutex_lock(&handle.mutex);
        const int length = explain_polling(handle.polling, threads, text, size);
        pthread_mutex_unlock(&handle.mutex);
        return length;
}

int write_reason(const threadcount_handle* handle, char* text, std::size_t size) {
        if (handle == nullptr)
                return snprintf(text, size, "no handle: CPU affinity and cgroup quota");
        if (is_inert(*handle))
                return snprintf(text, size, "opened before fork(): the program's own maximum, %u",
                                handle->max);
        const auto& environment = handle->environment;
        int length = 0;
        if (environment.misunderstood != nullptr)
                length = snprintf(text, size, "%s=%s is not understood, ignored; ",
                                  environment.misunderstood, environment.misunderstood_value);
        const auto used = static_cast<std::size_t>(length);
        return length + explain(*handle, text + used, size - used);
}

}  // namespace

size_t threadcount_reason(const threadcount_handle* handle, char* buffer, size_t size) {
        char text[400];
        const int length = write_reason(handle, text, sizeof(text));
        if (size > 0)
                snprintf(buffer, size, "%s", text);
        return static_cast<size_t>(length);
}
