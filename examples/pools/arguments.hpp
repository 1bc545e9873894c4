// SPDX-License-Identifier: MIT
//
// A command line as a table: each option has a place for its value and says what is accepted.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace examples {

/// Fill it, then parse(). What is stored must outlive it, and names and words are literals.
class Arguments {
public:
        void flag(std::string_view name, bool& given);
        /// A whole number from `min` to `max`, perhaps with K, M or G behind it (powers of 1024).
        void number(std::string_view name, std::uint64_t& value, std::uint64_t min,
                    std::uint64_t max);
        /// One of `accepted`; any text if that is empty.
        void word(std::string_view name, std::string& value,
                  std::vector<std::string_view> accepted = {});

        /// `arguments` without the program's name: "-t 5", "-t5", "--name value" or
        /// "--name=value", the last one counts. What is wrong, in one line without newline, or
        /// nothing. Values of earlier arguments are stored even then.
        [[nodiscard]] std::string parse(std::span<char* const> arguments) const;

private:
        struct Option {
                std::string_view name;
                bool* flag = nullptr;
                std::uint64_t* number = nullptr;
                std::uint64_t min = 0;
                std::uint64_t max = 0;
                std::string* word = nullptr;
                std::vector<std::string_view> accepted = {};
        };
        struct Match {
                const Option* option = nullptr;
                std::optional<std::string_view> value = {};  ///< what is in the same argument
        };

        [[nodiscard]] Match match(std::string_view argument) const;
        [[nodiscard]] std::string unknown_text(std::string_view argument) const;
        [[nodiscard]] static std::string range_text(const Option& option);
        [[nodiscard]] static bool store(const Option& option, std::string_view value);

        std::vector<Option> options_;
};

}  // namespace examples
