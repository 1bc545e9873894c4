// SPDX-License-Identifier: MIT
//
// The timer that is due next.
#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace threadcount::pool {

/// The first of `due` + n * `period_ns`, n >= 1, that is later than `now`.
[[nodiscard]] constexpr std::int64_t next_due(std::int64_t due, std::int64_t period_ns,
                                              std::int64_t now) {
        const auto missed = now > due ? (now - due) / period_ns : 0;
        const auto last_missed = due + missed * period_ns;
        return last_missed <= std::numeric_limits<std::int64_t>::max() - period_ns
                       ? last_missed + period_ns
                       : std::numeric_limits<std::int64_t>::max();
}

/// A binary heap. A node knows where it is, so that it is taken out in O(log n) steps. Times are
/// any that can be compared. Not thread-safe.
template <class Node>
class TimerHeap {
public:
        [[nodiscard]] bool empty() const { return items_.empty(); }
        [[nodiscard]] std::size_t size() const { return items_.size(); }

        // Not of an empty one.
        [[nodiscard]] std::int64_t earliest_due() const { return items_.front().due; }
        [[nodiscard]] Node& earliest() const { return *items_.front().node; }

        [[nodiscard]] static bool has(const Node& node) {
                return node.heap_index_ != Node::kNowhere;
        }

        /// A node that is in no heap. Throws std::bad_alloc, and nothing has happened.
        void push(std::int64_t due, Node& node) {
                assert(!has(node));
                items_.push_back({due, &node});
                rise(items_.size() - 1, {due, &node});
        }

        /// A node that is in this heap.
        void remove(Node& node) {
                const auto at = node.heap_index_;
                assert(at < items_.size() && items_[at].node == &node);
                node.heap_index_ = Node::kNowhere;
                const auto last = items_.back();
                items_.pop_back();
                if (at < items_.size())
                        put(at, last);
        }

        /// A node that is in this heap is due at `due` instead.
        void move(Node& node, std::int64_t due) { put(node.heap_index_, {due, &node}); }
        /// The earliest one is due at `due` instead.
        void postpone(std::int64_t due) { sink(0, {due, items_.front().node}); }

private:
        struct Item {
                std::int64_t due;
                Node* node;
        };

        static std::size_t above(std::size_t at) { return (at - 1) / 2; }

        void place(std::size_t at, const Item& item) {
                items_[at] = item;
                item.node->heap_index_ = at;
        }
        void put(std::size_t at, const Item& item) {
                if (at > 0 && item.due < items_[above(at)].due)
                        rise(at, item);
                else
                        sink(at, item);
        }
        void rise(std::size_t at, const Item& item) {
                for (; at > 0 && item.due < items_[above(at)].due; at = above(at))
                        place(at, items_[above(at)]);
                place(at, item);
        }
        void sink(std::size_t at, const Item& item) {
                for (;;) {
                        auto below = 2 * at + 1;
                        if (below + 1 < items_.size() && items_[below + 1].due < items_[below].due)
                                below++;
                        if (below >= items_.size() || items_[below].due >= item.due)
                                break;
                        place(at, items_[below]);
                        at = below;
                }
                place(at, item);
        }

        std::vector<Item> items_;
};

}  // namespace threadcount::pool
