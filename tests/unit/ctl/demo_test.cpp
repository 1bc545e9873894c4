// SPDX-License-Identifier: MIT
// The words of `governorctl demo`, and its choice of CPUs.
#include "demo/audience.hpp"
#include "demo/cast.hpp"
#include "demo/governor.hpp"
#include "demo/host.hpp"
#include "demo/stage.hpp"
#include "demo/words.hpp"

#include "support/temporary_directory.hpp"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <stdexcept>
#include <sys/resource.h>
#include <unistd.h>

namespace {

using namespace ctl::demo;

constexpr auto kBefore = "cpu  9 9 9 9\n"
                         "cpu0 100 0 0 100 0 0 0 0 0 0\n"
                         "cpu1 100 0 0 100 0 0 0 0 0 0\n"
                         "cpu3 100 0 0 100 0 0 0 0 0 0\n"
                         "intr 5\ncpufreq 1\n";
/// CPU 0 is busy, 1 waits for a disk for half of the time, 3 is idle.
constexpr auto kAfter = "cpu0 200 0 0 100 0 0 0 0 0 0\n"
                        "cpu1 150 0 0 100 50 0 0 0 0 0\n"
                        "cpu3 100 0 0 200 0 0 0 0 0 0\n";

CpuTicks ticks_in(const char* text) {
        const auto reading = governor::probe::parse_proc_stat(text);
        EXPECT_TRUE(reading);
        return reading ? reading->cpus : CpuTicks{};
}

Usage usage(const std::vector<std::uint32_t>& allowed, std::size_t most) {
        return idlest(ticks_in(kBefore), ticks_in(kAfter), allowed, most);
}

Act act(std::initializer_list<double> ends, bool is_stopped = false) {
        Act act;
        for (const auto end : ends)
                act.push_back({"p", end, is_stopped});
        return act;
}

TEST(DemoHost, TheIdlestCpusAreTaken) {
        EXPECT_EQ(usage({0, 1, 3}, 2).cpus, (std::vector<std::uint32_t>{1, 3}));
        EXPECT_DOUBLE_EQ(usage({0, 1, 3}, 2).busy, 0.5);
        EXPECT_DOUBLE_EQ(usage({0, 1, 3}, 9).busy, 1.5);
}

TEST(DemoHost, ACpuThatIsNotThereCountsAsBusy) {
        EXPECT_EQ(usage({2, 3}, 1).cpus, (std::vector<std::uint32_t>{3}));
        EXPECT_DOUBLE_EQ(usage({2}, 1).busy, 1.0);
}

TEST(DemoVerdict, SaysHowManyTimesAsFastItWas) {
        EXPECT_EQ(verdict({act({8, 9}), act({4, 4.5}), act({2, 4.4})}),
                  "Verdict: with the governor all were done after 4.5 s instead of "
                  "9.0 s, 2.0 times as fast;\n         one after the other each was done after 3.2 "
                  "s on the "
                  "mean, and after 4.2 s side by side.");
}

TEST(DemoVerdict, ATimeThatWasCutIsABound) {
        const auto text = verdict({act({12, 12}, true), act({4, 4}), act({4, 4})});
        EXPECT_NE(text.find("instead of more than 12.0 s, at least 3.0 times"), text.npos) << text;
        EXPECT_NE(text.find("turns gained nothing: "), text.npos) << text;
}

TEST(DemoVerdict, SaysWhatWasNotGained) {
        const auto says = [](const Acts& acts, const std::string& what) {
                return verdict(acts).starts_with("Verdict: " + what);
        };
        EXPECT_TRUE(says({act({4}), act({3.9}), act({4})}, "the governor gained nothing here: "));
        EXPECT_TRUE(says({act({4}), act({5}), act({4})}, "the governor lost here: "));
        EXPECT_TRUE(says({act({4}), act({12}, true), act({4})}, "the governor lost here: "));
        EXPECT_TRUE(says({act({12}, true), act({12}, true), act({4})}, "neither with nor without"));
        EXPECT_TRUE(says({act({12}, true), act({11.9}), act({4})}, "nobody knows what the "));
        EXPECT_TRUE(verdict({act({4}), act({4}), act({12}, true)}).ends_with("not done in time."));
}

TEST(DemoVerdict, ThereIsNoneAfterAStop) {
        EXPECT_TRUE(verdict({act({9}), act({4}), act({3}), true}).starts_with("Verdict: none; "));
}

TEST(DemoAudience, KnowsThatItWasContinued) {
        using std::chrono::milliseconds;
        const ctl::run::Signals signals;
        EXPECT_FALSE(wait(signals, milliseconds{1}));
        ::kill(::getpid(), SIGCONT);
        EXPECT_TRUE(wait(signals, milliseconds{1}));
        EXPECT_FALSE(wait(signals, milliseconds{1}));
}

TEST(DemoVerdict, TheTableHasAColumnForEachPart) {
        EXPECT_EQ(times_table({act({12}, true), act({4}), act({3})}),
                  "DONE AFTER   WITHOUT   WITH  IN TURN\n"
                  "p           > 12.0 s  4.0 s    3.0 s\n"
                  "all done    > 12.0 s  4.0 s    3.0 s\n"
                  "mean        > 12.0 s  4.0 s    3.0 s\n");
}

TEST(DemoNext, SaysWhatIsMissing) {
        Place place;
        place.governord = "governord";
        place.fairly = "fairly";
        EXPECT_NE(next_commands(place).find("export THREADCOUNT_SOCKET="), std::string::npos);
        place.has_runtime_folder = true;
        EXPECT_EQ(next_commands(place), "Next:    governord &\n         fairly YOUR-PROGRAM\n");
        place.has_units = true;
        EXPECT_TRUE(next_commands(place).starts_with("Next:    systemctl --user enable"));
        place.is_root = true;
        EXPECT_TRUE(next_commands(place).starts_with("Next:    systemctl enable"));
        place.is_served = true;
        EXPECT_EQ(next_commands(place), "Next:    fairly YOUR-PROGRAM\n");
        place.governorctl = "governorctl";
        place.is_left_alone = true;
        EXPECT_TRUE(next_commands(place).starts_with("Next:    governorctl doctor\n"));
}

TEST(DemoNext, PathsAreForAShell) {
        Place place;
        place.is_served = true;
        place.fairly = "/home/o'neil/my tools/fairly";
        EXPECT_EQ(next_commands(place),
                  "Next:    '/home/o'\\''neil/my tools/fairly' YOUR-PROGRAM\n");
}

TEST(DemoNext, SystemdIsOfferedWhereItRunsAndKnowsTheUnits) {
        namespace fs = std::filesystem;
        const test_support::TemporaryDirectory directory;
        const auto root = fs::path(directory.path());
        const auto runtime = (root / "run/user/7").string();
        const auto put = [&](const char* path) {
                fs::create_directories((root / path).parent_path());
                fs::copy_file("/bin/true", root / path);
        };
        put("usr/lib/systemd/system/governord.socket");
        put("usr/local/lib/systemd/user/governord.socket");
        EXPECT_FALSE(systemd_has_units(root, true, "")) << "in a container";
        EXPECT_FALSE(systemd_has_units(root, false, runtime));
        fs::create_directories(root / "run/systemd/system");
        EXPECT_TRUE(systemd_has_units(root, true, ""));
        EXPECT_FALSE(systemd_has_units(root, false, runtime)) << "no manager of this user's";
        EXPECT_FALSE(systemd_has_units(root, false, ""));
        put("run/user/7/systemd/private");
        EXPECT_TRUE(systemd_has_units(root, false, runtime));
        fs::remove_all(root / "usr");
        put("opt/lib/systemd/system/governord.socket");
        EXPECT_FALSE(systemd_has_units(root, true, "")) << "it does not look there";
}

TEST(DemoGovernor, IsFoundBesideUsInSbinOrInThePath) {
        namespace fs = std::filesystem;
        const test_support::TemporaryDirectory directory;
        const auto root = fs::path(directory.path());
        for (const auto* folder : {"bin", "sbin", "elsewhere"})
                fs::create_directory(root / folder);
        const auto own = root / "bin/governorctl";
        const auto path = "relative:" + (root / "elsewhere").string();
        const auto put = [&](const char* folder) {
                const auto file = root / folder / "governord";
                fs::copy_file("/bin/true", file);
                return file;
        };
        const auto in_path = put("elsewhere");
        EXPECT_EQ(find_governord(own, path, false), in_path);
        EXPECT_EQ(find_governord("", path, false), in_path);
        const auto in_sbin = put("sbin");
        EXPECT_EQ(find_governord(own, path, false), in_sbin);
        EXPECT_EQ(find_governord(root / "elsewhere2/governorctl", path, false), in_path)
                << "../sbin of anything but a bin may be anybody's";
        const auto beside = put("bin");
        EXPECT_EQ(find_governord(own, path, false), beside);
}

TEST(DemoGovernor, RootLooksIntoThePathLast) {
        namespace fs = std::filesystem;
        const test_support::TemporaryDirectory directory;
        const auto in_path = fs::path(directory.path()) / "governord";
        fs::copy_file("/bin/true", in_path);
        const bool is_installed =
                fs::exists("/usr/local/sbin/governord") || fs::exists("/usr/sbin/governord");
        EXPECT_EQ(find_governord("", directory.path(), true) == in_path, !is_installed);
}

TEST(DemoGovernor, IsNotTakenWhereOthersMayPutOne) {
        namespace fs = std::filesystem;
        const test_support::TemporaryDirectory directory;
        const auto root = fs::path(directory.path());
        const auto file = root / "governord";
        fs::copy_file("/bin/true", file);
        const auto is_taken = [&] {
                return find_governord(root / "governorctl", "", false) == file;
        };
        EXPECT_TRUE(is_taken());
        fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
        EXPECT_FALSE(is_taken());
        fs::permissions(file, fs::perms::others_write, fs::perm_options::remove);
        fs::permissions(root, fs::perms::others_write, fs::perm_options::add);
        EXPECT_FALSE(is_taken());
        fs::permissions(root, fs::perms::others_write, fs::perm_options::remove);
        if (::geteuid() != 0)
                return;
        ASSERT_EQ(::chown(file.c_str(), 65534, 0), 0);
        EXPECT_FALSE(is_taken());
}

TEST(DemoGovernor, IsNotStartedWithoutItsConfiguration) {
        const ctl::run::Signals signals;  // one of them says that a file is too long
        rlimit limit{};
        ::getrlimit(RLIMIT_FSIZE, &limit);
        const rlimit none{0, limit.rlim_max};
        ::setrlimit(RLIMIT_FSIZE, &none);
        EXPECT_THROW(Governor(signals, "/bin/true", "0"), std::runtime_error);
        ::setrlimit(RLIMIT_FSIZE, &limit);
        while (signals.next()) {
        }
}

TEST(DemoCast, AProgramWithoutALeaseFails) {
        const ctl::run::Signals signals;
        Cast cast(signals, {{1, 3, 1000}, {"alpha"}, {}, "/nowhere", false});
        const auto run = [&] {
                while (!cast.is_over())
                        cast.look();
        };
        EXPECT_THROW(run(), std::runtime_error);
}

TEST(DemoGovernor, AFolderGoesWithAllInIt) {
        std::filesystem::path path;
        {
                const Folder folder;
                path = folder.path();
                std::filesystem::create_directories(path / "a/b");
        }
        EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace
