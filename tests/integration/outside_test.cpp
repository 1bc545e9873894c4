// SPDX-License-Identifier: MIT
// Trees that yield from outside, with the real kernel, as an ordinary user: what is changed is
// given back, whoever is killed.
#include "outside/autogroup.hpp"
#include "outside/look.hpp"
#include "outside/one_cpu.hpp"
#include "outside/records.hpp"
#include "support/process.hpp"
#include "support/temporary_directory.hpp"

#include <fstream>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <pthread.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <sys/wait.h>

namespace {

using ctl::outside::Autogroup;
using ctl::outside::HeldProcess;
using std::chrono::milliseconds;
using test_support::eventually;
using test_support::Process;
using test_support::read_file;
using test_support::TemporaryDirectory;

constexpr uid_t kUser = 4243;
constexpr uid_t kOtherUser = 4244;

bool is_root() { return ::geteuid() == 0; }

/// Root that may bind processes of other users.
bool is_root_with_sys_nice() {
        const auto status = read_file("/proc/self/status");
        const auto at = status.find("CapEff:");
        return is_root() && at != status.npos &&
               (std::stoull(status.substr(at + 7), nullptr, 16) >> CAP_SYS_NICE & 1U) != 0;
}

/// `arguments` as user `uid`, where this is root.
std::vector<std::string> as_user(uid_t uid, std::vector<std::string> arguments) {
        if (!is_root())
                return arguments;
        const auto id = std::to_string(uid);
        std::vector<std::string> all{"/usr/bin/setpriv", "--reuid", id,
                                     "--regid",          id,        "--clear-groups"};
        all.insert(all.end(), arguments.begin(), arguments.end());
        return all;
}

Autogroup group_of(std::uint32_t pid) {
        const auto process = HeldProcess::open("", pid);
        return process ? autogroup_of(*process).value_or(Autogroup{}) : Autogroup{};
}

/// Processes whose command line is `wanted`, words ended by zero bytes.
std::vector<pid_t> find(const std::string& wanted) {
        std::vector<pid_t> found;
        for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
                const auto name = entry.path().filename().string();
                if (name.find_first_not_of("0123456789") != name.npos)
                        continue;
                const auto pid = static_cast<std::uint32_t>(std::stoul(name));
                const auto process = HeldProcess::open("", pid);
                if (process && process->read("cmdline") == wanted)
                        found.push_back(static_cast<pid_t>(pid));
        }
        return found;
}

std::string words(const std::vector<std::string>& arguments) {
        std::string text;
        for (const auto& argument : arguments)
                text += argument + '\0';
        return text;
}

/// Commands that this test has started, whatever became of their parents.
std::vector<std::vector<std::string>>& sleeps() {
        static std::vector<std::vector<std::string>> all;
        return all;
}

/// A command that no other test has. It is killed at the end of the test.
std::vector<std::string> unique_sleep() {
        sleeps().push_back({"/bin/sleep", "600." + std::to_string(::getpid()) +
                                                  std::to_string(100 + sleeps().size())});
        return sleeps().back();
}

std::string joined(const std::vector<std::string>& arguments) {
        std::string text;
        for (const auto& argument : arguments)
                text += (text.empty() ? "" : " ") + argument;
        return text;
}

/// The only process that executes `command`; 0: there is none, or there are more.
std::uint32_t only(const std::vector<std::string>& command) {
        std::vector<pid_t> found;
        EXPECT_TRUE(eventually([&] {
                found = find(words(command));
                return found.size() == 1;
        })) << joined(command);
        return found.size() == 1 ? static_cast<std::uint32_t>(found.front()) : 0;
}

/// A tree of one command that waits for its turn.
class Tree {
public:
        Tree(const std::string& place, std::vector<std::string> command, uid_t uid = kUser,
             std::vector<std::string> environment = {})
                : command_(std::move(command)),
                  yielder_({as_user(uid, with({YIELDER, place})), std::move(environment), {}}) {}
        ~Tree() {
                for (const auto pid : find(words(command_)))
                        ::kill(pid, SIGKILL);
        }
        Tree(const Tree&) = delete;
        Tree& operator=(const Tree&) = delete;

        [[nodiscard]] std::uint32_t command() {
                std::vector<pid_t> found;
                EXPECT_TRUE(eventually([&] {
                        found = find(words(command_));
                        return found.size() == 1;
                }));
                return static_cast<std::uint32_t>(found.at(0));
        }
        [[nodiscard]] bool has(int nice) {
                const auto pid = command();
                const bool held = eventually([&] { return group_of(pid).nice == nice; });
                EXPECT_TRUE(held) << "nice " << group_of(pid).nice << "; " << yielder_.out()
                                  << yielder_.err();
                return held;
        }
        [[nodiscard]] Process& run() { return yielder_; }

private:
        [[nodiscard]] std::vector<std::string> with(std::vector<std::string> front) const {
                front.insert(front.end(), command_.begin(), command_.end());
                return front;
        }

        std::vector<std::string> command_;
        Process yielder_;
};

class Outside : public testing::Test {
protected:
        void SetUp() override {
                if (read_file("/proc/sys/kernel/sched_autogroup_enabled") != "1\n")
                        GTEST_SKIP() << "this kernel has no autogroups, or they are off";
                const Process child({{"/usr/bin/setsid", "/bin/sleep", "60"}, {}, {}});
                ctl::outside::Look look("");
                ctl::outside::Facts facts;
                ASSERT_TRUE(eventually([&] {
                        facts = look.take(static_cast<std::uint32_t>(::getpid()));
                        return !facts.sessions.empty();
                }));
                if (!facts.sessions.front().is_in_root_group)
                        GTEST_SKIP()
                                << "this is not the root cpu control group, and autogroups act "
                                   "there only";
                std::filesystem::permissions(directory_.path(), std::filesystem::perms::all);
        }
        void TearDown() override {
                for (const auto pid : guardians())
                        ::kill(pid, SIGKILL);
                for (const auto& command : sleeps())
                        for (const auto pid : find(words(command)))
                                ::kill(pid, SIGKILL);
        }

        [[nodiscard]] std::string place() const { return directory_.path("records"); }
        /// For a shell: goes on after go_on().
        [[nodiscard]] std::string wait_to_go_on() const {
                return "while ! [ -e " + directory_.path("go") + " ]; do /bin/sleep 0.02; done; ";
        }
        void go_on() const { std::ofstream(directory_.path("go")) << "\n"; }
        [[nodiscard]] std::vector<pid_t> guardians() const {
                return find(words({"governorctl", "guard", place()}));
        }
        [[nodiscard]] bool has_guardians(std::size_t count) const {
                return eventually([&] { return guardians().size() == count; });
        }
        [[nodiscard]] std::size_t records() const {
                std::size_t count = 0;
                for (const auto& file : std::filesystem::directory_iterator(place()))
                        count += file.path().filename().string().find("run-") != std::string::npos;
                return count;
        }
        /// A record as a process that is no more would have left it.
        void leave(const ctl::outside::ProcessId& run, std::uint64_t group, uid_t owner) const {
                {
                        auto records = ctl::outside::Records::open(place());
                        ASSERT_TRUE(records) << records.error();
                        ASSERT_EQ(records->write(
                                          {ctl::outside::boot_id(), run, {{group, 0}}, {}, {}, {}}),
                                  0);
                }
                if (!is_root())
                        return;
                for (const auto& file : std::filesystem::directory_iterator(place()))
                        ASSERT_EQ(::chown(file.path().c_str(), owner, owner), 0);
                ASSERT_EQ(::chown(place().c_str(), owner, owner), 0);
        }

        TemporaryDirectory directory_;
};

TEST_F(Outside, ACommandYieldsWhileItWaitsAndNotAtItsTurn) {
        Tree tree(place(), unique_sleep());
        ASSERT_TRUE(tree.has(19));
        EXPECT_EQ(tree.run().out(), "waits at autogroup nice 19 (1 session)\n");
        tree.run().signal(SIGUSR1);
        ASSERT_TRUE(tree.has(0));
        tree.run().signal(SIGUSR2);
        ASSERT_TRUE(tree.has(19));
        tree.run().signal(SIGTERM);
        EXPECT_EQ(tree.run().wait(), 0);
        EXPECT_EQ(group_of(tree.command()).nice, 0);
        EXPECT_EQ(records(), 0U);
}

TEST_F(Outside, ASessionThatIsMadeWhileTheTreeWaitsYieldsToo) {
        const auto inner = unique_sleep();
        const auto outer = unique_sleep();
        Tree tree(place(), {"/bin/sh", "-c",
                            "/bin/sleep 0.5; /usr/bin/setsid " + inner[0] + " " + inner[1] +
                                    " & exec " + outer[0] + " " + outer[1]});
        std::uint32_t found = 0;
        ASSERT_TRUE(eventually([&] {
                const auto pids = find(words(inner));
                found = pids.empty() ? 0 : static_cast<std::uint32_t>(pids.front());
                return found != 0 && group_of(found).nice == 19;
        }));
        tree.run().signal(SIGUSR1);
        EXPECT_TRUE(eventually([&] { return group_of(found).nice == 0; }));
}

TEST_F(Outside, TheGuardianIsNoPartOfTheTreeAndEndsWithTheLastOfThem) {
        Tree tree(place(), unique_sleep());
        ASSERT_TRUE(tree.has(19));
        ASSERT_TRUE(has_guardians(1));
        const auto guardian = static_cast<std::uint32_t>(guardians().at(0));
        ctl::outside::Look look("");
        for (const auto& session : look.take(static_cast<std::uint32_t>(tree.run().pid())).sessions)
                EXPECT_NE(session.group.id, group_of(guardian).id);
        EXPECT_EQ(group_of(guardian).nice, 0);
        {
                Tree second(place(), unique_sleep());
                ASSERT_TRUE(second.has(19));
                EXPECT_TRUE(has_guardians(1));
        }
        tree.run().signal(SIGTERM);
        EXPECT_TRUE(has_guardians(0));
}

/// The outer one is its parent: it is the subreaper of all that is below it.
TEST_F(Outside, TheGuardianOfATreeInsideOfTheTreeDoesNotYieldWithThat) {
        const auto inner = directory_.path("inner");
        const auto late = unique_sleep();
        Tree tree(place(), {"/bin/sh", "-c",
                            YIELDER " " + inner + " " + joined(unique_sleep()) + " & " +
                                    wait_to_go_on() + "/usr/bin/setsid " + joined(late) +
                                    " & exec " + joined(unique_sleep())});
        std::vector<pid_t> guardians;
        ASSERT_TRUE(eventually([&] {
                guardians = find(words({"governorctl", "guard", inner}));
                return guardians.size() == 1;
        }));
        const auto guardian = static_cast<std::uint32_t>(guardians.front());
        const auto outer = static_cast<std::uint32_t>(tree.run().pid());
        const auto status = read_file("/proc/" + std::to_string(guardian) + "/status");
        EXPECT_NE(status.find("\nPPid:\t" + std::to_string(outer) + "\n"), status.npos) << status;
        go_on();
        const auto session = only(late);
        EXPECT_TRUE(eventually([&] { return group_of(session).nice == 19; }));
        std::this_thread::sleep_for(milliseconds{1'200});  // it looks once a second
        EXPECT_EQ(group_of(guardian).nice, 0);
        ctl::outside::Look look("", GOVERNORCTL);
        for (const auto& process : look.take(outer).processes)
                EXPECT_NE(process.pid, guardian);
        ::kill(guardians.front(), SIGKILL);
}

TEST_F(Outside, TheGuardianHoldsNothingOpenThatItsStarterHad) {
        const auto inherited = directory_.path("inherited");
        const auto script = "exec 9>" + inherited + "; exec " YIELDER " " + place();
        const auto command = unique_sleep();
        const Process yielder(
                {as_user(kUser, {"/bin/sh", "-c", script + " " + command[0] + " " + command[1]}),
                 {},
                 {}});
        ASSERT_TRUE(has_guardians(1));
        const auto files = "/proc/" + std::to_string(guardians().at(0)) + "/fd";
        EXPECT_TRUE(std::filesystem::exists(inherited));
        const auto is_open = [&] {
                return std::ranges::any_of(
                        std::filesystem::directory_iterator(files), [&](const auto& file) {
                                std::error_code gone;
                                const auto target =
                                        std::filesystem::read_symlink(file, gone).string();
                                return target == inherited || target.starts_with("pipe:") ||
                                       target.find("/out") != target.npos;
                        });
        };
        EXPECT_TRUE(eventually([&] { return !is_open(); })) << "it closes them as it starts";
        for (const auto pid : find(words(command)))
                ::kill(pid, SIGKILL);
}

TEST_F(Outside, ARunThatIsKilledIsUndone) {
        Tree tree(place(), unique_sleep());
        ASSERT_TRUE(tree.has(19));
        tree.run().signal(SIGKILL);
        EXPECT_TRUE(tree.has(0));
        EXPECT_TRUE(has_guardians(0));
        EXPECT_EQ(records(), 0U);
}

TEST_F(Outside, AGuardianThatIsKilledIsReplaced) {
        Tree tree(place(), unique_sleep());
        ASSERT_TRUE(tree.has(19));
        ASSERT_TRUE(has_guardians(1));
        const auto first = guardians().at(0);
        ::kill(first, SIGKILL);
        ASSERT_TRUE(eventually([&] {
                const auto now = guardians();
                return now.size() == 1 && now.at(0) != first;
        }));
        tree.run().signal(SIGKILL);
        EXPECT_TRUE(tree.has(0));
}

TEST_F(Outside, TheNextRunRepairsWhatARunAndItsGuardianLeft) {
        Tree tree(place(), unique_sleep());
        ASSERT_TRUE(tree.has(19));
        ASSERT_TRUE(has_guardians(1));
        ::kill(tree.run().pid(), SIGSTOP);  // it would start another one
        ::kill(guardians().at(0), SIGKILL);
        tree.run().signal(SIGKILL);
        ASSERT_TRUE(has_guardians(0));
        EXPECT_EQ(group_of(tree.command()).nice, 19);
        Tree next(place(), unique_sleep());
        EXPECT_TRUE(tree.has(0));
        EXPECT_TRUE(next.has(19));
}

TEST_F(Outside, TenRunsThatAreKilledAtOnceAreUndone) {
        std::vector<std::unique_ptr<Tree>> trees;
        for (int i = 0; i < 10; i++)
                trees.push_back(std::make_unique<Tree>(place(), unique_sleep()));
        for (auto& tree : trees)
                ASSERT_TRUE(tree->has(19));
        const auto begin = std::chrono::steady_clock::now();
        for (auto& tree : trees)
                tree->run().signal(SIGKILL);
        for (auto& tree : trees)
                ASSERT_TRUE(tree->has(0));
        std::printf("ten trees were undone after %lld ms\n",
                    static_cast<long long>(std::chrono::duration_cast<milliseconds>(
                                                   std::chrono::steady_clock::now() - begin)
                                                   .count()));
}

TEST_F(Outside, MoreRunsThanDescriptorsAreAllowedAtFirstAreUndone) {
        const auto command = unique_sleep();
        auto all = as_user(kUser, {"/usr/bin/prlimit", "--nofile=24:1024", YIELDER, place()});
        all.insert(all.end(), command.begin(), command.end());
        const Process first({all, {}, {}});
        ASSERT_TRUE(eventually([&] { return group_of(only(command)).nice == 19; }));
        ASSERT_TRUE(has_guardians(1));
        const auto guardian = guardians();
        std::vector<std::unique_ptr<Tree>> trees;
        for (int i = 0; i < 24; i++)
                trees.push_back(std::make_unique<Tree>(place(), unique_sleep()));
        for (auto& tree : trees)
                ASSERT_TRUE(tree->has(19));
        trees.back()->run().signal(SIGKILL);
        EXPECT_TRUE(trees.back()->has(0));
        EXPECT_TRUE(eventually([&] { return records() == 24; }));
        EXPECT_EQ(guardians(), guardian) << "it holds one descriptor for each";
}

TEST_F(Outside, ARecordOfAProcessWhoseNumberIsUsedAgainIsUndone) {
        auto command = unique_sleep();
        command.insert(command.begin(), "/usr/bin/setsid");
        const Process left({as_user(kUser, command), {}, {}});
        const auto pid = static_cast<std::uint32_t>(left.pid());
        ASSERT_TRUE(eventually([&] {
                return group_of(pid).id != group_of(1).id &&
                       read_file("/proc/" + std::to_string(pid) + "/comm") == "sleep\n";
        }));
        ASSERT_EQ(set_autogroup_nice(*HeldProcess::open("", pid), 19), 0);
        leave({pid, 1}, group_of(pid).id, kUser);
        Tree next(place(), unique_sleep());
        EXPECT_TRUE(eventually([&] { return group_of(pid).nice == 0; }));
        EXPECT_TRUE(next.has(19));
}

TEST_F(Outside, ARecordThatNamesAnotherUsersSessionHarmsNobody) {
        if (!is_root())
                GTEST_SKIP() << "needs root, to be two users";
        auto command = unique_sleep();
        command.insert(command.begin(), "/usr/bin/setsid");
        const Process victim({as_user(kOtherUser, command), {}, {}});
        const auto pid = static_cast<std::uint32_t>(victim.pid());
        ASSERT_TRUE(eventually(
                [&] { return read_file("/proc/" + std::to_string(pid) + "/comm") == "sleep\n"; }));
        ASSERT_EQ(set_autogroup_nice(*HeldProcess::open("", pid), 19), 0);
        // Root could change it, and must not.
        for (const auto user : {kUser, uid_t{0}}) {
                ASSERT_TRUE(has_guardians(0)) << "the last one clears up there";
                std::filesystem::remove_all(place());
                leave({4'000'000, 1}, group_of(pid).id, user);
                Tree next(place(), unique_sleep(), user);
                ASSERT_TRUE(next.has(19));
                ASSERT_TRUE(eventually([&] { return records() == 1; }));
                EXPECT_EQ(group_of(pid).nice, 19);
        }
}

/// Takes all inotify instances that a user may have, as long as it lives.
class NoInotify {
public:
        explicit NoInotify(uid_t uid) : pid_(test_support::fork_child(uid)) {
                if (pid_ == 0) {
                        while (::inotify_init1(IN_CLOEXEC) >= 0)
                                continue;
                        // There is room for other descriptors.
                        ::_exit(::dup(STDERR_FILENO) < 0 || ::raise(SIGSTOP) != 0 ? 1 : 0);
                }
                int status = 0;
                (void)::waitpid(pid_, &status, WUNTRACED);
                acts_ = WIFSTOPPED(status);
        }
        ~NoInotify() {
                ::kill(pid_, SIGKILL);
                (void)::waitpid(pid_, nullptr, 0);
        }
        NoInotify(const NoInotify&) = delete;
        NoInotify& operator=(const NoInotify&) = delete;

        [[nodiscard]] bool acts() const { return acts_; }

private:
        pid_t pid_;
        bool acts_ = false;
};

/// A user that no other test has: limits are a user's.
uid_t new_user() {
        static uid_t made = 0;
        return 1'000'000 + 10 * static_cast<uid_t>(::getpid()) + made++;
}

TEST_F(Outside, AGuardianNeedsNoInotify) {
        if (!is_root())
                GTEST_SKIP() << "needs root, to be a user of its own";
        const auto user = new_user();
        const NoInotify none(user);
        if (!none.acts())
                GTEST_SKIP() << "a user may have more inotify instances than descriptors";
        Tree tree(place(), unique_sleep(), user);
        ASSERT_TRUE(tree.has(19));
        ASSERT_TRUE(has_guardians(1));
        const auto guardian = guardians().at(0);
        Tree second(place(), unique_sleep(), user);
        ASSERT_TRUE(second.has(19));
        tree.run().signal(SIGKILL);
        EXPECT_TRUE(tree.has(0));
        EXPECT_EQ(guardians(), std::vector<pid_t>{guardian});
        second.run().signal(SIGKILL);
        EXPECT_TRUE(second.has(0));
        EXPECT_TRUE(has_guardians(0));
}

TEST_F(Outside, NothingIsChangedWhereThereIsNoRoomForAGuardian) {
        if (!is_root())
                GTEST_SKIP() << "needs root, to be a user of its own";
        const auto command = unique_sleep();
        // For the run, its command, and the child whose child would be the guardian.
        std::vector<std::string> all{"/usr/bin/prlimit", "--nproc=3"};
        for (const auto& word : as_user(new_user(), {YIELDER, place()}))
                all.push_back(word);
        all.insert(all.end(), command.begin(), command.end());
        const Process run({all, {}, {}});
        ASSERT_TRUE(eventually([&] { return !run.out().empty(); }));
        EXPECT_EQ(run.out(), "nothing acts: no guardian can be started, which would undo it\n");
        EXPECT_EQ(group_of(only(command)).nice, 0);
}

uid_t user_of(std::uint32_t pid) {
        struct stat about {};
        return ::stat(("/proc/" + std::to_string(pid)).c_str(), &about) == 0 ? about.st_uid : 0;
}

/// The guardian could not give it back. It waits on one CPU instead.
TEST_F(Outside, ASessionOfAnotherUserIsNotMadeToYield) {
        if (!is_root_with_sys_nice())
                GTEST_SKIP() << "needs root with CAP_SYS_NICE, to be two users";
        const auto job = unique_sleep();
        Tree tree(place(), as_user(kOtherUser, job), 0, {"WAITS_WHEN_TOLD=yes"});
        const auto pid = only(job);
        ASSERT_TRUE(eventually([&] { return user_of(pid) == kOtherUser; }));
        tree.run().signal(SIGUSR2);
        ASSERT_TRUE(eventually([&] { return !tree.run().out().empty(); }));
        EXPECT_EQ(tree.run().out(), "waits on one CPU\n");
        EXPECT_EQ(group_of(pid).nice, 0);
}

TEST_F(Outside, ASessionThatHasBecomeAnotherUsersIsGivenBackAtItsTurn) {
        if (!is_root())
                GTEST_SKIP() << "needs root, to be two users";
        const auto job = unique_sleep();
        Tree tree(place(),
                  {"/bin/sh", "-c", wait_to_go_on() + "exec " + joined(as_user(kOtherUser, job))},
                  0);
        ASSERT_TRUE(tree.has(19));
        go_on();
        const auto pid = only(job);
        ASSERT_TRUE(eventually([&] { return user_of(pid) == kOtherUser; }));
        EXPECT_EQ(group_of(pid).nice, 19);
        tree.run().signal(SIGUSR1);
        EXPECT_TRUE(eventually([&] { return group_of(pid).nice == 0; }));
}

/// A tree in the session that it was started from, so that no autogroup acts.
class OneCpu : public Outside {
protected:
        void SetUp() override {
                if (open().count() < 2)
                        GTEST_SKIP() << "this process may use one CPU only";
                std::filesystem::permissions(directory_.path(), std::filesystem::perms::all);
        }
        [[nodiscard]] static ctl::outside::CpuMask open() {
                return ctl::outside::mask_of(0).value_or(ctl::outside::CpuMask());
        }
        [[nodiscard]] static std::vector<std::string> shared(const std::string& script) {
                return {"/bin/sh", "-c", script};
        }
        [[nodiscard]] static bool has(std::uint32_t pid, std::uint32_t cpus) {
                return eventually([&] {
                        const auto mask = ctl::outside::mask_of(pid);
                        return mask && mask->count() == cpus;
                });
        }
        [[nodiscard]] static std::string find_openmp() {
                for (const auto* path : {"/usr/lib/x86_64-linux-gnu/libgomp.so.1",
                                         "/usr/lib/aarch64-linux-gnu/libgomp.so.1"})
                        if (std::filesystem::exists(path))
                                return path;
                return {};
        }
};

TEST_F(OneCpu, IsWhatATreeWaitsOnWhereNothingElseActs) {
        Tree tree(place(), unique_sleep(), kUser, {"SHARES_SESSION=yes"});
        ASSERT_TRUE(has(tree.command(), 1));
        EXPECT_TRUE(eventually([&] { return tree.run().out() == "waits on one CPU\n"; }));
        tree.run().signal(SIGUSR1);
        EXPECT_TRUE(has(tree.command(), open().count()));
        tree.run().signal(SIGUSR2);
        EXPECT_TRUE(has(tree.command(), 1));
        tree.run().signal(SIGTERM);
        EXPECT_EQ(tree.run().wait(), 0);
        EXPECT_TRUE(has(tree.command(), open().count()));
}

TEST_F(OneCpu, IsLeftByAllThatCameMeanwhileWhenTheRunIsKilled) {
        const auto late = unique_sleep();
        const auto first = unique_sleep();
        Tree tree(place(),
                  shared("/bin/sleep 0.3; " + late[0] + " " + late[1] + " & exec " + first[0] +
                         " " + first[1]),
                  kUser, {"SHARES_SESSION=yes"});
        const auto child = only(late);
        const auto command = only(first);
        ASSERT_TRUE(has(child, 1));
        ASSERT_TRUE(has(command, 1));
        tree.run().signal(SIGKILL);
        EXPECT_TRUE(has(child, open().count()));
        EXPECT_TRUE(has(command, open().count()));
}

/// Nobody has seen the orphan before: one look is a second from the next.
TEST_F(OneCpu, IsLeftByAnOrphanOfTheLastMomentAtTheEndOfTheCommand) {
        for (const std::string starter : {"", "/usr/bin/setsid "}) {
                const auto orphan = unique_sleep();
                Tree tree(place(), shared(wait_to_go_on() + starter + joined(orphan) + " & exit 0"),
                          kUser, {"SHARES_SESSION=yes"});
                ASSERT_TRUE(has(tree.command(), 1));
                go_on();
                EXPECT_EQ(tree.run().wait(), 0);
                EXPECT_TRUE(has(only(orphan), open().count())) << starter;
                std::filesystem::remove(directory_.path("go"));
        }
}

TEST_F(OneCpu, IsLeftByAnOrphanOfTheLastMomentAtTheTurn) {
        const auto orphan = unique_sleep();
        const auto first = unique_sleep();
        Tree tree(place(),
                  shared(wait_to_go_on() + "(" + joined(orphan) + " &); exec " + joined(first)),
                  kUser, {"SHARES_SESSION=yes"});
        ASSERT_TRUE(has(tree.command(), 1));
        go_on();
        const auto child = only(orphan);
        ASSERT_NE(only(first), 0U);
        tree.run().signal(SIGUSR1);
        EXPECT_TRUE(has(child, open().count()));
}

/// A tree of root has a part that runs as another user, as by runuser(1).
class OneCpuOfRoot : public OneCpu {
protected:
        void SetUp() override {
                if (!is_root_with_sys_nice())
                        GTEST_SKIP() << "needs root with CAP_SYS_NICE, to be two users";
                OneCpu::SetUp();
        }
        /// Starts it while the tree waits; false: it does not wait on one CPU.
        [[nodiscard]] bool begin(Tree& tree) const {
                const auto command = tree.command();
                const bool waits = has(command, 1);
                go_on();
                const auto child = only(job_);
                return waits && has(child, 1) &&
                       eventually([&] { return user_of(child) == kOtherUser; });
        }

        const std::vector<std::string> job_ = unique_sleep();
        const std::string as_other_ = joined(as_user(kOtherUser, job_));
};

TEST_F(OneCpuOfRoot, IsLeftByProcessesOfAnotherUserAtTheTurn) {
        const auto first = unique_sleep();
        Tree tree(place(), shared(wait_to_go_on() + as_other_ + " & exec " + joined(first)), 0,
                  {"SHARES_SESSION=yes"});
        ASSERT_TRUE(begin(tree));
        tree.run().signal(SIGUSR1);
        EXPECT_TRUE(has(only(job_), open().count()));
}

TEST_F(OneCpuOfRoot, IsLeftByProcessesOfAnotherUserWhenTheRunIsKilled) {
        const auto first = unique_sleep();
        Tree tree(place(), shared(wait_to_go_on() + as_other_ + " & exec " + joined(first)), 0,
                  {"SHARES_SESSION=yes"});
        ASSERT_TRUE(begin(tree));
        tree.run().signal(SIGKILL);
        EXPECT_TRUE(has(only(job_), open().count()));
}

TEST_F(OneCpuOfRoot, IsLeftByAProcessThatHasBecomeAnotherUsers) {
        for (const int signal : {SIGUSR1, SIGKILL}) {
                Tree tree(place(), shared(wait_to_go_on() + "exec " + as_other_), 0,
                          {"SHARES_SESSION=yes"});
                ASSERT_TRUE(begin(tree));
                tree.run().signal(signal);
                const auto child = only(job_);
                EXPECT_TRUE(has(child, open().count())) << signal;
                ::kill(static_cast<pid_t>(child), SIGKILL);
                ASSERT_TRUE(eventually([&] { return find(words(job_)).empty(); }));
                std::filesystem::remove(directory_.path("go"));
        }
}

/// As in a container of Docker.
TEST_F(OneCpuOfRoot, IsNothingToProcessesOfAnotherUserWithoutCapSysNice) {
        auto words = as_user(kOtherUser, job_);
        words.insert(words.begin(), {"/usr/bin/setpriv", "--inh-caps", "-sys_nice",
                                     "--bounding-set", "-sys_nice", YIELDER, place()});
        const Process run({words, {"SHARES_SESSION=yes", "WAITS_WHEN_TOLD=yes"}, {}});
        const auto child = only(job_);
        run.signal(SIGUSR2);
        ASSERT_TRUE(eventually([&] { return !run.out().empty(); }));
        EXPECT_EQ(
                run.out(),
                "nothing acts: one CPU: all processes of the tree are bound, or another user's\n");
        EXPECT_TRUE(has(child, open().count()));
}

/// A process of many threads that sleep.
class Crowd {
public:
        explicit Crowd(std::size_t threads) : pid_(test_support::fork_child()) {
                if (pid_ == 0) {
                        become(threads);
                        ::_exit(1);
                }
                int status = 0;
                (void)::waitpid(pid_, &status, WUNTRACED);
                is_there_ = WIFSTOPPED(status);
        }
        ~Crowd() {
                ::kill(pid_, SIGKILL);
                (void)::waitpid(pid_, nullptr, 0);
        }
        Crowd(const Crowd&) = delete;
        Crowd& operator=(const Crowd&) = delete;

        [[nodiscard]] bool is_there() const { return is_there_; }
        [[nodiscard]] std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }

private:
        /// Returns if there is no room for so many.
        static void become(std::size_t threads) {
                constexpr std::size_t kStack = 65'536;
                pthread_attr_t small;
                ::pthread_attr_init(&small);
                ::pthread_attr_setstacksize(&small, kStack);
                const auto sleep = [](void*) -> void* {
                        for (;;)
                                ::pause();
                };
                pthread_t thread{};
                for (std::size_t i = 1; i < threads; i++)
                        if (::pthread_create(&thread, &small, sleep, nullptr) != 0)
                                return;
                ::raise(SIGSTOP);
        }

        pid_t pid_;
        bool is_there_ = false;
};

/// The fence of a tree moves as many (run/processes.hpp).
TEST_F(OneCpu, IsLeftByAllThreadsOfALargeProcess) {
        constexpr std::size_t kThreads = 4'500;
        const Crowd crowd(kThreads);
        if (!crowd.is_there())
                GTEST_SKIP() << "there is no room for " << kThreads << " threads";
        ctl::outside::CpuMask one;
        one.add(open().to_set().back());
        const auto process = HeldProcess::open("", crowd.pid());
        ASSERT_TRUE(process);
        const auto moved = ctl::outside::move_threads(*process, open(), one);
        EXPECT_GE(moved, kThreads) << "a sanitizer has some of its own";
        EXPECT_EQ(ctl::outside::move_threads(*process, one, open()), moved);
}

TEST_F(OneCpu, IsNothingToAStrangerThatHasTheNumberOfOneOfTheTree) {
        const Process child({unique_sleep(), {}, {}});
        const auto held = HeldProcess::open("", static_cast<std::uint32_t>(child.pid()));
        ASSERT_TRUE(held && held->id());
        const auto id = *held->id();
        const ctl::outside::ProcessId ended{id.pid, id.started_ticks - 1};
        using Ids = std::vector<ctl::outside::ProcessId>;
        EXPECT_EQ(ctl::outside::narrowed({id}, {}, open(), {}).processes, Ids{id});
        EXPECT_EQ(ctl::outside::narrowed({ended}, {}, open(), {}).processes, Ids{});
        EXPECT_FALSE(ctl::outside::narrow({open(), open().to_set().back(), 0, {ended}, {}}));
        EXPECT_EQ(ctl::outside::mask_of(id.pid), open());
}

TEST_F(OneCpu, IsLeftByATreeThatLoadsARuntimeWhoseThreadsSpin) {
        const auto program = find_openmp();
        if (program.empty())
                GTEST_SKIP() << "there is no libgomp.so.1 here";
        const auto first = unique_sleep();
        const auto late = unique_sleep();
        Tree tree(place(),
                  shared("/bin/sleep 1; LD_PRELOAD=" + program + " " + late[0] + " " + late[1] +
                         " & exec " + first[0] + " " + first[1]),
                  kUser, {"SHARES_SESSION=yes"});
        ASSERT_TRUE(has(tree.command(), 1));
        EXPECT_TRUE(has(only(late), open().count()));
        EXPECT_TRUE(has(only(first), open().count()));
        EXPECT_TRUE(
                eventually([&] { return tree.run().out().find("libgomp") != std::string::npos; }));
}

TEST_F(OneCpu, IsNothingToAProcessThatWasBoundBefore) {
        const auto bound = unique_sleep();
        const auto first = unique_sleep();
        const auto last = std::to_string(open().to_set().back());
        Tree tree(place(),
                  shared("/usr/bin/taskset -c " + last + " " + bound[0] + " " + bound[1] +
                         " & exec " + first[0] + " " + first[1]),
                  kUser, {"SHARES_SESSION=yes", "WAITS_WHEN_TOLD=yes"});
        const auto child = only(bound);
        ASSERT_TRUE(has(child, 1));
        ASSERT_TRUE(has(only(first), open().count()));
        // One that begins in the same tick of the clock may be one that came later.
        const auto begun = ctl::outside::now_ticks();
        ASSERT_TRUE(eventually([&] { return ctl::outside::now_ticks() > begun; }));
        tree.run().signal(SIGUSR2);
        ASSERT_TRUE(has(only(first), 1));
        tree.run().signal(SIGKILL);
        EXPECT_TRUE(has(only(first), open().count()));
        EXPECT_TRUE(has_guardians(0));
        EXPECT_TRUE(has(child, 1));
}

TEST_F(Outside, NothingIsChangedWhereTheRecordsWouldBeAnotherUsers) {
        if (!is_root())
                GTEST_SKIP() << "needs root, to be two users";
        std::filesystem::create_directory(place());
        std::filesystem::permissions(place(), std::filesystem::perms::owner_all);
        Tree tree(place(), unique_sleep());
        ASSERT_TRUE(eventually([&] { return !tree.run().out().empty(); }));
        EXPECT_EQ(tree.run().out().find("nothing acts: "), 0U) << tree.run().out();
        EXPECT_EQ(group_of(tree.command()).nice, 0);
}

}  // namespace
