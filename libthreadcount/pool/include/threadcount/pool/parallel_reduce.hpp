// SPDX-License-Identifier: MIT
//
// The sum of the iterations of a loop, the same whatever lanes there are.
#pragma once

#include <threadcount/pool/parallel_for.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace threadcount {

/// The value that Pool::parallel_scan() stores for an iteration.
enum class Scan {
        Inclusive,  ///< what it and all before it come to
        Exclusive,  ///< what all before it come to
};

namespace pool {

/// [first, first + size), size >= 1, in runs of neighbours, of one size but the last. They depend
/// on nothing but these numbers, and so does what each comes to.
template <class Index>
class Blocks {
public:
        Blocks(Index first, std::size_t size, std::size_t grain)
                : first_(first), size_(size), each_(std::max(grain, (size - 1) / kMost + 1)) {}

        [[nodiscard]] std::size_t count() const { return (size_ - 1) / each_ + 1; }
        /// None is longer than one number.
        [[nodiscard]] bool are_single() const { return each_ == 1; }
        [[nodiscard]] Index begin(std::size_t block) const {
                return advance(first_, block * each_);
        }
        [[nodiscard]] Index end(std::size_t block) const {
                const auto before = block * each_;
                return advance(first_, before + std::min(each_, size_ - before));
        }

private:
        static constexpr std::size_t kMost = 512;

        const Index first_;
        const std::size_t size_;
        const std::size_t each_;
};

// A compiler may round differently at each place that it puts a function into. Therefore the code
// that combines numbers has one place each.

/// The sum of the values of [first, last), of which there is one at least, from left to right.
template <class T, class Index, class Combine, class Value>
[[gnu::noinline]] T fold(Index first, Index last, Combine& combine, Value& value) {
        if constexpr (std::invocable<Value&, Index, Index>) {
                return static_cast<T>(value(first, last));
        } else {
                auto sum = static_cast<T>(value(first));
                for (++first; first != last; ++first)
                        sum = static_cast<T>(combine(std::move(sum), value(first)));
                return sum;
        }
}

/// The body of a loop over blocks. A lane that runs a block joins it with its neighbours as far as
/// it has run these too. It does so along a tree whose nodes begin at multiples of powers of two.
/// The rest of the tree is done afterwards.
template <class T, class Index, class Combine, class Value>
class Reduction {
public:
        Reduction(const Blocks<Index>& blocks, Combine& combine, Value& value)
                : blocks_(blocks), combine_(combine), value_(value), parts_(blocks.count()) {}

        void operator()(std::size_t first, std::size_t last) {
                for (auto block = first; block != last; ++block) {
                        parts_[block].emplace(fold<T>(blocks_.begin(block), blocks_.end(block),
                                                      combine_, value_));
                        const auto end = block + 1;
                        for (std::size_t half = 1; end % (2 * half) == 0 && end - first >= 2 * half;
                             half *= 2)
                                join(end - 2 * half, half);
                }
        }

        /// Once all have been run.
        [[nodiscard]] T result(T initial) {
                const auto count = parts_.size();
                for (std::size_t half = 1; half < count; half *= 2)
                        for (std::size_t left = 0; left + half < count; left += 2 * half)
                                if (parts_[left + half])
                                        join(left, half);
                return static_cast<T>(combine_(std::move(initial), std::move(*parts_[0])));
        }

private:
        /// Two nodes of the tree to one; the right one is empty from then on.
        [[gnu::noinline]] void join(std::size_t left, std::size_t half) {
                auto& right = parts_[left + half];
                *parts_[left] =
                        static_cast<T>(combine_(std::move(*parts_[left]), std::move(*right)));
                right.reset();
        }

        const Blocks<Index>& blocks_;
        Combine& combine_;
        Value& value_;
        std::vector<std::optional<T>> parts_;
};

/// Two loops over blocks: what each comes to, then what is stored. (G. E. Blelloch, "Prefix Sums
/// and Their Applications", CMU-CS-90-190, 1990.)
template <class T, class Index, class Combine, class Value, class Store>
class Scanner {
public:
        Scanner(const Blocks<Index>& blocks, Scan scan, Combine& combine, Value& value,
                Store& store)
                : blocks_(blocks), scan_(scan), combine_(combine), value_(value), store_(store),
                  parts_(blocks.count()) {}

        /// The sum of block `block`; nobody asks for that of the last one.
        void fold_one(std::size_t block) {
                parts_[block].emplace(
                        fold<T>(blocks_.begin(block), blocks_.end(block), combine_, value_));
        }

        /// Once all have been folded: what comes before each.
        void add_up(T initial) {
                for (std::size_t block = 0; block + 1 < parts_.size(); ++block) {
                        auto next = static_cast<T>(combine_(T(initial), std::move(*parts_[block])));
                        *parts_[block] = std::exchange(initial, std::move(next));
                }
                parts_.back().emplace(std::move(initial));
        }

        [[gnu::noinline]] void store_one(std::size_t block) {
                T sum = std::move(*parts_[block]);
                const auto last = blocks_.end(block);
                for (auto i = blocks_.begin(block); i != last; ++i) {
                        if (scan_ == Scan::Inclusive) {
                                sum = static_cast<T>(combine_(std::move(sum), value_(i)));
                                store_(i, std::as_const(sum));
                        } else {
                                // First, since it may be stored where the value is.
                                auto next = static_cast<T>(combine_(T(sum), value_(i)));
                                store_(i, std::as_const(sum));
                                sum = std::move(next);
                        }
                }
                *parts_[block] = std::move(sum);
        }

        /// Once all have been stored: what all come to.
        [[nodiscard]] T result() { return std::move(*parts_.back()); }

private:
        const Blocks<Index>& blocks_;
        const Scan scan_;
        Combine& combine_;
        Value& value_;
        Store& store_;
        std::vector<std::optional<T>> parts_;
};

}  // namespace pool
}  // namespace threadcount
