// SPDX-License-Identifier: MIT
// One event at a time, and time to live between two.
#include "events.hpp"

#include <algorithm>
#include <random>

namespace bench {

namespace {

/// A governor that is slower than the window is late, not silent.
constexpr std::int64_t kLatest = 2'000 * kMillisecond;
/// Between two events, drawn anew: neither the governor's samples nor its polls are met by rule.
constexpr std::int64_t kShortestPause = 30 * kMillisecond;
constexpr std::int64_t kLongestPause = 90 * kMillisecond;
/// The time until a program that came back with a large share has it again. A newcomer waits a
/// second, then the programs that have to give way finish their regions.
constexpr std::int64_t kUntilShared = 4'000 * kMillisecond;

class Observer {
public:
        Observer(Flock& flock, const EventOptions& options) : flock_(flock), options_(options) {}

        std::vector<Observed> run() {
                for (std::uint32_t member = 0; member < flock_.size(); member++)
                        flock_.join(member, wishes_of(member));
                live(options_.settle_ms * kMillisecond);
                for (std::uint32_t round = 0; round < options_.rounds; round++)
                        this->round();
                for (std::uint32_t i = 0; i < options_.all; i++) {
                        leave("all", 0);
                        live(kUntilShared / 4);
                        flock_.join(0, wishes_of(0));
                        live(kUntilShared);
                }
                return std::move(found_);
        }

private:
        [[nodiscard]] Wishes wishes_of(std::uint32_t member) const {
                return {0, member == 0 && options_.all > 0 ? options_.all_weight : options_.weight};
        }

        void live(std::int64_t time_ns) { flock_.live(now_ns() + time_ns); }

        void pause() {
                std::uniform_int_distribution<std::int64_t> time(kShortestPause, kLongestPause);
                live(time(random_));
        }

        /// Never the first one.
        std::uint32_t somebody() {
                return std::uniform_int_distribution<std::uint32_t>(1, flock_.size() - 1)(random_);
        }

        void round() {
                const auto one = somebody();
                leave("leave", one);
                pause();
                join(one);
                pause();
                const auto other = somebody();
                kill(other);
                flock_.replace(other);
                pause();
                join(other);
                pause();
        }

        void leave(const char* kind, std::uint32_t member) {
                Watched watched(flock_);
                flock_.order_leave(member);
                const auto changes = watched.look(window());
                add(kind, flock_.sent_ns(member), changes);
        }

        void join(std::uint32_t member) {
                Watched watched(flock_);
                flock_.order_join(member, wishes_of(member));
                const auto changes = watched.look(window());
                add("join", flock_.sent_ns(member), changes);
        }

        void kill(std::uint32_t member) {
                Watched watched(flock_);
                const auto sent_ns = flock_.kill(member);
                add("kill", sent_ns, watched.look(window()));
        }

        [[nodiscard]] std::int64_t window() const { return options_.window_ms * kMillisecond; }

        void add(const char* kind, std::int64_t sent_ns, const std::vector<std::int64_t>& changes) {
                Observed observed{kind};
                for (const auto at_ns : changes) {
                        if (at_ns < sent_ns)
                                continue;
                        const auto after_ns = at_ns - sent_ns;
                        observed.first_ns = observed.words == 0
                                                    ? after_ns
                                                    : std::min(observed.first_ns, after_ns);
                        observed.last_ns = std::max(observed.last_ns, after_ns);
                        observed.words++;
                }
                found_.push_back(observed);
        }

        Flock& flock_;
        EventOptions options_;
        std::minstd_rand random_{1};
        std::vector<Observed> found_;
};

}  // namespace

Watched::Watched(const Flock& flock) {
        for (const auto& [inode, pages] : flock.pages())
                for (std::uint32_t slot = 0; slot < pages->slots(); slot++)
                        words_.push_back({pages.get(), slot, pages->word(slot), 0});
}

std::vector<std::int64_t> Watched::look(std::int64_t window_ns) {
        const auto begin_ns = now_ns();
        bool changed = look_until(begin_ns + window_ns);
        while (!changed && now_ns() < begin_ns + kLatest)
                changed = look_until(now_ns() + window_ns);
        std::vector<std::int64_t> changes;
        for (const auto& word : words_)
                if (word.changed_ns != 0)
                        changes.push_back(word.changed_ns);
        return changes;
}

bool Watched::look_until(std::int64_t end_ns) {
        bool changed = false;
        while (now_ns() < end_ns)
                for (auto& word : words_)
                        if (const auto now = word.pages->word(word.slot); now != word.last) {
                                word.last = now;
                                word.changed_ns = now_ns();
                                changed = true;
                        }
        return changed;
}

std::vector<Observed> observe(Flock& flock, const EventOptions& options) {
        return Observer(flock, options).run();
}

}  // namespace bench
