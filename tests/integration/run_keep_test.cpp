// SPDX-License-Identifier: MIT
// The doors that governorctl run --keep and --batch open, from a prefix of the test's own.
#include "integration/run_fixture.hpp"

#include <filesystem>
#include <sys/stat.h>

namespace {

using namespace test_support;

class RunKeep : public RunTest {
protected:
        RunKeep() {
                std::filesystem::create_directory(prefix_.path("bin"));
                std::filesystem::copy_file(GOVERNORCTL, program_);
        }
        void install() const {
                for (const std::string name : {"keep", "adopt"})
                        prefix_.write("lib/threadcount/doors/lib64/" + name + ".so", "");
        }
        [[nodiscard]] std::string object(const std::string& name = "keep.so") const {
                return prefix_.path("lib/threadcount/doors/$LIB/" + name);
        }
        [[nodiscard]] std::vector<std::string> words(const std::vector<std::string>& options,
                                                     const std::vector<std::string>& command) {
                auto all = run_words(options, command);
                all[0] = program_;
                return all;
        }
        static constexpr auto kShow =
                "echo $LD_PRELOAD,$THREADCOUNT_ADOPT,$ASAN_OPTIONS,$THREADCOUNT";
        /// The shell's values of these variables.
        [[nodiscard]] std::string shown(const std::vector<std::string>& options,
                                        const std::vector<std::string>& environment = {}) {
                return run({words(options, {"/bin/sh", "-c", kShow}), environment, {}}).out;
        }
        [[nodiscard]] std::string opened() const {
                return object() + ",keep,verify_asan_link_order=0,\n";
        }
        [[nodiscard]] std::string opened_to_follow() const {
                return object("adopt.so") + ",adapt,verify_asan_link_order=0,\n";
        }
        [[nodiscard]] std::string dry(const std::vector<std::string>& options,
                                      const std::string& program) {
                auto all = options;
                all.emplace_back("--dry-run");
                return run({words(all, {program}), {}, {}}).out;
        }

        TemporaryDirectory prefix_;
        std::string program_ = prefix_.path("bin/governorctl");
};

constexpr auto kNothing = ",,,\n";

TEST_F(RunKeep, OpensADoorForProgramsThatAreKeptOrTakeTurns) {
        install();
        EXPECT_EQ(shown({"--keep"}), opened());
        EXPECT_EQ(shown({"--batch"}), opened());
        EXPECT_EQ(shown({"--batch", "--keep"}), opened());
        EXPECT_EQ(shown({"--keep"}, {"THREADCOUNT=adapt"}),
                  object() + ",keep,verify_asan_link_order=0,adapt\n");
}

TEST_F(RunKeep, OpensNoneForProgramsThatAreFittedToTheirShare) {
        install();
        EXPECT_EQ(shown({}), kNothing);
        EXPECT_EQ(shown({"--exec"}), kNothing);
}

TEST_F(RunKeep, LetsTeamsFollowWhereTheUserSaysSo) {
        install();
        EXPECT_EQ(shown({"--adapt"}), opened_to_follow());
        EXPECT_EQ(shown({"--adapt", "--batch"}), opened_to_follow());
        EXPECT_EQ(shown({"--keep"}, {"OMP_DYNAMIC=true"}), opened_to_follow());
        EXPECT_EQ(shown({"--keep"}, {"OMP_DYNAMIC=false"}), opened());
        const auto both = run({words({"--adapt", "--keep"}, {"/bin/true"}), {}, {}});
        EXPECT_EQ(both.status, 2);
        EXPECT_NE(both.err.find("--keep and --adapt exclude each other"), both.err.npos);
        const auto exec = run({words({"--adapt", "--exec"}, {"/bin/true"}), {}, {}});
        EXPECT_EQ(exec.status, 2);
}

TEST_F(RunKeep, OpensNoneWhereTheUserWantsNone) {
        install();
        EXPECT_EQ(shown({"--keep", "--no-preload"}), kNothing);
        EXPECT_EQ(shown({"--batch", "--no-preload"}), kNothing);
        for (const std::string wish : {"off", "start-only", "fixed:1"})
                EXPECT_EQ(shown({"--keep"}, {"THREADCOUNT=" + wish}), ",,," + wish + "\n");
}

TEST_F(RunKeep, OpensNoneWithoutALease) {
        install();
        EXPECT_EQ(shown({"--batch", "--exec"}), kNothing);
        Daemon observer("", kFair + "mode = observe\n");
        observer.start();
        Daemon stateless("", "[governor]\npolicy = threshold\n");
        stateless.start();
        const auto at = [&](const std::string& socket) {
                auto all = words({"--keep"}, {"/bin/sh", "-c", kShow});
                all[2] = socket;
                return run({all, {}, {}}).out;
        };
        EXPECT_EQ(at(observer.socket()), kNothing);
        EXPECT_EQ(at(stateless.socket()), kNothing);
        EXPECT_EQ(at("/nonexistent"), kNothing);
}

TEST_F(RunKeep, KeepsWhatTheUserPreloads) {
        install();
        EXPECT_EQ(shown({"--keep"}, {"LD_PRELOAD=libc.so.6", "ASAN_OPTIONS=color=never"}),
                  object() + ":libc.so.6,keep,color=never:verify_asan_link_order=0,\n");
}

TEST_F(RunKeep, OfATreeInsideOfAnotherOpensItOnce) {
        install();
        const auto inside = [&](const std::string& option, const std::string& outer) {
                const auto inner = program_ + " --socket " + daemon_.socket() + " run -q " +
                                   option + " -- /bin/sh -c '" + kShow + "'";
                return run({words({outer}, {"/bin/sh", "-c", inner}), {}, {}}).out;
        };
        EXPECT_EQ(inside("--keep", "--keep"), opened());
        EXPECT_EQ(inside("--batch", "--adapt"), opened());
        EXPECT_EQ(inside("--adapt", "--keep"), opened_to_follow());
        EXPECT_EQ(inside("--adapt", "--adapt"), opened_to_follow());
}

TEST_F(RunKeep, SetsNothingWhereNoObjectIsInstalled) {
        EXPECT_EQ(shown({"--keep"}), kNothing);
        EXPECT_EQ(shown({"--batch"}), kNothing);
        const auto done = run({words({"--keep"}, {"/bin/true"}), {}, {}});
        EXPECT_TRUE(done.err.ends_with("; nothing of it is changed: there is no keep.so in " +
                                       prefix_.path("lib/threadcount/doors") + "\n"))
                << done.err;
}

TEST_F(RunKeep, SaysWhatWaits) {
        install();
        const auto done = run({words({"--keep"}, {"/bin/sh", "-c", "exit 3"}), {}, {}});
        EXPECT_EQ(done.status, 3);
        EXPECT_NE(done.err.find("; what it loads or starts of gcc's OpenMP sleeps or waits "
                                "for its round (preload)\n"),
                  done.err.npos)
                << done.err;
        const auto batch = run({words({"--keep", "--batch"}, {"/bin/true"}), {}, {}});
        EXPECT_NE(batch.err.find("waits for its round"), batch.err.npos) << batch.err;
        const auto running = start(words({"--keep"}, {"/bin/sleep", "60"}));
        EXPECT_TRUE(eventually([&] {
                const auto client = lease(static_cast<std::uint32_t>(running.run->pid()));
                return client && client->acts() == "regions of gcc's openmp wait";
        }));
}

TEST_F(RunKeep, ToldDryTellsOfEachDoor) {
        install();
        const auto kept = dry({"--keep"}, "/bin/true");
        EXPECT_NE(kept.find("\na lease, and what it loads or starts of gcc's OpenMP sleeps or "
                            "waits for its round (preload)\n"
                            "libgomp: opened by preload, what is loaded or started later counts\n"
                            "libomp, libiomp5: not opened, their threads do not spin for long\n"
                            "OpenBLAS with threads of its own: not opened, there is no such door\n"
                            "make's jobserver: not opened, there is no such door\n"
                            "set LD_PRELOAD (not set) -> " +
                            object() + "\n"),
                  kept.npos)
                << kept;
        const auto refused = dry({"--batch", "--no-preload"}, "/bin/true");
        EXPECT_NE(refused.find("; no region of it waits: --no-preload\nlibgomp: not opened, "
                               "--no-preload\n"),
                  refused.npos)
                << refused;
        EXPECT_EQ(dry({}, "/bin/true").find("libgomp"), kept.npos);
}

TEST_F(RunKeep, ToldDryKnowsAProgramThatFollowsByItself) {
        install();
        const auto told = dry({"--keep"}, FOLLOWER);
        EXPECT_NE(told.find("nothing of it is changed: it follows by itself\n"), told.npos) << told;
        EXPECT_EQ(told.find("LD_PRELOAD"), told.npos);
}

TEST_F(RunKeep, OfAProgramThatGainsPrivilegesOpensNone) {
        if (::geteuid() != 0)
                GTEST_SKIP() << "needs a file of root's";
        install();
        const auto file = prefix_.path("sh");
        std::filesystem::copy_file("/bin/sh", file);
        std::filesystem::permissions(prefix_.path(), std::filesystem::perms(0755));
        ASSERT_EQ(::chmod(file.c_str(), 04755), 0);
        let_others_in();
        auto all = words({"--keep"}, {file, "-c", kShow});
        all.insert(all.begin(), {"/usr/bin/setpriv", "--reuid", "3111", "--clear-groups"});
        const auto done = run({all, {}, {}});
        EXPECT_EQ(done.out, kNothing);
        EXPECT_TRUE(done.err.ends_with("; nothing of it is changed: it gains privileges\n"))
                << done.err;
}

}  // namespace
