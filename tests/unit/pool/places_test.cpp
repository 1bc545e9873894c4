// SPDX-License-Identifier: MIT
// Groups of made-up machines, and what is made of strange ones.
#include "places.hpp"

#include "made_up_machine.hpp"

#include <array>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string_view>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

namespace threadcount::pool {
namespace {

using Cpus = std::vector<int>;

/// The place of a CPU of which nothing is known.
Place nowhere(int cpu) {
        Place place;
        place.core = place.l2 = static_cast<std::uint32_t>(cpu);
        return place;
}

/// The files below `root`/sys that are opened from now on, named from the CPU or node on.
class OpenedFiles {
public:
        explicit OpenedFiles(const std::string& root)
                : fd_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {
                using Walk = std::filesystem::recursive_directory_iterator;
                const auto system = root + "/sys/devices/system";
                for (const auto& entry : Walk(system)) {
                        if (!entry.is_directory())
                                continue;
                        // Without "cpu/" and "node/".
                        const auto name = entry.path().string().substr(system.size() + 1);
                        directories_[::inotify_add_watch(fd_, entry.path().c_str(), IN_OPEN)] =
                                name.substr(name.find('/') + 1);
                }
        }
        ~OpenedFiles() { ::close(fd_); }
        OpenedFiles(const OpenedFiles&) = delete;
        OpenedFiles& operator=(const OpenedFiles&) = delete;

        [[nodiscard]] std::multiset<std::string> names() const {
                std::multiset<std::string> found;
                alignas(inotify_event) char events[16384];
                const auto size = ::read(fd_, events, sizeof(events));
                for (ssize_t at = 0; at < size;) {
                        inotify_event event;
                        std::memcpy(&event, events + at, sizeof(event));
                        if ((event.mask & IN_ISDIR) == 0)
                                found.insert(directories_.at(event.wd) + "/" +
                                             (events + at + sizeof(event)));
                        at += static_cast<ssize_t>(sizeof(event) + event.len);
                }
                return found;
        }

private:
        int fd_;
        std::map<int, std::string> directories_;
};

class PlacesTest : public ::testing::Test {
protected:
        std::vector<Place> read(const Cpus& cpus) { return read_places(files_.root(), cpus); }
        Place read(int cpu) { return read(Cpus{cpu}).front(); }
        void write(int cpu, const std::string& name, const std::string& text) {
                files_.write(cpu_directory(cpu) + name, text);
        }
        void node(const std::string& name, const std::string& cpus) {
                files_.write("sys/devices/system/node/" + name + "/cpulist", cpus);
        }
        void cache(int cpu, int index, const std::string& level, const std::string& cpus) {
                files_.write(cache_directory(cpu, index) + "level", level);
                files_.write(cache_directory(cpu, index) + "shared_cpu_list", cpus);
        }

        test_support::FakeMachine files_;
};

TEST_F(PlacesTest, NamesEachGroupByItsLowestCpu) {
        const auto machine = make_machine({2, 1, 2, 1, 2, {2}}, Numbering::SiblingsApart);
        write_sysfs(machine, files_);
        const auto places = read(machine.cpus);
        EXPECT_EQ(places, machine.places);
        EXPECT_EQ(places[15], (Place{7, 6, 6, 4, 4}));
}

TEST_F(PlacesTest, TellsTheSameOfAPartAsOfTheWhole) {
        const auto machine = make_machine({2, 1, 1, 2, 1, {2}}, Numbering::SiblingsApart);
        write_sysfs(machine, files_);
        EXPECT_EQ(read(5), (Place{1, 1, 0, 0, 0})) << "the first of its groups was not asked for";
        EXPECT_EQ(read({3, 4}), machine.places_of({3, 4}));
        EXPECT_TRUE(read(Cpus{}).empty());
}

TEST_F(PlacesTest, AreRightOnMachinesOfManyShapes) {
        // Few and small ones: each CPU is a dozen files.
        for (unsigned seed = 1, machines = 0; machines < 10; seed++) {
                const auto machine = random_machine(seed);
                if (machine.cpus.size() > 20)
                        continue;
                machines++;
                SCOPED_TRACE("seed " + std::to_string(seed));
                test_support::FakeMachine files;
                const auto mask = random_mask(machine, seed);
                write_sysfs(machine, files);
                EXPECT_EQ(read_places(files.root(), machine.cpus), machine.places);
                EXPECT_EQ(read_places(files.root(), mask), machine.places_of(mask));
        }
}

TEST_F(PlacesTest, OfSparseCpusAreFoundUpToTheHighestNumber) {
        const auto machine = renumbered(make_machine({1, 1, 1, 2, 1, {2}}, {}), [](int cpu) {
                return std::array{7, 300, 4095, 8191}.at(static_cast<std::size_t>(cpu));
        });
        write_sysfs(machine, files_);
        EXPECT_EQ(read({7, 300, 4095, 8191}), machine.places);
        EXPECT_EQ(read(8191), (Place{4095, 4095, 7, 7, 7}));
}

TEST_F(PlacesTest, OfOfflineCpusAreUnknown) {
        const auto machine = make_machine({1, 1, 1, 2, 1, {2}}, {});
        write_sysfs(machine.of([](int cpu) { return cpu != 0; }), files_);
        const auto places = read({0, 1, 2, 3});
        EXPECT_EQ(places[0], nowhere(0));
        EXPECT_EQ(places[1], (Place{1, 1, 1, 1, 1}));
        EXPECT_EQ(places[3], (Place{2, 2, 1, 1, 1}));
}

TEST_F(PlacesTest, OfAMachineThatSaysNothingAreUnknown) {
        EXPECT_EQ(read({0, 9}), (std::vector{nowhere(0), nowhere(9)}));
        const Cpus cpus = {3};
        EXPECT_EQ(read_places("/nowhere", cpus).front(), nowhere(3));
}

TEST_F(PlacesTest, AreFoundUnderTheNamesOfOlderKernels) {
        for (const int cpu : {0, 1, 2, 3}) {
                write(cpu, "topology/thread_siblings_list", cpu < 2 ? "0-1\n" : "2-3\n");
                write(cpu, "topology/core_siblings_list", "0-3\n");
        }
        EXPECT_EQ(read(3), (Place{2, 3, kUnknownGroup, kUnknownGroup, 0}));
}

TEST_F(PlacesTest, AreFoundWhereCachesHaveOtherIndices) {
        // A first level that is not split, and small cores that have one level less.
        for (const int cpu : {0, 1, 2, 3}) {
                cache(cpu, 0, "1\n", std::to_string(cpu));
                cache(cpu, 1, "2\n", cpu < 2 ? "0-1\n" : "2-3\n");
        }
        for (const int cpu : {0, 1})
                cache(cpu, 2, "3\n", "0-1\n");
        const auto places = read({0, 1, 2, 3});
        for (const std::size_t cpu : {0U, 1U}) {
                EXPECT_EQ(places[cpu].l2, 0U);
                EXPECT_EQ(places[cpu].l3, 0U);
        }
        for (const std::size_t cpu : {2U, 3U}) {
                EXPECT_EQ(places[cpu].l2, 2U);
                EXPECT_EQ(places[cpu].l3, kUnknownGroup);
        }
}

TEST_F(PlacesTest, OfCpusWithoutASecondLevelHaveTheThird) {
        for (const int cpu : {0, 1}) {
                cache(cpu, 0, "1\n", std::to_string(cpu));
                cache(cpu, 1, "3\n", "0-1\n");
        }
        const auto places = read({0, 1});
        EXPECT_EQ(places[1].l2, 1U);
        EXPECT_EQ(places[1].l3, 0U);
}

TEST_F(PlacesTest, AreReadOnceForEachGroup) {
        // Four cores; the first two and the last two share a second level.
        const auto machine = make_machine({1, 1, 1, 2, 2, {2}}, Numbering::SiblingsTogether);
        write_sysfs(machine, files_);
        const OpenedFiles opened(files_.root());
        EXPECT_EQ(read(machine.cpus), machine.places);
        const std::multiset<std::string> once = {
                "cpu0/topology/core_cpus_list",      "cpu2/topology/core_cpus_list",
                "cpu4/topology/core_cpus_list",      "cpu6/topology/core_cpus_list",
                "cpu0/cache/index2/level",           "cpu4/cache/index2/level",
                "cpu0/cache/index2/shared_cpu_list", "cpu4/cache/index2/shared_cpu_list",
                "cpu0/cache/index3/level",           "cpu0/cache/index3/shared_cpu_list",
                "cpu0/topology/package_cpus_list",   "node0/cpulist",
        };
        EXPECT_EQ(opened.names(), once);
}

TEST_F(PlacesTest, AreAsTheFirstOfTwoContradictingListsSays) {
        write(0, "topology/core_cpus_list", "0-1\n");
        write(1, "topology/core_cpus_list", "1-2\n");
        write(2, "topology/core_cpus_list", "1-2\n");
        const auto places = read({0, 1, 2});
        EXPECT_EQ(places[1].core, 0U);
        EXPECT_EQ(places[2].core, 1U);
}

TEST_F(PlacesTest, OfListsThatComePageByPageAreWhole) {
        int ends[2];
        ASSERT_EQ(::pipe2(ends, O_DIRECT | O_CLOEXEC), 0);  // a read returns what one write wrote
        for (const std::string_view page : {"0-1,", "4", "0-41\n"})
                ASSERT_EQ(::write(ends[1], page.data(), page.size()),
                          static_cast<ssize_t>(page.size()));
        std::filesystem::create_directories(
                files_.directory().path("sys/devices/system/node/node0"));
        std::filesystem::create_symlink(
                "/proc/self/fd/" + std::to_string(ends[0]),
                files_.directory().path("sys/devices/system/node/node0/cpulist"));
        const auto places = read({0, 4, 41});
        EXPECT_EQ(places[0].node, 0U);
        EXPECT_EQ(places[1].node, kUnknownGroup);
        EXPECT_EQ(places[2].node, 0U);
        ::close(ends[0]);
        ::close(ends[1]);
}

TEST_F(PlacesTest, DoNotBelieveStrangeLists) {
        for (const auto* const text :
             {"",        "\n",         "x",       "0-",  "-1",    "1-0",  "0,",
              ",0",      "0 1",        "0,0",     "1,0", "0-1,1", "0x0",  "0-99999999999999999999",
              "0-65536", "4294967296", "0-7:2/4", "1",   "1-3",   "0\n\n"}) {
                SCOPED_TRACE(text);
                for (const auto* const name :
                     {"topology/core_cpus_list", "topology/package_cpus_list"})
                        write(0, name, text);
                cache(0, 2, "2\n", text);
                cache(0, 3, "3\n", text);
                EXPECT_EQ(read({0, 1}), (std::vector{nowhere(0), nowhere(1)}));
        }
}

TEST_F(PlacesTest, DoNotBelieveStrangeLevels) {
        for (const auto* const text : {"", "\n", "x\n", "3x\n", " 3\n", "-3\n", "4294967299\n"}) {
                SCOPED_TRACE(text);
                cache(0, 2, text, "0\n");
                cache(0, 3, text, "0-1\n");
                EXPECT_EQ(read({0, 1}), (std::vector{nowhere(0), nowhere(1)}));
        }
}

TEST_F(PlacesTest, AreThoseOfTheSecondNameIfTheFirstIsStrange) {
        write(1, "topology/core_cpus_list", "");
        write(1, "topology/thread_siblings_list", "0-1");
        EXPECT_EQ(read(1).core, 0U);
}

TEST_F(PlacesTest, IgnoreWhatElseLiesBesideTheNodes) {
        node("node", "0-3\n");
        node("nodeX", "0-3\n");
        node("node1x", "0-3\n");
        node("memory0", "0-3\n");
        node("node3", "\n");  // memory only
        node("node7", "0-1\n");
        node("node12", "2\n");
        std::filesystem::create_directories(
                files_.directory().path("sys/devices/system/node/node4"));
        const auto places = read({0, 1, 2, 3});
        EXPECT_EQ(places[1].node, 0U);
        EXPECT_EQ(places[2].node, 2U);
        EXPECT_EQ(places[3].node, kUnknownGroup);
}

TEST_F(PlacesTest, SurviveDirectoriesFifosAndEndlessFiles) {
        namespace fs = std::filesystem;
        const auto topology = files_.directory().path(cpu_directory(0) + "topology/");
        fs::create_directories(topology + "core_cpus_list");
        ASSERT_EQ(::mkfifo((topology + "thread_siblings_list").c_str(), 0600), 0);
        fs::create_symlink("/dev/zero", topology + "package_cpus_list");
        write(0, "topology/core_siblings_list", std::string(1 << 20, '1'));
        EXPECT_EQ(read(0), nowhere(0));
}

TEST_F(PlacesTest, OfFourThousandCpusThatTakeTurnsAreFound) {
        // The longest lists: a text of 10 KiB for each of two nodes.
        std::string even = "0";
        std::string odd = "1";
        Cpus cpus;
        for (int cpu = 0; cpu < 4096; cpu++) {
                cpus.push_back(cpu);
                if (cpu > 1)
                        (cpu % 2 == 0 ? even : odd) += "," + std::to_string(cpu);
        }
        node("node0", even + "\n");
        node("node1", odd + "\n");
        const auto places = read(cpus);
        for (std::size_t cpu = 0; cpu < places.size(); cpu++)
                EXPECT_EQ(places[cpu].node, cpu % 2);
}

TEST(Places, OfThisMachineBelongToTheirOwnGroups) {
        Cpus cpus;
        for (int cpu = 0; cpu < 4096; cpu++)
                if (std::filesystem::exists("/" + cpu_directory(cpu) + "topology"))
                        cpus.push_back(cpu);
        if (cpus.empty())
                GTEST_SKIP() << "no /sys here";
        for (std::size_t i = 0; const auto& place : read_places("", cpus)) {
                const auto own = static_cast<std::uint32_t>(cpus[i++]);
                EXPECT_LE(place.core, own);
                EXPECT_LE(place.l2, own);
        }
}

}  // namespace
}  // namespace threadcount::pool
