// SPDX-License-Identifier: MIT
//
// The fate of each task of a pool, and the fate that it should have had.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace stress {

/// A task that this thread destroys may have been accepted: the thread forgets what a pool has
/// handed back.
inline thread_local bool forgets = false;

/// MT-Safe, but complaint().
class Ledger {
public:
        static constexpr std::size_t kMost = std::size_t{1} << 14;

        enum class Wanted : std::uint8_t {
                Any,    ///< it may run once
                Never,  ///< refused, or cancelled
                Once,   ///< accepted
        };

        /// kMost: there are no more, and nobody minds what becomes of this one.
        [[nodiscard]] std::size_t next() {
                const auto number = next_.fetch_add(1, std::memory_order_relaxed);
                return number < kMost ? number : kMost;
        }
        [[nodiscard]] bool is_full() const {
                return next_.load(std::memory_order_relaxed) >= kMost;
        }

        /// The last word counts.
        void want(std::size_t number, Wanted wanted) { lines_[number].wanted = wanted; }
        void ran(std::size_t number) { lines_[number].runs++; }
        /// Its callable is destroyed.
        void gone(std::size_t number) {
                auto& line = lines_[number];
                if (forgets && line.runs == 0)
                        line.is_forgotten = true;
                line.gone++;
        }

        [[nodiscard]] bool has_run(std::size_t number) const {
                return number < kMost && lines_[number].runs != 0;
        }
        [[nodiscard]] bool is_gone(std::size_t number) const {
                return number == kMost || lines_[number].gone != 0;
        }
        [[nodiscard]] bool is_there(std::size_t number) const {
                return number == kMost || lines_[number].gone == 0;
        }

        /// The fault that is left when all is over; nullptr: none. Says of which one.
        [[nodiscard]] const char* complaint(std::size_t& ret_number) const {
                for (ret_number = 0; ret_number < kMost && ret_number < next_; ret_number++) {
                        const auto& line = lines_[ret_number];
                        if (line.runs > 1)
                                return "a task was run twice";
                        if (line.gone != 1)
                                return line.gone == 0 ? "a task was not destroyed"
                                                      : "a task was destroyed twice";
                        if (line.wanted == Wanted::Never && line.runs != 0)
                                return "a task was run that was refused or cancelled";
                        if (line.wanted == Wanted::Once && line.runs == 0 && !line.is_forgotten)
                                return "a task was lost";
                }
                return nullptr;
        }
        [[nodiscard]] std::uint64_t runs() const {
                std::uint64_t sum = 0;
                for (std::size_t number = 0; number < kMost; number++)
                        sum += lines_[number].runs;
                return sum;
        }

private:
        struct Line {
                std::atomic<std::uint8_t> runs{0};
                std::atomic<std::uint8_t> gone{0};
                std::atomic<Wanted> wanted{Wanted::Any};
                std::atomic<bool> is_forgotten{false};
        };

        std::atomic<std::size_t> next_{0};
        std::array<Line, kMost + 1> lines_{};
};

/// A callable holds one: where it is destroyed, so is the callable. It moves; one owner at a time.
class Token {
public:
        explicit Token(Ledger& ledger) : ledger_(&ledger), number_(ledger.next()) {}
        Token(Token&& other) noexcept
                : ledger_(std::exchange(other.ledger_, nullptr)), number_(other.number_) {}
        Token& operator=(Token&&) = delete;
        Token(const Token&) = delete;
        Token& operator=(const Token&) = delete;
        ~Token() {
                if (ledger_ != nullptr)
                        ledger_->gone(number_);
        }

        void ran() const { ledger_->ran(number_); }
        [[nodiscard]] std::size_t number() const { return number_; }

private:
        Ledger* ledger_;
        std::size_t number_;
};

}  // namespace stress
