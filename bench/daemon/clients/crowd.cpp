// SPDX-License-Identifier: MIT
// One loop: the next question in time, and answers meanwhile.
#include "crowd.hpp"

#include "questions.hpp"

#include <algorithm>

namespace bench {

namespace {

constexpr std::int64_t kPatience = 10 * kSecond;  // for answers that are late

/// All crowds that are told to start within one half second start together.
std::int64_t common_start() {
        const auto soonest = now_ns() + kSecond / 2;
        return (soonest + kSecond - 1) / kSecond * kSecond;
}

}  // namespace

Crowd::Crowd(CrowdOptions options)
        : options_(std::move(options)), question_(question()), setup_(2), run_(2) {
        for (std::uint32_t line = 0; line < 2 * options_.connections; line++)
                lines_.emplace_back(line % 2 == 0 ? 0 : options_.echo_bytes);
        for (auto& tally : run_) {
                const auto answers = std::size_t{options_.askers} * options_.seconds;
                tally.from_due_ns.reserve(answers);
                tally.from_sent_ns.reserve(answers);
        }
        watch_.add(alarm_.fd(), EPOLLIN, kAlarm);
}

bool Crowd::gather() {
        const auto start = now_ns();
        const auto all = static_cast<std::uint32_t>(lines_.size());
        auto last_progress = start;
        while (opened_ < all) {
                const auto before = opened_;
                const auto due = (now_ns() - start) * options_.rate / kSecond + 1;
                open_until(static_cast<std::uint32_t>(std::min<std::int64_t>(due, all)));
                if (opened_ > before)
                        last_progress = now_ns();
                else if (now_ns() - last_progress > kPatience)
                        return false;
                listen_until(now_ns() + kMillisecond, false);
        }
        listen_until(now_ns() + kPatience, true);
        return setup_[0].answered == options_.connections &&
               setup_[1].answered == options_.connections;
}

/// Stops early where a server's queue is full; it is tried again a millisecond later.
void Crowd::open_until(std::uint32_t count) {
        for (; opened_ < count; opened_++) {
                auto fd = connect_to(opened_ % 2 == 0 ? options_.governor : options_.echo);
                if (!fd)
                        return;
                auto& line = lines_[opened_];
                line.open(std::move(fd));
                watch_.add(line.fd(), EPOLLIN, opened_);
                line.ask(question_, now_ns(), tally_of(opened_));
        }
}

std::vector<Crowd::Due> Crowd::schedule() const {
        std::vector<Due> dues;
        const auto all = std::int64_t{options_.askers} * options_.crowds;
        for (std::uint32_t asker = 0; asker < options_.askers; asker++) {
                const auto place = std::int64_t{asker} * options_.crowds + options_.first;
                const auto offset = place * kSecond / all;
                dues.push_back({offset, 2 * asker});
                dues.push_back({(offset + kSecond / 2) % kSecond, 2 * asker + 1});
        }
        std::ranges::sort(dues, {}, &Due::offset_ns);
        return dues;
}

void Crowd::ask() {
        tallies_ = &run_;
        const auto dues = schedule();
        const auto start = common_start();
        for (std::uint32_t second = 0; second < options_.seconds; second++)
                for (const auto& due : dues) {
                        const auto due_ns = start + second * kSecond + due.offset_ns;
                        listen_until(due_ns, false);
                        lines_[due.line].ask(question_, due_ns, tally_of(due.line));
                }
        listen_until(start + options_.seconds * kSecond, false);
        listen_until(now_ns() + kPatience, true);
}

void Crowd::listen_until(std::int64_t until_ns, bool only_while_waiting) {
        alarm_.set(until_ns);
        while (now_ns() < until_ns && !(only_while_waiting && !anything_waits()))
                for (const auto& event : watch_.wait(-1))
                        if (const auto line = event.data.u32;
                            line != kAlarm && lines_[line].is_open())
                                lines_[line].receive(tally_of(line));
}

bool Crowd::anything_waits() const {
        return std::ranges::any_of(
                lines_, [](const Line& line) { return line.is_open() && line.waiting() > 0; });
}

Side Crowd::side(std::uint32_t server) const {
        Side side{setup_[server], run_[server], 0};
        for (std::uint32_t line = server; line < lines_.size(); line += 2)
                side.held += lines_[line].is_open() ? 1 : 0;
        return side;
}

}  // namespace bench
