// SPDX-License-Identifier: MIT
// The properties that hold whatever programs do, checked on thousands of made-up lives.
#include "registry/arbiter.hpp"
#include "registry/made_up_programs.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <random>

namespace governor::registry {
namespace {

using namespace std::chrono_literals;
using policy::CpuMask;

constexpr std::uint32_t kCpus = 24;
constexpr std::uint32_t kAccounts = 4;
constexpr LeaseLimits kLimits{20, 8};

class AnyLife : public ::testing::Test {
protected:
        void start(unsigned seed) {
                random_.seed(seed);
                programs_ = Programs(kLimits, {});
                now_ = kStart;
                ids_.clear();
        }

        std::uint32_t below(std::uint32_t limit) {
                return static_cast<std::uint32_t>(random_() % limit);
        }
        CpuMask some_cpus() {
                const auto first = below(kCpus);
                return CpuMask::range(first, 1 + below(kCpus - first));
        }
        ProgramId somebody() {
                return ids_.empty() || below(20) == 0
                               ? ProgramId{below(1000)}
                               : ids_[below(static_cast<std::uint32_t>(ids_.size()))];
        }
        Confinement somewhere() {
                auto where = within(some_cpus());
                where.niced = below(4) == 0;
                for (auto depth = below(4); depth > 0; depth--)
                        where.groups.push_back(
                                {std::string(1, static_cast<char>('a' + below(5))),
                                 below(2) == 0 ? std::nullopt : std::optional(1 + below(kCpus))});
                return where;
        }

        void join() {
                Request request;
                request.max = below(3) == 0 ? below(kCpus) : 0;
                request.start_only = below(4) == 0;
                const auto uid = below(kAccounts);
                const auto joined = programs_.join(program_of(uid), request, somewhere(), now_);
                if (!joined.refusal)
                        ids_.push_back(joined.id);
                else
                        EXPECT_GT(leases_of(uid), 0U) << "its first lease was refused";
        }
        [[nodiscard]] std::size_t leases_of(std::uint32_t uid) const {
                return static_cast<std::size_t>(
                        std::ranges::count_if(ids_, [&](const ProgramId id) {
                                return programs_.find(id)->identity().uid == uid;
                        }));
        }
        void leave() {
                const auto id = somebody();
                programs_.leave(id, std::nullopt, now_);
                std::erase(ids_, id);
        }
        void sample() {
                for (const auto id : ids_) {
                        auto cpu_time = std::chrono::nanoseconds{random_() % 100'000'000'000};
                        if (below(10) == 0)
                                cpu_time = -cpu_time;
                        programs_.find(id)->measured(cpu_time, below(10) == 0, now_);
                }
                policy::Sample sample;
                sample.warming_up = below(2) == 0;
                for (std::uint32_t cpu = 0; cpu < kCpus; cpu++)
                        sample.cpus.push_back({cpu, below(10'001)});
                programs_.sampled(sample, now_);
                for (const auto& burn : programs_.burns(now_))
                        EXPECT_LE(burn.millicpu, kCpus * 1000) << "more than there is";
        }
        /// Decides also what no policy should decide.
        void decide() {
                policy::fair::Decision decision;
                for (const auto id : ids_)
                        if (below(3) != 0) {
                                decision.grants.push_back(grant_of(id, some_cpus()));
                                decision.grants.back().shared = below(8) == 0;
                        }
                (void)programs_.apply(decision, now_);
        }

        void step() {
                now_ += std::chrono::milliseconds{below(700)};
                switch (below(8)) {
                case 0:
                        return join();
                case 1:
                        return leave();
                case 2:
                        if (auto* program = programs_.find(somebody()))
                                program->confine(somewhere(), now_);
                        return;
                case 3:
                        return sample();
                case 4:
                case 5:
                        return decide();
                default:
                        if (auto* program = programs_.find(somebody()))
                                (void)program->report({below(3) == 0 ? random_() : below(6),
                                                       below(40), below(3) != 0},
                                                      now_);
                }
        }

        void check(const policy::fair::Client& client) const {
                EXPECT_TRUE(!client.max || client.min <= *client.max);
                EXPECT_GE(client.min, 1U);
                EXPECT_LE(client.burning, kCpus);
                EXPECT_TRUE(!client.idle || client.wants == 1U);
                EXPECT_TRUE(!client.above_since || *client.above_since <= now_);
                EXPECT_TRUE(client.in_use.is_within(client.granted) || client.above_since);
        }

        void check() const {
                const auto snapshot = programs_.snapshot(machine_, foreign_, now_);
                EXPECT_EQ(snapshot.clients.size(), ids_.size());
                EXPECT_LE(ids_.size(), kLimits.leases + kAccounts);
                std::map<std::uint64_t, std::size_t> leases;
                for (std::size_t i = 0; i < snapshot.clients.size(); i++) {
                        const auto& client = snapshot.clients[i];
                        EXPECT_EQ(client.id, ids_[i]) << "in the order in which they joined";
                        EXPECT_TRUE(!client.cgroup || *client.cgroup < snapshot.cgroups.size());
                        leases[static_cast<std::uint64_t>(client.account)]++;
                        check(client);
                }
                for (const auto& [uid, count] : leases)
                        EXPECT_TRUE(uid == 0 || count <= kLimits.per_account);
                for (std::size_t i = 0; i < snapshot.cgroups.size(); i++)
                        EXPECT_LT(snapshot.cgroups[i].parent.value_or(0), i + 1);
                EXPECT_LE(programs_.history().size(), 1024U);
        }

        std::mt19937_64 random_;
        policy::Machine machine_ = machine_of(kCpus);
        policy::fair::Foreign foreign_;
        Programs programs_{kLimits, {}};
        TimePoint now_;
        std::vector<ProgramId> ids_;
};

TEST_F(AnyLife, KeepsToTheRules) {
        for (unsigned seed = 1; seed <= 200 && !HasFailure(); seed++) {
                SCOPED_TRACE("seed " + std::to_string(seed));
                start(seed);
                for (int i = 0; i < 200 && !HasFailure(); i++) {
                        step();
                        check();
                }
        }
}

}  // namespace
}  // namespace governor::registry
