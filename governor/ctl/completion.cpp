// SPDX-License-Identifier: MIT
// Completions, read from the verbs and options that the parser has.
#include "completion.hpp"

#include "verbs/ask.hpp"
#include "verbs/client_list.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

namespace ctl {

namespace {

/// The place of the last word.
struct Place {
        const CLI::App* verb = nullptr;         ///< or the whole program, before there is one
        const CLI::Option* awaiting = nullptr;  ///< the last word is its value
        bool are_options_over = false;
        std::optional<std::size_t> program;  ///< which word is the program that `run` starts
        std::string socket;                  ///< as --socket says; empty: where others look
};

/// As shells but bash give the option and its value.
constexpr std::string_view kSocketIs = "--socket=";

bool is_option(const std::string& word) { return word.size() > 1 && word.front() == '-'; }

/// The option that takes the next word as its value.
const CLI::Option* option_with_value(const CLI::App& app, const CLI::App& verb,
                                     const std::string& word) {
        const auto* option = verb.get_option_no_throw(word);
        if (option == nullptr)
                option = app.get_option_no_throw(word);
        return option != nullptr && option->get_items_expected_max() > 0 ? option : nullptr;
}

const CLI::App* verb_called(const CLI::App& app, const std::string& name) {
        for (const auto* verb : shown_verbs(app))
                if (verb->get_name() == name)
                        return verb;
        return nullptr;
}

/// Reads all words but the last; none: the last one cannot be made sense of.
std::optional<Place> place_of_last(const CLI::App& app, const std::vector<std::string>& words) {
        Place place;
        place.verb = &app;
        for (std::size_t i = 0; i + 1 < words.size(); i++) {
                const auto& word = words[i];
                if (place.awaiting != nullptr) {
                        if (word == "=")  // bash takes --max=3 for three words
                                continue;
                        if (place.awaiting->check_name("--socket"))
                                place.socket = word;
                        place.awaiting = nullptr;
                } else if (!place.are_options_over && word == "--") {
                        place.are_options_over = true;
                } else if (!place.are_options_over && is_option(word)) {
                        if (word.starts_with(kSocketIs))
                                place.socket = word.substr(kSocketIs.size());
                        place.awaiting = option_with_value(app, *place.verb, word);
                } else if (place.verb == &app) {
                        place.verb = verb_called(app, word);
                        if (place.verb == nullptr)
                                return {};
                } else if (place.verb->get_positionals_at_end()) {
                        place.program = i;
                        return place;
                }
        }
        return place;
}

using Offers = std::map<std::string, std::string>;  ///< a word, and what it is

void offer_verbs(Offers& offers, const CLI::App& app) {
        for (const auto* verb : shown_verbs(app))
                offers.emplace(verb->get_name(), verb->get_description());
}

void offer_options(Offers& offers, const CLI::App& app) {
        for (const auto* option : app.get_options()) {
                for (const auto& name : option->get_lnames())
                        offers.emplace("--" + name, option->get_description());
                for (const auto& name : option->get_snames())
                        offers.emplace("-" + name, option->get_description());
        }
}

/// "CLASS:{interactive,batch}"
void offer_values(Offers& offers, const CLI::Option& option) {
        const auto type = option.get_type_name();
        const auto from = type.find('{');
        const auto to = type.find('}', from);
        if (from == std::string::npos || to == std::string::npos)
                return;
        for (const auto& value : CLI::detail::split(type.substr(from + 1, to - from - 1), ','))
                offers.emplace(value, option.get_description());
}

void offer_processes(Offers& offers, const std::string& socket) {
        auto connection = Connection::open_at_once(addresses(socket));
        if (!connection)
                return;
        const auto clients = verbs::all_clients(*connection);
        if (!clients)
                return;
        for (const auto& client : clients->client())
                if (client.pid() != 0)
                        offers.emplace(std::to_string(client.pid()),
                                       verbs::name_of(client) + ", of " +
                                               verbs::user_name(client.uid()));
}

Offers offers_at(const CLI::App& app, const Place& place, const std::string& last) {
        const auto positionals = place.verb->get_options(
                [](const CLI::Option* option) { return option->get_positional(); });
        Offers offers;
        if (place.awaiting != nullptr) {
                offer_values(offers, *place.awaiting);
        } else if (!place.are_options_over && (is_option(last) || last == "-" ||
                                               (place.verb != &app && positionals.empty()))) {
                offer_options(offers, *place.verb);
                if (place.verb != &app)
                        offer_options(offers, app);
        } else if (place.verb == &app) {
                offer_verbs(offers, app);
        } else if (!positionals.empty()) {
                offer_processes(offers, place.socket);
        }
        return offers;
}

/// On one line. The dots of "1 .. 6" end no sentence.
std::string first_sentence(std::string text) {
        std::ranges::replace(text, '\n', ' ');
        auto end = text.find(". ");
        while (end != std::string::npos && end > 0 && text[end - 1] == '.')
                end = text.find(". ", end + 1);
        text.resize(std::min(end, text.size()));
        return text;
}

/// Those that begin with `beginning`.
std::string as_lines(const Offers& offers, std::string_view beginning) {
        std::string text;
        for (const auto& [word, what] : offers)
                if (word.starts_with(beginning))
                        text += word + "\t" + first_sentence(what) + "\n";
        return text;
}

}  // namespace

std::vector<const CLI::App*> shown_verbs(const CLI::App& app) {
        return app.get_subcommands([](const CLI::App* verb) { return !verb->get_group().empty(); });
}

ExitCode print_completions(const CLI::App& app, std::vector<std::string> words) {
        if (words.empty())
                words.emplace_back();
        const auto place = place_of_last(app, words);
        if (!place)
                return kOk;
        auto last = words.back();
        if (place->awaiting != nullptr && last == "=")
                last.clear();
        if (place->program)
                return verbs::print(":program " + std::to_string(words.size() - *place->program) +
                                    "\n");
        if (place->awaiting == nullptr && place->verb->get_positionals_at_end() &&
            (place->are_options_over || !last.starts_with('-')))
                return verbs::print(":program 1\n");
        if (place->awaiting != nullptr && place->awaiting->get_type_name().starts_with("PATH"))
                return verbs::print(":file\n");
        return verbs::print(as_lines(offers_at(app, *place, last), last));
}

}  // namespace ctl
