// SPDX-License-Identifier: MIT
// Why the count is what it is, in one sentence.
#include "handle.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <governor/v1/listener.h>
#include <governor/v1/reasons.h>
#include <governor/v1/text.h>

using namespace threadcount;

namespace {

const char* describe_error(int error, char* buffer, std::size_t size) {
        switch (error) {
        case -EPROTO:
                return "what listens there is no governor of this version";
        case -EMFILE:
                return "this process has no descriptors left for it, see ulimit -n";
        default:
                return strerror_r(-error, buffer, size);
        }
}

/// Explains which setting is no address.
int explain_refusal(const threadcount_handle& handle, char* text, std::size_t size) {
        const auto& addresses = handle.addresses;
        char why[128];
        return snprintf(text, size, "no governor (%s=%s: %s)",
                        handle.environment.socket != nullptr ? "THREADCOUNT_SOCKET" : "socket_path",
                        addresses.refused(),
                        addresses.error() == -EINVAL
                                ? "it needs a path or tcp:HOST:PORT with a numeric address"
                                : describe_error(addresses.error(), why, sizeof(why)));
}

/// A governor that refuses a lease is there all the same.
int explain_absence(const Transport& transport, int error, char* text, std::size_t size) {
        char where[kAddressText] = "any address";
        if (transport.peer() != nullptr)
                describe(*transport.peer(), where);
        if (error == -EPERM && transport.stranger() != Transport::kNobody)
                return snprintf(text, size, "no governor at %s (user %u" GOVERNOR_NOT_BELIEVED ")",
                                where, transport.stranger());
        char why[128];
        return error == -EUSERS ? snprintf(text, size,
                                           "the governor at %s gives no lease: this user, or all "
                                           "together, hold as many as there is room for",
                                           where)
                                : snprintf(text, size, "no governor at %s (%s)", where,
                                           describe_error(error, why, sizeof(why)));
}

int explain_polling(const threadcount_handle& handle, std::uint32_t threads, char* text,
                    std::size_t size) THREADCOUNT_REQUIRES(handle.mutex) {
        const auto& polling = handle.polling;
        const auto* answer = polling.last_answer();
        if (polling.error() == 0 && answer == nullptr)
                return snprintf(text, size, "the governor has not answered yet: %u", threads);
        if (polling.error() == 0)
                return snprintf(text, size, "governor: %s", answer->explanation);
        const int length = explain_absence(handle.transport, polling.error(), text, size);
        const auto used = static_cast<std::size_t>(length);
        return length + snprintf(text + used, size - used, ": %s %u",
                                 answer != nullptr ? "grown from its last answer to"
                                                   : "the program's own maximum,",
                                 threads);
}

/// There is no grant.
int explain_no_lease(const threadcount_handle& handle, std::uint32_t threads, char* text,
                     std::size_t size) THREADCOUNT_REQUIRES(handle.mutex) {
        const auto& lease = handle.lease;
        if (lease.error() == 0)
                return snprintf(text, size, "the governor has not answered yet: %u", threads);
        const int length = handle.addresses.error() != 0
                                   ? explain_refusal(handle, text, size)
                                   : explain_absence(handle.transport, lease.error(), text, size);
        const auto used = static_cast<std::size_t>(length);
        return length + snprintf(text + used, size - used, ": %s %u",
                                 threads < handle.max
                                         ? "its last grant, or what it has grown to since,"
                                         : "the program's own maximum,",
                                 threads);
}

/// 0: nothing is granted.
int explain_grant(const threadcount_handle& handle, char* text, std::size_t size) {
        const auto& lease = handle.lease;
        std::uint64_t word = 0;
        governor_grant_reason reason;
        if (lease.arena().read_set(nullptr, 0, &word, &reason) < 0 ||
            governor_word_threads(word) == 0)
                return 0;
        const auto granted = governor_word_threads(word);
        const auto threads = lease.usable(granted);
        if (granted == GOVERNOR_WORD_THREADS_MAX)
                return snprintf(text, size,
                                "the governor only observes: the program's own maximum, %u",
                                threads);
        const auto allowed = std::min(granted, handle.max);
        int length = 0;
        if (threads != allowed && handle.environment.mode.keeps())
                length =
                        snprintf(text, size,
                                 "THREADCOUNT=keep keeps the program's own maximum, %u; ", threads);
        else if (threads != allowed)
                length = snprintf(text, size, "THREADCOUNT=start-only keeps its first grant, %u; ",
                                  threads);
        auto used = static_cast<std::size_t>(length);
        length += snprintf(text + used, size - used, "governor: ");
        used = static_cast<std::size_t>(length);
        return length + governor_reason_explain(&reason, allowed, text + used, size - used);
}

int explain_following(const threadcount_handle& handle, char* text, std::size_t size)
        THREADCOUNT_REQUIRES(handle.mutex) {
        if (const int length = explain_grant(handle, text, size); length > 0)
                return length;
        const auto threads = handle.threads.load(std::memory_order_relaxed);
        if (handle.lease.is_refused() && handle.environment.mode.keeps())
                return snprintf(text, size,
                                "the governor grants nothing: the program's own maximum, %u",
                                threads);
        return handle.lease.is_refused() ? explain_polling(handle, threads, text, size)
                                         : explain_no_lease(handle, threads, text, size);
}

int explain(const threadcount_handle& handle, char* text, std::size_t size) {
        const auto threads = handle.threads.load(std::memory_order_relaxed);
        const auto& mode = handle.environment.mode;
        if (mode.mode == Mode::Off)
                return snprintf(text, size, "THREADCOUNT=off: the program's own maximum, %u",
                                threads);
        if (mode.mode == Mode::RuntimeBinds)
                return snprintf(text, size,
                                "its runtime binds the threads (OMP_PROC_BIND): the program's own "
                                "maximum, %u; THREADCOUNT=adapt governs it all the same",
                                threads);
        if (mode.mode == Mode::Fixed)
                return snprintf(text, size, "THREADCOUNT=fixed:%u of at most %u: %u", mode.fixed,
                                handle.max, threads);
        const MutexLock lock(handle.mutex);
        return explain_following(handle, text, size);
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
        const auto length = static_cast<size_t>(write_reason(handle, text, sizeof(text)));
        // Paths, variables and what a governor has said may hold any bytes.
        const auto written = std::min(length, sizeof(text) - 1);
        const auto shown = governor_text_printable(text, written, text);
        text[shown] = '\0';
        if (size > 0)
                snprintf(buffer, size, "%s", text);
        return length - (written - shown);
}
