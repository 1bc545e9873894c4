// SPDX-License-Identifier: MIT
// Starting it, and its loop around poll(2): inotify for records that come, a pidfd for each
// process.
#include "outside/guardian.hpp"

#include "outside/scopes.hpp"
#include "outside/undo.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fcntl.h>
#include <map>
#include <poll.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ctl::outside {

namespace {

using std::chrono::milliseconds;

/// Between two looks at the records where the user may have no inotify instance more.
constexpr milliseconds kLookAtRecords{1'000};

/// Seconds for a look at places that are not its own.
constexpr unsigned kSecondsElsewhere = 10;

/// The number of a descriptor that is closed with its owner.
class Descriptor {
public:
        explicit Descriptor(int fd = -1) : fd_(fd) {}
        Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
        Descriptor& operator=(Descriptor&& other) noexcept {
                std::swap(fd_, other.fd_);
                return *this;
        }
        ~Descriptor() {
                if (fd_ >= 0)
                        ::close(fd_);
        }
        [[nodiscard]] int get() const { return fd_; }

private:
        int fd_;
};

/// Nothing of the process that has started it: its signals, its terminal, its descriptors. Returns
/// where `answer` is now: open until exec, whose success its end tells.
int forget_parent(int lock, int answer) {
        sigset_t none;
        ::sigemptyset(&none);
        for (int number = 1; number < NSIG; number++)
                (void)std::signal(number, SIG_DFL);
        ::sigprocmask(SIG_SETMASK, &none, nullptr);
        (void)!::chdir("/");
        ::umask(S_IRWXG | S_IRWXO);
        const int null = ::open("/dev/null", O_RDWR);
        for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
                ::dup2(null, stream);
        const int moved = ::fcntl(answer, F_DUPFD_CLOEXEC, kLockFd + 1);
        const int kept = ::fcntl(lock, F_DUPFD_CLOEXEC, kLockFd + 1);
        ::dup2(kept, kLockFd);
        ::close_range(kLockFd + 1, ~0U, CLOSE_RANGE_CLOEXEC);
        return moved;
}

[[noreturn]] void become(const std::string& program, const std::string& place, int answer) {
        ::execl(program.c_str(), "governorctl", "guard", place.c_str(), nullptr);
        (void)!::write(answer, "x", 1);
        ::_exit(1);
}

/// The child's child is nobody's but init's: not of the tree that it looks after. A subreaper would
/// get it, so we are none for this moment. An orphan of the tree that comes just now leaves the
/// tree; this is as rare as the death of a guardian. It is given back what was changed, too.
class NoSubreaper {
public:
        NoSubreaper() {
                ::prctl(PR_GET_CHILD_SUBREAPER, &was_);
                if (was_ != 0)
                        ::prctl(PR_SET_CHILD_SUBREAPER, 0UL);
        }
        ~NoSubreaper() {
                if (was_ != 0)
                        ::prctl(PR_SET_CHILD_SUBREAPER, 1UL);
        }
        NoSubreaper(const NoSubreaper&) = delete;
        NoSubreaper& operator=(const NoSubreaper&) = delete;

private:
        int was_ = 0;
};

bool start(const std::string& program, const std::string& place, int lock) {
        int pipe[2];
        int leave[2];
        if (::pipe2(pipe, O_CLOEXEC) < 0)
                return false;
        const Descriptor answer(pipe[0]);
        Descriptor question(pipe[1]);
        if (::pipe2(leave, O_CLOEXEC) < 0)
                return false;
        const Descriptor left(leave[0]);
        Descriptor let(leave[1]);
        const auto child = ::fork();
        if (child == 0) {
                ::setsid();
                const auto guardian = ::fork();
                if (guardian == 0)
                        become(program, place, forget_parent(lock, question.get()));
                if (guardian < 0)
                        (void)!::write(question.get(), "x", 1);
                let = Descriptor();
                char go = 0;
                (void)!::read(left.get(), &go, 1);
                ::_exit(0);
        }
        question = Descriptor();
        if (child < 0)
                return false;
        {
                const NoSubreaper moment;
                (void)!::write(let.get(), "x", 1);
                while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR)
                        continue;
        }
        char said = 0;
        ssize_t n = 0;
        do
                n = ::read(answer.get(), &said, 1);
        while (n < 0 && errno == EINTR);
        return n == 0;
}

/// A process that has a record.
struct Run {
        Descriptor pidfd;            // none: it has ended
        std::optional<Record> left;  // what is still to be taken back
};

class Guardian {
public:
        explicit Guardian(Records records)
                : records_(std::move(records)), changes_(::inotify_init1(IN_CLOEXEC | IN_NONBLOCK)),
                  undo_("") {}

        ExitCode run();

private:
        void survive();
        [[nodiscard]] bool goes_on();
        void find_runs();
        void take_back();
        void wait();

        Records records_;
        Descriptor changes_;
        Undo undo_;
        std::map<ProcessId, Run> runs_;
};

/// It may have ended before, and another one have its number.
Descriptor open_process(const ProcessId& run) {
        Descriptor pidfd(static_cast<int>(::syscall(SYS_pidfd_open, run.pid, 0)));
        const auto held = HeldProcess::open("", run.pid);
        return held && held->id() == run ? std::move(pidfd) : Descriptor();
}

bool has_ended(const Run& run) {
        pollfd process{run.pidfd.get(), POLLIN, 0};
        return process.fd < 0 || ::poll(&process, 1, 0) > 0;
}

void Guardian::find_runs() {
        const auto listed = records_.list();
        std::erase_if(runs_, [&](const auto& run) {
                return !std::binary_search(listed.begin(), listed.end(), run.first);
        });
        for (const auto& id : listed)
                if (!runs_.contains(id))
                        runs_.emplace(id, Run{open_process(id), {}});
}

void Guardian::take_back() {
        for (auto& [id, run] : runs_) {
                if (!run.left && !has_ended(run))
                        continue;
                run.pidfd = Descriptor();
                if (!run.left)
                        run.left = records_.read(id).value_or(Record{});
                undo_.work(*run.left);
                if (!run.left->has_changes())
                        records_.remove(id);
        }
        std::erase_if(runs_, [](const auto& run) {
                return run.second.left && !run.second.left->has_changes();
        });
}

void Guardian::wait() {
        std::vector<pollfd> ready{{changes_.get(), POLLIN, 0}};
        bool waits = false;
        for (const auto& [id, run] : runs_) {
                ready.push_back({run.pidfd.get(), POLLIN, 0});
                waits |= run.left || run.pidfd.get() < 0;
        }
        const auto timeout = waits                ? kRetry
                             : changes_.get() < 0 ? kLookAtRecords
                                                  : milliseconds{-1};
        (void)::poll(ready.data(), ready.size(), static_cast<int>(timeout.count()));
        if (ready.front().revents == 0)
                return;
        // The directory is read fifty times a second at most, whatever others do to it.
        std::this_thread::sleep_for(kRetry);
        std::array<char, 4096> events;
        while (::read(changes_.get(), events.data(), events.size()) > 0)
                continue;
}

/// A record that is written after the last look finds no lock taken, and its writer starts another
/// guardian; one that was written before is seen.
bool Guardian::goes_on() {
        if (!runs_.empty())
                return true;
        records_.unlock(kLockFd);
        find_runs();
        const Descriptor lock(runs_.empty() ? -1 : records_.lock());
        return lock.get() >= 0 && ::dup3(lock.get(), kLockFd, O_CLOEXEC) == kLockFd;
}

/// A service whose main process is killed takes all of its control group along, and so us, but not
/// the scope that it has made.
void Guardian::survive() {
        const bool has_scopes = std::ranges::any_of(runs_, [&](const auto& run) {
                const auto record = records_.read(run.first);
                return record && !record->scopes.empty();
        });
        const auto pid = static_cast<std::uint32_t>(::getpid());
        const auto self = HeldProcess::open("", pid);
        const auto id = has_scopes && self ? self->id() : std::nullopt;
        if (!id)
                return;
        Scopes scopes(*id);
        if (scopes.refuse().empty())
                scopes.take_in({*id});
}

/// A run needs one for as long as it goes on.
void allow_more_descriptors() {
        rlimit limit{};
        if (::getrlimit(RLIMIT_NOFILE, &limit) < 0)
                return;
        limit.rlim_cur = limit.rlim_max;
        (void)::setrlimit(RLIMIT_NOFILE, &limit);
}

ExitCode Guardian::run() {
        if (::inotify_add_watch(changes_.get(), records_.place().c_str(),
                                IN_MOVED_TO | IN_DELETE | IN_DELETE_SELF | IN_ONLYDIR) < 0)
                changes_ = Descriptor();
        find_runs();
        survive();
        for (take_back(); goes_on(); take_back()) {
                wait();
                find_runs();
        }
        return kOk;
}

/// A `run` that has a better place does not look at the home folder, which may hang. This process
/// has no other work by now, and is killed should it hang.
void guard_other_places(const std::string& own) {
        ::alarm(kSecondsElsewhere);
        for (std::size_t which = 0; which < kDefaultPlaces; which++)
                if (const auto place = default_place(which); place != own)
                        guard_left_records(place, "/proc/self/exe");
}

}  // namespace

bool ensure_guardian(const Records& records, const std::string& program) {
        const int lock = records.lock();
        if (lock < 0)
                return lock == -EWOULDBLOCK;
        const Descriptor held(lock);
        return start(program, records.place(), lock);
}

void guard_left_records(const std::string& place, const std::string& program) {
        const auto records = place.empty() ? std::nullopt : Records::find(place);
        if (records && !records->list().empty())
                (void)ensure_guardian(*records, program);
}

ExitCode guard(const std::string& place) {
        auto records = Records::open(place);
        if (!records || !records->is_lock(kLockFd)) {
                std::fprintf(stderr, "governorctl: guard is started by governorctl run only%s%s\n",
                             records ? "" : "; ", records ? "" : records.error().c_str());
                return kUsage;
        }
        ::fcntl(kLockFd, F_SETFD, FD_CLOEXEC);
        allow_more_descriptors();
        const auto code = Guardian(std::move(*records)).run();
        guard_other_places(place);
        return code;
}

}  // namespace ctl::outside
