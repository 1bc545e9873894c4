// SPDX-License-Identifier: MIT
//
// Orders that people have given for one program, by hand and for as long as its lease lasts. Pure.
#pragma once

#include "policy/fair/rules.hpp"

#include <cstdint>
#include <optional>

namespace governor::registry {

/// The rank of the user that orders.
enum class Authority : std::uint8_t {
        Owner,          ///< the program's user, which may not go beyond rules
        Administrator,  ///< may, and its orders take the place of the owner's
};

/// An empty member leaves things as they are.
struct Order {
        std::optional<std::uint32_t> max;     ///< 0..65536; 0: none by order any more
        std::optional<std::uint32_t> weight;  ///< 0..10000; 0: likewise
        std::optional<policy::fair::Class> scheduling_class;
        std::optional<bool> paused;  ///< held at one thread

        [[nodiscard]] bool empty() const { return *this == Order{}; }
        friend bool operator==(const Order&, const Order&) = default;
};

/// The reason for refusing an owner's order: the administrator or a rule has decided about this.
enum class Denied : std::uint8_t { None, Max, Weight, Class, Resume };

class Orders {
public:
        /// The orders of an authority that are in force: no zeros, and `paused` is true or empty.
        struct Standing {
                Order order;
                std::uint32_t uid = 0;  ///< the user that gave the last of them
        };
        struct Outcome {
                Denied denied = Denied::None;
                bool changed = false;
        };
        /// All of it or, where it is denied, nothing. `rule`: what applies to the program.
        Outcome take(const Order& order, Authority by, std::uint32_t uid,
                     const policy::fair::Rule& rule);

        [[nodiscard]] const Standing& owner() const { return owner_; }
        [[nodiscard]] const Standing& administrator() const { return administrator_; }
        [[nodiscard]] bool paused() const {
                return owner_.order.paused || administrator_.order.paused;
        }

        /// The owner's maximum, and its pause; 0: none.
        [[nodiscard]] std::uint32_t owners_max() const;
        /// The administrator's maximum and pause, else the rule's; 0: none.
        [[nodiscard]] std::uint32_t highest(const policy::fair::Rule& rule) const;
        /// The most that the owner may order: the administrator's maximum, else the rule's. Empty:
        /// none.
        [[nodiscard]] std::optional<std::uint32_t> permitted(const policy::fair::Rule& rule) const {
                const auto& above = administrator_.order.max;
                return above ? above : rule.max;
        }
        /// The administrator's, else the rule's, else the owner's, else what the program asked for.
        [[nodiscard]] std::uint32_t weight(const policy::fair::Rule& rule,
                                           std::uint32_t asked) const;
        [[nodiscard]] policy::fair::Class scheduling_class(const policy::fair::Rule& rule,
                                                           policy::fair::Class asked) const;

private:
        [[nodiscard]] Denied denied(const Order& order, const policy::fair::Rule& rule) const;

        Standing owner_;
        Standing administrator_;
};

/// The smaller of two maxima of which 0 is none.
[[nodiscard]] std::uint32_t stricter(std::uint32_t a, std::uint32_t b);

}  // namespace governor::registry
