// SPDX-License-Identifier: MIT
// Sliding windows over CPU clocks.
#include "evidence/burn_window.hpp"

#include <algorithm>
#include <utility>

namespace governor::evidence {

namespace {

using std::chrono::duration;
using std::chrono::nanoseconds;

/// The part of the span's CPU time that was used after `start`, if it was used evenly.
nanoseconds used_since(const BurnWindow::Span& span, TimePoint start) {
        if (span.end <= start)
                return nanoseconds{0};
        if (span.begin >= start)
                return span.used;
        const duration<double> inside = span.end - start;
        const duration<double> whole = span.end - span.begin;
        return std::chrono::duration_cast<nanoseconds>(duration<double>(span.used) *
                                                       (inside / whole));
}

}  // namespace

std::uint32_t millicpu(nanoseconds used, nanoseconds elapsed) {
        if (elapsed <= nanoseconds{0})
                return 0;
        const auto ratio = duration<double>(used) / duration<double>(elapsed);
        return static_cast<std::uint32_t>(ratio * 1000 + 0.5);
}

void SampleTimes::add(TimePoint now) {
        if (times_.empty() || now > times_.back())
                times_.push_back(now);
        while (times_.size() > 2 && times_.back() - times_[1] >= full_)
                times_.pop_front();
}

std::optional<TimePoint> SampleTimes::previous() const {
        return times_.size() < 2 ? std::nullopt : std::optional(times_[times_.size() - 2]);
}

void BurnWindow::begin(nanoseconds cpu_time, TimePoint now) {
        marks_.push_back({now, nanoseconds{0}, nanoseconds{0}, 1});
        cpu_time_ = cpu_time;
        judged_from_ = now;
}

void BurnWindow::add(const Reading& reading, std::uint32_t most, TimePoint now,
                     TimePoint previous) {
        if (marks_.empty())
                marks_.push_back({previous, nanoseconds{0}, nanoseconds{0}, reading.granted});
        else if (now <= marks_.back().at)
                return;
        const auto& last = marks_.back();
        const nanoseconds possible = (now - last.at) * most;
        const auto used = std::clamp(reading.used - cpu_time_, nanoseconds{0}, possible);
        const auto beyond = std::max(used - (reading.allowed - allowed_), nanoseconds{0});
        const auto excess = reading.yielded ? nanoseconds{0} : beyond;
        marks_.push_back(
                {now, last.used + used, last.excess + excess, reading.granted, last.handed_over});
        cpu_time_ = reading.used;
        allowed_ = reading.allowed;
        if (!judged_from_)
                judged_from_ = now;
        while (marks_.size() > 2 && now - marks_[1].at >= full_)
                marks_.pop_front();
}

void BurnWindow::hand_over(nanoseconds used) {
        if (marks_.empty())
                return;
        const auto first = marks_.front();
        const auto own =
                marks_.back().used - first.used - (marks_.back().handed_over - first.handed_over);
        if (own <= nanoseconds{0})
                return;
        const auto part = std::min(1.0, duration<double>(used) / duration<double>(own));
        for (auto& mark : marks_) {
                const auto left = mark.used - first.used - (mark.handed_over - first.handed_over);
                mark.handed_over +=
                        std::chrono::duration_cast<nanoseconds>(duration<double>(left) * part);
        }
}

std::optional<BurnWindow::Rate> BurnWindow::judged() const {
        if (!judged_from_)
                return std::nullopt;
        const auto from = std::ranges::find_if(
                marks_, [&](const Mark& mark) { return mark.at >= *judged_from_; });
        const auto& last = marks_.back();
        const auto elapsed = last.at - from->at;
        if (elapsed < full_)
                return std::nullopt;
        const auto least = std::ranges::min_element(from, marks_.end(), {}, &Mark::granted);
        const auto used = last.used - from->used - (last.handed_over - from->handed_over);
        return Rate{millicpu(used, elapsed),
                    millicpu(std::min(last.excess - from->excess, used), elapsed), from->at,
                    least->granted};
}

std::uint32_t BurnWindow::millicpu_since(TimePoint window_start) const {
        if (marks_.empty())
                return 0;
        const auto& first = marks_.front();
        const auto& last = marks_.back();
        return millicpu(last.used - first.used, last.at - std::min(first.at, window_start));
}

std::vector<BurnWindow::Span> BurnWindow::spans() const {
        std::vector<Span> spans;
        for (std::size_t i = 1; i < marks_.size(); i++)
                spans.push_back(
                        {marks_[i - 1].at, marks_[i].at, marks_[i].used - marks_[i - 1].used});
        return spans;
}

void Departed::add(Program program) {
        programs_.push_back(std::move(program));
        if (programs_.size() > kMost)
                programs_.pop_front();
}

void Departed::collect(TimePoint window_start, TimePoint now, std::vector<evidence::Burn>& burns) {
        std::erase_if(programs_, [&](const Program& program) {
                return program.spans.empty() || program.spans.back().end <= window_start;
        });
        for (const auto& [cpus, niced, spans] : programs_) {
                nanoseconds used{0};
                for (const auto& span : spans)
                        used += used_since(span, window_start);
                burns.push_back({cpus, millicpu(used, now - window_start), niced});
        }
}

}  // namespace governor::evidence
