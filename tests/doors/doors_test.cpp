// SPDX-License-Identifier: MIT
// Programs that nobody modified print the same without and with the preloaded object, whatever a
// governor says meanwhile; and it is there, since they wait for their turn.
#include "integration/lease_fixture.hpp"
#include "made_up_governor.hpp"
#include "support/as_user.hpp"
#include "support/process.hpp"
#include "support/temporary_directory.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sched.h>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

using namespace test_support;
using shared_memory_test::MadeUpGovernor;
using std::chrono::microseconds;
using std::chrono::milliseconds;
using Words = std::vector<std::string>;

std::string program(const std::string& name) { return PROGRAMS "/" + name; }

Words operator+(Words words, const Words& more) {
        words.insert(words.end(), more.begin(), more.end());
        return words;
}

/// The variables as a `run` sets them where teams are kept.
Words door(const std::string& socket, const std::string& how = "keep",
           const std::string& object = "keep.so") {
        return {"LD_PRELOAD=" DOORS "/$LIB/" + object, "THREADCOUNT_ADOPT=" + how,
                "THREADCOUNT_SOCKET=" + socket};
}

/// Likewise where they follow.
Words adapting_door(const std::string& socket, const std::string& how = "adapt") {
        return door(socket, how, "adopt.so");
}

/// Turns and crowds that come and go, until it goes.
class Flips {
public:
        explicit Flips(MadeUpGovernor& governor)
                : thread_([&] {
                          for (bool is_crowded = false; !is_over_; is_crowded = !is_crowded) {
                                  governor.publish(1, true);
                                  std::this_thread::sleep_for(milliseconds{2});
                                  governor.publish(1, false, is_crowded);
                                  governor.call_some();
                                  std::this_thread::sleep_for(milliseconds{3});
                          }
                  }) {}
        ~Flips() {
                is_over_ = true;
                thread_.join();
        }
        Flips(const Flips&) = delete;
        Flips& operator=(const Flips&) = delete;

private:
        std::atomic<bool> is_over_{false};
        std::thread thread_;
};

class Doors : public testing::Test {
protected:
        Doors() : governor_(socket_) {
                governor_.publish(1, false);
                governor_.start();
        }
        ~Doors() override { governor_.die(); }

        /// The same output, status and silence without and with it, while turns come and go.
        /// Returns how many regions the governor was told of.
        [[nodiscard]] std::uint64_t regions_of_the_same(const Words& arguments,
                                                        const Words& environment) {
                const auto plain = run({arguments, environment, {}});
                const auto before = governor_.report().regions;
                const Flips flips(governor_);
                const auto governed = run({arguments, environment + door(socket_), {}});
                EXPECT_EQ(governed.out, plain.out);
                EXPECT_EQ(governed.err, plain.err);
                EXPECT_EQ(governed.status, plain.status);
                EXPECT_EQ(plain.status, 0) << plain.out << plain.err;
                return governor_.report().regions - before;
        }
        /// Always the same, and so many regions; a few count twice, where the grant changes while
        /// it is looked at. A governor that is late by more than 20 ms, on a busy machine, misses
        /// the first ones: then once more.
        void expect_the_same(const Words& arguments, std::uint64_t regions,
                             const Words& environment = kThree) {
                std::uint64_t told = 0;
                for (int i = 0; i == 0 || (i < 8 && told < regions && !HasFailure()); i++) {
                        const auto hellos = governor_.welcomed();
                        told = regions_of_the_same(arguments, environment);
                        hellos_ = governor_.welcomed() - hellos;
                        EXPECT_LE(told, regions + regions / 20);
                }
                EXPECT_GE(told, regions);
        }

        static inline const Words kThree{"OMP_NUM_THREADS=3"};

        TemporaryDirectory directory_;
        std::string socket_ = directory_.path("socket");
        MadeUpGovernor governor_;
        std::size_t hellos_ = 0;  // of the last program
};

TEST_F(Doors, AProgramWaitsForItsTurnAndThenHasItsOwnTeam) {
        const auto epoch = governor_.publish(1, true);
        Process waiting({{program("teams"), "max", "5"}, kThree + door(socket_), {}});
        EXPECT_TRUE(eventually([&] {
                const auto said = governor_.report();
                return said.epoch == epoch && !said.in_region;
        }));
        EXPECT_EQ(waiting.wait(milliseconds{300}), -1) << waiting.out();
        EXPECT_TRUE(governor_.was_told(10)) << "it keeps its teams";
        governor_.publish(1, false);
        governor_.call();
        EXPECT_EQ(waiting.wait(), 0);
        EXPECT_EQ(waiting.out(), "max: 5 of 5, 3 threads\n");
        EXPECT_EQ(waiting.err(), "");
        EXPECT_EQ(governor_.report().team, 3U);
        EXPECT_FALSE(governor_.report().in_region);
}

/// A profile may preload one, and so may /etc/ld.so.preload, also of another installation.
TEST_F(Doors, ThatThereIsTwiceLeadsNotBackIntoTheFirst) {
        const std::string folder = DOORS "/" DOOR_LIB "/";
        for (const std::string object : {"keep.so", "adopt.so"}) {
                const auto copy = directory_.path(object);
                std::filesystem::copy_file(folder + object, copy);
                for (const std::string first : {"keep.so", "adopt.so"}) {
                        const Words both{"LD_PRELOAD=" + folder + first + ":" + copy,
                                         "THREADCOUNT_ADOPT=keep", "THREADCOUNT_SOCKET=" + socket_};
                        const auto done = run({{program("teams"), "max", "5"}, kThree + both, {}});
                        EXPECT_EQ(done.out, "max: 5 of 5, 3 threads\n") << first << object;
                        EXPECT_EQ(done.err, "");
                }
        }
}

/// It has so many threads.
bool has_threads(const Process& process, std::ptrdiff_t count) {
        return eventually([&] {
                const std::filesystem::path tasks =
                        "/proc/" + std::to_string(process.pid()) + "/task";
                return std::distance(std::filesystem::directory_iterator(tasks), {}) == count;
        });
}

class Crowds : public Doors {
protected:
        /// libgomp's threads spin for ever where they have room, and else not at all.
        static inline const auto kTeam =
                static_cast<std::ptrdiff_t>(std::max(std::thread::hardware_concurrency(), 2U));
        static inline const Words kSpinning{"OMP_NUM_THREADS=" + std::to_string(kTeam),
                                            "GOMP_SPINCOUNT=infinity", "OMP_WAIT_POLICY=passive"};
        static inline const std::string kThreads = std::to_string(kTeam) + " threads\n";
        [[nodiscard]] bool has_regions(std::uint64_t more) const {
                const auto before = governor_.report().regions;
                return eventually([&] { return governor_.report().regions >= before + more; });
        }
};

TEST_F(Crowds, ThreadsThatWaitSleepAsLongAsOthersRunBeside) {
        Process running({{program("dozes")}, kSpinning + door(socket_), {}});
        EXPECT_TRUE(has_regions(2));
        EXPECT_TRUE(governor_.was_told(11)) << "it can make them sleep";
        EXPECT_TRUE(has_threads(running, kTeam));
        governor_.publish(1, false, true);
        EXPECT_TRUE(has_threads(running, kTeam + 2));
        EXPECT_TRUE(has_regions(10));
        EXPECT_TRUE(has_threads(running, kTeam + 2)) << "they stay as long as there is a crowd";
        governor_.publish(1, false);
        EXPECT_EQ(running.wait(), 0);
        EXPECT_EQ(running.out(), "spins\nsleeps\nspins\n");
}

TEST_F(Crowds, KeepNoProgramFromItsEnd) {
        Process running({{program("dozes"), "leaves"}, kSpinning + door(socket_), {}});
        EXPECT_TRUE(has_regions(2));
        governor_.publish(1, false, true);
        EXPECT_EQ(running.wait(), 0);
        EXPECT_EQ(running.out(), "spins\nsleeps\n");
}

TEST_F(Crowds, KeepARuntimeThatIsUnloaded) {
        Process running({{program("dozes_in_library"), program("library_X.so")},
                         kSpinning + door(socket_),
                         {}});
        EXPECT_TRUE(has_regions(2));
        governor_.publish(1, false, true);
        EXPECT_EQ(running.wait(), 0);
        EXPECT_EQ(running.out(), "spins\nsleeps\n");
}

TEST_F(Crowds, EndNoProgramThatMayHaveNoMoreThreads) {
        if (!AsUser::is_possible())
                GTEST_SKIP() << "needs root, and a user of its own";
        ASSERT_EQ(::chmod(directory_.path().c_str(), 0755), 0);
        ASSERT_EQ(::chmod(socket_.c_str(), 0666), 0);
        governor_.publish(1, false, true);
        const Words as_user{"/usr/bin/setpriv", "--reuid=54321", "--clear-groups",
                            "--inh-caps=-all"};
        // Those of the program, and the thread of ours that tries to start more.
        const auto done = run({Words{"/usr/bin/prlimit", "--nproc=" + std::to_string(kTeam + 1)} +
                                       as_user + Words{program("dozes"), "2"},
                               kSpinning + door(socket_),
                               {}});
        EXPECT_EQ(done.out, kThreads);
        EXPECT_EQ(done.err, "");
        EXPECT_EQ(done.status, 0);
        EXPECT_TRUE(governor_.was_told(11));
}

TEST_F(Crowds, StartNothingForATeamOfOne) {
        governor_.publish(1, false, true);
        Process running({{program("dozes"), "1"}, Words{"OMP_NUM_THREADS=1"} + door(socket_), {}});
        EXPECT_TRUE(has_regions(10));
        EXPECT_TRUE(has_threads(running, 1));
        EXPECT_EQ(running.wait(), 0);
}

TEST_F(Crowds, ThreadsEndInAProgramThatHasNoDescriptorLeft) {
        governor_.publish(1, false, true);
        const auto done = run({{program("dozes"), "descriptors"}, kSpinning + door(socket_), {}});
        EXPECT_EQ(done.out, "sleeps\nends\n");
        EXPECT_EQ(done.err, "");
        EXPECT_EQ(done.status, 0);
}

TEST_F(Crowds, AreNotSaidToSleepWhereMemoryIsLimited) {
        const auto done = run({{"/usr/bin/prlimit", "--as=4000000000", program("dozes"), "1"},
                               kSpinning + door(socket_),
                               {}});
        EXPECT_EQ(done.out, kThreads);
        EXPECT_TRUE(governor_.was_told(10));
        EXPECT_FALSE(governor_.was_told(11));
}

/// The test moves the fence, as a `run` without an option does.
class Fenced : public Crowds {
protected:
        void SetUp() override {
                open_ = affinity();
                if (CPU_COUNT(&open_) < 2)
                        GTEST_SKIP() << "needs two CPUs";
        }
        static cpu_set_t affinity() {
                cpu_set_t cpus;
                CPU_ZERO(&cpus);
                ::sched_getaffinity(0, sizeof(cpus), &cpus);
                return cpus;
        }
        [[nodiscard]] cpu_set_t first_cpu() const {
                cpu_set_t one;
                CPU_ZERO(&one);
                for (int cpu = 0; CPU_COUNT(&one) == 0; cpu++)
                        if (CPU_ISSET(cpu, &open_))
                                CPU_SET(cpu, &one);
                return one;
        }
        /// For all threads, those too that come meanwhile.
        static void move(const Process& process, const cpu_set_t& cpus) {
                const auto tasks = "/proc/" + std::to_string(process.pid()) + "/task";
                for (int i = 0; i < 2; i++)
                        for (const auto& task : std::filesystem::directory_iterator(tasks))
                                ::sched_setaffinity(std::stoi(task.path().filename()), sizeof(cpus),
                                                    &cpus);
        }
        [[nodiscard]] Words fenced() const { return door(socket_, "fenced"); }
        /// A program that begins on one CPU prints the same without and with the object.
        void expect_the_same_on_one_cpu(const Words& arguments, const Words& environment) {
                const auto one = first_cpu();
                ASSERT_EQ(::sched_setaffinity(0, sizeof(one), &one), 0);
                const auto plain = run({arguments, environment, {}});
                const auto done = run({arguments, environment + fenced(), {}});
                ::sched_setaffinity(0, sizeof(open_), &open_);
                EXPECT_EQ(done.out, plain.out);
                EXPECT_EQ(done.err, plain.err);
                EXPECT_EQ(done.status, 0);
        }

        cpu_set_t open_{};
};

TEST_F(Fenced, ThreadsSleepAsLongAsTheyLackCpus) {
        Process running({{program("dozes")}, kSpinning + fenced(), {}});
        EXPECT_TRUE(eventually([&] { return running.out() == "spins\n"; }));
        EXPECT_TRUE(has_threads(running, kTeam)) << "there is room";
        move(running, first_cpu());
        EXPECT_TRUE(has_threads(running, kTeam + 2));
        EXPECT_TRUE(eventually([&] { return running.out() == "spins\nsleeps\n"; }));
        const auto maps = read_file("/proc/" + std::to_string(running.pid()) + "/maps");
        EXPECT_NE(maps.find("/keep.so"), maps.npos);
        EXPECT_EQ(maps.find("libthreadcount.so"), maps.npos);
        move(running, open_);
        EXPECT_EQ(running.wait(), 0);
        EXPECT_EQ(running.out(), "spins\nsleeps\nspins\n");
        EXPECT_EQ(running.err(), "");
        EXPECT_EQ(governor_.welcomed(), 0U) << "it holds no lease";
}

TEST_F(Fenced, TheThreadsThatWereAddedGoWhereThereIsRoomAgain) {
        const Process running({{program("dozes"), "60"}, kSpinning + fenced(), {}});
        for (int i = 0; i < 2; i++) {
                EXPECT_TRUE(has_threads(running, kTeam));
                move(running, first_cpu());
                EXPECT_TRUE(has_threads(running, kTeam + 2));
                move(running, open_);
        }
        EXPECT_TRUE(has_threads(running, kTeam));
}

TEST_F(Fenced, ThreadsThatBindThemselvesOneByOneHaveRoom) {
        EXPECT_EQ(run({{program("pins")}, fenced(), {}}).out, "its own threads\n");
        EXPECT_EQ(run({{program("pins"), "before"}, fenced(), {}}).out, "its own threads\n");
}

TEST_F(Fenced, ProgramsDoWhatTheyDid) {
        expect_the_same_on_one_cpu({program("teams"), "max", "300"}, kThree);
        expect_the_same_on_one_cpu({program("teams"), "clause", "300"}, kThree);
        expect_the_same_on_one_cpu({program("teams"), "nested", "99"}, kThree);
        expect_the_same_on_one_cpu({program("teams"), "loops", "50"}, kThree);
        expect_the_same_on_one_cpu({program("old_entries")}, kThree);
        expect_the_same_on_one_cpu({program("masters")}, kThree);
        expect_the_same_on_one_cpu({program("descriptors")}, kThree);
        expect_the_same_on_one_cpu({program("loader"), "50", program("library.so")}, kThree);
        expect_the_same_on_one_cpu({program("follows")}, kThree + Words{"THREADCOUNT=off"});
        expect_the_same_on_one_cpu({program("quiet")}, kThree);
}

TEST_F(Fenced, AChildOfForkBeginsAnew) {
        expect_the_same_on_one_cpu({program("forks"), "before"}, kThree);
        expect_the_same_on_one_cpu({program("forks"), "inside"}, kThree);
        // With more threads the child hangs in libgomp itself.
        expect_the_same_on_one_cpu({program("forks"), "between"}, {"OMP_NUM_THREADS=1"});
}

TEST_F(Fenced, NoThreadIsAddedWhereTheUserHasAWordInIt) {
        std::vector<std::pair<Words, std::unique_ptr<Process>>> all;
        const auto start = [&](const Words& environment) {
                all.emplace_back(environment,
                                 std::make_unique<Process>(Command{
                                         {program("dozes"), "60"}, kSpinning + environment, {}}));
        };
        for (const auto* variable :
             {"OMP_PROC_BIND=false", "OMP_PLACES=threads", "GOMP_CPU_AFFINITY=0-1",
              "OMP_THREAD_LIMIT=100", "OMP_STACKSIZE=4M", "GOMP_STACKSIZE=4096", "OMP_NESTED=false",
              "OMP_MAX_ACTIVE_LEVELS=1"})
                start(fenced() + Words{variable});
        start(door(socket_, "off"));
        for (const auto& [environment, process] : all) {
                EXPECT_TRUE(has_threads(*process, kTeam)) << environment.back();
                move(*process, first_cpu());
        }
        std::this_thread::sleep_for(milliseconds{500});
        for (const auto& [environment, process] : all)
                EXPECT_TRUE(has_threads(*process, kTeam)) << environment.back();
}

TEST_F(Doors, TheEndOfTheGovernorEndsTheWait) {
        const auto epoch = governor_.publish(1, true);
        Process waiting({{program("teams"), "max", "5"}, kThree + door(socket_), {}});
        EXPECT_TRUE(eventually([&] { return governor_.report().epoch == epoch; }));
        governor_.die();
        EXPECT_EQ(waiting.wait(), 0);
        EXPECT_EQ(waiting.out(), "max: 5 of 5, 3 threads\n");
}

TEST_F(Doors, AClauseIsToldAndNoSmallerTeam) {
        const auto done = run({{program("teams"), "clause", "4"}, kThree + door(socket_), {}});
        EXPECT_EQ(done.out, "clause: 4 of 4, 3 threads\n");
        EXPECT_EQ(governor_.report().team, 4U);
        EXPECT_EQ(governor_.report().regions, 3U) << "one of them has one thread";
        EXPECT_EQ(governor_.max_of_hello(), 3U);
}

TEST_F(Doors, WithoutTheVariableNothingIsOpened) {
        auto environment = kThree + door(socket_);
        std::erase(environment, "THREADCOUNT_ADOPT=keep");
        const auto done = run({{program("teams"), "max", "50"}, environment, {}});
        EXPECT_EQ(done.out, "max: 50 of 50, 3 threads\n");
        EXPECT_EQ(governor_.welcomed(), 0U);
}

TEST_F(Doors, AProgramWithoutRegionsOpensNothing) {
        expect_the_same({program("hello")}, 0);
        EXPECT_EQ(governor_.welcomed(), 0U);
}

TEST_F(Doors, WithoutAGovernorAllIsAsItWas) {
        const auto done = run({{program("teams"), "max", "500"}, kThree + door("/nowhere"), {}});
        EXPECT_EQ(done.out, "max: 500 of 500, 3 threads\n");
        EXPECT_EQ(done.err, "");
}

TEST_F(Doors, WithoutLibdlAllIsAsItWas) {
        const Words door_of_old{"LD_PRELOAD=" PROGRAMS "/adopt_without_libdl.so",
                                "THREADCOUNT_ADOPT=keep", "THREADCOUNT_SOCKET=" + socket_};
        for (const Words& arguments :
             {Words{program("teams"), "loops", "20"}, Words{program("old_entries")},
              Words{program("loader"), "20", program("library_X.so")},
              Words{program("loader_with_openmp"), "20", program("library_X.so")}}) {
                const auto plain = run({arguments, kThree, {}});
                const auto done = run({arguments, kThree + door_of_old, {}});
                EXPECT_EQ(done.out, plain.out);
                EXPECT_EQ(done.err, plain.err);
                EXPECT_EQ(done.status, 0);
        }
        EXPECT_EQ(governor_.welcomed(), 0U);
}

TEST_F(Doors, AProgramThatFollowsByItselfIsLeftAlone) {
        expect_the_same({program("follows")}, 0);
        EXPECT_EQ(hellos_, 1U);
}

TEST_F(Doors, CountsThatAreLearntOnceStayTrue) {
        expect_the_same({program("teams"), "max", "300"}, 300);
        expect_the_same({program("teams"), "first", "300"}, 301);
        expect_the_same({program("teams"), "threadprivate", "300"}, 301);
}

TEST_F(Doors, CountsThatAreAskedForOrSetAreTheTeams) {
        for (const auto* kind : {"ask", "set"})
                expect_the_same({program("teams"), kind, "300"}, 300);
        expect_the_same({program("teams"), "clause", "300"}, 240);
}

TEST_F(Doors, ARuntimeThatBindsItsThreadsIsToldOf) {
        expect_the_same({program("teams"), "max", "100"}, 100, kThree);
        EXPECT_FALSE(governor_.was_told(5));
        expect_the_same({program("teams"), "max", "100"}, 100,
                        kThree + Words{"OMP_PROC_BIND=true", "OMP_PLACES=threads"});
        EXPECT_TRUE(governor_.was_told(5)) << "where they will be";
}

TEST_F(Doors, OnlyOutermostRegionsAreTold) {
        expect_the_same({program("teams"), "nested", "99"}, 66);  // a third is serial
}

TEST_F(Doors, EveryKindOfLoopIsARegion) { expect_the_same({program("teams"), "loops", "50"}, 400); }

TEST_F(Doors, RegionsOfOldCompilers) {
        // One of every seven is serial in a quarter of the rounds, and none is told from inside.
        expect_the_same({program("old_entries")}, 675);
}

TEST_F(Doors, ThreadsThatBeginRegionsAtOnce) {
        // Those that begin at the same moment may count as one.
        const auto told = regions_of_the_same({program("masters")}, kThree);
        EXPECT_GT(told, 0U);
        EXPECT_LE(told, 420U);
}

TEST_F(Doors, ALibraryThatIsLoadedLate) {
        expect_the_same({program("loader"), "50", program("library.so")}, 52);
}

TEST_F(Doors, ALibraryThatIsFoundBesideTheProgram) {
        expect_the_same({program("loader"), "50", "library.so"}, 52);
}

TEST_F(Doors, ALibraryWhoseConstructorWaitsForAThreadWithRegions) {
        // The linker is locked meanwhile; but all that is needed has been loaded before.
        expect_the_same({program("loader"), "0", program("constructor.so")}, 100);
        expect_the_same({program("loader_with_openmp"), "0", program("constructor.so")}, 100);
        // Nor can it be asked which of several runtimes this one sees.
        expect_the_same(
                {program("loader"), "0", program("library_X.so"), program("constructor_Y.so")},
                102);
}

TEST_F(Doors, ALibraryWhoseConstructorWaitsForTheFirstThread) {
        expect_the_same({program("waits_for_main"), program("waits_for_main.so")}, 50);
}

TEST_F(Doors, AnotherObjectThatLoadsSomethingWhileItLoads) {
        for (const auto* wrapper : {"wraps_dlopen.so", "wraps_dlopen_in_a_thread.so"})
                for (const Words& arguments :
                     {Words{program("teams"), "max", "5"},
                      Words{program("loader"), "20", program("library.so")}}) {
                        const auto plain = run({arguments, kThree, {}});
                        auto environment = kThree + door(socket_);
                        environment[1] += ":" + program(wrapper);
                        Process governed({arguments, environment, {}});
                        EXPECT_EQ(governed.wait(std::chrono::seconds{10}), 0) << wrapper;
                        EXPECT_EQ(governed.out(), plain.out);
                        EXPECT_EQ(governed.err(), "");
                }
}

TEST_F(Doors, CodeThatIsLoadedWhereOtherCodeHasBeen) {
        expect_the_same(
                {program("unloader"), "20", program("library_X.so"), program("library_Y.so")}, 20);
}

TEST_F(Doors, LibrariesWithARuntimeEachOfTheirOwn) {
        expect_the_same({program("loader"), "50", program("library_X.so"), program("library_Y.so"),
                         program("library.so")},
                        156);
}

TEST_F(Doors, ALibraryWithARuntimeInAProgramThatHasOne) {
        expect_the_same({program("loader_with_openmp"), "50", program("library_X.so"),
                         program("library_Y.so")},
                        154);
}

/// A library with a runtime of its own, another one with another runtime that all see, and one
/// that is closed.
Words scopes(const std::string& steps, const std::string& library = "library_X.so",
             const std::string& around = "around.so") {
        return {program("scopes"),       steps,          program(library), program("library_Y.so"),
                program("unrelated.so"), program(around)};
}

TEST_F(Doors, ALibraryStaysWithTheRuntimeThatItWasBoundTo) {
        // All see another one before its first region, or later.
        expect_the_same(scopes("lgr"), 1);
        expect_the_same(scopes("lgt"), 1);
        expect_the_same(scopes("lrgr"), 2);
        expect_the_same(scopes("lrgurt"), 3);
        expect_the_same(scopes("lguurrtt"), 4);
}

TEST_F(Doors, ALibraryIsBoundToTheRuntimeThatAllSee) {
        expect_the_same(scopes("glr"), 1);
        expect_the_same(scopes("glt"), 1);
        expect_the_same(scopes("gltutr"), 3);
}

TEST_F(Doors, ALibraryIsBoundToTheRuntimeOfAnotherThatIsNeededBeforeIt) {
        expect_the_same(scopes("alr", "library.so"), 1);
        expect_the_same(scopes("altur", "library.so"), 2);
        expect_the_same(scopes("lar", "library.so"), 1);
}

TEST_F(Doors, ALibraryThatIsARuntimeIsItsOwn) {
        expect_the_same(scopes("olr", "own_runtime.so"), 0);
        expect_the_same(scopes("oltur", "own_runtime.so"), 0);
        expect_the_same(scopes("ozr", "own_runtime.so"), 0);
        expect_the_same(scopes("lgr", "own_runtime.so"), 0);
        expect_the_same(scopes("glr", "own_runtime.so"), 1);
}

TEST_F(Doors, ALibraryThatIsBoundWhereItCallsIsBoundOnce) {
        expect_the_same(scopes("zr"), 1);
        expect_the_same(scopes("zrgur"), 2);
        expect_the_same(scopes("zgrur"), 2);
        expect_the_same(scopes("gzrur"), 2);
}

TEST_F(Doors, AJumpIsFromTheLibraryThatItsCallerNeeds) {
        expect_the_same(scopes("l2r"), 1);
        expect_the_same(scopes("ola4rR", "library_X.so", "around_X.so"), 2);
        expect_the_same(scopes("la4rour4R", "library_X.so", "around_X.so"), 3);
}

TEST_F(Doors, AJumpOfOneOfSeveralLibrariesReachesItsRuntime) {
        expect_the_same(scopes("ol2rR"), 2);
        expect_the_same(scopes("lo2rR"), 2);
}

TEST_F(Doors, ALibraryThatIsBoundWhereItCallsKeepsToWhatItHasAskedInAThread) {
        // Where the linker cannot be asked, what the library has called before tells.
        expect_the_same(scopes("zg2t"), 1);
}

TEST_F(Doors, ALibraryThatIsBoundWhereItCallsMayCallTwoRuntimes) {
        // What it has called before all saw another one tells nothing.
        expect_the_same(scopes("z2gr"), 1);
        expect_the_same(scopes("z2gurt"), 2);
}

TEST_F(Doors, APluginFindsItsOwnRuntimeByTheNamesOfItsFunctions) {
        expect_the_same({program("loader"), "5", program("finds_X.so"), program("library_Y.so")},
                        14);
        expect_the_same({program("loader"), "5", program("library_Y.so"), program("finds_X.so")},
                        14);
        expect_the_same({program("loader_with_openmp"), "5", program("finds_X.so")}, 12);
}

TEST_F(Doors, APluginFindsNoRuntimeThatOnlyAnotherLibrarySees) {
        expect_the_same({program("loader"), "5", program("finds.so")}, 0);
        expect_the_same({program("loader"), "5", program("library_Y.so"), program("finds.so")}, 7);
}

TEST_F(Doors, TheRuntimeOfAnotherCompilerIsLeftAlone) {
        if (!std::filesystem::exists(program("library_clang.so")))
                GTEST_SKIP() << "clang has no OpenMP here";
        expect_the_same({program("loader"), "50", program("library_clang.so")}, 0);
        expect_the_same({program("masters_of_both")}, 0);
        expect_the_same({program("loader_with_openmp"), "50", program("library_clang.so"),
                         program("library_X.so")},
                        102);
}

TEST_F(Doors, TheRuntimeOfAnotherCompilerIsLeftAloneUnderTheNameOfLibgomp) {
        if (!std::filesystem::exists(program("of_clang/libgomp.so.1")))
                GTEST_SKIP() << "libomp is not installed";
        const Words environment = kThree + Words{"LD_LIBRARY_PATH=" + program("of_clang")};
        expect_the_same({program("masters")}, 0, environment);
        expect_the_same({program("teams"), "max", "50"}, 0, environment);
        EXPECT_EQ(governor_.welcomed(), 0U);
}

TEST_F(Doors, AForkBeforeTheFirstRegion) {
        // Both have a lease, here in one slot, where one may overwrite what the other has counted.
        EXPECT_GT(regions_of_the_same({program("forks"), "before"}, kThree), 0U);
        EXPECT_EQ(governor_.welcomed(), 2U);
}

TEST_F(Doors, AForkBetweenRegions) {
        // With more threads the child hangs in libgomp itself.
        expect_the_same({program("forks"), "between"}, 22, {"OMP_NUM_THREADS=1"});
        EXPECT_EQ(hellos_, 2U);
}

TEST_F(Doors, AForkInsideOfARegion) {
        expect_the_same({program("forks"), "inside"}, 21);
        EXPECT_EQ(hellos_, 1U);
}

TEST_F(Doors, DescriptorsThatAreClosedAndUsedAgain) {
        EXPECT_GT(regions_of_the_same({program("descriptors")}, kThree), 0U);
        EXPECT_GE(governor_.welcomed(), 2U) << "it has connected again";
}

TEST_F(Doors, NoDescriptorIsLeft) { expect_the_same({program("descriptors"), "few"}, 0); }

TEST_F(Doors, NothingThatAProgramCanSeeHasChanged) { expect_the_same({program("quiet")}, 2000); }

TEST_F(Doors, AStaticProgram) { expect_the_same({program("hello_static")}, 0); }

TEST_F(Doors, AProgramOfAnotherLibc) {
        if (!std::filesystem::exists(program("hello_musl")))
                GTEST_SKIP() << "musl-gcc is not installed";
        expect_the_same({program("hello_musl")}, 0);
}

TEST_F(Doors, AProgramOf32Bits) {
        // One that is not installed can be given here.
        const auto* elsewhere = std::getenv("GOVERNOR_LINKER_32");
        const std::string linker = elsewhere != nullptr ? elsewhere : "/lib/ld-linux.so.2";
        if (!std::filesystem::exists(linker) || !std::filesystem::exists(program("hello_32")))
                GTEST_SKIP() << "no libc of 32 bits is installed";
        expect_the_same({linker, program("hello_32")}, 0);
}

/// A copy of the dynamic linker of 64 bits that puts `lib` in the place of $LIB, as those of Nix
/// do. False: this one cannot be made so.
bool make_linker_of_lib(const std::string& path) {
        const std::string linker = "/lib64/ld-linux-x86-64.so.2";
        if (!std::filesystem::exists(linker))
                return false;
        auto image = read_file(linker);
        const std::string own = std::string{DOOR_LIB} + '\0';
        const std::string other = "lib" + std::string(own.size() - 3, '\0');
        for (auto at = image.find(own); at != image.npos; at = image.find(own, at))
                image.replace(at, own.size(), other);
        std::ofstream(path, std::ios::binary) << image;
        return ::chmod(path.c_str(), 0755) == 0 &&
               run({{path, "--list-diagnostics"}, {}, {}}).out.find("dl_dst_lib=\"lib\"\n") !=
                       std::string::npos;
}

TEST_F(Doors, AProgramOf64BitsWhoseLinkerLooksInLib) {
        const auto linker = directory_.path("linker");
        if (std::string{DOOR_LIB} != "lib/x86_64-linux-gnu" || !make_linker_of_lib(linker))
                GTEST_SKIP() << "doors/lib is for another linker here";
        expect_the_same({linker, program("hello")}, 0);
        expect_the_same({linker, program("teams"), "max", "5"}, 5);
}

TEST_F(Doors, AProgramWithMorePrivileges) {
        if (!AsUser::is_possible())
                GTEST_SKIP() << "needs root";
        const auto copy = directory_.path("hello");
        std::filesystem::copy_file(program("hello"), copy);
        ASSERT_EQ(::chmod(copy.c_str(), 04755), 0);
        ASSERT_EQ(::chmod(directory_.path().c_str(), 0755), 0);
        const auto done = run({{copy}, door(socket_), 65534});
        if (done.out == "hello of 1\n")
                GTEST_SKIP() << "no set-user-ID here";
        EXPECT_EQ(done.out, "hello of 0\n");
        EXPECT_EQ(done.err, "");
        EXPECT_EQ(done.status, 0);
}

TEST_F(Doors, AProgramWithASanitizer) {
        // It refuses to start behind any preloaded object unless it is told not to look.
        expect_the_same({program("teams_sanitized"), "max", "50"}, 50,
                        kThree + Words{"ASAN_OPTIONS=detect_leaks=0:verify_asan_link_order=0"});
}

constexpr auto kNoOpenBlas = "libopenblas0-openmp is not installed, or set "
                             "GOVERNOR_OPENBLAS_OPENMP to its libopenblas.so.0";

std::string open_blas() {
        const auto* elsewhere = std::getenv("GOVERNOR_OPENBLAS_OPENMP");
        return elsewhere != nullptr ? elsewhere
                                    : "/usr/lib/" MULTIARCH "/openblas-openmp/libopenblas.so.0";
}

TEST_F(Doors, OpenBlasOfOpenMpDoesNotHang) {
        const auto path = open_blas();
        if (!std::filesystem::exists(path))
                GTEST_SKIP() << kNoOpenBlas;
        expect_the_same({program("blas"), path, "100"}, 100);
}

/// Grants that go up and down, after times from 0.2 to 5 ms, until it goes.
class Grants {
public:
        Grants(MadeUpGovernor& governor, unsigned most)
                : thread_([&governor, most, this] {
                          for (unsigned i = 0; !is_over_; i++) {
                                  governor.publish(1 + i % most, false);
                                  std::this_thread::sleep_for(microseconds{200 + i * 977 % 4800});
                          }
                  }) {}
        ~Grants() {
                is_over_ = true;
                thread_.join();
        }
        Grants(const Grants&) = delete;
        Grants& operator=(const Grants&) = delete;

private:
        std::atomic<bool> is_over_{false};
        std::thread thread_;
};

/// Teams that follow.
class AdaptingDoors : public Doors {
protected:
        /// Its output under grants that change all the time.
        [[nodiscard]] std::string governed(const Words& arguments,
                                           const Words& environment = {"OMP_NUM_THREADS=2"},
                                           const std::string& how = "adapt", unsigned most = 2) {
                const Grants grants(governor_, most);
                const auto done = run({arguments, environment + adapting_door(socket_, how), {}});
                EXPECT_EQ(done.err, "");
                EXPECT_EQ(done.status, 0);
                return done.out;
        }
        [[nodiscard]] std::string counts(const std::string& kind,
                                         const Words& environment = {"OMP_NUM_THREADS=2"},
                                         const std::string& how = "adapt") {
                return governed({program("counts"), kind, "300"}, environment, how);
        }
        static inline const std::string kFollows = "right, teams 1 2\n";
};

TEST_F(AdaptingDoors, AProgramThatCountsNothingFollowsAtEachRegion) {
        EXPECT_EQ(counts("nothing"), kFollows);
        EXPECT_FALSE(governor_.was_told(10)) << "it does not keep its teams";
        EXPECT_EQ(governor_.max_of_hello(), 2U);
        EXPECT_GT(governor_.report().regions, 100U);
        EXPECT_FALSE(governor_.report().in_region);
}

TEST_F(AdaptingDoors, AnAnswerIsTrueUntilTheNextQuestion) {
        EXPECT_EQ(counts("ask"), kFollows);
        EXPECT_EQ(counts("rarely"), kFollows);
        governor_.publish(1, false);
        const auto once = counts("once");
        EXPECT_TRUE(once == "right, teams 1\n" || once == "right, teams 2\n") << once;
}

TEST_F(AdaptingDoors, AQuestionIsAnsweredByTheGrant) {
        governor_.publish(1, false);
        for (const auto* kind : {"once", "ask", "echo", "nothing", "inside"})
                EXPECT_EQ(run({{program("counts"), kind, "1"},
                               Words{"OMP_NUM_THREADS=3"} + adapting_door(socket_),
                               {}})
                                  .out,
                          "right, teams 1\n")
                        << kind;
        EXPECT_EQ(governor_.report().team, 1U);
        EXPECT_FALSE(governor_.report().in_region);
}

TEST_F(AdaptingDoors, WhatALibraryAsksForOrSetsBeforeMainHolds) {
        governor_.publish(1, false);
        const Words environment = Words{"OMP_NUM_THREADS=3"} + adapting_door(socket_);
        EXPECT_EQ(run({{program("asks_at_start")}, environment, {}}).out, "1: right\n");
        EXPECT_EQ(run({{program("asks_at_start")}, environment + Words{"SETS=2"}, {}}).out,
                  "2: right\n");
        EXPECT_EQ(governor_.report().team, 2U);
}

TEST_F(AdaptingDoors, WhoeverOnlyAsksIsNotInsideOfARegion) {
        governor_.publish(2, false);
        EXPECT_EQ(run({{program("counts"), "only-ask", "1"},
                       Words{"OMP_NUM_THREADS=3"} + adapting_door(socket_),
                       {}})
                          .out,
                  "right, teams\n");
        EXPECT_GT(governor_.report().epoch, 0U);
        EXPECT_FALSE(governor_.report().in_region);
        // One question, and regions of a number that is set.
        Process asks({{program("counts"), "ask-and-set", "1"},
                      Words{"OMP_NUM_THREADS=3"} + adapting_door(socket_),
                      {}});
        EXPECT_EQ(asks.wait(), 0);
        EXPECT_EQ(asks.out(), "right, teams 3\n");
        EXPECT_EQ(governor_.report().team, 3U) << "which it is told";
        EXPECT_FALSE(governor_.report().in_region);
}

TEST_F(AdaptingDoors, AnAnswerToOneThreadHoldsInOthers) {
        for (const auto* kind : {"elsewhere", "ask-elsewhere", "new-threads"})
                for (const unsigned grant : {1U, 2U}) {
                        governor_.publish(grant, false);
                        const auto out = counts(kind);
                        EXPECT_TRUE(out == "right, teams 1\n" || out == "right, teams 2\n")
                                << kind << ": " << out;
                }
}

TEST_F(AdaptingDoors, ANumberThatIsSetHolds) {
        EXPECT_EQ(counts("set-once"), "right, teams 2\n");
        EXPECT_EQ(counts("set"), "right, teams 1 2 3\n");
        const auto more = counts("ask-and-set");
        EXPECT_TRUE(more == "right, teams 2\n" || more == "right, teams 3\n") << more;
}

TEST_F(AdaptingDoors, AProgramThatSetsItsNumberSaysThatItsTeamsAreItsOwn) {
        governor_.publish(8, false);
        for (const auto* kind : {"nothing", "echo", "set-once"}) {
                EXPECT_EQ(run({{program("counts"), kind, "1"},
                               Words{"OMP_NUM_THREADS=2"} + adapting_door(socket_),
                               {}})
                                  .out,
                          "right, teams 2\n")
                        << kind;
                (void)governor_.updated_max();
                EXPECT_EQ(governor_.updated_keeps(), std::string(kind) == "set-once") << kind;
        }
}

TEST_F(AdaptingDoors, AnEchoIsNoWish) { EXPECT_EQ(counts("echo"), kFollows); }

TEST_F(AdaptingDoors, AClauseHolds) { EXPECT_EQ(counts("clause"), "right, teams 1 2 3\n"); }

TEST_F(AdaptingDoors, RegionsInRegionsAreTheirOwn) { EXPECT_EQ(counts("inside"), kFollows); }

TEST_F(AdaptingDoors, EveryKindOfRegionIsRight) {
        // It has data in threads, and keeps its teams.
        for (const auto* kind : {"max", "ask", "clause", "set", "first", "threadprivate", "nested"})
                EXPECT_EQ(governed({program("teams"), kind, "300"}),
                          run({{program("teams"), kind, "300"}, {"OMP_NUM_THREADS=2"}, {}}).out);
        EXPECT_EQ(governed({program("teams"), "loops", "50"}), "loops: 50 of 50, 2 threads\n");
        // Its lines begin with teams, some of which follow.
        const auto without_teams = [](const std::string& out) {
                std::string rest;
                for (std::size_t i = 0; i < out.size(); i++)
                        if (i > 0 && out[i - 1] != '\n')
                                rest += out[i];
                return rest;
        };
        const auto old = governed({program("old_entries")});
        const auto plain = run({{program("old_entries")}, {"OMP_NUM_THREADS=2"}, {}}).out;
        EXPECT_EQ(without_teams(old), without_teams(plain));
        EXPECT_NE(old, plain);
}

TEST_F(AdaptingDoors, DataInThreadsAreKept) {
        EXPECT_EQ(governed({program("thread_data"), "300"}), "right, teams 2\n");
        EXPECT_EQ(governor_.report().team, 2U);
        for (const auto* kind : {"nothing", "ask", "first-region"})
                EXPECT_EQ(governed({program("counts_with_thread_data"), kind, "50"}),
                          "right, teams 2\n");
}

TEST_F(AdaptingDoors, TheUserMayPermitItByTheVariableOfOpenMp) {
        // The runtime itself may choose smaller teams then: so it goes by what is asked of whom.
        const auto keeps_with = [&](const std::string& dynamic) {
                const auto hellos = governor_.welcomed();
                EXPECT_EQ(run({{program("counts"), "nothing", "1"},
                               Words{"OMP_NUM_THREADS=2", "OMP_DYNAMIC=" + dynamic} +
                                       adapting_door(socket_, "keep"),
                               {}})
                                  .status,
                          0);
                EXPECT_EQ(governor_.welcomed(), hellos + 1);
                return governor_.was_told(10);
        };
        for (const auto* is_true : {"true", " TRUE ", "True"})
                EXPECT_FALSE(keeps_with(is_true)) << is_true;
        for (const auto* is_false : {"false", "truely", "tru", "", "1"})
                EXPECT_TRUE(keeps_with(is_false)) << is_false;
}

TEST_F(AdaptingDoors, WithoutPermissionTeamsAreKept) {
        EXPECT_EQ(counts("nothing", {"OMP_NUM_THREADS=2"}, "keep"), "right, teams 2\n");
        EXPECT_EQ(counts("nothing", {"OMP_NUM_THREADS=2"}, "adopt"), "right, teams 2\n");
        EXPECT_EQ(counts("nothing", {"OMP_NUM_THREADS=2", "THREADCOUNT=keep"}), "right, teams 2\n");
}

TEST_F(AdaptingDoors, WhereTheRuntimeBindsItsThreadsTeamsAreKept) {
        EXPECT_EQ(counts("nothing", {"OMP_NUM_THREADS=2", "OMP_PROC_BIND=true"}),
                  "right, teams 2\n");
        EXPECT_TRUE(governor_.was_told(10));
}

TEST_F(AdaptingDoors, RuntimesHaveNumbersOfTheirOwn) {
        // The numbers that they set are theirs; the numbers that they begin with depend on the
        // grant.
        const auto settled = [](const std::string& out) { return out.substr(out.find("set 2")); };
        for (const auto& libraries :
             {Words{"loader", "library_X.so", "library_Y.so", "library.so"},
              Words{"loader_with_openmp", "library_X.so", "library_Y.so"}}) {
                Words arguments{program(libraries.front()), "300"};
                for (std::size_t i = 1; i < libraries.size(); i++)
                        arguments.push_back(program(libraries[i]));
                EXPECT_EQ(settled(governed(arguments)),
                          settled(run({arguments, {"OMP_NUM_THREADS=2"}, {}}).out));
        }
}

TEST_F(AdaptingDoors, TheRuntimeOfAnotherCompilerIsLeftAlone) {
        if (!std::filesystem::exists(program("library_clang.so")))
                GTEST_SKIP() << "clang has no OpenMP here";
        governor_.publish(1, false);
        const auto done = run({{program("loader"), "1", program("library_clang.so"),
                                program("library_X.so"), program("library_Y.so")},
                               Words{"OMP_NUM_THREADS=3"} + adapting_door(socket_),
                               {}});
        EXPECT_EQ(done.out.substr(0, done.out.find("library 0: set")),
                  "library 0: at first 3\nlibrary 1: at first 1\nlibrary 2: at first 1\n"
                  "library 0: answered 3\nlibrary 1: answered 1\nlibrary 2: answered 1\n");
}

TEST_F(AdaptingDoors, BatchProgramsWaitForTheirTurnToAsk) {
        const auto epoch = governor_.publish(1, true);
        Process waiting(
                {{program("counts"), "once", "1"},
                 Words{"OMP_NUM_THREADS=2", "THREADCOUNT_CLASS=batch"} + adapting_door(socket_),
                 {}});
        EXPECT_TRUE(eventually([&] {
                const auto said = governor_.report();
                return said.epoch == epoch && !said.in_region;
        }));
        EXPECT_EQ(waiting.wait(milliseconds{300}), -1) << waiting.out();
        governor_.publish(2, false);
        governor_.call();
        EXPECT_EQ(waiting.wait(), 0);
        EXPECT_EQ(waiting.out(), "right, teams 2\n") << "and not that of a program that waits";
}

TEST_F(AdaptingDoors, NoThreadIsCancelledWhereOpenMpCancelsNone) {
        for (const auto* kind : {"asks", "begins"}) {
                const auto epoch = governor_.publish(1, true);
                Process waiting({{program("cancelled"), kind},
                                 Words{"OMP_NUM_THREADS=2", "THREADCOUNT_CLASS=batch"} +
                                         adapting_door(socket_),
                                 {}});
                EXPECT_TRUE(eventually([&] {
                        const auto said = governor_.report();
                        return said.epoch == epoch && !said.in_region;
                }));
                waiting.signal(SIGUSR1);
                EXPECT_EQ(waiting.wait(milliseconds{300}), -1) << kind << ' ' << waiting.out();
                governor_.publish(2, false);
                governor_.call_some();
                EXPECT_EQ(waiting.wait(), 0);
                EXPECT_EQ(waiting.out(), "cancelled, free\n") << kind;
        }
}

TEST_F(AdaptingDoors, WithoutAGovernorAllIsAsItWas) {
        for (const auto* kind : {"nothing", "ask", "once", "echo"})
                EXPECT_EQ(run({{program("counts"), kind, "1"},
                               Words{"OMP_NUM_THREADS=2"} + adapting_door("/nowhere"),
                               {}})
                                  .out,
                          "right, teams 2\n");
}

TEST_F(AdaptingDoors, NothingElseThatAProgramCanSeeHasChanged) {
        EXPECT_EQ(governed({program("quiet")}),
                  run({{program("quiet")}, {"OMP_NUM_THREADS=2"}, {}}).out);
        EXPECT_EQ(governed({program("follows")}), "team 2\n");
        EXPECT_EQ(governed({program("masters")}),
                  run({{program("masters")}, {"OMP_NUM_THREADS=2"}, {}}).out);
}

TEST_F(AdaptingDoors, OpenBlasOfOpenMpFollowsAtEachCall) {
        const auto path = open_blas();
        if (!std::filesystem::exists(path))
                GTEST_SKIP() << kNoOpenBlas;
        // With an answer of 1 it works by itself, and remembers the number that it had.
        EXPECT_EQ(
                governed({program("blas"), path, "100", "1000"}, {"OMP_NUM_THREADS=3"}, "adapt", 3),
                "right, teams 2 3\n");
        governor_.publish(1, false);
        EXPECT_EQ(run({{program("blas"), path, "100", "1"},
                       Words{"OMP_NUM_THREADS=3"} + adapting_door(socket_),
                       {}})
                          .out.substr(0, 5),
                  "right");
        EXPECT_EQ(governor_.report().team, 1U);
}

TEST_F(AdaptingDoors, AJumpIsFromTheLibraryThatItsCallerNeeds) {
        // With a grant of all that is wanted teams are as without a governor.
        governor_.publish(8, false);
        for (const Words& arguments :
             {scopes("l2r"), scopes("ola4rR", "library_X.so", "around_X.so"),
              scopes("la4rour4R", "library_X.so", "around_X.so")})
                for (const auto* how : {"adapt", "keep"})
                        EXPECT_EQ(run({arguments, kThree + adapting_door(socket_, how), {}}).out,
                                  run({arguments, kThree, {}}).out);
}

TEST_F(AdaptingDoors, TheObjectThatKeepsTeamsDoesSoWhateverTheEnvironmentSays) {
        // A script may set it below `run --keep`. Questions do not come by this object.
        const Grants grants(governor_, 2);
        for (const auto* kind : {"nothing", "ask", "set-once"}) {
                const auto done = run({{program("counts"), kind, "100"},
                                       Words{"OMP_NUM_THREADS=2"} + door(socket_, "adapt"),
                                       {}});
                EXPECT_EQ(done.out, "right, teams 2\n") << kind;
                EXPECT_TRUE(governor_.was_told(10)) << "it keeps its teams";
        }
        // libgomp itself may choose smaller ones here.
        EXPECT_EQ(run({{program("counts"), "nothing", "1"},
                       Words{"OMP_NUM_THREADS=2", "OMP_DYNAMIC=true"} + door(socket_),
                       {}})
                          .status,
                  0);
        EXPECT_TRUE(governor_.was_told(10));
}

class DoorsOfADaemon : public LeaseTest {
protected:
        [[nodiscard]] std::unique_ptr<Process> start(const std::string& kind,
                                                     const std::string& threads,
                                                     const std::string& how = "keep") const {
                return std::make_unique<Process>(
                        Command{{program("teams"), kind, "100000000"},
                                Words{"OMP_NUM_THREADS=" + threads} +
                                        door(daemon_.socket(), how,
                                             how == "keep" ? "keep.so" : "adopt.so") +
                                        kSpins,
                                {}});
        }
        static inline const Words kSpins{"OMP_DISPLAY_AFFINITY=false"};  // since this may be true
        [[nodiscard]] bool wants(const Process& process, std::uint32_t max) const {
                return eventually([&] {
                        const auto client = lease(static_cast<std::uint32_t>(process.pid()));
                        return client && client->label() == "teams" && client->max() == max;
                });
        }
};

TEST_F(DoorsOfADaemon, AProgramHoldsALease) {
        const auto running = start("max", "2");
        EXPECT_TRUE(wants(*running, 2));
        EXPECT_TRUE(eventually([&] {
                const auto client = lease(static_cast<std::uint32_t>(running->pid()));
                return client && client->in_use() == 2;
        }));
        running->signal(SIGKILL);
        EXPECT_TRUE(becomes(0));
}

TEST_F(DoorsOfADaemon, ItsLargestTeamIsItsMaximum) {
        const auto running = start("clause", "4");
        EXPECT_TRUE(wants(*running, 5));
}

TEST_F(DoorsOfADaemon, TeamsThatSleepRunSideBySide) {
        const auto cpus = static_cast<std::ptrdiff_t>(std::thread::hardware_concurrency());
        const Command command{{program("dozes"), "60"},
                              Words{"OMP_NUM_THREADS=" + std::to_string(cpus + 1)} +
                                      door(daemon_.socket()),
                              {}};
        const Process first(command);
        EXPECT_TRUE(has_threads(first, cpus + 1));
        const Process second(command);
        EXPECT_TRUE(has_threads(first, cpus + 3));
        EXPECT_TRUE(has_threads(second, cpus + 3));
}

TEST_F(DoorsOfADaemon, ProgramsThatDoNotFollowAfterAllTakeRounds) {
        const auto cpus = std::to_string(2 * std::thread::hardware_concurrency());
        const auto first = start("threadprivate", cpus, "adapt");
        const auto second = start("threadprivate", cpus, "adapt");
        for (const bool is_parked : {true, false})
                for (const auto* program : {first.get(), second.get()})
                        EXPECT_TRUE(eventually([&] {
                                const auto client =
                                        lease(static_cast<std::uint32_t>(program->pid()));
                                return client && client->parked() == is_parked;
                        }));
}

}  // namespace
