// SPDX-License-Identifier: MIT
// governorctl set, pause and resume: orders about one program, or about governing as a whole.
#include "verbs/ask.hpp"
#include "verbs/client_json.hpp"
#include "verbs/verbs.hpp"

namespace ctl::verbs {

namespace {

using governor::v1::Client;
using governor::v1::Reply;
using governor::v1::Request;

std::string name_of_process(const Client& client) {
        return "process " + std::to_string(client.pid()) + " (" + client.label() + "): ";
}

std::string in_force(const Client& client) {
        return name_of_process(client) + "max " +
               (client.max() > 0 ? std::to_string(client.max()) : "none") + ", weight " +
               std::to_string(client.weight()) + ", class " +
               (client.scheduling_class() == governor::v1::BATCH ? "batch" : "interactive") +
               (client.paused() ? ", paused" : "") + "\n";
}

std::string is_paused(const Client& client) {
        const auto pid = std::to_string(client.pid());
        return name_of_process(client) +
               (client.paused() ? "paused: one thread until governorctl "
                                  "resume " +
                                          pid
                                : "resumed") +
               "\n";
}

/// About one program: `say` puts it into words.
ExitCode order(const Common& common, const Request& request, std::string (*say)(const Client&)) {
        auto connection = Connection::open(addresses(common.socket));
        if (!connection)
                return complain(connection.error());
        const auto reply = connection->call(request, Reply::kClient);
        if (!reply)
                return complain(reply.error());
        note_if_left_alone(*connection, "this acts once it governs");
        const auto& client = reply->client();
        return print(common.json ? client_json(client).dump() + "\n" : say(client));
}

/// A governor that observes governs nobody after a pause, either.
std::string in_words(bool paused, bool observes) {
        if (paused)
                return observes ? "governing is paused until governorctl resume --all; programs "
                                  "are left alone then too, since the governor only observes\n"
                                : "governing is paused: programs are left alone until governorctl "
                                  "resume --all\n";
        return observes ? "governing is no longer paused; programs are left alone all the same, "
                          "since the governor only observes\n"
                        : "governing goes on\n";
}

ExitCode order_all(const Common& common, const Request& request) {
        auto connection = Connection::open(addresses(common.socket));
        if (!connection)
                return complain(connection.error());
        if (const auto reply = connection->call(request, Reply::kDone); !reply)
                return complain(reply.error());
        const bool paused = request.has_pause();
        if (common.json)
                return print(nlohmann::ordered_json{{"paused", paused}}.dump() + "\n");
        Request question;
        question.mutable_status();
        const auto state = connection->call(question, Reply::kStatus);
        return print(in_words(paused, state && state->status().mode() == "observe"));
}

}  // namespace

ExitCode set(const Common& common, const SetOptions& options) {
        if (!options.max && !options.weight && options.scheduling_class.empty())
                return complain({kUsage, "set what? accepted: --max, --weight, --class"});
        Request request;
        auto& wanted = *request.mutable_set();
        wanted.set_pid(options.pid);
        if (options.max)
                wanted.set_max(*options.max);
        if (options.weight)
                wanted.set_weight(*options.weight);
        if (!options.scheduling_class.empty())
                wanted.set_scheduling_class(options.scheduling_class == "batch"
                                                    ? governor::v1::BATCH
                                                    : governor::v1::INTERACTIVE);
        return order(common, request, in_force);
}

ExitCode pause(const Common& common, std::optional<std::uint32_t> pid) {
        Request request;
        auto& wanted = *request.mutable_pause();
        if (!pid)
                return order_all(common, request);
        wanted.set_pid(*pid);
        return order(common, request, is_paused);
}

ExitCode resume(const Common& common, std::optional<std::uint32_t> pid) {
        Request request;
        auto& wanted = *request.mutable_resume();
        if (!pid)
                return order_all(common, request);
        wanted.set_pid(*pid);
        return order(common, request, is_paused);
}

}  // namespace ctl::verbs
