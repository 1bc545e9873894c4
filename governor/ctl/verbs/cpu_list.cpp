// SPDX-License-Identifier: MIT
// Pages put together.
#include "verbs/cpu_list.hpp"

#include "verbs/ask.hpp"

namespace ctl::verbs {

namespace {

using governor::v1::Cpus;
using governor::v1::Reply;
using governor::v1::Request;

template <class Value>
nlohmann::ordered_json known(bool is_known, const Value& value) {
        return is_known ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

}  // namespace

tl::expected<Cpus, Failure> all_cpus(Connection& connection) {
        Cpus all;
        Request first;
        first.mutable_cpus();
        const auto asked = ask_pages(connection, first, Reply::kCpus,
                                     [&](const Reply& reply, Request& request) {
                                             all.mutable_cpu()->MergeFrom(reply.cpus().cpu());
                                             request.mutable_cpus()->set_first(reply.cpus().next());
                                             return reply.cpus().has_next();
                                     });
        if (!asked)
                return tl::unexpected(asked.error());
        return all;
}

nlohmann::ordered_json cpus_json(const Cpus& cpus) {
        auto list = nlohmann::ordered_json::array();
        for (const auto& cpu : cpus.cpu())
                list.push_back(
                        {{"cpu", cpu.cpu()},
                         {"idle_permyriad", known(cpu.has_idle_permyriad(), cpu.idle_permyriad())},
                         {"available", cpu.available()},
                         {"core", known(cpu.has_core(), cpu.core())},
                         {"package", known(cpu.has_package(), cpu.package())},
                         {"node", known(cpu.has_node(), cpu.node())},
                         {"holder", known(cpu.holder_size() > 0, cpu.holder())},
                         {"governed", cpu.governed()}});
        return list;
}

}  // namespace ctl::verbs
