// SPDX-License-Identifier: MIT
// The public functions on a handle, and the polling behind threadcount_threads().
#include "handle.hpp"

#include "clock.hpp"
#include "environment.hpp"
#include "fork_generation.hpp"
#include "grown_count.hpp"
#include "limits.hpp"
#include "transport.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>
#include <poll.h>
#include <pthread.h>
#include <threadcount/threadcount.h>

using namespace threadcount;

namespace {

constexpr std::uint32_t kDefaultInterval_ms = 10'000;
constexpr std::uint64_t kNever_ms = UINT64_MAX;

/// The longest a region may wait for an answer.
constexpr unsigned kAnswer_ms = 5;

/// How often a late answer is looked for, and when it is given up.
constexpr std::uint64_t kLookAgain_ms = 4;
constexpr std::uint64_t kGiveUp_ms = 1000;

/// A governor that is not there is not looked for more often than this.
constexpr std::uint64_t kReconnect_ms = 1000;

/// For threadcount_advise(), which nobody calls in front of a region.
constexpr unsigned kAdviseAnswer_ms = 250;
constexpr std::uint32_t kAdviseWarm_ms = 1000;

std::uint32_t clamp(std::uint32_t value, std::uint32_t least, std::uint32_t most) {
        return value < least ? least : value > most ? most : value;
}

/// Of version 1.0; later ones are longer.
constexpr std::size_t kSmallestOptions = 24;
constexpr std::size_t kSmallestAdvice = 24;

class Lock {
public:
        explicit Lock(pthread_mutex_t* mutex) : mutex_(mutex) { pthread_mutex_lock(mutex_); }
        ~Lock() { pthread_mutex_unlock(mutex_); }
        Lock(const Lock&) = delete;
        Lock& operator=(const Lock&) = delete;

private:
        pthread_mutex_t* mutex_;
};

}  // namespace

struct threadcount_handle {
        threadcount_handle(const Environment& from, const char* socket, std::uint32_t width,
                           std::uint32_t interval)
                : addresses(from.socket != nullptr ? from.socket : socket,
                            secure_getenv("XDG_RUNTIME_DIR")),
                  environment(from), ungoverned(width),
                  max(from.max != 0 && from.max < width ? from.max : width), interval_ms(interval),
                  count(max) {
                if (environment.mode.mode == Mode::Fixed)
                        decide(environment.mode.fixed < max ? environment.mode.fixed : max);
                else if (environment.mode.mode == Mode::Off)
                        decide(max);
        }

        /// The final answer: nobody is asked any more.
        void decide(std::uint32_t number) {
                threads.store(number, std::memory_order_relaxed);
                next_poll_ms.store(kNever_ms, std::memory_order_relaxed);
        }

        /// Asks or looks for a late answer, and says what the threads now are.
        void poll(std::uint64_t now_ms);

        [[nodiscard]] std::uint64_t ask(std::uint64_t now_ms);
        [[nodiscard]] std::uint64_t look(std::uint64_t now_ms);
        [[nodiscard]] std::uint64_t take(const Answer& answer, std::uint64_t now_ms);
        [[nodiscard]] std::uint64_t fail(int why, std::uint64_t now_ms);

        // Constant after construction.
        const Addresses addresses;
        const Environment environment;
        const std::uint32_t ungoverned;
        const std::uint32_t max;
        const std::uint32_t interval_ms;
        const unsigned generation = fork_generation();

        // Relaxed: two numbers without anything behind them. next_poll_ms only saves the lock.
        std::atomic<std::uint32_t> threads{1};
        std::atomic<std::uint64_t> next_poll_ms{0};

        // Guarded by `mutex`.
        pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
        GrownCount count;
        Transport transport;
        bool outstanding = false;  // a question has been sent, its answer is not here
        bool mute = false;         // the last question was not answered: do not wait for the next
        std::uint64_t asked_ms = 0;
        int error = 0;  // of the last attempt; 0 when it was answered
        Answer last;    // valid once `answered`
        bool answered = false;
};

std::uint64_t threadcount_handle::take(const Answer& answer, std::uint64_t now_ms) {
        outstanding = false;
        mute = false;
        answered = true;
        error = 0;
        last = answer;
        const auto before = count.current();
        count.answered(answer.threads, now_ms);
        if (answer.warming_up)
                return now_ms + clamp(answer.warm_in_ms, kShortestInterval_ms, interval_ms);
        if (environment.mode.mode == Mode::StartOnly)
                return kNever_ms;
        // Until new threads show in the measurement the same free CPUs would be counted again.
        const auto settle_ms = count.current() > before ? answer.settle_ms : 0;
        return now_ms + clamp(settle_ms, interval_ms, kLongestInterval_ms);
}

std::uint64_t threadcount_handle::fail(int why, std::uint64_t now_ms) {
        transport.disconnect();
        outstanding = false;
        error = why;
        count.unanswered(now_ms);
        return now_ms + (interval_ms > kReconnect_ms ? interval_ms : kReconnect_ms);
}

std::uint64_t threadcount_handle::look(std::uint64_t now_ms) {
        Answer answer;
        const int result = transport.receive(0, &answer);
        if (result == 0)
                return take(answer, now_ms);
        if (result != -EAGAIN)
                return fail(result, now_ms);
        if (now_ms - asked_ms >= kGiveUp_ms) {
                mute = true;
                return fail(-ETIMEDOUT, now_ms);
        }
        count.unanswered(now_ms);
        return now_ms + kLookAgain_ms;
}

std::uint64_t threadcount_handle::ask(std::uint64_t now_ms) {
        // A connection that breaks may be that of a governor that was restarted: try it once more.
        for (int attempt = transport.connected() ? 0 : 1;; attempt++) {
                int result = transport.connected() ? 0 : transport.connect(addresses);
                if (result < 0)
                        return fail(result, now_ms);
                result = transport.send({count.current(), max});
                Answer answer;
                if (result == 0)
                        result = transport.receive(mute ? 0 : kAnswer_ms, &answer);
                if (result == 0)
                        return take(answer, now_ms);
                if (result == -EAGAIN)
                        break;
                if (attempt > 0)
                        return fail(result, now_ms);
        }
        outstanding = true;
        asked_ms = now_ms;
        count.asked(now_ms);
        return now_ms + kLookAgain_ms;
}

void threadcount_handle::poll(std::uint64_t now_ms) {
        if (pthread_mutex_trylock(&mutex) != 0)
                return;
        if (now_ms >= next_poll_ms.load(std::memory_order_relaxed)) {
                const auto next = outstanding ? look(now_ms) : ask(now_ms);
                threads.store(count.threads(), std::memory_order_relaxed);
                next_poll_ms.store(next, std::memory_order_relaxed);
        }
        pthread_mutex_unlock(&mutex);
}

bool threadcount::is_inert(const threadcount_handle* handle) {
        return handle->generation != fork_generation();
}

namespace {

bool in_range(std::uint32_t value, std::uint32_t least, std::uint32_t most) {
        return value == 0 || (value >= least && value <= most);
}

/// Asks on a connection of its own until the governor is warm or the patience is over.
int ask_until_warm(const Addresses& addresses, const Question& question, Answer* ret_answer) {
        Transport transport;
        int result = transport.connect(addresses);
        const auto started_ms = now_ns() / 1'000'000;
        while (result == 0) {
                result = transport.send(question);
                if (result == 0)
                        result = transport.receive(kAdviseAnswer_ms, ret_answer);
                if (result < 0)
                        break;
                const auto waited_ms = now_ns() / 1'000'000 - started_ms;
                if (!ret_answer->warming_up || waited_ms >= kAdviseWarm_ms)
                        return 0;
                const auto left_ms = kAdviseWarm_ms - waited_ms;
                const auto pause_ms =
                        ret_answer->warm_in_ms < left_ms ? ret_answer->warm_in_ms : left_ms;
                ::poll(nullptr, 0, static_cast<int>(pause_ms) + 1);
        }
        return result == -EAGAIN ? -ETIMEDOUT : result;
}

const char* describe(int error, char* buffer, std::size_t size) {
        return error == -EOPNOTSUPP ? "this kind of address is not supported by this version"
               : error == -EPROTO   ? "what listens there is no governor of this version"
                                    : strerror_r(-error, buffer, size);
}

/// Writes why the count is what it is. The handle's mutex is held.
int explain(const threadcount_handle& handle, char* text, std::size_t size) {
        const auto threads = handle.threads.load(std::memory_order_relaxed);
        char why[128];
        switch (handle.environment.mode.mode) {
        case Mode::Off:
                return snprintf(text, size, "THREADCOUNT=off: the program's own maximum, %u",
                                threads);
        case Mode::Fixed:
                return snprintf(text, size, "THREADCOUNT=fixed:%u of at most %u: %u",
                                handle.environment.mode.fixed, handle.max, threads);
        case Mode::Adapt:
        case Mode::StartOnly:
                break;
        }
        if (handle.error != 0)
                return snprintf(text, size, "no governor (%s): %s %u",
                                describe(handle.error, why, sizeof(why)),
                                handle.answered ? "grown from its last answer to"
                                                : "the program's own maximum,",
                                threads);
        if (!handle.answered)
                return snprintf(text, size, "the governor has not answered yet: %u", threads);
        return snprintf(text, size, "governor: %s", handle.last.explanation);
}

}  // namespace

int threadcount_open(const threadcount_options* options, threadcount_handle** ret_handle) {
        threadcount_options given = THREADCOUNT_OPTIONS_INIT;
        if (ret_handle == nullptr || (options != nullptr && options->size < kSmallestOptions))
                return -EINVAL;
        // A program built against an older or newer header has a shorter or longer struct.
        if (options != nullptr)
                memcpy(&given, options,
                       options->size < sizeof(given) ? options->size : sizeof(given));
        if (!in_range(given.max_threads, 1, kMostThreads) ||
            !in_range(given.interval_ms, kShortestInterval_ms, kLongestInterval_ms))
                return -EINVAL;

        const auto environment = read_environment(secure_getenv);
        const auto width = given.max_threads != 0 ? given.max_threads : fallback_threads();
        const auto interval_ms = environment.interval_ms != 0 ? environment.interval_ms
                                 : given.interval_ms != 0     ? given.interval_ms
                                                              : kDefaultInterval_ms;
        void* memory = aligned_alloc(alignof(threadcount_handle), sizeof(threadcount_handle));
        if (memory == nullptr || !watch_forks()) {
                free(memory);
                return -ENOMEM;
        }
        *ret_handle =
                new (memory) threadcount_handle(environment, given.socket_path, width, interval_ms);
        return 0;
}

uint32_t threadcount_threads(threadcount_handle* handle) {
        if (handle == nullptr)
                return fallback_threads();
        if (is_inert(handle))
                return handle->max;
        const auto now_ms = coarse_now_ms();
        if (now_ms >= handle->next_poll_ms.load(std::memory_order_relaxed))
                handle->poll(now_ms);
        return handle->threads.load(std::memory_order_relaxed);
}

uint32_t threadcount_max(const threadcount_handle* handle) {
        return handle != nullptr ? handle->max : fallback_threads();
}

uint32_t threadcount_ungoverned(const threadcount_handle* handle) {
        return handle != nullptr ? handle->ungoverned : fallback_threads();
}

int threadcount_advise(threadcount_handle* handle, uint32_t current,
                       threadcount_advice* ret_advice) {
        if (handle == nullptr || ret_advice == nullptr || ret_advice->size < kSmallestAdvice ||
            current > kMostThreads)
                return -EINVAL;
        threadcount_advice advice = THREADCOUNT_ADVICE_INIT;
        advice.size = ret_advice->size;
        advice.threads = handle->max;
        int result = 0;
        const auto mode = handle->environment.mode.mode;
        if (mode == Mode::Fixed || mode == Mode::Off) {
                advice.threads = handle->threads.load(std::memory_order_relaxed);
                advice.source = THREADCOUNT_SOURCE_USER;
        } else if (is_inert(handle)) {
                result = -ENOTCONN;
        } else {
                Answer answer;
                result = ask_until_warm(handle->addresses, {current, handle->max}, &answer);
                if (result == 0) {
                        advice.threads =
                                answer.threads < handle->max ? answer.threads : handle->max;
                        advice.threads = advice.threads > 0 ? advice.threads : 1;
                        advice.free = answer.free;
                        advice.total = answer.total;
                        advice.source = THREADCOUNT_SOURCE_GOVERNOR;
                }
        }
        memcpy(ret_advice, &advice, advice.size < sizeof(advice) ? advice.size : sizeof(advice));
        return result;
}

size_t threadcount_reason(const threadcount_handle* handle, char* buffer, size_t size) {
        char text[400];
        int length = 0;
        if (handle == nullptr) {
                length = snprintf(text, sizeof(text), "no handle: CPU affinity and cgroup quota");
        } else if (is_inert(handle)) {
                length = snprintf(text, sizeof(text),
                                  "opened before fork(): the program's own maximum, %u",
                                  handle->max);
        } else {
                const Lock lock(const_cast<pthread_mutex_t*>(&handle->mutex));
                const auto& environment = handle->environment;
                if (environment.misunderstood != nullptr)
                        length = snprintf(text, sizeof(text), "%s=%s is not understood, ignored; ",
                                          environment.misunderstood,
                                          environment.misunderstood_value);
                length += explain(*handle, text + length,
                                  sizeof(text) - static_cast<std::size_t>(length));
        }
        if (size > 0)
                snprintf(buffer, size, "%s", text);
        return static_cast<std::size_t>(length);
}

threadcount_handle* threadcount_close(threadcount_handle* handle) {
        if (handle == nullptr)
                return nullptr;
        handle->~threadcount_handle();
        free(handle);
        return nullptr;
}
