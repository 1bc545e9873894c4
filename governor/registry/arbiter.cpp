// SPDX-License-Identifier: MIT
// One decision after the other.
#include "registry/arbiter.hpp"

#include "policy/fair/shares.hpp"

#include <algorithm>
#include <utility>

namespace governor::registry {

namespace fair = policy::fair;

namespace {

/// One program may ask in the name of as many users as there are.
constexpr std::size_t kMostRooms = 256;

/// Nobody was told to shrink, so that nobody can be late.
void follow_at_once(policy::fair::Snapshot& snapshot) {
        for (auto& client : snapshot.clients) {
                client.in_use.clear();
                client.above_since.reset();
                client.lingers_since.reset();
                client.burning = std::min(client.burning, client.granted.count());
        }
}

}  // namespace

Arbiter::Arbiter(const policy::fair::Settings& settings, Mode mode, Programs programs,
                 policy::Machine machine, Decide decider)
        : settings_(settings), mode_(mode), programs_(std::move(programs)),
          machine_(std::move(machine)), decide_(std::move(decider)) {
        programs_.follow(settings);
}

void Arbiter::configure(const policy::fair::Settings& settings, Mode mode,
                        std::vector<policy::fair::Rule> rules) {
        settings_ = settings;
        mode_ = mode;
        programs_.set_rules(std::move(rules));
        programs_.follow(settings);
}

void Arbiter::suspended(bool suspended, std::uint32_t by, TimePoint now) {
        Event event;
        event.at = now;
        event.kind = suspended ? EventKind::Suspended : EventKind::Restored;
        event.by = by;
        programs_.history().add(event);
}

void Arbiter::set_machine(policy::Machine machine) {
        if (!cpus_before_)
                cpus_before_ = machine_.pool().count();
        machine_ = std::move(machine);
}

void Arbiter::sampled(const policy::Sample& sample, std::uint32_t yielding_millicpu,
                      evidence::Ungoverned ungoverned, bool ticks_guess, TimePoint now) {
        programs_.sampled(sample, now);
        auto burns = programs_.burns(now);
        programs_.add_load(ungoverned.owners);
        if (yielding_millicpu > 0)
                burns.push_back({policy::cpus_of(sample), yielding_millicpu});
        foreign_.attribute(sample, burns, ungoverned, machine_.pool());
        if (ticks_guess)
                foreign_.limit(sample, burns);
        else
                foreign_.no_limit();
}

void Arbiter::sampled_without_look(const policy::Sample& sample, TimePoint now) {
        programs_.sampled(sample, now);
        (void)programs_.burns(now);  // takes note of the time
}

bool Arbiter::ticked(const policy::Sample& sample, std::uint32_t yielding_millicpu, TimePoint now) {
        auto burns = programs_.ticked_burns(now);
        if (yielding_millicpu > 0)
                burns.push_back({policy::cpus_of(sample), yielding_millicpu});
        return !programs_.are_returning(now) && foreign_.add(sample, burns, machine_.pool(), now);
}

/// A program that has come back to a restarted governor is held to its earlier CPUs for a moment
/// only.
std::vector<std::uint32_t> Arbiter::undivided(fair::Snapshot& snapshot) const {
        for (auto& client : snapshot.clients)
                client.resumed.reset();
        return fair::undivided_shares(settings_, snapshot);
}

Arbiter::Shares Arbiter::undivided_by_id(fair::Snapshot snapshot) const {
        const auto counts = undivided(snapshot);
        Shares shares;
        for (std::size_t i = 0; i < counts.size(); i++)
                shares[snapshot.clients[i].id] = counts[i];
        return shares;
}

std::uint32_t Arbiter::share(const Program& program, TimePoint now) const {
        if (program.is_ignored())
                return std::max(machine_.pool().count(), 1U);
        if (!shares_.contains(program.id()))
                shares_ = undivided_by_id(snapshot(now));
        return std::max(shares_[program.id()], 1U);
}

std::uint32_t Arbiter::share_of_tree(ProgramId tree, TimePoint now) const {
        const auto [known, is_new] = tree_shares_.try_emplace(tree);
        if (!is_new)
                return known->second;
        auto told = snapshot(now);
        std::vector<ProgramId> programs;
        for (auto& client : told.clients) {
                const auto* program = programs_.find(client.id);
                if (program->tree() != tree)
                        continue;
                programs.push_back(client.id);
                client.wants.reset();
                client.idle = client.light = false;
        }
        auto shares = undivided_by_id(std::move(told));
        std::uint32_t sum = 0;
        for (const auto id : programs)
                sum += shares[id];
        return known->second = std::max(sum, 1U);
}

const Room& Arbiter::room(const Account& account, TimePoint now) const {
        const auto known = rooms_.find(account);
        if (known != rooms_.end())
                return known->second;
        if (rooms_.size() >= kMostRooms)
                rooms_.clear();
        return rooms_[account] = new_room(account, now);
}

Room Arbiter::new_room(const Account& account, TimePoint now) const {
        auto told = snapshot(now);
        auto& newcomer = told.clients.emplace_back();
        newcomer.account = account_id(account);
        newcomer.joined = now;
        newcomer.allowed = machine_.pool();
        const auto counts = undivided(told);
        Room room;
        room.cpus = counts.back();
        std::map<std::size_t, std::size_t> trees;  // to their parts
        for (std::size_t i = 0; i + 1 < counts.size(); i++) {
                const auto& client = told.clients[i];
                if (client.account != newcomer.account ||
                    !client.allowed.intersects(machine_.pool()))
                        continue;
                const auto next = room.parts.size();
                const auto part =
                        client.tree ? trees.try_emplace(*client.tree, next).first->second : next;
                if (part == next)
                        room.parts.push_back(
                                client.tree ? Room::Part{0, 0, told.trees[*client.tree].min,
                                                         told.trees[*client.tree].weight}
                                            : Room::Part{0, 0, client.min, client.weight});
                room.parts[part].cpus += counts[i];
                room.parts[part].guaranteed += client.guaranteed > 1 ? client.guaranteed : 0;
                room.cpus += counts[i];
        }
        return room;
}

/// The CPUs that are free when a program comes may be enough for one thread only, and the program
/// would keep that number for life.
void Arbiter::start_with_shares(const fair::Snapshot& snapshot) {
        for (const auto& grant : last_.grants) {
                auto* program = programs_.find(grant.id);
                if (program == nullptr || !program->needs_its_number())
                        continue;
                if (shares_.empty())
                        shares_ = undivided_by_id(snapshot);
                program->start_with(std::max(shares_[grant.id], grant.threads));
        }
}

std::vector<ProgramId> Arbiter::decide(TimePoint now) {
        rooms_.clear();
        shares_.clear();
        tree_shares_.clear();
        if (cpus_before_) {
                Event event;
                event.at = now;
                event.kind = EventKind::MachineChanged;
                event.from = *cpus_before_;
                event.to = machine_.pool().count();
                programs_.history().add(event);
                cpus_before_.reset();
        }
        programs_.arrange_gangs(now);
        // Programs that are not back yet burn CPU time, which is no foreign load. Foreign load is
        // measured anew when all are back.
        if (programs_.are_returning(now))
                foreign_ = {};
        auto snapshot = this->snapshot(now);
        if (mode_ == Mode::Observe)
                follow_at_once(snapshot);
        last_ = decide_(settings_, snapshot);
        start_with_shares(snapshot);
        return programs_.apply(last_, now);
}

}  // namespace governor::registry
