// SPDX-License-Identifier: MIT
//
// The ways to add up the terms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace examples::pi {

/// Holds its pool: what is measured is sum().
class Variant {
public:
        virtual ~Variant() = default;
        /// Of the terms 0 .. terms - 1. Not MT-Safe.
        [[nodiscard]] virtual double sum(std::uint64_t terms) = 0;
};

struct VariantKind {
        std::string_view name;
        std::string_view what;
        /// Throws std::system_error if there can be no more threads. Our pool takes one for each
        /// CPU at most.
        std::unique_ptr<Variant> (*make)(std::size_t workers);
};

[[nodiscard]] std::span<const VariantKind> variants();

}  // namespace examples::pi
