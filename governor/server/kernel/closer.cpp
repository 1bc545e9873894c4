// SPDX-License-Identifier: MIT
// A queue for each account, and threads that take from them.
#include "server/kernel/closer.hpp"

#include "server/kernel/event_loop.hpp"
#include "server/kernel/pass_rights.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <ctime>
#include <map>
#include <mutex>
#include <set>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace governor::server {

namespace {

constexpr std::chrono::milliseconds kGathering{1};

/// Interrupts a close. It comes again and again, because the first may come before the wait.
class Alarm {
public:
        Alarm() {
                sigset_t all;
                sigfillset(&all);
                sigdelset(&all, kSignal);
                ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
                sigevent event{};
                event.sigev_notify = SIGEV_THREAD_ID;
                event.sigev_signo = kSignal;
                event._sigev_un._tid = static_cast<pid_t>(::syscall(SYS_gettid));
                is_there_ = ::timer_create(CLOCK_MONOTONIC, &event, &timer_) == 0;
        }
        Alarm(const Alarm&) = delete;
        Alarm& operator=(const Alarm&) = delete;
        ~Alarm() {
                if (is_there_)
                        ::timer_delete(timer_);
        }

        /// 0: no more.
        void ring_every(long ns) const {
                const itimerspec every{{0, ns}, {0, ns}};
                if (is_there_)
                        ::timer_settime(timer_, 0, &every, nullptr);
        }

        static void prepare() {
                struct sigaction action {};
                action.sa_handler = [](int) {};
                ::sigaction(kSignal, &action, nullptr);
        }

private:
        static constexpr int kSignal = SIGURG;  // ignored by default, and of no use to us
        timer_t timer_{};
        bool is_there_ = false;
};

/// A ring costs more than most closes, so it is put off while none takes long.
void close_all(std::vector<UniqueFd>& sockets, const Alarm& alarm) {
        constexpr std::chrono::nanoseconds kSoon{Closer::kPatience_ns / 2};
        auto due = policy::TimePoint::min();
        for (auto& socket : sockets) {
                if (const auto now = EventLoop::now(); now >= due) {
                        alarm.ring_every(Closer::kPatience_ns);
                        due = now + kSoon;
                }
                socket = UniqueFd();
        }
}

}  // namespace

struct Closer::Work {
        std::mutex mutex;
        std::condition_variable there_is_more;
        // All below is guarded by the mutex.
        std::map<policy::Account, std::vector<UniqueFd>> waiting;
        std::set<policy::Account> served;  // a thread is closing sockets of theirs
        std::size_t threads = 0;
        std::size_t idle = 0;
        std::map<policy::Account, std::size_t> pending;  // none of 0
        bool is_over = false;

        /// The first that waits and is not served; end(): none.
        auto next() {
                return std::ranges::find_if(waiting, [this](const auto& entry) {
                        return !served.contains(entry.first);
                });
        }

        /// More accounts wait than there are threads for them.
        [[nodiscard]] bool needs_thread() const {
                const auto ready = std::ranges::count_if(waiting, [this](const auto& entry) {
                        return !served.contains(entry.first);
                });
                return threads < kMostThreads && std::cmp_greater(ready, idle);
        }

        void start_thread(const std::shared_ptr<Work>& self) {
                try {
                        std::thread([self] { self->run(); }).detach();
                        threads++;
                        idle++;                       // until it has begun
                } catch (const std::system_error&) {  // the next close tries again
                }
        }

        void run() {
                const Alarm alarm;
                std::unique_lock lock(mutex);
                idle--;
                for (;;) {
                        auto found = next();
                        if (found == waiting.end()) {
                                if (is_over)
                                        return;
                                idle++;
                                there_is_more.wait(lock);
                                // More come in a moment, if many leave: to be woken costs most.
                                lock.unlock();
                                std::this_thread::sleep_for(kGathering);
                                lock.lock();
                                idle--;
                                continue;
                        }
                        const auto account = found->first;
                        auto sockets = std::move(found->second);
                        waiting.erase(found);
                        served.insert(account);
                        lock.unlock();
                        const auto count = sockets.size();
                        close_all(sockets, alarm);
                        alarm.ring_every(0);
                        lock.lock();
                        served.erase(account);
                        if ((pending.at(account) -= count) == 0)
                                pending.erase(account);
                }
        }
};

Closer::Closer() : work_(std::make_shared<Work>()) { Alarm::prepare(); }

Closer::~Closer() {
        const std::lock_guard lock(work_->mutex);
        work_->is_over = true;
        work_->there_is_more.notify_all();
}

void Closer::close(UniqueFd socket, const policy::Account& account, bool has_gone) {
        if (!account.uid || refuses_descriptors(socket.get()))  // over TCP there are none
                return;
        if (!has_gone)
                ::shutdown(socket.get(), SHUT_RDWR);
        const std::lock_guard lock(work_->mutex);
        work_->waiting[account].push_back(std::move(socket));
        work_->pending[account]++;
        if (work_->needs_thread())
                work_->start_thread(work_);
        work_->there_is_more.notify_one();
}

std::size_t Closer::pending() const {
        const std::lock_guard lock(work_->mutex);
        std::size_t sum = 0;
        for (const auto& [account, count] : work_->pending)
                sum += count;
        return sum;
}

std::size_t Closer::pending(const policy::Account& account) const {
        const std::lock_guard lock(work_->mutex);
        const auto found = work_->pending.find(account);
        return found != work_->pending.end() ? found->second : 0;
}

}  // namespace governor::server
