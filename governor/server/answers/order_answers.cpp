// SPDX-License-Identifier: MIT
// Who may order what.
#include "server/answers/order_answers.hpp"

#include "server/answers/program_message.hpp"
#include "server/answers/refuse.hpp"

#include <string>
#include <tl/expected.hpp>
#include <unistd.h>

namespace governor::server {

namespace {

using registry::Authority;
using registry::Denied;
using registry::Order;

/// A user that may end this daemon may as well administer it.
Authority authority_of(const Peer& peer) {
        return peer.account.is_root() || peer.account.uid == ::geteuid() ? Authority::Administrator
                                                                         : Authority::Owner;
}

/// The error is a Reply.
tl::expected<Order, v1::Reply> order_of(const v1::SetClient& set) {
        if (set.max() > kMostThreads)
                return tl::unexpected(above("SetClient.max", set.max(), kMostThreads));
        if (set.weight() > kMostWeight)
                return tl::unexpected(above("SetClient.weight", set.weight(), kMostWeight));
        if (!v1::Class_IsValid(set.scheduling_class()))
                return tl::unexpected(
                        out_of_range("SetClient.scheduling_class",
                                     static_cast<std::uint32_t>(set.scheduling_class()), kClasses));
        Order order;
        if (set.has_max())
                order.max = set.max();
        if (set.has_weight())
                order.weight = set.weight();
        if (set.has_scheduling_class())
                order.scheduling_class = set.scheduling_class() == v1::BATCH
                                                 ? policy::fair::Class::Batch
                                                 : policy::fair::Class::Interactive;
        if (order.empty())
                return tl::unexpected(refuse(v1::Error::OUT_OF_RANGE, "SetClient sets nothing",
                                             "max, weight, scheduling_class"));
        return order;
}

v1::Reply denied(Denied why, const registry::Program& program) {
        const auto process = std::to_string(program.identity().pid);
        switch (why) {
        case Denied::Max:
                return refuse(v1::Error::NOT_PERMITTED,
                              "a rule or the administrator permits process " + process +
                                      " at most " +
                                      std::to_string(program.permitted_max().value_or(0)));
        case Denied::Weight:
                return refuse(v1::Error::NOT_PERMITTED,
                              "a rule or the administrator has set the weight of process " +
                                      process);
        case Denied::Class:
                return refuse(v1::Error::NOT_PERMITTED,
                              "a rule or the administrator has set the class of process " +
                                      process);
        case Denied::Resume:
        case Denied::None:
                break;
        }
        return refuse(v1::Error::NOT_PERMITTED, "the administrator has paused process " + process +
                                                        ": only the administrator may resume it");
}

v1::Reply order(std::uint32_t pid, const Order& order, const Peer& peer, Governor& governor) {
        const auto found = visible(pid, peer, governor);
        if (!found)
                return found.error();
        const auto& program = **found;
        const auto outcome = governor.order(program.id(), order, authority_of(peer),
                                            peer.account.uid.value_or(0));
        if (outcome.denied != Denied::None)
                return denied(outcome.denied, program);
        v1::Reply reply;
        fill(*reply.mutable_client(), program, peer, governor);
        return reply;
}

v1::Reply set(const v1::SetClient& set, const Peer& peer, Governor& governor) {
        const auto wanted = order_of(set);
        return wanted ? order(set.pid(), *wanted, peer, governor) : wanted.error();
}

v1::Reply pause_all(bool paused, const Peer& peer, Governor& governor) {
        if (authority_of(peer) != Authority::Administrator)
                return refuse(v1::Error::NOT_PERMITTED,
                              "only root and the user that the governor runs as may pause it");
        if (!governor.pause(paused, peer.account.uid.value_or(0)))
                return refuse(v1::Error::NOT_GOVERNING,
                              "nobody is governed under the policy in force");
        v1::Reply reply;
        reply.mutable_done();
        return reply;
}

/// The answer to Pause and Resume.
template <class Message>
v1::Reply pause(const Message& message, bool paused, const Peer& peer, Governor& governor) {
        if (!message.has_pid())
                return pause_all(paused, peer, governor);
        Order wanted;
        wanted.paused = paused;
        return order(message.pid(), wanted, peer, governor);
}

}  // namespace

std::optional<v1::Reply> answer_order(const v1::Request& request, const Peer& peer,
                                      Governor& governor) {
        if (request.has_set())
                return set(request.set(), peer, governor);
        if (request.has_pause())
                return pause(request.pause(), true, peer, governor);
        if (request.has_resume())
                return pause(request.resume(), false, peer, governor);
        return std::nullopt;
}

}  // namespace governor::server
