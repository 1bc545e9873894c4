// SPDX-License-Identifier: MIT
// Program by program.
#include "registry/programs.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace governor::registry {

namespace fair = policy::fair;

namespace {

/// CPU time that a program could have had: of a CPU that was idle, or busy with what yields to it.
/// Niced programs are not known to yield to one that is niced itself. A CPU whose idle time is not
/// known counts as idle.
std::uint32_t idle_on(const policy::Sample& sample, const policy::CpuMask& cpus, bool is_niced) {
        if (sample.warming_up)
                return std::numeric_limits<std::uint32_t>::max() / 2;
        std::uint32_t permyriad = 0;
        for (const auto& cpu : sample.cpus)
                if (cpus.contains(cpu.cpu))
                        permyriad += std::min(policy::kPermyriad,
                                              cpu.idle_permyriad.value_or(policy::kPermyriad) +
                                                      (is_niced ? 0 : cpu.nice_permyriad));
        return permyriad / 10;
}

/// CPU time that others could have had of what these burned, at most all of it.
std::uint32_t yielded_on(const std::vector<const Program*>& yielding, const policy::CpuMask& cpus) {
        std::uint32_t millicpu = 0;
        for (const auto* program : yielding)
                millicpu += std::min(program->yielding_millicpu(),
                                     program->where().cpus.count_common(cpus) * 1000);
        return millicpu;
}

}  // namespace

Programs::Programs(const LeaseLimits& limits, std::vector<fair::Rule> rules)
        : limits_(limits), rules_(std::move(rules)) {}

Program* Programs::find(ProgramId id) {
        const auto found = programs_.find(id);
        return found != programs_.end() ? found->second.get() : nullptr;
}

const Program* Programs::find(ProgramId id) const {
        const auto found = programs_.find(id);
        return found != programs_.end() ? found->second.get() : nullptr;
}

/// nullptr: the program is in no tree.
const Program* Programs::holder_of(const Program& program) const {
        return trees_ > 0 ? find(program.tree()) : nullptr;
}

const Program* Programs::next(ProgramId id) const {
        const auto found = programs_.upper_bound(id);
        return found != programs_.end() ? found->second.get() : nullptr;
}

std::optional<Refusal> Programs::refusal(const Account& account) const {
        const auto found = leases_.find(account);
        if (found == leases_.end())
                return std::nullopt;
        const auto held = found->second;
        const auto free = limits_.leases - std::min(limits_.leases, programs_.size());
        if (account.is_root())
                return free > 0 ? std::nullopt : std::optional(Refusal::TooMany);
        if (held >= limits_.per_account)
                return Refusal::TooManyOfAccount;
        return held + 2 <= free ? std::nullopt : std::optional(Refusal::TooMany);
}

Programs::Joined Programs::join(const Identity& identity, const Request& request,
                                const Confinement& where, TimePoint now) {
        if (const auto refused = refusal(identity.account)) {
                around_->history.add(event_of(identity, EventKind::Refused, now));
                return {refused, {}};
        }
        const auto id = ProgramId{++last_id_};
        auto known = identity;
        if (known.wants_tree && known.tree == ProgramId{})
                known.tree = id;
        if (auto* holder = find(known.tree); holder != nullptr && known.cpu_time)
                holder->hand_over(*known.cpu_time);
        trees_ += known.tree == id ? 1 : 0;
        programs_.append(
                id, std::make_unique<Program>(id, known, request, where, rules_, *around_, now));
        leases_[identity.account]++;
        return {std::nullopt, id};
}

void Programs::set_rules(std::vector<fair::Rule> rules) {
        rules_ = std::move(rules);
        for (auto& [id, program] : programs_)
                program->follow(rules_);
}

void Programs::follow(const fair::Settings& settings) {
        around_->gangs.set_quantum(settings.turn_quantum);
}

void Programs::resume(ProgramId id, const policy::CpuMask& cpus, const Settling& settling,
                      TimePoint now) {
        auto* program = find(id);
        if (cpus.empty() || program == nullptr || program->is_ignored() ||
            program->held() != nullptr)
                return;
        auto left = cpus & program->where().cpus;
        for (const auto& [other, holder] : programs_)
                if (const auto* held = holder->held(); held != nullptr && held->is_own())
                        left -= held->grant.cpus;
        program->resume(left, settling.own, now);
        settled_ = std::max(settled_, settling.all);
}

void Programs::leave(ProgramId id, std::optional<std::chrono::nanoseconds> cpu_time,
                     TimePoint now) {
        auto* program = find(id);
        if (program == nullptr)
                return;
        const auto account = program->identity().account;
        departed_at_tick_.add(program->leave_ticks(cpu_time, now));
        auto departed = program->leave(cpu_time, now);
        auto used = std::chrono::nanoseconds{0};
        for (const auto& span : departed.spans)
                used += span.used;
        departed_.add(std::move(departed));
        auto& short_lived = short_lived_[account];
        short_lived.add(now - program->joined(), used, now);
        if (short_lived.empty())
                short_lived_.erase(account);
        if (--leases_[account] == 0)
                leases_.erase(account);
        if (program->holds_tree())
                end_tree(id);
        programs_.erase(id);
}

bool Programs::move(ProgramId id, ProgramId tree) {
        auto* program = find(id);
        const auto* holder = find(tree);
        if (program == nullptr || holder == nullptr || !holder->holds_tree() ||
            program->tree() == tree)
                return false;
        if (program->holds_tree())
                end_tree(id);
        program->join_tree(tree);
        return true;
}

void Programs::end_tree(ProgramId holder) {
        trees_--;
        for (auto& [id, program] : programs_)
                if (program->tree() == holder)
                        program->leave_tree();
}

void Programs::arrange_gangs(TimePoint now) {
        for (auto& [id, program] : programs_) {
                const auto* holder = holder_of(*program);
                const bool yields = holder != nullptr && holder->has_yielding_tree();
                program->yield_with(yields ? holder : nullptr, now);
        }
}

void Programs::sampled(const policy::Sample& sample, TimePoint now) {
        std::map<const Cgroups::Entry*, std::uint64_t> burn_millicpu;
        for (const auto& [id, program] : programs_)
                for (const auto* group : program->groups())
                        if (group->quota)
                                burn_millicpu[group] += program->usage()
                                                                ? program->usage()->burn_millicpu
                                                                : program->yielding_millicpu();
        // A program whose quota is used up cannot burn more, however idle the CPUs are.
        const auto is_throttled = [&](const Program& program) {
                return std::ranges::any_of(program.groups(), [&](const Cgroups::Entry* group) {
                        return group->quota && burn_millicpu[group] >= *group->quota * 900ULL;
                });
        };
        std::vector<const Program*> yielding;
        for (const auto& [id, program] : programs_)
                if (program->yielding_millicpu() > 0)
                        yielding.push_back(program.get());
        std::optional<policy::CpuMask> last;  // most programs may run on the same CPUs
        bool is_last_niced = false;
        std::uint32_t idle_millicpu = 0;
        for (auto& [id, program] : programs_) {
                program->update(now);
                if (!program->usage())
                        continue;
                const auto& cpus = program->can_run_on();
                const auto is_niced = program->where().niced;
                if (!last || *last != cpus || is_last_niced != is_niced) {
                        last = cpus;
                        is_last_niced = is_niced;
                        idle_millicpu =
                                idle_on(sample, cpus, is_niced) + yielded_on(yielding, cpus);
                }
                program->sampled(is_throttled(*program) ? 0 : idle_millicpu, now);
        }
}

std::vector<evidence::Burn> Programs::burns_over(evidence::SampleTimes& times,
                                                 evidence::Departed& departed,
                                                 MillicpuSince millicpu_since, TimePoint now) {
        times.add(now);
        const auto start = times.window_start();
        std::vector<evidence::Burn> burns;
        burns.reserve(programs_.size());
        for (const auto& [id, program] : programs_)
                if (const auto millicpu = ((*program).*millicpu_since)(start); millicpu > 0)
                        burns.push_back({program->where().cpus, millicpu, program->where().niced,
                                         program->load_of(millicpu)});
        departed.collect(start, now, burns);
        return burns;
}

std::vector<evidence::Burn> Programs::burns(TimePoint now) {
        for (auto& [account, programs] : short_lived_)
                programs.update(now);
        std::erase_if(short_lived_, [](const auto& of) { return of.second.empty(); });
        return burns_over(around_->samples, departed_, &Program::burned_millicpu_since, now);
}

void Programs::add_load(std::vector<evidence::Ungoverned::Owner>& owners) const {
        using Owner = evidence::Ungoverned::Owner;
        const auto start = around_->samples.window_start();
        for (const auto& [id, program] : programs_) {
                const auto load = program->load_of(program->burned_millicpu_since(start));
                if (load == 0)
                        continue;
                const auto account = account_id(program->identity().account);
                auto known = std::ranges::find(owners, account, &Owner::account);
                if (known == owners.end())
                        known = owners.insert(known, {account});
                known->millicpu += load;
        }
}

std::vector<evidence::Burn> Programs::ticked_burns(TimePoint now) {
        return burns_over(around_->ticks, departed_at_tick_, &Program::ticked_millicpu_since, now);
}

/// No account's more than an equal part of the pool, and half of that beside its own programs that
/// live longer and have something to do: its programs, too, have to share.
std::vector<fair::Kept> Programs::kept(const fair::Snapshot& snapshot) const {
        std::vector<fair::Kept> kept;
        if (short_lived_.empty())
                return kept;
        auto accounts = leases_.size();
        for (const auto& [account, programs] : short_lived_)
                accounts += leases_.contains(account) ? 0 : 1;
        std::set<fair::AccountId> with_others;
        for (const auto& client : snapshot.clients)
                if (!client.idle && !client.light &&
                    snapshot.now - client.joined >= numbers::kShortLife)
                        with_others.insert(client.account);
        const auto equal = static_cast<std::uint32_t>(snapshot.machine.pool().count() / accounts);
        for (const auto& [account, programs] : short_lived_) {
                const auto id = account_id(account);
                const auto cpus =
                        std::min(programs.cpus(), with_others.contains(id) ? equal / 2 : equal);
                if (cpus > 0)
                        kept.push_back({id, cpus});
        }
        return kept;
}

/// Sorted: the trees in which programs besides the holder hold leases.
std::vector<ProgramId> Programs::trees_with_members() const {
        std::vector<ProgramId> trees;
        for (const auto& [id, program] : programs_)
                if (program->tree() != ProgramId{} && !program->holds_tree())
                        trees.push_back(program->tree());
        std::ranges::sort(trees);
        return trees;
}

fair::Snapshot Programs::snapshot(const policy::Machine& machine, const fair::Foreign& foreign,
                                  TimePoint now) const {
        fair::Snapshot snapshot{now, machine, foreign, {}, {}, {}};
        snapshot.clients.reserve(programs_.size());
        CgroupIndex cgroups;
        std::map<GangId, std::size_t> gangs;  // to their numbers in the snapshot
        std::map<ProgramId, std::size_t> trees;
        const auto have_members = trees_with_members();
        for (const auto& [id, program] : programs_) {
                if (program->is_ignored())
                        continue;
                auto& client = snapshot.clients.emplace_back(program->client(machine.pool()));
                // Nobody would see for seconds that a new holder does nothing by itself. One that
                // takes turns is told when it waits, so that it makes its tree yield.
                if (program->holds_tree() && !program->takes_turns() && program->burns_little() &&
                    !program->has_begun() && std::ranges::binary_search(have_members, id)) {
                        client.idle = true;
                        client.wants = 1;
                }
                client.cgroup = cgroups.add(program->groups());
                // A program of a tree that keeps its team leaves its CPUs to the tree's next one.
                const auto* holder = holder_of(*program);
                const auto short_lived = short_lived_.find(program->identity().account);
                client.in_stream = short_lived != short_lived_.end() &&
                                   short_lived->second.is_stream() &&
                                   (!client.team || holder == nullptr);
                if (holder != nullptr) {
                        const auto [tree, is_new] = trees.try_emplace(holder->id(), trees.size());
                        if (is_new)
                                snapshot.trees.push_back(holder->as_tree());
                        client.tree = tree->second;
                }
                if (!program->takes_turns())
                        continue;
                const auto [entry, is_new] = gangs.try_emplace(program->gang(), gangs.size());
                if (is_new)
                        snapshot.gangs.push_back(around_->gangs.show(program->gang(), now));
                client.gang = entry->second;
                program->add_turns(client, snapshot.gangs[entry->second], is_new, now);
        }
        snapshot.cgroups = cgroups.take();
        snapshot.kept = kept(snapshot);
        return snapshot;
}

std::vector<ProgramId> Programs::apply(const fair::Decision& decision, TimePoint now) {
        std::vector<ProgramId> changed;
        auto at = programs_.begin();
        for (const auto& grant : decision.grants)
                if (programs_.is_at(at, grant.id) && (at++)->second->apply(grant, now))
                        changed.push_back(grant.id);
        note_turns(decision, now);
        return changed;
}

/// A program that is idle or light does not wait: it has what it needs.
void Programs::note_turns(const fair::Decision& decision, TimePoint now) {
        std::map<GangId, evidence::Gangs::Decided> decided;
        for (std::size_t i = 0; i < decision.turns.size(); i++)
                decided[decision.turns[i]] = {true, decision.paces[i]};
        auto at = programs_.begin();
        for (const auto& grant : decision.grants) {
                if (!programs_.is_at(at, grant.id))
                        continue;
                const auto* program = (at++)->second.get();
                if (!program->takes_turns())
                        continue;
                auto& gang = decided[program->gang()];
                gang.wants_to_run = gang.wants_to_run || (grant.reason.limit != fair::Limit::Idle &&
                                                          grant.reason.limit != fair::Limit::Light);
                gang.is_parked = gang.is_parked || grant.parked;
                gang.cpus += grant.parked ? 0 : std::max(program->own_cpus(), 1U);
        }
        around_->gangs.decided(decided, now);
        around_->gangs.take_rounds(decision.rounds, now);
}

std::optional<Programs::Turns> Programs::turns(const Program& program, TimePoint now) const {
        if (!program.may_be_parked())
                return std::nullopt;
        const auto members = std::ranges::count_if(programs_, [&](const auto& other) {
                return other.second->gang() == program.gang() && other.second->may_be_parked();
        });
        const auto served = around_->gangs.served(program.gang(), now).time;
        return Turns{static_cast<std::size_t>(members), served, program.progress().said(),
                     program.progress().remaining(served)};
}

}  // namespace governor::registry
