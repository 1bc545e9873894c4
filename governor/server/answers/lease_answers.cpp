// SPDX-License-Identifier: MIT
// One function per kind of request.
#include "server/answers/lease_answers.hpp"

#include "server/answers/order_answers.hpp"
#include "server/answers/program_message.hpp"
#include "server/answers/refuse.hpp"
#include "server/journal/explain.hpp"
#include "server/journal/printable.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace governor::server {

namespace {

constexpr std::size_t kLongestLabel = 63;
constexpr std::size_t kLongestActs = 200;
// Keeps a reply below a message's limit.
constexpr std::size_t kPage = 32'768;  // bytes; no client is begun above it

using policy::fair::ProgramId;

/// The error is a Reply.
tl::expected<registry::Request, v1::Reply> request_of(const v1::Wishes& wishes) {
        if (wishes.min() > kMostThreads)
                return tl::unexpected(above("Wishes.min", wishes.min(), kMostThreads));
        if (wishes.max() > kMostThreads)
                return tl::unexpected(above("Wishes.max", wishes.max(), kMostThreads));
        if (wishes.weight() > kMostWeight)
                return tl::unexpected(above("Wishes.weight", wishes.weight(), kMostWeight));
        if (!v1::Class_IsValid(wishes.scheduling_class()))
                return tl::unexpected(out_of_range(
                        "Wishes.scheduling_class",
                        static_cast<std::uint32_t>(wishes.scheduling_class()), kClasses));
        registry::Request request;
        request.min = std::max(wishes.min(), 1U);
        request.max = wishes.max();
        if (wishes.weight() > 0)
                request.weight = wishes.weight();
        request.scheduling_class = wishes.scheduling_class() == v1::BATCH
                                           ? policy::fair::Class::Batch
                                           : policy::fair::Class::Interactive;
        return request;
}

policy::CpuMask mask_of(const std::string& bits) {
        policy::CpuMask cpus;
        const auto bytes = std::min<std::size_t>(bits.size(), policy::kCpuNumberLimit / 8);
        for (std::size_t i = 0; i < bytes * 8; i++)
                if ((static_cast<unsigned char>(bits[i / 8]) >> (i % 8) & 1U) != 0)
                        cpus.add(static_cast<std::uint32_t>(i));
        return cpus;
}

v1::Reply refusal(Governor::Refusal why) {
        switch (why) {
        case Governor::Refusal::NotGoverning:
                return refuse(v1::Error::NOT_GOVERNING,
                              "there are no leases under the policy in force", "query");
        case Governor::Refusal::NotKnown:
                return refuse(v1::Error::NOT_KNOWN,
                              "the process that connected has ended, runs as another user by now, "
                              "or cannot be seen from here");
        case Governor::Refusal::TooMany:
                return refuse(v1::Error::TOO_MANY,
                              "there is no room for one more lease of this user");
        case Governor::Refusal::TooManyOfAccount:
                return refuse(v1::Error::TOO_MANY, "this user holds as many leases as one may");
        case Governor::Refusal::NoRoom:
                return refuse(v1::Error::TOO_MANY, "this user holds as many connections and leases "
                                                   "as may be, to leave room for others");
        case Governor::Refusal::System:
                break;
        }
        return refuse(v1::Error::TOO_MANY, "the governor is out of memory or descriptors");
}

Answer hello(const v1::Hello& hello, const Peer& peer, Governor& governor) {
        auto request = request_of(hello.wishes());
        if (!request)
                return request.error().SerializeAsString();
        request->start_only = hello.start_only();
        request->can_wait = hello.can_wait() && !hello.start_only();
        request->yields = hello.yields();
        request->keeps = hello.keeps();
        request->sleeps = hello.sleeps();
        const auto label = known_label(hello.label());
        const auto job = printable_text(hello.job(), kLongestLabel);
        const auto joined = governor.join(peer, {label, *request, mask_of(hello.holds()),
                                                 mask_of(hello.affinity()), job, hello.tree()});
        if (!joined)
                return refusal(joined.error()).SerializeAsString();
        const auto& place = joined->place;
        v1::Reply reply;
        reply.mutable_welcome()->set_slot(place.slot);
        reply.mutable_welcome()->set_fresh(joined->is_fresh);
        Answer answer = reply.SerializeAsString();
        answer.descriptors = {place.arena->grants_fd(), place.arena->reports_fd()};
        return answer;
}

v1::Reply done_if(bool had_lease) {
        if (!had_lease)
                return refuse(v1::Error::NO_LEASE, "this connection holds no lease");
        v1::Reply reply;
        reply.mutable_done();
        return reply;
}

v1::Reply update(const v1::Update& update, const Peer& peer, Governor& governor) {
        const auto request = request_of(update.wishes());
        if (!request)
                return request.error();
        const bool has_others = !update.acts().empty() || update.has_yields() || update.keeps();
        bool has_lease = true;
        if (!update.acts().empty())
                has_lease = governor.set_acts(peer, printable_text(update.acts(), kLongestActs));
        if (update.has_yields())
                has_lease = has_lease && governor.set_yields(peer, update.yields());
        if (update.has_wishes() || !has_others)
                has_lease = has_lease && governor.request(peer, *request);
        if (update.keeps())
                has_lease = has_lease && governor.set_keeps(peer, update.sleeps());
        return done_if(has_lease);
}

v1::Reply clients(const v1::ClientsRequest& request, const Peer& peer, Governor& governor) {
        v1::Reply reply;
        auto& page = *reply.mutable_clients();
        const auto& all = governor.programs();
        for (const auto* program = all.next(ProgramId{request.after()}); program != nullptr;
             program = all.next(program->id())) {
                if (page.ByteSizeLong() > kPage) {
                        page.set_more(true);
                        break;
                }
                fill(*page.add_client(), *program, peer, governor);
        }
        return reply;
}

void fill(google::protobuf::RepeatedPtrField<v1::RegionTime>& out, const Lease& lease) {
        for (const auto& time : lease.place.arena->region_times(lease.place.slot)) {
                auto& added = *out.Add();
                added.set_team_from(time.team_from);
                added.set_team_to(time.team_to);
                added.set_count(time.count);
                added.set_mean_ns(time.mean_ns);
        }
}

std::string tree_of(const registry::Program& program, const registry::Programs& programs) {
        std::size_t members = 0;
        programs.for_each([&](const registry::Program& other) {
                members += other.tree() == program.tree() ? 1 : 0;
        });
        const auto number = std::to_string(members) + (members == 1 ? " program" : " programs");
        if (program.holds_tree())
                return "it and all that it started" +
                       (members > 1 ? " (" + number + " with a lease)" : "") +
                       " share as one program of its user" +
                       (program.yields() ? ", and yield while they wait for their turn" : "");
        return "it is in a tree of " + number + ", which shares as one program of its user" +
               (program.yields() ? ", and yields while it waits for its turn" : "");
}

v1::Reply explain(const v1::ExplainRequest& request, const Peer& peer, Governor& governor) {
        const auto found = visible(request.pid(), peer, governor);
        if (!found)
                return found.error();
        const auto& program = **found;
        v1::Reply reply;
        auto& out = *reply.mutable_explanation();
        fill(*out.mutable_client(), program, peer, governor);
        const auto now = governor.now();
        if (program.identity().pid != request.pid())
                out.add_step("process " + std::to_string(request.pid()) + " is in the tree of " +
                             std::to_string(program.identity().pid) + " (" +
                             printable_text(program.identity().label) + ")");
        if (governor.cycle().is_paused())
                out.add_step(
                        "governing is paused: it is left alone, and this is what it would have");
        else if (governor.cycle().arbiter().mode() == registry::Mode::Observe)
                out.add_step("the governor only observes: it is left alone, and this is what it "
                             "would have");
        if (program.tree() != ProgramId{})
                out.add_step(tree_of(program, governor.programs()));
        for (auto& step : steps(program, governor.cycle().arbiter().turns(program, now)))
                out.add_step(std::move(step));
        for (auto& event : sentences(program.recent(), now))
                out.add_event(std::move(event));
        if (const auto* lease = governor.lease(program.id()))
                fill(*out.mutable_region_time(), *lease);
        return reply;
}

void fill(v1::Event& out, const registry::Event& event, std::uint64_t number, const Peer& peer,
          TimePoint now) {
        out.set_number(number);
        const auto age = now - event.at;
        out.set_age_ms(static_cast<std::uint64_t>(
                std::chrono::duration_cast<std::chrono::milliseconds>(age).count()));
        const bool is_hidden = !peer.account.is_root() && peer.account.uid != event.uid;
        out.set_text(is_hidden && event.kind == registry::EventKind::Ordered
                             ? "was given other limits"
                             : what_happened(event));
        out.set_id(static_cast<std::uint64_t>(event.id));
        out.set_uid(event.uid);
        out.set_from(event.from);
        out.set_to(event.to);
        if (is_hidden)
                return;
        out.set_pid(event.pid);
        out.set_label(printable_text(event.label.data()));
}

v1::Reply events(const v1::EventsRequest& request, const Peer& peer, Governor& governor) {
        v1::Reply reply;
        auto& page = *reply.mutable_events();
        const auto& history = governor.programs().history();
        page.set_next(history.end_number());
        if (request.from_now())
                return reply;
        for (const auto& [number, event] : history.from(request.first())) {
                if (page.ByteSizeLong() > kPage) {
                        page.set_next(number);
                        break;
                }
                fill(*page.add_event(), event, number, peer, governor.now());
        }
        return reply;
}

}  // namespace

std::optional<Answer> answer_about_leases(const v1::Request& request, const Peer& peer,
                                          Governor& governor) {
        switch (request.kind_case()) {
        case v1::Request::kHello:
                return hello(request.hello(), peer, governor);
        case v1::Request::kUpdate:
                return update(request.update(), peer, governor).SerializeAsString();
        case v1::Request::kBye:
                return done_if(governor.leave(peer)).SerializeAsString();
        case v1::Request::kClients:
                return clients(request.clients(), peer, governor).SerializeAsString();
        case v1::Request::kExplain:
                return explain(request.explain(), peer, governor).SerializeAsString();
        case v1::Request::kEvents:
                return events(request.events(), peer, governor).SerializeAsString();
        default:
                break;
        }
        const auto ordered = answer_order(request, peer, governor);
        return ordered ? std::optional<Answer>(ordered->SerializeAsString()) : std::nullopt;
}

std::string known_label(const std::string& said) { return printable_text(said, kLongestLabel); }

}  // namespace governor::server
