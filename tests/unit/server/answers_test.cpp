// SPDX-License-Identifier: MIT
// Request in, reply out.
#include "server/answers/answers.hpp"

#include "config/keys.hpp"
#include "registry/holders.hpp"

#include <governor/v1/frame.h>
#include <gtest/gtest.h>
#include <string>

namespace governor::server {
namespace {

using std::chrono::milliseconds;

class Answers : public ::testing::Test {
protected:
        Answers() {
                sample_.warming_up = false;
                for (std::uint32_t cpu = 0; cpu < 8; cpu++)
                        sample_.cpus.push_back({cpu, cpu < 3 ? 9000U : 100U});
        }
        [[nodiscard]] v1::Reply ask(const v1::Request& request, Reach reach = Reach::Local) const {
                return answer(request,
                              View{settings_, settings_.pool, sample_, topology_, clients_,
                                   counters_, milliseconds{65'432}, milliseconds{warm_in_}, false,
                                   error_, std::nullopt, fair_share_, adapts_},
                              reach);
        }
        [[nodiscard]] v1::Reply query(std::uint32_t current, std::uint32_t max) const {
                auto request = of_protocol();
                request.mutable_query()->set_current(current);
                request.mutable_query()->set_max(max);
                return ask(request);
        }
        [[nodiscard]] v1::Cpus cpus(std::uint32_t first) const {
                auto request = of_protocol();
                request.mutable_cpus()->set_first(first);
                return ask(request).cpus();
        }
        /// A program that was granted `cpus`; its id. Programs that came before keep what they
        /// have.
        std::uint64_t join(const policy::CpuSet& cpus,
                           policy::fair::Limit limit = policy::fair::Limit::FairShare) {
                const auto now = policy::TimePoint{} + std::chrono::seconds{1};
                registry::Identity identity;
                identity.account.uid = 0;
                const auto joined = clients_.join(identity, {}, {}, now);
                policy::fair::Grant grant;
                grant.id = joined.id;
                grant.threads = static_cast<std::uint32_t>(cpus.size());
                grant.cpus = policy::CpuMask(cpus);
                grant.reason.limit = limit;
                decision_.grants.push_back(std::move(grant));
                clients_.apply(decision_, now);
                return static_cast<std::uint64_t>(joined.id);
        }
        static v1::Request of_protocol(std::uint32_t protocol = 1) {
                v1::Request request;
                request.set_protocol(protocol);
                return request;
        }

        config::Settings settings_;
        policy::Sample sample_;
        probe::Topology topology_;
        registry::Programs clients_{registry::LeaseLimits{}, {}};
        policy::fair::Decision decision_;
        Counters counters_;
        int warm_in_ = 0;
        std::string error_;
        std::optional<registry::FairShare> fair_share_;
        bool adapts_ = false;
};

void expect_error(const v1::Reply& reply, v1::Error::Code code, const std::string& message,
                  const std::string& accepted) {
        ASSERT_EQ(reply.kind_case(), v1::Reply::kError);
        EXPECT_EQ(reply.error().code(), code);
        EXPECT_EQ(reply.error().message(), message);
        EXPECT_EQ(reply.error().accepted(), accepted);
}

TEST_F(Answers, AdviseTheFreeCpusWithTheirArithmetic) {
        const auto reply = query(2, 0);
        ASSERT_EQ(reply.kind_case(), v1::Reply::kAdvice);
        EXPECT_EQ(reply.advice().threads(), 5U);
        EXPECT_EQ(reply.advice().free(), 3U);
        EXPECT_EQ(reply.advice().total(), 8U);
        EXPECT_EQ(reply.advice().reason(), v1::Advice::FREE_CPUS);
        EXPECT_EQ(reply.advice().explanation(), "2 in use + 3 of 8 cpus idle >= 5% -> 5");
        EXPECT_EQ(reply.advice().warm_in_ms(), 0U);
}

TEST_F(Answers, GiveEachReasonItsName) {
        EXPECT_EQ(query(0, 2).advice().reason(), v1::Advice::OWN_MAX);
        EXPECT_EQ(query(7, 0).advice().reason(), v1::Advice::ALL_CPUS);
        settings_.threshold.threshold_permyriad = 10000;
        EXPECT_EQ(query(1, 0).advice().reason(), v1::Advice::NO_FREE_CPU);
        sample_.warming_up = true;
        EXPECT_EQ(query(1, 0).advice().reason(), v1::Advice::WARMING_UP);
}

TEST_F(Answers, AdviseNoMoreThanAFairShareAndSayBesideWhom) {
        fair_share_ = {{1000}, 2, 3, 4};
        EXPECT_EQ(query(0, 0).advice().threads(), 2U);
        EXPECT_EQ(query(0, 0).advice().reason(), v1::Advice::FAIR_SHARE);
        EXPECT_EQ(query(0, 0).advice().explanation(),
                  "0 in use + 3 of 8 cpus idle >= 5%, at most its share of 2 -> 2 (beside 3 with a "
                  "lease and 4 just advised, of its user)");
        EXPECT_EQ(query(0, 1).advice().reason(), v1::Advice::OWN_MAX);
}

TEST_F(Answers, OfALargeMachineFitIntoAnExplanation) {
        sample_.cpus.clear();
        for (std::uint32_t cpu = 0; cpu < policy::kCpuNumberLimit; cpu++)
                sample_.cpus.push_back({cpu, 10'000});
        settings_.threshold.threshold_permyriad = 9999;
        fair_share_ = {
                {1000}, 8191, registry::LeaseLimits{}.leases, registry::Promises::kMostOfAccount};
        const auto advice = query(8190, 0).advice();
        EXPECT_EQ(advice.reason(), v1::Advice::FAIR_SHARE);
        EXPECT_LE(advice.explanation().size(), 160U) << advice.explanation();
}

TEST_F(Answers, SayWhenToAskAgainWhileWarmingUp) {
        sample_.warming_up = true;
        warm_in_ = 370;
        EXPECT_EQ(query(3, 0).advice().warm_in_ms(), 370U);
        EXPECT_EQ(query(3, 0).advice().threads(), 3U);
}

TEST_F(Answers, TellWhoAsksWhetherThereAreLeasesForIt) {
        auto request = of_protocol();
        request.mutable_query();
        EXPECT_TRUE(ask(request).advice().leases());
        EXPECT_FALSE(ask(request, Reach::Network).advice().leases());
        settings_.policy = config::PolicyName::Threshold;
        EXPECT_FALSE(ask(request).advice().leases());
}

TEST_F(Answers, TellWhoAsksWhetherARuleLetsItsTeamsFollow) {
        EXPECT_FALSE(query(0, 0).advice().adapts());
        adapts_ = true;
        EXPECT_TRUE(query(0, 0).advice().adapts());
}

TEST_F(Answers, CountOnlyTheCpusThatAreDistributed) {
        settings_.pool.cpus = policy::CpuSet{1, 2, 5, 77};
        const auto advice = query(0, 0).advice();
        EXPECT_EQ(advice.total(), 3U);
        EXPECT_EQ(advice.free(), 2U);
}

TEST_F(Answers, NameTheFieldThatIsOutOfRange) {
        EXPECT_EQ(query(65536, 65536).kind_case(), v1::Reply::kAdvice);
        expect_error(query(65537, 0), v1::Error::OUT_OF_RANGE, "Query.current is 65537",
                     "0 .. 65536");
        expect_error(query(0, UINT32_MAX), v1::Error::OUT_OF_RANGE, "Query.max is 4294967295",
                     "0 .. 65536");
}

TEST_F(Answers, RefuseAnotherProtocolWhateverIsAsked) {
        for (const auto protocol : {0U, 2U, UINT32_MAX}) {
                auto request = of_protocol(protocol);
                request.mutable_status();
                expect_error(ask(request), v1::Error::UNSUPPORTED_PROTOCOL,
                             "protocol is " + std::to_string(protocol), "1");
        }
        expect_error(ask({}), v1::Error::UNSUPPORTED_PROTOCOL, "protocol is 0", "1");
}

TEST_F(Answers, TellLocalUsersWhatIsWrongWithTheFiles) {
        auto status = of_protocol();
        status.mutable_status();
        auto config = of_protocol();
        config.mutable_config();
        EXPECT_EQ(ask(status).status().configuration_error(), "");
        error_ = "/etc/g.conf:2: `\x1b = " + std::string(10'000, 'x') + "`";
        const auto told = ask(status).status().configuration_error();
        EXPECT_TRUE(told.starts_with("/etc/g.conf:2: `\\x1b = xxx")) << told;
        EXPECT_EQ(told.size(), 512U);
        EXPECT_EQ(ask(config).config().configuration_error(), told);
        EXPECT_EQ(ask(status, Reach::Network).status().configuration_error(), "");
}

TEST_F(Answers, RefuseARequestOfNoKnownKind) {
        expect_error(ask(of_protocol()), v1::Error::UNKNOWN_REQUEST,
                     "a request of no kind that this governor knows",
                     "query, status, cpus, config, hello, update, bye, clients, explain, events, "
                     "set, pause, resume");
}

TEST_F(Answers, TellTheStatusInNumbers) {
        settings_.threshold.threshold_permyriad = 1250;
        settings_.period = milliseconds{250};
        settings_.pool.cpus = policy::CpuSet{0, 1, 6};
        counters_ = {.connections = 4,
                     .queries = 5,
                     .bad_messages = 6,
                     .samples = 7,
                     .discarded_samples = 8,
                     .foreign = 1,
                     .decisions = 10};
        for (int i = 0; i < 9; i++)
                join({0});
        auto request = of_protocol();
        request.mutable_status();
        const auto reply = ask(request);
        ASSERT_EQ(reply.kind_case(), v1::Reply::kStatus);
        const auto& status = reply.status();
        EXPECT_EQ(status.cpus(), 3U);
        EXPECT_EQ(status.free(), 2U);
        EXPECT_EQ(status.policy(), "fair");
        EXPECT_EQ(status.mode(), "govern");
        EXPECT_EQ(status.clients(), 9U);
        EXPECT_EQ(status.foreign(), 1U);
        EXPECT_EQ(status.budget(), 2U);
        EXPECT_EQ(status.decisions(), 10U);
        EXPECT_EQ(status.threshold_permyriad(), 1250U);
        EXPECT_EQ(status.period_ms(), 250U);
        EXPECT_FALSE(status.warming_up());
        EXPECT_EQ(status.connections(), 4U);
        EXPECT_EQ(status.queries(), 5U);
        EXPECT_EQ(status.bad_messages(), 6U);
        EXPECT_EQ(status.samples(), 7U);
        EXPECT_EQ(status.discarded_samples(), 8U);
        EXPECT_EQ(status.uptime_ms(), 65'432U);
        EXPECT_FALSE(status.version().empty());
        settings_.policy = config::PolicyName::Threshold;
        settings_.is_observing = true;
        EXPECT_EQ(ask(request).status().policy(), "threshold");
        EXPECT_EQ(ask(request).status().mode(), "observe");
        sample_.warming_up = true;
        EXPECT_TRUE(ask(request).status().warming_up());
        EXPECT_EQ(ask(request).status().free(), 0U);
}

TEST_F(Answers, PageThroughAllCpusExactlyOnce) {
        sample_.cpus.clear();
        for (std::uint32_t i = 0; i < 4096; i++) {  // every other number: the largest values
                sample_.cpus.push_back({2 * i, 10000});
                topology_[2 * i] = {65535, 65535, 65535, 65535};
        }
        std::vector<std::uint32_t> seen;
        int pages = 0;
        for (std::optional<std::uint32_t> first = 0; first; pages++) {
                auto request = of_protocol();
                request.mutable_cpus()->set_first(*first);
                const auto reply = ask(request);
                EXPECT_LT(reply.ByteSizeLong(), GOVERNOR_REPLY_MAX / 2);
                EXPECT_GT(reply.cpus().cpu_size(), 0);
                EXPECT_LE(reply.cpus().cpu_size(), 1024);
                for (const auto& cpu : reply.cpus().cpu())
                        seen.push_back(cpu.cpu());
                first = reply.cpus().has_next() ? std::optional(reply.cpus().next()) : std::nullopt;
                ASSERT_LT(pages, 10);
        }
        EXPECT_EQ(pages, 4);
        ASSERT_EQ(seen.size(), 4096U);
        for (std::uint32_t i = 0; i < 4096; i++)
                EXPECT_EQ(seen[i], 2 * i);
}

TEST_F(Answers, HaveNoNextPageBehindTheLastCpu) {
        EXPECT_EQ(cpus(0).cpu_size(), 8);
        EXPECT_FALSE(cpus(0).has_next());
        EXPECT_EQ(cpus(6).cpu_size(), 2);
        EXPECT_EQ(cpus(8).cpu_size(), 0);
        EXPECT_EQ(cpus(UINT32_MAX).cpu_size(), 0);
        EXPECT_FALSE(cpus(UINT32_MAX).has_next());
        sample_.cpus.resize(0);
        for (std::uint32_t cpu = 0; cpu < 1024; cpu++)
                sample_.cpus.push_back({cpu, 0});
        EXPECT_FALSE(cpus(0).has_next());
}

TEST_F(Answers, TellWhoWasGrantedACpu) {
        const auto first = join({0, 3});
        const auto second = join({3});
        const auto alone = join({7}, policy::fair::Limit::Ungoverned);
        ASSERT_NE(first, alone);
        const auto page = cpus(0);
        ASSERT_EQ(page.cpu_size(), 8);
        const auto holders = [&](int cpu) {
                return std::vector<std::uint64_t>(page.cpu(cpu).holder().begin(),
                                                  page.cpu(cpu).holder().end());
        };
        using Ids = std::vector<std::uint64_t>;
        EXPECT_EQ(holders(0), Ids{first});
        EXPECT_EQ(holders(3), (Ids{first, second}));
        EXPECT_EQ(holders(1), Ids{});
        EXPECT_EQ(holders(7), Ids{}) << "it is not governed";
}

TEST_F(Answers, PageThroughCpusOfManyHolders) {
        sample_.cpus.clear();
        policy::CpuSet all;
        for (std::uint32_t cpu = 0; cpu < 2048; cpu++) {
                sample_.cpus.push_back({cpu, 10000});
                all.push_back(cpu);
        }
        for (std::size_t i = 0; i < registry::kMostHolders + 1; i++)
                join(all);
        std::uint32_t seen = 0;
        for (std::optional<std::uint32_t> first = 0; first;) {
                const auto page = cpus(*first);
                ASSERT_GT(page.cpu_size(), 0);
                EXPECT_LT(page.ByteSizeLong(), GOVERNOR_REPLY_MAX / 2);
                for (const auto& cpu : page.cpu()) {
                        EXPECT_EQ(cpu.cpu(), seen++);
                        EXPECT_EQ(cpu.holder_size(), static_cast<int>(registry::kMostHolders));
                }
                first = page.has_next() ? std::optional(page.next()) : std::nullopt;
        }
        EXPECT_EQ(seen, 2048U);
}

TEST_F(Answers, TellOfEachCpuWhatIsKnown) {
        settings_.pool.cpus = policy::CpuSet{0, 3};
        sample_.cpus[7].idle_permyriad.reset();
        topology_[0] = {4, 1, std::nullopt, std::nullopt};
        const auto page = cpus(0);
        ASSERT_EQ(page.cpu_size(), 8);
        EXPECT_EQ(page.cpu(0).idle_permyriad(), 9000U);
        EXPECT_TRUE(page.cpu(0).available());
        EXPECT_TRUE(page.cpu(0).governed());
        EXPECT_EQ(page.cpu(0).core(), 4U);
        EXPECT_EQ(page.cpu(0).package(), 1U);
        EXPECT_FALSE(page.cpu(0).has_node());
        EXPECT_FALSE(page.cpu(1).governed());   // not of `cpus`
        EXPECT_FALSE(page.cpu(1).available());  // idle, but not ours to give
        EXPECT_EQ(page.cpu(1).idle_permyriad(), 9000U);
        EXPECT_FALSE(page.cpu(1).has_core());
        EXPECT_TRUE(page.cpu(3).governed());
        EXPECT_FALSE(page.cpu(3).available());  // busy
        EXPECT_FALSE(page.cpu(7).has_idle_permyriad());
}

TEST_F(Answers, CallNoCpuAvailableWhileWarmingUp) {
        sample_.warming_up = true;
        const auto page = cpus(0);
        EXPECT_EQ(page.cpu_size(), 8);
        for (const auto& cpu : page.cpu())
                EXPECT_FALSE(cpu.available()) << cpu.cpu();
}

TEST_F(Answers, SumUpToTheSameNumberOfFreeCpusEverywhere) {
        auto request = of_protocol();
        request.mutable_status();
        std::uint32_t available = 0;
        const auto page = cpus(0);
        for (const auto& cpu : page.cpu())
                available += cpu.available() ? 1 : 0;
        EXPECT_EQ(available, 3U);
        EXPECT_EQ(ask(request).status().free(), available);
        EXPECT_EQ(query(0, 0).advice().free(), available);
}

TEST_F(Answers, ListEveryKeyOfTheConfigurationWithItsOrigin) {
        settings_.threshold.threshold_permyriad = 2000;
        settings_.origins["threshold"] = {"/etc/governord.conf", 3};
        auto request = of_protocol();
        request.mutable_config();
        const auto reply = ask(request);
        ASSERT_EQ(reply.kind_case(), v1::Reply::kConfig);
        const auto keys = config::keys();
        ASSERT_EQ(reply.config().setting_size(), static_cast<int>(keys.size()));
        for (std::size_t i = 0; i < keys.size(); i++) {
                const auto& setting = reply.config().setting(static_cast<int>(i));
                EXPECT_EQ(setting.key(), keys[i].name);
                EXPECT_EQ(setting.value(), keys[i].get(settings_));
                EXPECT_EQ(setting.origin(),
                          keys[i].name == "threshold" ? "/etc/governord.conf:3" : "default");
        }
}

TEST_F(Answers, ListRulesWithThoseKeysThatAreSet) {
        settings_.programs.resize(1);
        settings_.programs[0].name = "nightly";
        settings_.programs[0].label = "night*";
        settings_.programs[0].max = 4;
        settings_.origins["program nightly.max"] = {"/etc/governord.conf", 9};
        auto request = of_protocol();
        request.mutable_config();
        const auto reply = ask(request);
        ASSERT_EQ(reply.config().program_size(), 1);
        const auto& program = reply.config().program(0);
        EXPECT_EQ(program.name(), "nightly");
        ASSERT_EQ(program.setting_size(), 2);
        EXPECT_EQ(program.setting(0).key(), "label");
        EXPECT_EQ(program.setting(0).value(), "night*");
        EXPECT_EQ(program.setting(1).key(), "max");
        EXPECT_EQ(program.setting(1).value(), "4");
        EXPECT_EQ(program.setting(1).origin(), "/etc/governord.conf:9");
        EXPECT_FALSE(reply.config().has_next_program());
}

TEST_F(Answers, ListManyRulesInPagesThatFitIntoAReply) {
        settings_.programs.resize(5000);
        for (std::size_t i = 0; i < settings_.programs.size(); i++) {
                settings_.programs[i].name = std::to_string(i);
                settings_.programs[i].label = std::string(180, 'x');
        }
        v1::Config all;
        auto request = of_protocol();
        for (bool more = true; more;) {
                request.mutable_config()->set_first_program(all.next_program());
                const auto reply = ask(request);
                EXPECT_LT(reply.ByteSizeLong(), 20'000U);
                ASSERT_GT(reply.config().program_size(), 0);
                all.clear_next_program();
                all.MergeFrom(reply.config());
                more = all.has_next_program();
        }
        EXPECT_EQ(all.setting_size(), static_cast<int>(config::keys().size()));
        ASSERT_EQ(all.program_size(), 5000);
        for (int i = 0; i < all.program_size(); i++)
                EXPECT_EQ(all.program(i).name(), std::to_string(i));
        request.mutable_config()->set_first_program(5000);
        EXPECT_EQ(ask(request).config().ByteSizeLong(), 0U);
        request.mutable_config()->set_first_program(UINT32_MAX);
        EXPECT_EQ(ask(request).config().ByteSizeLong(), 0U);
}

TEST_F(Answers, DoNotGiveWhatIsReserved) {
        settings_.pool.reserve = {0, 3};
        const auto page = cpus(0);
        EXPECT_FALSE(page.cpu(0).governed());
        EXPECT_FALSE(page.cpu(0).available());
        EXPECT_TRUE(page.cpu(1).governed());
        EXPECT_EQ(query(0, 0).advice().free(), 2U);
        EXPECT_EQ(query(0, 0).advice().total(), 6U);
        auto request = of_protocol();
        request.mutable_status();
        EXPECT_EQ(ask(request).status().cpus(), 6U);
}

}  // namespace
}  // namespace governor::server
