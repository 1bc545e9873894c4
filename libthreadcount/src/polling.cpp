// SPDX-License-Identifier: MIT
// The time to ask, the time to wait, and what to do without an answer.
#include "polling.hpp"

#include "clock.hpp"
#include "environment.hpp"

#include <algorithm>
#include <cerrno>

namespace threadcount {

namespace {

/// The longest a region may wait for an answer, connecting included.
constexpr std::uint64_t kAnswer_ns = 5'000'000;

}  // namespace

std::uint64_t Polling::run(std::uint64_t now_ms) {
        sees_leases_ = false;
        return outstanding_ ? look(now_ms) : ask(now_ms);
}

std::uint64_t Polling::ask(std::uint64_t now_ms) {
        const auto deadline_ns = now_ns() + kAnswer_ns;
        // A connection that breaks may be that of a governor that was restarted: try it once more.
        for (bool retry = transport_.connected();; retry = false) {
                int result =
                        transport_.connected() ? 0 : transport_.connect(addresses_, deadline_ns);
                if (result < 0)
                        return fail(result, now_ms);
                result = transport_.send({count_.current(), settings_.max});
                Answer answer;
                if (result == 0)
                        result = transport_.receive(mute_ ? 0 : deadline_ns, &answer);
                if (result == 0)
                        return take(answer, now_ms);
                if (result == -EAGAIN)
                        break;
                if (!retry)
                        return fail(result, now_ms);
        }
        outstanding_ = true;
        asked_ms_ = now_ms;
        count_.asked(now_ms);
        return now_ms + kLookAgain_ms;
}

std::uint64_t Polling::look(std::uint64_t now_ms) {
        Answer answer;
        const int result = transport_.connected() ? transport_.receive(0, &answer) : -ECONNRESET;
        if (result == 0)
                return take(answer, now_ms);
        if (result != -EAGAIN)
                return fail(result, now_ms);
        if (now_ms - asked_ms_ >= kGiveUp_ms) {
                mute_ = true;
                return fail(-ETIMEDOUT, now_ms);
        }
        count_.unanswered(now_ms);
        return now_ms + kLookAgain_ms;
}

std::uint64_t Polling::take(const Answer& answer, std::uint64_t now_ms) {
        outstanding_ = false;
        mute_ = false;
        answered_ = true;
        error_ = 0;
        sees_leases_ = answer.leases && !settings_.once;
        last_ = answer;
        const auto before = count_.current();
        count_.answered(answer.threads, now_ms);
        if (answer.warming_up)
                return now_ms +
                       std::clamp(answer.warm_in_ms, kShortestInterval_ms, settings_.interval_ms);
        if (settings_.once)
                return kNever_ms;
        // The same free CPUs would be counted again until new threads show in the measurement.
        const auto settle_ms = count_.current() > before ? answer.settle_ms : 0;
        return now_ms + std::clamp(settle_ms, settings_.interval_ms, kLongestInterval_ms);
}

std::uint64_t Polling::fail(int why, std::uint64_t now_ms) {
        transport_.disconnect();
        outstanding_ = false;
        error_ = why;
        count_.failed(now_ms);
        return now_ms + std::clamp(settings_.interval_ms, kReconnect_ms, kLongestInterval_ms);
}

}  // namespace threadcount
