// SPDX-License-Identifier: MIT
// governorctl run --batch of programs that nobody modified: one tree runs, the others yield.
#include "integration/run_fixture.hpp"

#include <filesystem>
#include <nlohmann/json.hpp>

namespace {

using namespace test_support;

constexpr uid_t kUser = 3110;
constexpr auto kTooLittle = "other programs leave the first one too little to make others wait";

/// User and system time of what is below `root`, in ticks. Those that have ended are left out.
std::uint64_t burnt(pid_t root) {
        std::uint64_t ticks = 0;
        for (const auto pid : descendants_of(root)) {
                const auto text = read_file("/proc/" + std::to_string(pid) + "/stat");
                std::istringstream words(text.substr(std::min(text.rfind(')'), text.size())));
                std::string word;
                for (int i = 2; i <= 13; i++)
                        words >> word;
                std::uint64_t user = 0;
                std::uint64_t system = 0;
                words >> user >> system;
                ticks += user + system;
        }
        return ticks;
}

class RunBatch : public RunTest {
protected:
        void SetUp() override {
                if (everything() < 2)
                        GTEST_SKIP() << "with one CPU nobody waits";
                let_others_in();
                std::filesystem::permissions(directory_.path(), std::filesystem::perms::all);
                ASSERT_EQ(::mkdir(runtime().c_str(), 0700), 0);
                if (::geteuid() == 0) {
                        ASSERT_EQ(::chown(runtime().c_str(), kUser, kUser), 0);
                }
        }
        [[nodiscard]] std::string runtime() const { return directory_.path("runtime"); }

        /// An ordinary user's tree that keeps all CPUs busy until there is a file of that name, or
        /// no directory any more. The processes that a killed `run` leaves run on.
        [[nodiscard]] std::unique_ptr<Process> burner(const std::string& file,
                                                      const std::string& variable = "") {
                const auto loop = "while [ -d " + runtime() + " ] && [ ! -e " +
                                  directory_.path(file) + " ]; do :; done";
                std::string script;
                for (std::uint32_t i = 0; i < everything(); i++)
                        script += "(" + loop + ") & ";
                auto words = sh(script + "wait", {"--batch", "--no-preload"});
                if (::geteuid() == 0) {
                        const auto id = std::to_string(kUser);
                        words.insert(words.begin(), {"/usr/bin/setpriv", "--reuid", id, "--regid",
                                                     id, "--clear-groups"});
                }
                std::vector<std::string> environment{"XDG_RUNTIME_DIR=" + runtime()};
                if (!variable.empty())
                        environment.push_back(variable);
                return std::make_unique<Process>(Command{words, environment, {}});
        }
        void end(const std::string& file) const { directory_.write(file, ""); }

        /// The client as `governorctl clients --json` shows it.
        [[nodiscard]] nlohmann::json shown(const Process& run) const {
                const auto text = ctl(daemon_, {"--json", "clients"}).out;
                for (const auto& client : nlohmann::json::parse(text))
                        if (client["pid"] == run.pid())
                                return client;
                return {};
        }
        [[nodiscard]] bool becomes_parked(const Process& run, bool parked) const {
                return eventually([&] {
                        const auto client = shown(run);
                        return client.is_object() && client["parked"] == parked;
                });
        }

        /// By both, in two seconds of the second one's waiting: with other programs beside, the
        /// first may be taken not to need all for a while.
        [[nodiscard]] std::pair<std::uint64_t, std::uint64_t>
        burnt_while_waiting(const Process& first, const Process& second) const {
                const auto waits = [&] {
                        const auto client = shown(second);
                        return client.is_object() && client["parked"] == true &&
                               client["acts"].get<std::string>().starts_with("waits ");
                };
                std::pair<std::uint64_t, std::uint64_t> all{0, 0};
                int windows = 0;
                (void)eventually(
                        [&] {
                                const auto one = burnt(first.pid());
                                const auto two = burnt(second.pid());
                                const bool waited = waits();
                                std::this_thread::sleep_for(std::chrono::milliseconds{200});
                                if (!waited || !waits())
                                        return false;
                                all.first += burnt(first.pid()) - one;
                                all.second += burnt(second.pid()) - two;
                                return ++windows == 10;
                        },
                        std::chrono::seconds{30});
                return windows == 10 ? all : std::pair<std::uint64_t, std::uint64_t>{0, 0};
        }

        TemporaryDirectory directory_;
};

TEST_F(RunBatch, TheFirstTreeHasNearlyAllAndTheSecondWhatNobodyWantsUntilThen) {
        const auto first = burner("one");
        ASSERT_TRUE(becomes_parked(*first, false));
        ASSERT_TRUE(eventually([&] { return burnt(first->pid()) > 50; }));
        const auto second = burner("two");
        const auto both = [&] { return burnt(first->pid()) + burnt(second->pid()); };
        const auto before = both();
        const auto since = std::chrono::steady_clock::now();
        if (!becomes_parked(*second, true)) {
                // In ticks, of 10 ms.
                const auto all = everything() * (std::chrono::steady_clock::now() - since) /
                                 std::chrono::milliseconds{10};
                ASSERT_LT(both() - before, all * 3 / 4) << shown(*second);
                GTEST_SKIP() << kTooLittle;
        }
        ASSERT_TRUE(eventually([&] {
                return shown(*second)["acts"].get<std::string>().starts_with("waits ");
        })) << shown(*second)
            << second->err();
        const auto acts = shown(*second)["acts"].get<std::string>();
        const auto [one, two] = burnt_while_waiting(*first, *second);
        if (one + two == 0)
                GTEST_SKIP() << kTooLittle;
        // On one CPU it has half of that.
        EXPECT_GE(one, two * (acts == "waits on one CPU" ? 2 : 8)) << acts;
        EXPECT_FALSE(shown(*first)["acts"].get<std::string>().starts_with("waits "));
        end("one");
        EXPECT_EQ(first->wait(), 0) << first->err();
        EXPECT_TRUE(becomes_parked(*second, false));
        EXPECT_TRUE(eventually([&] { return shown(*second)["acts"] == "only counted"; }));
        end("two");
        EXPECT_EQ(second->wait(), 0) << second->err();
        EXPECT_EQ(second->err(), "governorctl: sh: batch, yields to all others until its turn; no "
                                 "region of it waits: "
                                 "--no-preload\n");
}

TEST_F(RunBatch, RanksOfALauncherHaveTheirTurnTogether) {
        const auto rank = burner("one", "PMIX_NAMESPACE=ranks");
        ASSERT_TRUE(becomes_parked(*rank, false));
        const auto next = burner("two", "PMIX_NAMESPACE=ranks");
        ASSERT_TRUE(eventually([&] { return shown(*next).is_object(); }));
        const auto other = burner("three");
        if (!becomes_parked(*other, true))
                GTEST_SKIP() << kTooLittle;
        EXPECT_TRUE(becomes_parked(*next, false));
        EXPECT_EQ(shown(*rank)["parked"], false);
        EXPECT_EQ(shown(*other)["parked"], true);
        for (const auto* file : {"one", "two", "three"})
                end(file);
        for (const auto* run : {&rank, &next, &other})
                EXPECT_EQ((*run)->wait(), 0);
}

/// timeout(1) signals its group, in which a command in a session of its own is not.
TEST_F(RunBatch, ASignalThatEndsAGroupEndsThatOfTheCommand) {
        const auto file = directory_.path("child");
        auto words = sh("sleep 60 & echo $! >" + file + "; wait", {"--batch"});
        words.insert(words.begin(), {"/usr/bin/setsid", "/usr/bin/timeout", "0.6"});
        const auto done = run({words, {"XDG_RUNTIME_DIR=" + runtime()}, {}});
        EXPECT_EQ(done.status, 124) << done.err;
        const auto child = static_cast<pid_t>(std::stoi("0" + read_file(file)));
        ASSERT_GT(child, 0);
        EXPECT_TRUE(eventually([&] { return ::kill(child, 0) < 0; }));
        ::kill(child, SIGKILL);
}

/// The records must not be open to others, and without a record nothing is changed.
TEST_F(RunBatch, ATreeThatNothingMakesYieldSaysSoAndSharesAsOthersDo) {
        if (::geteuid() != 0)
                GTEST_SKIP() << "an ordinary user has another place, its home folder";
        const auto last_place = "/tmp/governorctl-" + std::to_string(kUser);
        std::filesystem::remove_all(last_place);
        const auto first = burner("one");
        ASSERT_TRUE(becomes_parked(*first, false));
        ASSERT_TRUE(eventually([&] { return burnt(first->pid()) > 50; }));
        ASSERT_EQ(::mkdir((runtime() + "/governorctl").c_str(), 0755), 0);
        ASSERT_EQ(::mkdir(last_place.c_str(), 0755), 0);
        const auto second = burner("two");
        EXPECT_TRUE(eventually([&] {
                return second->err().find(
                               "governorctl: the program takes no turns and shares as without "
                               "--batch, since nothing here can make it wait: " +
                               last_place) != std::string::npos;
        })) << second->err();
        EXPECT_TRUE(becomes_parked(*second, false));
        EXPECT_TRUE(eventually([&] {
                return shown(*second)["acts"].get<std::string>().starts_with("nothing acts: ");
        })) << shown(*second);
        end("one");
        end("two");
        EXPECT_EQ(first->wait(), 0);
        EXPECT_EQ(second->wait(), 0);
        std::filesystem::remove_all(last_place);
}

}  // namespace
