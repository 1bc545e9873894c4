// SPDX-License-Identifier: MIT
// Two layers, with rules between them.
#include "registry/orders.hpp"

#include <algorithm>

namespace governor::registry {

namespace {

using policy::fair::Class;
using policy::fair::Rule;

/// `none`: takes back what stands.
template <class Value>
void put(std::optional<Value>& stands, const std::optional<Value>& ordered, Value none) {
        if (ordered)
                stands = *ordered == none ? std::nullopt : ordered;
}

void put(Order& stands, const Order& order) {
        put(stands.max, order.max, 0U);
        put(stands.weight, order.weight, 0U);
        put(stands.paused, order.paused, false);
        if (order.scheduling_class)
                stands.scheduling_class = order.scheduling_class;
}

void drop_what_is_in(const Order& order, Order& stands) {
        if (order.max)
                stands.max.reset();
        if (order.weight)
                stands.weight.reset();
        if (order.paused)
                stands.paused.reset();
        if (order.scheduling_class)
                stands.scheduling_class.reset();
}

template <class Value>
Value first_of(const std::optional<Value>& a, const std::optional<Value>& b,
               const std::optional<Value>& c, Value otherwise) {
        return a ? *a : b ? *b : c.value_or(otherwise);
}

}  // namespace

Orders::Outcome Orders::take(const Order& order, Authority by, std::uint32_t uid,
                             const Rule& rule) {
        if (by == Authority::Owner)
                if (const auto why = denied(order, rule); why != Denied::None)
                        return {why, false};
        const auto before = std::pair(owner_.order, administrator_.order);
        auto& standing = by == Authority::Owner ? owner_ : administrator_;
        put(standing.order, order);
        standing.uid = uid;
        if (by == Authority::Administrator)
                drop_what_is_in(order, owner_.order);
        return {Denied::None, before != std::pair(owner_.order, administrator_.order)};
}

Denied Orders::denied(const Order& order, const Rule& rule) const {
        const auto& above = administrator_.order;
        const auto most = permitted(rule);
        if (order.max && most && *order.max > *most)
                return Denied::Max;
        if (order.weight.value_or(0) > 0 && (above.weight || rule.weight))
                return Denied::Weight;
        if (order.scheduling_class && (above.scheduling_class || rule.scheduling_class))
                return Denied::Class;
        if (order.paused == false && above.paused)
                return Denied::Resume;
        return Denied::None;
}

std::uint32_t Orders::owners_max() const {
        return owner_.order.paused ? 1 : owner_.order.max.value_or(0);
}

std::uint32_t Orders::highest(const Rule& rule) const {
        const auto& above = administrator_.order;
        return above.paused ? 1 : above.max ? *above.max : rule.max.value_or(0);
}

std::uint32_t Orders::weight(const Rule& rule, std::uint32_t asked) const {
        return first_of(administrator_.order.weight, rule.weight, owner_.order.weight, asked);
}

Class Orders::scheduling_class(const Rule& rule, Class asked) const {
        return first_of(administrator_.order.scheduling_class, rule.scheduling_class,
                        owner_.order.scheduling_class, asked);
}

std::uint32_t stricter(std::uint32_t a, std::uint32_t b) {
        return a == 0 || b == 0 ? std::max(a, b) : std::min(a, b);
}

}  // namespace governor::registry
