// SPDX-License-Identifier: MIT
// A late answer moves no due time: what a user waits for counts from when it wanted to know.
#include "bystander.hpp"

#include "questions.hpp"

#include <algorithm>
#include <stdexcept>

namespace bench {

namespace {

constexpr std::int64_t kBetweenQuestions = 10 * kMillisecond;
constexpr std::int64_t kBetweenVisits = 20 * kMillisecond;
constexpr std::int64_t kLook = 2 * kMillisecond;
constexpr std::int64_t kGrace = 100 * kMillisecond;  // for what was asked just before the end
constexpr std::int64_t kFirstAnswerWithin = 5'000 * kMillisecond;
constexpr std::uint32_t kLine = UINT32_MAX - 1;

}  // namespace

Bystander::Bystander(BystanderOptions options)
        : options_(std::move(options)), question_(question()), line_(options_.echo_bytes) {
        watch_.add(alarm_.fd(), EPOLLIN, kAlarm);
        const auto until_ns = now_ns() + kFirstAnswerWithin;
        if (options_.echo_bytes == 0) {
                lease_.emplace(options_.socket);
                (void)lease_->hello({});
                pages_ = std::make_unique<Pages>(lease_->grants_fd(), lease_->reports_fd());
        }
        while (!open(line_, kLine))
                if (now_ns() > until_ns)
                        throw std::runtime_error("the server's queue is full");
        line_.ask(question_, now_ns(), asked_);
        while (asked_.answered == 0) {
                if (now_ns() > until_ns || !line_.is_open())
                        throw std::runtime_error("the first question was not answered");
                alarm_.set(now_ns() + kLook);
                receive();
        }
        asked_ = {};
}

Sight Bystander::watch() {
        const auto start = now_ns();
        const auto end = start + options_.window_ms * kMillisecond;
        next_question_ns_ = next_visit_ns_ = start;
        if (pages_)
                heartbeat_ = pages_->heartbeat();
        changed_ns_ = start;
        for (auto now = start; now < end; now = now_ns()) {
                look_at_heartbeat(now);
                ask_what_is_due(now);
                alarm_.set(std::min({now + kLook, next_question_ns_, next_visit_ns_}));
                receive();
        }
        const auto is_answered = [&] {
                return connected_.answered == visits_.size() && asked_.answered == dues_.size();
        };
        while (now_ns() < end + kGrace && !is_answered()) {
                look_at_heartbeat(now_ns());
                alarm_.set(now_ns() + kLook);
                receive();
        }
        look_at_heartbeat(now_ns());
        return what_was_seen(now_ns());
}

void Bystander::ask_what_is_due(std::int64_t now) {
        for (; next_question_ns_ <= now; next_question_ns_ += kBetweenQuestions) {
                dues_.push_back(next_question_ns_);
                line_.ask(question_, next_question_ns_, asked_);
        }
        for (; next_visit_ns_ <= now; next_visit_ns_ += kBetweenVisits)
                visits_.push_back({next_visit_ns_, Line(options_.echo_bytes)});
        for (std::size_t i = 0; i < visits_.size(); i++) {
                auto& visit = visits_[i];
                if (visit.due_ns < 0 || visit.line.waiting() > 0)
                        continue;
                // A full queue is tried again at the next look.
                if (!open(visit.line, static_cast<std::uint32_t>(i)))
                        break;
                visit.line.ask(question_, visit.due_ns, connected_);
        }
}

bool Bystander::open(Line& line, std::uint32_t number) {
        auto fd = connect_to(options_.socket);
        if (!fd)
                return false;
        watch_.add(fd.get(), EPOLLIN, number);
        line.open(std::move(fd));
        return true;
}

/// Waits until something has arrived, or for the alarm.
void Bystander::receive() {
        for (const auto& event : watch_.wait(-1)) {
                if (event.data.u32 == kAlarm)
                        continue;
                if (event.data.u32 == kLine) {
                        if (line_.is_open())
                                (void)line_.receive(asked_);
                        continue;
                }
                auto& visit = visits_[event.data.u32];
                if (visit.due_ns < 0)
                        continue;
                const auto answered = connected_.answered;
                (void)visit.line.receive(connected_);
                if (connected_.answered == answered && visit.line.is_open())
                        continue;
                // Answered, or ended by the server: then it tries again.
                visit.line = Line(options_.echo_bytes);
                if (connected_.answered > answered)
                        visit.due_ns = -1;
        }
}

void Bystander::look_at_heartbeat(std::int64_t now) {
        if (!pages_)
                return;
        oldest_ns_ = std::max(oldest_ns_, now - changed_ns_);
        if (const auto beat = pages_->heartbeat(); beat != heartbeat_) {
                heartbeat_ = beat;
                changed_ns_ = now;
        }
}

Sight Bystander::what_was_seen(std::int64_t now) const {
        Sight sight;
        sight.asking.answered_ns = asked_.from_due_ns;
        for (auto i = asked_.from_due_ns.size(); i < dues_.size(); i++)
                sight.asking.open_ns.push_back(now - dues_[i]);
        sight.connecting.answered_ns = connected_.from_due_ns;
        for (const auto& visit : visits_)
                if (visit.due_ns >= 0)
                        sight.connecting.open_ns.push_back(now - visit.due_ns);
        if (pages_)
                sight.heartbeat_ns = oldest_ns_;
        return sight;
}

}  // namespace bench
