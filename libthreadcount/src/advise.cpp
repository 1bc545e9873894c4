// SPDX-License-Identifier: MIT
// One question at once, on a connection of its own.
#include "clock.hpp"
#include "handle.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <poll.h>

using namespace threadcount;

namespace {

/// Nobody asks this in front of a region, so it may wait.
constexpr std::uint64_t kAnswer_ns = 250'000'000;
constexpr std::uint64_t kWarm_ms = 1000;

/// The size of version 1.0, without what may be behind its last member; later ones are longer.
constexpr std::size_t kSmallestAdvice =
        offsetof(threadcount_advice, source) + sizeof(std::uint32_t);
static_assert(kSmallestAdvice <= sizeof(threadcount_advice));

/// Asks until the governor is warm or the patience is over.
int ask_until_warm(const Addresses& addresses, const Question& question, Answer* ret_answer) {
        Transport transport;
        const auto started_ms = now_ns() / 1'000'000;
        auto deadline_ns = now_ns() + kAnswer_ns;
        int result = transport.connect(addresses, deadline_ns);
        for (; result == 0; deadline_ns = now_ns() + kAnswer_ns) {
                result = transport.send(question);
                if (result == 0)
                        result = transport.receive(deadline_ns, ret_answer);
                if (result < 0)
                        break;
                const auto waited_ms = now_ns() / 1'000'000 - started_ms;
                if (!ret_answer->warming_up || waited_ms >= kWarm_ms)
                        return 0;
                const auto left_ms = kWarm_ms - waited_ms;
                const auto pause_ms = std::min<std::uint64_t>(ret_answer->warm_in_ms, left_ms);
                ::poll(nullptr, 0, static_cast<int>(pause_ms) + 1);
        }
        return result == -EAGAIN ? -ETIMEDOUT : result;
}

/// `advice` holds the fallback and stays as it is without an answer.
int ask(const threadcount_handle& handle, std::uint32_t current, threadcount_advice& advice) {
        if (is_inert(handle))
                return -ENOTCONN;
        Answer answer;
        const int result = ask_until_warm(handle.addresses, {current, handle.max}, &answer);
        // -EINVAL would say that the caller is wrong; here it is what the user has set.
        if (result < 0)
                return result == -EINVAL ? -EDESTADDRREQ : result;
        advice.threads = std::clamp(answer.threads, 1U, handle.max);
        advice.free = answer.free;
        advice.total = answer.total;
        advice.source = THREADCOUNT_SOURCE_GOVERNOR;
        return 0;
}

}  // namespace

int threadcount_advise(threadcount_handle* handle, uint32_t current,
                       threadcount_advice* ret_advice) {
        if (handle == nullptr || ret_advice == nullptr || ret_advice->size < kSmallestAdvice ||
            current > kMostThreads)
                return -EINVAL;
        threadcount_advice advice = THREADCOUNT_ADVICE_INIT;
        advice.size = ret_advice->size;
        advice.threads = handle->max;
        int result = 0;
        if (!handle->environment.mode.is_governed()) {
                advice.threads = handle->threads.load(std::memory_order_relaxed);
                advice.source = THREADCOUNT_SOURCE_USER;
        } else {
                result = ask(*handle, current, advice);
        }
        memcpy(ret_advice, &advice, std::min(advice.size, sizeof(advice)));
        return result;
}
